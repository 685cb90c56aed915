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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// The actions of events: what the operator was doing.
const (
	actionApply    = "Apply"
	actionObserve  = "Observe"
	actionFinalize = "Finalize"
)

// announceChild tells of a child that was written. If the status already spoke
// of the resource's present generation, it was not the resource that changed.
func (r *MemcachedReconciler) announceChild(mc *cachev1alpha1.Memcached, c child, created bool) {
	reason, note := cachev1alpha1.EventUpdated, "%s %s brought up to date"
	if created {
		reason, note = cachev1alpha1.EventCreated, "%s %s created"
	}
	if mc.Status.ObservedGeneration == mc.Generation {
		reason = cachev1alpha1.EventRepaired
	}
	r.Recorder.Eventf(mc, c.live, corev1.EventTypeNormal, reason, actionApply, note, c.kind, mc.Name)
}

// announceStatus tells of what changed for the user: deletion, a problem, all
// nodes ready.
func (r *MemcachedReconciler) announceStatus(mc *cachev1alpha1.Memcached, previous, next cachev1alpha1.MemcachedStatus) {
	if changed := turned(previous, next, cachev1alpha1.ConditionDegraded); changed != "" {
		condition := meta.FindStatusCondition(next.Conditions, cachev1alpha1.ConditionDegraded)
		if changed == cachev1alpha1.ReasonFinalizing {
			r.Recorder.Eventf(mc, nil, corev1.EventTypeNormal, cachev1alpha1.EventDeleting, actionFinalize, "%s", condition.Message)
			return
		}
		r.Recorder.Eventf(mc, nil, corev1.EventTypeWarning, changed, actionObserve, "%s", condition.Message)
	}
	if changed := turned(previous, next, cachev1alpha1.ConditionReady); changed != "" {
		r.Recorder.Eventf(mc, nil, corev1.EventTypeNormal, changed, actionObserve, "%d of %d nodes ready", next.ReadyReplicas, mc.Spec.Size)
	}
}

// turned returns the condition's reason if it is True now and was not True for
// that reason before.
func turned(previous, next cachev1alpha1.MemcachedStatus, conditionType string) string {
	after := meta.FindStatusCondition(next.Conditions, conditionType)
	if !meta.IsStatusConditionTrue(next.Conditions, conditionType) {
		return ""
	}
	before := meta.FindStatusCondition(previous.Conditions, conditionType)
	if before != nil && before.Status == after.Status && before.Reason == after.Reason {
		return ""
	}
	return after.Reason
}

func (r *MemcachedReconciler) announceNodesLeft(mc *cachev1alpha1.Memcached, seen *observed) {
	r.Recorder.Eventf(mc, nil, corev1.EventTypeWarning, cachev1alpha1.EventNodesLeft, actionFinalize,
		"released although this has not gone in time: %s", names(seen))
}
