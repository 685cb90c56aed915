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

package olm

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// patience is how long the work on one Memcached may hold an upgrade up: a
// Deployment's progress deadline. What takes longer is stuck, and perhaps on
// what the upgrade mends. (A Deployment past its deadline is Degraded, but no
// deadline covers a node that falls silent later, or a foreign finalizer.)
const patience = 10 * time.Minute

// The reasons of condition Upgradeable.
const (
	reasonWorkInProgress    = "WorkInProgress"
	reasonNothingInProgress = "NothingInProgress"
)

// verdict is whether OLM may upgrade the operator now.
type verdict struct {
	// status is Upgradeable's; Unknown means that what OLM was told last stays.
	status metav1.ConditionStatus

	// reason and message explain it. They name no Memcached: which ones are
	// at work changes while the answer stays the same.
	reason, message string

	// quietSince is since when no work is in progress; zero while some is.
	quietSince time.Time

	// recheck is when time alone may change the verdict; zero means never.
	recheck time.Duration
}

// decide holds the upgrade up while work on any Memcached progresses, and then
// until none has for the duration quiet: a rollout that is followed by another
// is one to the people who wait for it. quietSince is the previous verdict's.
func decide(all []cachev1alpha1.Memcached, now, quietSince time.Time, quiet time.Duration) verdict {
	if remaining := workInProgress(all, now); remaining > 0 {
		return verdict{
			status: metav1.ConditionFalse, reason: reasonWorkInProgress,
			message: "nodes of a Memcached are being rolled out or removed; see kubectl get memcacheds -A -o wide",
			recheck: remaining,
		}
	}
	if quietSince.IsZero() {
		quietSince = now
	}
	if remaining := quietSince.Add(quiet).Sub(now); remaining > 0 {
		return verdict{status: metav1.ConditionUnknown, quietSince: quietSince, recheck: remaining}
	}
	return verdict{
		status: metav1.ConditionTrue, reason: reasonNothingInProgress,
		message:    "no nodes of a Memcached are being rolled out or removed",
		quietSince: quietSince,
	}
}

// workInProgress is how long to wait, at most, until less is in progress; zero
// means that nothing is.
func workInProgress(all []cachev1alpha1.Memcached, now time.Time) time.Duration {
	var least time.Duration
	for i := range all {
		remaining := progresses(&all[i]).Sub(now)
		if remaining > 0 && (least == 0 || remaining < least) {
			least = remaining
		}
	}
	return least
}

// progresses is until when the work on mc counts; zero if there is none. A
// Memcached that is Degraded does not count: an upgrade may be what mends it.
func progresses(mc *cachev1alpha1.Memcached) time.Time {
	work := meta.FindStatusCondition(mc.Status.Conditions, cachev1alpha1.ConditionProgressing)
	trouble := meta.FindStatusCondition(mc.Status.Conditions, cachev1alpha1.ConditionDegraded)
	switch {
	case work == nil || work.Status != metav1.ConditionTrue:
		return time.Time{}
	case trouble != nil && trouble.Status == metav1.ConditionTrue && trouble.Reason != cachev1alpha1.ReasonFinalizing:
		return time.Time{}
	case mc.DeletionTimestamp.IsZero():
		return work.LastTransitionTime.Add(patience)
	case !controllerutil.ContainsFinalizer(mc, cachev1alpha1.Finalizer):
		return time.Time{} // released; what it still waits for is somebody else's
	case work.LastTransitionTime.Before(mc.DeletionTimestamp):
		return mc.DeletionTimestamp.Add(patience)
	}
	return work.LastTransitionTime.Add(patience)
}
