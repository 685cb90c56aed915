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
	"slices"

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

// Compute returns mc's status. Of mc's own it keeps nothing but the transition
// times of conditions whose status is the same: the status has one author.
func Compute(mc *cachev1alpha1.Memcached, seen Observed, out Outcome) cachev1alpha1.MemcachedStatus {
	next := cachev1alpha1.MemcachedStatus{
		ObservedGeneration: mc.Generation,
		Selector:           seen.Selector,
		Replicas:           seen.nodes(),
		ReadyReplicas:      seen.readyNodes(),
	}
	trouble := diagnose(seen, out)
	work := progressing(mc, seen, out, trouble)
	for _, condition := range []metav1.Condition{
		available(mc, seen),
		work,
		degraded(mc, trouble),
		allReady(mc, seen, trouble, work),
	} {
		condition.ObservedGeneration = mc.Generation
		if before := meta.FindStatusCondition(mc.Status.Conditions, condition.Type); before != nil {
			next.Conditions = append(next.Conditions, *before)
		}
		meta.SetStatusCondition(&next.Conditions, condition)
	}
	return next
}

// nodes and readyNodes count as the Deployment's controller does. Where there is
// no Deployment, nodes may still serve, and are counted themselves.
func (o Observed) nodes() int32 {
	if o.Deployment == nil {
		return o.count(func(*corev1.Pod) bool { return true })
	}
	return o.Deployment.Status.Replicas
}

func (o Observed) readyNodes() int32 {
	if o.Deployment == nil {
		return o.count(ready)
	}
	return o.Deployment.Status.ReadyReplicas
}

// count counts the pods that are meant to run and satisfy the predicate.
func (o Observed) count(satisfies func(*corev1.Pod) bool) int32 {
	var n int32
	for i := range o.Pods {
		if pod := &o.Pods[i]; meantToRun(pod) && satisfies(pod) {
			n++
		}
	}
	return n
}

func ready(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
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
