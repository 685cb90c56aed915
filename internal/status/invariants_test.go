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

package status_test

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

// triples are how many are tried; fewer where the test is of the test itself.
const triples, fewTriples = 100_000, 3000

var (
	types = []string{
		cachev1alpha1.ConditionAvailable, cachev1alpha1.ConditionProgressing,
		cachev1alpha1.ConditionDegraded, cachev1alpha1.ConditionReady,
	}
	// The API's own rule for reasons.
	validReason  = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
	movingNumber = regexp.MustCompile(`9\d{5}`)
)

// invariants hold for every status, whatever is seen.
var invariants = map[string]func(given triple, got cachev1alpha1.MemcachedStatus) bool{
	"the four conditions are there, and no other": func(_ triple, got cachev1alpha1.MemcachedStatus) bool {
		return len(got.Conditions) == len(types) && !slices.ContainsFunc(types, func(conditionType string) bool {
			return meta.FindStatusCondition(got.Conditions, conditionType) == nil
		})
	},
	"every condition can be stored": every(func(condition metav1.Condition) bool {
		return validReason.MatchString(condition.Reason) && len(condition.Reason) <= 1024 &&
			condition.Message != "" && len(condition.Message) <= 32768 && !condition.LastTransitionTime.IsZero() &&
			(condition.Status == metav1.ConditionTrue || condition.Status == metav1.ConditionFalse)
	}),
	"no message holds a number that moves": every(func(condition metav1.Condition) bool {
		return !movingNumber.MatchString(condition.Message)
	}),
	"a cache is available exactly while enough nodes are ready and it is to stay": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		enough := got.ReadyReplicas >= max(given.mc.Spec.Size-1, 1)
		return is(got, cachev1alpha1.ConditionAvailable) == (enough && given.mc.DeletionTimestamp == nil)
	},
	"a ready cache has all its nodes, nothing to do and no trouble": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		return !is(got, cachev1alpha1.ConditionReady) ||
			got.ReadyReplicas == given.mc.Spec.Size && got.Replicas == given.mc.Spec.Size &&
				is(got, cachev1alpha1.ConditionAvailable) && !is(got, cachev1alpha1.ConditionProgressing) && !is(got, cachev1alpha1.ConditionDegraded)
	},
	"a cache that is not ready is being worked on or in trouble, and says why": func(_ triple, got cachev1alpha1.MemcachedStatus) bool {
		ready := meta.FindStatusCondition(got.Conditions, cachev1alpha1.ConditionReady)
		return ready.Status == metav1.ConditionTrue || slices.ContainsFunc(got.Conditions, func(condition metav1.Condition) bool {
			return (condition.Type == cachev1alpha1.ConditionProgressing || condition.Type == cachev1alpha1.ConditionDegraded) &&
				condition.Status == metav1.ConditionTrue && condition.Reason == ready.Reason && condition.Message == ready.Message
		})
	},
	"a cache in trouble is not worked on, unless it is being deleted": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		return !is(got, cachev1alpha1.ConditionDegraded) || is(got, cachev1alpha1.ConditionProgressing) == (given.mc.DeletionTimestamp != nil)
	},
	"status and conditions speak of the present generation": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		return got.ObservedGeneration == given.mc.Generation && every(func(condition metav1.Condition) bool {
			return condition.ObservedGeneration == given.mc.Generation
		})(given, got)
	},
	"a transition time is kept exactly while the condition's status is": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		return every(func(condition metav1.Condition) bool {
			was := meta.FindStatusCondition(given.mc.Status.Conditions, condition.Type)
			kept := condition.LastTransitionTime.Equal(&longAgo)
			return kept == (was != nil && was.Status == condition.Status)
		})(given, got)
	},
	"a cache with a failed write is not ready": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		return len(given.out.Errors) == 0 || !is(got, cachev1alpha1.ConditionReady)
	},
	"the order of the nodes does not matter": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		mc, seen := given.mc.DeepCopy(), given.seen
		mc.Status = got
		seen.Pods = slices.Clone(seen.Pods)
		slices.Reverse(seen.Pods)
		return reflect.DeepEqual(got, status.Compute(mc, seen, given.out))
	},
	"computing again changes nothing": func(given triple, got cachev1alpha1.MemcachedStatus) bool {
		mc := given.mc.DeepCopy()
		mc.Status = got
		return reflect.DeepEqual(got, status.Compute(mc, given.seen, given.out))
	},
}

func every(holds func(metav1.Condition) bool) func(triple, cachev1alpha1.MemcachedStatus) bool {
	return func(_ triple, got cachev1alpha1.MemcachedStatus) bool {
		return !slices.ContainsFunc(got.Conditions, func(condition metav1.Condition) bool { return !holds(condition) })
	}
}

func is(got cachev1alpha1.MemcachedStatus, conditionType string) bool {
	return meta.IsStatusConditionTrue(got.Conditions, conditionType)
}

func TestWhateverIsSeen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(triples) {
		given := generate(seed)
		got := status.Compute(given.mc, given.seen, given.out)
		for name, holds := range invariants {
			if !holds(given, got) {
				t.Fatalf("%s: not so for seed %d:\n%s\nfrom %s\nand %v", name, seed, encode(t, got), encode(t, given.seen), given.out)
			}
		}
	}
}

func TestInputStaysAsItIs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(fewTriples) {
		given := generate(seed)
		same := generate(seed)
		got := status.Compute(given.mc, given.seen, given.out)
		got.Conditions[0].Message = "written to by somebody else"
		if !reflect.DeepEqual(same, given) {
			t.Fatalf("the input of seed %d has changed:\n%s", seed, encode(t, given.mc))
		}
	}
}

// A generator that never meets a case would prove nothing about it.
func TestGeneratorMeetsEveryReason(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for seed := range uint64(fewTriples) {
		given := generate(seed)
		for _, condition := range status.Compute(given.mc, given.seen, given.out).Conditions {
			met[condition.Reason]++
		}
	}
	for _, reason := range []string{
		cachev1alpha1.ReasonMinimumNodesReady, cachev1alpha1.ReasonTooFewNodesReady, cachev1alpha1.ReasonAllNodesReady,
		cachev1alpha1.ReasonSettled, cachev1alpha1.ReasonAsExpected, cachev1alpha1.ReasonRollingOut,
		cachev1alpha1.ReasonWaitingForNodes, cachev1alpha1.ReasonWaitingForDeletion, cachev1alpha1.ReasonFinalizing,
		cachev1alpha1.ReasonNameConflict, cachev1alpha1.ReasonQuotaExceeded, cachev1alpha1.ReasonAdmissionDenied,
		cachev1alpha1.ReasonApplyFailed, cachev1alpha1.ReasonCrashLoop, cachev1alpha1.ReasonImagePullFailed,
		cachev1alpha1.ReasonContainerStartFailed, cachev1alpha1.ReasonUnschedulable, cachev1alpha1.ReasonProgressDeadlineExceeded,
	} {
		if met[reason] < 10 {
			t.Errorf("%s was met %d times in %d triples", reason, met[reason], fewTriples)
		}
	}
}
