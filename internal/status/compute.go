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

package status

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// Observed is what exists of a Memcached.
type Observed struct {
	// Deployment is the one that the Memcached controls; nil if there is none.
	Deployment *appsv1.Deployment

	// Pods are its nodes, those that are terminating included.
	Pods []corev1.Pod

	// Selector selects the nodes, in string form.
	Selector string
}

// Outcome is what one run of the operator could not do.
type Outcome struct {
	// Conflicts name the foreign objects that stand where a child should.
	Conflicts []string

	// Awaited name the objects on their way out that a child has to wait for.
	Awaited []string

	// Errors are the writes that failed, each telling verb and object.
	Errors []error
}

// Compute returns mc's status. Transition times are kept where a condition's
// status is the same as in mc.
func Compute(mc *cachev1alpha1.Memcached, seen Observed, out Outcome) cachev1alpha1.MemcachedStatus {
	next := *mc.Status.DeepCopy()
	next.ObservedGeneration = mc.Generation
	next.Selector = seen.Selector
	next.Replicas, next.ReadyReplicas = seen.nodes(), seen.readyNodes()

	trouble := diagnose(seen, out)
	work := progressing(mc, seen, out, trouble)
	for _, condition := range []metav1.Condition{
		available(mc, seen),
		work,
		degraded(mc, trouble),
		ready(mc, seen, trouble, work),
	} {
		condition.ObservedGeneration = mc.Generation
		meta.SetStatusCondition(&next.Conditions, condition)
	}
	return next
}

func (o Observed) nodes() int32 {
	if o.Deployment == nil {
		return 0
	}
	return o.Deployment.Status.Replicas
}

func (o Observed) readyNodes() int32 {
	if o.Deployment == nil {
		return 0
	}
	return o.Deployment.Status.ReadyReplicas
}

// rolledOut tells whether the Deployment's controller has seen its present
// generation and no node of another generation is left or missing. The nodes
// need not be ready.
func (o Observed) rolledOut(size int32) bool {
	if o.Deployment == nil {
		return false
	}
	status := o.Deployment.Status
	return status.ObservedGeneration >= o.Deployment.Generation &&
		status.Replicas == size && status.UpdatedReplicas == size
}
