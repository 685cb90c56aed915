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
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/campaign/arena"
)

// all expects one thing after the other.
func all(expectations ...Expectation) Expectation {
	return func(ctx context.Context, s *arena.Stage) (string, error) {
		for _, expectation := range expectations {
			if why, err := expectation(ctx, s); why != "" || err != nil {
				return why, err
			}
		}
		return "", nil
	}
}

func ready(size int32) Expectation { return readyNamed(arena.CacheName, size) }

func neighbourReady(size int32) Expectation { return readyNamed(neighbour, size) }

func readyNamed(name string, size int32) Expectation {
	return func(ctx context.Context, s *arena.Stage) (string, error) {
		mc := &cachev1alpha1.Memcached{}
		if err := s.Admin.Get(ctx, types.NamespacedName{Namespace: s.Namespace, Name: name}, mc); err != nil {
			return "Memcached " + name + " is missing", client.IgnoreNotFound(err)
		}
		why := unlike(mc, cachev1alpha1.ConditionReady, cachev1alpha1.ReasonAllNodesReady)
		if why == "" && mc.Status.ReadyReplicas != size {
			why = fmt.Sprintf("%d nodes are ready, not %d", mc.Status.ReadyReplicas, size)
		}
		return why, nil
	}
}

func degraded(reason string) Expectation {
	return func(ctx context.Context, s *arena.Stage) (string, error) {
		mc, err := s.Memcached(ctx)
		if err != nil || mc == nil {
			return "the Memcached is missing", err
		}
		return unlike(mc, cachev1alpha1.ConditionDegraded, reason), nil
	}
}

// unlike tells what keeps a condition from being True for that reason and the
// resource's present generation.
func unlike(mc *cachev1alpha1.Memcached, conditionType, reason string) string {
	found := meta.FindStatusCondition(mc.Status.Conditions, conditionType)
	switch {
	case !mc.DeletionTimestamp.IsZero():
		return mc.Name + " is being deleted"
	case mc.Status.ObservedGeneration != mc.Generation:
		return "the status of " + mc.Name + " is of another generation"
	case found == nil:
		return mc.Name + " has no condition " + conditionType
	case found.Status != "True" || found.Reason != reason:
		return fmt.Sprintf("%s: %s is %s (%s: %s)", mc.Name, conditionType, found.Status, found.Reason, found.Message)
	}
	return ""
}

func gone(ctx context.Context, s *arena.Stage) (string, error) {
	mc, err := s.Memcached(ctx)
	if err != nil || mc == nil {
		return "", err
	}
	return fmt.Sprintf("the Memcached is still there, with finalizers %v", mc.Finalizers), nil
}

// released expects that the operator no longer holds the Memcached.
func released(ctx context.Context, s *arena.Stage) (string, error) {
	mc, err := s.Memcached(ctx)
	if err != nil || mc == nil || !controllerutil.ContainsFinalizer(mc, cachev1alpha1.Finalizer) {
		return "", err
	}
	return "the operator still holds the Memcached", nil
}

// seen expects something of an object that exists.
func seen[T client.Object](object func(*arena.Stage) T, holds func(T) bool, what string) Expectation {
	return func(ctx context.Context, s *arena.Stage) (string, error) {
		found := object(s)
		if err := s.Admin.Get(ctx, client.ObjectKeyFromObject(found), found); err != nil {
			return what, client.IgnoreNotFound(err)
		}
		if !holds(found) {
			return what, nil
		}
		return "", nil
	}
}

var (
	unpaused = seen(deployment, func(d *appsv1.Deployment) bool { return !d.Spec.Paused }, "the Deployment is paused")
	labelled = seen(deployment, func(d *appsv1.Deployment) bool {
		return d.Labels[cachev1alpha1.LabelManagedBy] == cachev1alpha1.ManagedBy
	}, "the Deployment has not got its label back")
	rolled = seen(deployment, func(d *appsv1.Deployment) bool {
		return d.Status.ObservedGeneration == d.Generation && d.Status.UpdatedReplicas == d.Status.Replicas
	}, "the Deployment is not rolled out")
	serviceAsDesired = seen(service, func(v *corev1.Service) bool {
		return v.DeletionTimestamp.IsZero() && v.Spec.Selector[cachev1alpha1.LabelInstance] == arena.CacheName
	}, "the Service is not as it should be")
)

// nodesReady expects so many ready nodes of the Deployment, whatever the status says.
func nodesReady(size int32) Expectation {
	return seen(deployment, func(d *appsv1.Deployment) bool { return d.Status.ReadyReplicas == size },
		"no Deployment has the nodes")
}

func runs(image string) Expectation {
	return all(rolled, seen(deployment, func(d *appsv1.Deployment) bool {
		return d.Spec.Template.Spec.Containers[0].Image == image
	}, "the Deployment has another image"))
}
