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

package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
	"github.com/example/memcached-operator/internal/status"
)

// observed is what exists under a Memcached's name. An object without a UID was
// not found.
type observed struct {
	deployment *appsv1.Deployment
	service    *corev1.Service
	pods       []corev1.Pod
}

// observe reads from the caches, and from the API server only for a Deployment
// that the caches have lost.
func (r *MemcachedReconciler) observe(ctx context.Context, mc *cachev1alpha1.Memcached) (*observed, error) {
	seen := &observed{deployment: &appsv1.Deployment{}, service: &corev1.Service{}}
	for _, object := range []client.Object{seen.deployment, seen.service} {
		if err := r.read(ctx, client.ObjectKeyFromObject(mc), object); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("observe children of Memcached %s/%s: %w", mc.Namespace, mc.Name, err)
		}
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(mc.Namespace), client.MatchingFields{nodeIndex: mc.Name}); err != nil {
		return nil, fmt.Errorf("observe nodes of Memcached %s/%s: %w", mc.Namespace, mc.Name, err)
	}
	// A pod without a controller is nobody's node, whatever its labels say.
	seen.pods = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return metav1.GetControllerOfNoCopy(&pod) == nil })
	return seen, r.findDeployment(ctx, mc, seen)
}

// read reads from the caches, once they hold the operator's own writes of that
// object. It does not wait for them for ever: a watch that had to begin anew never
// shows the write of an object that has gone meanwhile, and the library then waits
// for any later change of that kind (controller-runtime 0.25). What the caches hold
// after recheck is the best there is; preconditions make a stale read harmless.
func (r *MemcachedReconciler) read(ctx context.Context, key client.ObjectKey, object client.Object) error {
	waiting, cancel := context.WithTimeout(ctx, recheck)
	defer cancel()
	err := r.Get(waiting, key, object)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return r.Get(ctx, key, object, client.DisableReadYourWritesConsistency)
	}
	return err
}

// findDeployment looks for a Deployment that the caches do not hold, where nodes
// that nobody stops show that there may be one: its label may have been removed.
func (r *MemcachedReconciler) findDeployment(ctx context.Context, mc *cachev1alpha1.Memcached, seen *observed) error {
	if !seen.strayNodes(mc) {
		return nil
	}
	err := r.getLive(ctx, mc, seen.deployment)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("look for Deployment %s/%s: %w", mc.Namespace, mc.Name, err)
	}
	return nil
}

// strayNodes tells whether there are running nodes but no Deployment.
func (o *observed) strayNodes(mc *cachev1alpha1.Memcached) bool {
	return ownershipOf(mc, o.deployment) == absent && slices.ContainsFunc(o.pods, running)
}

// running tells whether nobody has told the node to stop.
func running(pod corev1.Pod) bool {
	return pod.DeletionTimestamp.IsZero() && pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded
}

// summary is what the status is computed from. A Deployment that mc does not
// control says nothing about mc.
func (o *observed) summary(mc *cachev1alpha1.Memcached) status.Observed {
	summary := status.Observed{
		Pods:     o.pods,
		Selector: labels.SelectorFromSet(resources.Selector(mc.Name)).String(),
	}
	if controls(mc, o.deployment) {
		summary.Deployment = o.deployment
	}
	return summary
}

// ownership is whose an object of a child's name is.
type ownership int

const (
	// absent: there is no such object, as far as is known.
	absent ownership = iota
	// ours: this Memcached controls it.
	ours
	// leaving: it was ours, or that of a former Memcached of this name, and is
	// being deleted or about to be garbage-collected.
	leaving
	// foreign: all else. It is never touched.
	foreign
)

func ownershipOf(mc *cachev1alpha1.Memcached, object client.Object) ownership {
	switch {
	case object.GetUID() == "":
		return absent
	case controls(mc, object) && object.GetDeletionTimestamp().IsZero():
		return ours
	case controls(mc, object), formerly(mc, object):
		return leaving
	}
	return foreign
}

func controls(mc *cachev1alpha1.Memcached, object client.Object) bool {
	return metav1.IsControlledBy(object, mc)
}

// formerly tells whether a Memcached of mc's name, but not mc, controls object.
// Its controller is gone, because names are unique, so garbage collection will
// remove it.
func formerly(mc *cachev1alpha1.Memcached, object client.Object) bool {
	ref := metav1.GetControllerOf(object)
	if ref == nil {
		return false
	}
	owner, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && owner.Group == cachev1alpha1.GroupVersion.Group &&
		ref.Kind == "Memcached" && ref.Name == mc.Name && ref.UID != mc.UID
}
