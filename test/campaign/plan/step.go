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

package plan

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/campaign/arena"
)

// do is what somebody does.
type do = func(context.Context, *arena.Stage) error

func objectMeta(s *arena.Stage, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: s.Namespace, Name: name}
}

func memcached(s *arena.Stage) *cachev1alpha1.Memcached {
	return &cachev1alpha1.Memcached{ObjectMeta: objectMeta(s, arena.CacheName)}
}

func deployment(s *arena.Stage) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: objectMeta(s, arena.CacheName)}
}

func service(s *arena.Stage) *corev1.Service {
	return &corev1.Service{ObjectMeta: objectMeta(s, arena.CacheName)}
}

func create(size int32) do { return createNamed(arena.CacheName, size) }

const neighbour = "neighbour"

func createNeighbour(size int32) do { return createNamed(neighbour, size) }

func createNamed(name string, size int32) do {
	return func(ctx context.Context, s *arena.Stage) error {
		return s.Admin.Create(ctx, &cachev1alpha1.Memcached{
			ObjectMeta: objectMeta(s, name), Spec: cachev1alpha1.MemcachedSpec{Size: size},
		})
	}
}

// createLike creates a Memcached with everything in its spec.
func createLike(like state) do {
	return func(ctx context.Context, s *arena.Stage) error {
		mc := memcached(s)
		mc.Spec = cachev1alpha1.MemcachedSpec{Size: like.size, ContainerPort: like.port}
		return s.Admin.Create(ctx, mc)
	}
}

// patch makes a merge patch, as `kubectl patch --type=merge` does.
func patch(object func(*arena.Stage) client.Object, format string, args ...any) do {
	return func(ctx context.Context, s *arena.Stage) error {
		body := fmt.Sprintf(format, args...)
		return s.Admin.Patch(ctx, object(s), client.RawPatch(types.MergePatchType, []byte(body)), client.FieldOwner("somebody"))
	}
}

// patchStrategic makes a patch that merges lists by their keys.
func patchStrategic(object func(*arena.Stage) client.Object, body string) do {
	return func(ctx context.Context, s *arena.Stage) error {
		return s.Admin.Patch(ctx, object(s), client.RawPatch(types.StrategicMergePatchType, []byte(body)), client.FieldOwner("somebody"))
	}
}

// patchSub makes a merge patch of a subresource.
func patchSub(object func(*arena.Stage) client.Object, sub, body string) do {
	return func(ctx context.Context, s *arena.Stage) error {
		return s.Admin.SubResource(sub).Patch(ctx, object(s), client.RawPatch(types.MergePatchType, []byte(body)), client.FieldOwner("somebody"))
	}
}

// ignoreMissing lets a step pass that has nothing to act on.
func ignoreMissing(d do) do {
	return func(ctx context.Context, s *arena.Stage) error { return client.IgnoreNotFound(d(ctx, s)) }
}

func theMemcached(s *arena.Stage) client.Object  { return memcached(s) }
func theDeployment(s *arena.Stage) client.Object { return deployment(s) }
func theService(s *arena.Stage) client.Object    { return service(s) }

func scale(size int32) do { return patch(theMemcached, `{"spec":{"size":%d}}`, size) }

func port(number int32) do { return patch(theMemcached, `{"spec":{"containerPort":%d}}`, number) }

func scaleDeployment(size int32) do { return patch(theDeployment, `{"spec":{"replicas":%d}}`, size) }

var (
	pauseDeployment = patch(theDeployment, `{"spec":{"paused":true}}`)
	stripLabel      = patch(theDeployment, `{"metadata":{"labels":{%q:null}}}`, cachev1alpha1.LabelManagedBy)
	editService     = patch(theService, `{"spec":{"selector":{%q:"other"}}}`, cachev1alpha1.LabelInstance)
)

func deleteDeployment(ctx context.Context, s *arena.Stage) error {
	return s.Admin.Delete(ctx, deployment(s), client.PropagationPolicy(metav1.DeletePropagationBackground))
}

// orphanNodes deletes the Deployment and lets its nodes live.
func orphanNodes(ctx context.Context, s *arena.Stage) error {
	if err := s.Admin.Delete(ctx, deployment(s), client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		return err
	}
	return s.Await(ctx, converge, func(ctx context.Context, s *arena.Stage) (string, error) {
		err := s.Admin.Get(ctx, client.ObjectKeyFromObject(deployment(s)), deployment(s))
		if err != nil {
			return "", client.IgnoreNotFound(err)
		}
		return "the Deployment does not go", nil
	})
}

func deleteService(ctx context.Context, s *arena.Stage) error {
	return s.Admin.Delete(ctx, service(s))
}

func remove(policy metav1.DeletionPropagation) do {
	return func(ctx context.Context, s *arena.Stage) error {
		return client.IgnoreNotFound(s.Admin.Delete(ctx, memcached(s), client.PropagationPolicy(policy)))
	}
}

// restart is an upgrade of the operator to one with another memcached image.
func restart(image string) do {
	return func(ctx context.Context, s *arena.Stage) error {
		return s.Restart(ctx, image)
	}
}

// The foreign objects stand where a child should, and look like one.
func foreignDeployment(ctx context.Context, s *arena.Stage) error {
	object := deployment(s)
	object.Labels = map[string]string{cachev1alpha1.LabelManagedBy: cachev1alpha1.ManagedBy}
	labels := map[string]string{"app": "foreign"}
	none := int32(0)
	object.Spec = appsv1.DeploymentSpec{
		Replicas: &none, Paused: true, // its controller writes nothing then
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "foreign", Image: "foreign"}}},
		},
	}
	if err := s.AddForeign(ctx, object); err != nil {
		return err
	}
	// What its controller writes belongs to how it is to stay.
	return s.Await(ctx, converge, seen(func(*arena.Stage) *appsv1.Deployment { return object },
		func(d *appsv1.Deployment) bool { return d.Status.ObservedGeneration == d.Generation }, "the foreign Deployment is not settled"))
}

func foreignService(ctx context.Context, s *arena.Stage) error {
	object := service(s)
	// Without a selector nothing in it contradicts ours: an apply that is not
	// forced would take it over in silence.
	object.Spec = corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Ports: []corev1.ServicePort{{Name: "foreign", Port: 80}}}
	return s.AddForeign(ctx, object)
}

func removeForeign(ctx context.Context, s *arena.Stage) error {
	return s.RemoveForeign(ctx, arena.CacheName)
}
