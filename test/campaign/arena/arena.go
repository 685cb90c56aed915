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

// Package arena is where plans are played: a real API server with etcd, the real
// controllers of Deployments and garbage collection, and simulated machines that
// start and stop pods. Each plan has a namespace and managers of its own, the
// stage.
//
// Reading order: arena.go (what all plans share), machine.go (the simulated
// machine), stage.go (what one plan has), operator.go (its managers), ledger.go
// (what was seen to happen), snapshot.go (what is there at the end).
package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// Elsewhere is a namespace with nothing in it that operators may serve, too.
const Elsewhere = "elsewhere"

// managerUser is whom every operator is to the API server. It has the generated
// role, in the namespaces of the plans.
const managerUser = "memcached-operator"

// controllersUser is whom Kubernetes' own controllers are to the API server.
const controllersUser = "controllers"

// Arena is what all plans share.
type Arena struct {
	// Admin may do everything, and reads from the API server.
	Admin client.Client

	manager    *rest.Config // with its role in some namespaces
	everywhere *rest.Config // with its role in all
	role       *rbacv1.ClusterRole
	program    string // the shipped command
	env        *envtest.Environment
	cancel     context.CancelFunc
	running    sync.WaitGroup
	ledgers    sync.Map // namespace -> *Ledger
	controls   *exec.Cmd
}

// Start starts an API server, etcd and the controller manager from the binaries
// in folder assets, for the operator whose sources are in root.
func Start(ctx context.Context, root, assets string) (*Arena, error) {
	if err := cachev1alpha1.AddToScheme(scheme.Scheme); err != nil {
		return nil, err
	}
	env := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join(root, "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
		BinaryAssetsDirectory: assets,
	}
	env.ControlPlane.GetAPIServer().Configure().
		Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement", "ResourceQuota", "PodSecurity").
		Append("max-requests-inflight", "4000").Append("max-mutating-requests-inflight", "2000")
	env.ControlPlane.Etcd = &envtest.Etcd{}
	env.ControlPlane.Etcd.Configure().Set("unsafe-no-fsync", "true")
	config, err := env.Start()
	if err != nil {
		return nil, fmt.Errorf("start the control plane from %s: %w", assets, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &Arena{env: env, cancel: cancel}
	config.QPS = -1
	if a.Admin, err = client.New(config, client.Options{Scheme: scheme.Scheme}); err == nil {
		err = a.open(ctx, config, root, assets)
	}
	if err != nil {
		return nil, errors.Join(err, a.Stop())
	}
	return a, nil
}

func (a *Arena) open(ctx context.Context, config *rest.Config, root, assets string) error {
	for name, cfg := range map[string]**rest.Config{managerUser: &a.manager, managerUser + "-everywhere": &a.everywhere} {
		user, err := a.env.AddUser(envtest.User{Name: name}, nil)
		if err != nil {
			return err
		}
		*cfg = user.Config()
		(*cfg).QPS = -1
	}
	if err := a.setUp(ctx, root); err != nil {
		return err
	}
	if err := a.build(ctx, root); err != nil {
		return err
	}
	if err := a.startControllers(ctx, assets); err != nil {
		return err
	}
	if err := a.startMachine(ctx, config); err != nil {
		return err
	}
	return a.watch(ctx, config)
}

// setUp makes the objects that all plans share.
func (a *Arena) setUp(ctx context.Context, root string) error {
	text, err := os.ReadFile(filepath.Join(root, "config", "rbac", "role.yaml"))
	if err != nil {
		return err
	}
	a.role = &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(text, a.role); err != nil {
		return err
	}
	everywhere := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: managerUser + "-everywhere"}}
	everywhere.RoleRef, everywhere.Subjects = a.binding("").RoleRef, a.binding("").Subjects
	everywhere.Subjects[0].Name = managerUser + "-everywhere"
	objects := []client.Object{
		a.role, everywhere, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Elsewhere}}, a.binding(Elsewhere),
	}
	for _, object := range append(objects, denial()...) {
		if err := a.Admin.Create(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// startControllers runs the real controllers that the operator's work depends
// on. Their rate limits, made for a cluster, would be what the plans wait for.
func (a *Arena) startControllers(ctx context.Context, assets string) error {
	user, err := a.env.AddUser(envtest.User{Name: controllersUser, Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return err
	}
	path := filepath.Join(a.env.ControlPlane.APIServer.CertDir, "controllers.kubeconfig")
	if err := os.WriteFile(path, kubeconfig, 0o600); err != nil {
		return err
	}
	a.controls = exec.CommandContext(ctx, filepath.Join(assets, "kube-controller-manager"),
		"--kubeconfig="+path, "--leader-elect=false", "--secure-port=0",
		"--controllers=deployment-controller,replicaset-controller,garbage-collector-controller,namespace-controller,resourcequota-controller",
		"--kube-api-qps=1000", "--kube-api-burst=2000", "--concurrent-gc-syncs=40", "--concurrent-deployment-syncs=20",
		"--concurrent-replicaset-syncs=20", "--resource-quota-sync-period=1s")
	a.controls.Stdout, a.controls.Stderr = io.Discard, io.Discard
	if err := a.controls.Start(); err != nil {
		return fmt.Errorf("start kube-controller-manager: %w", err)
	}
	return nil
}

// Stop ends all that Start started.
func (a *Arena) Stop() error {
	a.cancel()
	a.running.Wait()
	if a.controls != nil {
		_ = a.controls.Wait() // it was killed
	}
	return a.env.Stop()
}

// Grant gives the operators their role in a namespace.
func (a *Arena) Grant(ctx context.Context, namespace string) error {
	return a.Admin.Create(ctx, a.binding(namespace))
}

// Revoke takes the role away.
func (a *Arena) Revoke(ctx context.Context, namespace string) error {
	return a.Admin.Delete(ctx, a.binding(namespace))
}

func (a *Arena) binding(namespace string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: managerUser},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: a.role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: managerUser}},
	}
}
