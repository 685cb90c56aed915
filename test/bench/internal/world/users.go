/*
Copyright The Memcached operator authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package world

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// User makes a user of the API server. It returns its access, without a limit
// on the client's side, and where its kubeconfig is.
func (w *World) User(name string, groups ...string) (*rest.Config, string, error) {
	user, err := w.environment.AddUser(envtest.User{Name: name, Groups: groups}, &rest.Config{QPS: -1})
	if err != nil {
		return nil, "", fmt.Errorf("make user %s: %w", name, err)
	}
	text, err := user.KubeConfig()
	if err != nil {
		return nil, "", fmt.Errorf("make kubeconfig of user %s: %w", name, err)
	}
	path := filepath.Join(w.Folder, name+".kubeconfig")
	return user.Config(), path, os.WriteFile(path, text, 0o600)
}

// Grant gives a user exactly the ClusterRole that a file holds.
func (w *World) Grant(ctx context.Context, user, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the role of user %s: %w", user, err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(text, &role); err != nil {
		return fmt.Errorf("read the role of user %s in %s: %w", user, file, err)
	}
	role.Name = user
	return w.bind(ctx, user, &role)
}

// GrantLeases lets a user take part in an election, in any namespace.
func (w *World) GrantLeases(ctx context.Context, user string) error {
	return w.bind(ctx, user, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: user + "-leases"},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"},
		}},
	})
}

func (w *World) bind(ctx context.Context, user string, role *rbacv1.ClusterRole) error {
	client, err := kubernetes.NewForConfig(w.Load)
	if err != nil {
		return err
	}
	if _, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("grant user %s its role: %w", user, err)
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("grant user %s its role: %w", user, err)
	}
	return nil
}

// Namespace makes a namespace whose name starts with prefix.
func (w *World) Namespace(ctx context.Context, prefix string) (string, error) {
	client, err := kubernetes.NewForConfig(w.Load)
	if err != nil {
		return "", err
	}
	made, err := client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix + "-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("make a namespace: %w", err)
	}
	return made.Name, nil
}

// Sweep removes the Services of a namespace, which garbage collection would.
func (w *World) Sweep(ctx context.Context, namespace string) error {
	client, err := kubernetes.NewForConfig(w.Load)
	if err != nil {
		return err
	}
	err = client.CoreV1().RESTClient().Delete().Namespace(namespace).Resource("services").Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("remove the Services of namespace %s: %w", namespace, err)
	}
	return nil
}
