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

package arena

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// bystanders look as much like the operator's objects as foreign ones can.
func bystanders(namespace string) []client.Object {
	labels := map[string]string{
		cachev1alpha1.LabelName: "memcached", cachev1alpha1.LabelInstance: CacheName,
		cachev1alpha1.LabelManagedBy: cachev1alpha1.ManagedBy,
	}
	yes, no := true, false
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}
	}
	return []client.Object{
		&corev1.Service{ObjectMeta: meta(CacheName + "-admin"), Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: labels, Ports: []corev1.ServicePort{{Port: 80}},
		}},
		&corev1.ConfigMap{ObjectMeta: meta(CacheName)},
		&corev1.Pod{ObjectMeta: meta(CacheName + "-admin"), Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}}, // it stays as it is
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: &yes, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{Name: "admin", Image: "admin", SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: &no, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			}}},
		}},
		&corev1.Secret{ObjectMeta: meta(CacheName), StringData: map[string]string{"password": Canary}},
	}
}

// AddForeign creates an object that the operator must not touch from now on.
func (s *Stage) AddForeign(ctx context.Context, object client.Object) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.foreign = append(s.foreign, object)
	return s.Admin.Create(ctx, object)
}

// RemoveForeign deletes the foreign objects of a name that stand where a child
// should.
func (s *Stage) RemoveForeign(ctx context.Context, name string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var rest []client.Object
	for _, object := range s.foreign {
		switch object.(type) {
		case *corev1.Service, *appsv1.Deployment:
			if object.GetName() == name {
				if err := s.Admin.Delete(ctx, object); err != nil {
					return err
				}
				continue
			}
		}
		rest = append(rest, object)
	}
	s.foreign = rest
	return nil
}

// ForgetForeign takes it that all foreign objects may go.
func (s *Stage) ForgetForeign() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.foreign = nil
}

// Touched returns the foreign objects that are no longer as they were made.
func (s *Stage) Touched(ctx context.Context) ([]string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var touched []string
	for _, object := range s.foreign {
		now := object.DeepCopyObject().(client.Object)
		err := s.Admin.Get(ctx, client.ObjectKeyFromObject(object), now)
		if client.IgnoreNotFound(err) != nil {
			return nil, err
		}
		if err != nil || now.GetUID() != object.GetUID() || now.GetResourceVersion() != object.GetResourceVersion() {
			touched = append(touched, fmt.Sprintf("%T %s", object, object.GetName()))
		}
	}
	return touched, nil
}
