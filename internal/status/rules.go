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
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const finalizingMessage = "the nodes are being stopped; the resource goes when they are gone"

// available holds against size - 1, because a rollout stops one node at a time;
// the only node of a cache must be ready all the same.
func available(mc *cachev1alpha1.Memcached, seen Observed) metav1.Condition {
	needed := max(mc.Spec.Size-1, 1)
	switch {
	case finalizing(mc):
		return no(cachev1alpha1.ConditionAvailable, cachev1alpha1.ReasonFinalizing, finalizingMessage)
	case seen.readyNodes() < needed:
		return no(cachev1alpha1.ConditionAvailable, cachev1alpha1.ReasonTooFewNodesReady,
			"%d of %d nodes ready, at least %d needed", seen.readyNodes(), mc.Spec.Size, needed)
	}
	return yes(cachev1alpha1.ConditionAvailable, cachev1alpha1.ReasonMinimumNodesReady,
		"%d of %d nodes ready", seen.readyNodes(), mc.Spec.Size)
}

// progressing asks its questions in order of urgency; the first answer wins.
func progressing(mc *cachev1alpha1.Memcached, seen Observed, out Outcome, trouble *problem) metav1.Condition {
	const condition = cachev1alpha1.ConditionProgressing
	switch {
	case finalizing(mc):
		return yes(condition, cachev1alpha1.ReasonFinalizing, finalizingMessage)
	case trouble != nil:
		return no(condition, trouble.reason, "%s", trouble.message)
	case len(out.Awaited) > 0:
		return yes(condition, cachev1alpha1.ReasonWaitingForDeletion,
			"waiting until it is gone: %s", strings.Join(out.Awaited, ", "))
	case !seen.rolledOut(mc.Spec.Size), len(out.Errors) > 0: // what failed is tried again
		return yes(condition, cachev1alpha1.ReasonRollingOut, "nodes are being created, replaced or removed")
	case seen.readyNodes() < mc.Spec.Size:
		return yes(condition, cachev1alpha1.ReasonWaitingForNodes, "%d of %d nodes ready", seen.readyNodes(), mc.Spec.Size)
	}
	return no(condition, cachev1alpha1.ReasonSettled, "nothing left to do")
}

func degraded(mc *cachev1alpha1.Memcached, trouble *problem) metav1.Condition {
	switch {
	case finalizing(mc):
		return yes(cachev1alpha1.ConditionDegraded, cachev1alpha1.ReasonFinalizing, finalizingMessage)
	case trouble != nil:
		return yes(cachev1alpha1.ConditionDegraded, trouble.reason, "%s", trouble.message)
	}
	return no(cachev1alpha1.ConditionDegraded, cachev1alpha1.ReasonAsExpected, "nothing is wrong")
}

// allReady repeats, while it is False, the reason that explains it best: it is the
// one that `kubectl get -o wide` shows.
func allReady(mc *cachev1alpha1.Memcached, seen Observed, trouble *problem, work metav1.Condition) metav1.Condition {
	const condition = cachev1alpha1.ConditionReady
	switch {
	case trouble != nil && !finalizing(mc):
		return no(condition, trouble.reason, "%s", trouble.message)
	case work.Status == metav1.ConditionTrue:
		return no(condition, work.Reason, "%s", work.Message)
	}
	return yes(condition, cachev1alpha1.ReasonAllNodesReady, "%d of %d nodes ready", seen.readyNodes(), mc.Spec.Size)
}

func finalizing(mc *cachev1alpha1.Memcached) bool {
	return !mc.DeletionTimestamp.IsZero()
}

func yes(conditionType, reason, format string, args ...any) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func no(conditionType, reason, format string, args ...any) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionFalse, Reason: reason, Message: fmt.Sprintf(format, args...)}
}
