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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const quiet = 10 * time.Second

var now = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// memcached is one whose Progressing and Degraded have had these values, for
// these reasons, for so long.
func memcached(since time.Duration, work metav1.ConditionStatus, reason string, trouble metav1.ConditionStatus, troubleReason string) cachev1alpha1.Memcached {
	at := metav1.NewTime(now.Add(-since))
	return cachev1alpha1.Memcached{Status: cachev1alpha1.MemcachedStatus{Conditions: []metav1.Condition{
		{Type: cachev1alpha1.ConditionProgressing, Status: work, Reason: reason, LastTransitionTime: at},
		{Type: cachev1alpha1.ConditionDegraded, Status: trouble, Reason: troubleReason, LastTransitionTime: at},
	}}}
}

func settled() cachev1alpha1.Memcached {
	return memcached(time.Second, metav1.ConditionFalse, cachev1alpha1.ReasonSettled, metav1.ConditionFalse, cachev1alpha1.ReasonAsExpected)
}

func working(since time.Duration, reason string) cachev1alpha1.Memcached {
	return memcached(since, metav1.ConditionTrue, reason, metav1.ConditionFalse, cachev1alpha1.ReasonAsExpected)
}

// finalizing is a Memcached that was deleted so long ago and whose status has
// said that work is in progress since.
func finalizing(since, deleted time.Duration, finalizers ...string) cachev1alpha1.Memcached {
	mc := memcached(since, metav1.ConditionTrue, cachev1alpha1.ReasonFinalizing, metav1.ConditionTrue, cachev1alpha1.ReasonFinalizing)
	at := metav1.NewTime(now.Add(-deleted))
	mc.DeletionTimestamp, mc.Finalizers = &at, finalizers
	return mc
}

// heldUp is a table's row: what exists, and for how long at most it holds an
// upgrade up (zero: not at all).
type heldUp struct {
	all  []cachev1alpha1.Memcached
	want time.Duration
}

func (row heldUp) check(t *testing.T) {
	t.Helper()
	long := now.Add(-time.Hour)
	want := verdict{status: metav1.ConditionTrue, reason: "NothingInProgress", quietSince: long}
	if row.want > 0 {
		want = verdict{status: metav1.ConditionFalse, reason: "WorkInProgress", recheck: row.want}
	}
	compare(t, want, decide(row.all, now, long, quiet))
}

func TestWorkInProgressHoldsAnUpgradeUp(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]heldUp{
		"nothing exists": {},
		"not looked at yet by the operator": {
			all: []cachev1alpha1.Memcached{{}},
		},
		"settled": {
			all: []cachev1alpha1.Memcached{settled()},
		},
		"rolling out": {
			all: []cachev1alpha1.Memcached{working(0, cachev1alpha1.ReasonRollingOut)}, want: 10 * time.Minute,
		},
		"waiting for nodes": {
			all: []cachev1alpha1.Memcached{working(time.Minute, cachev1alpha1.ReasonWaitingForNodes)}, want: 9 * time.Minute,
		},
		"waiting for a former Deployment to go": {
			all: []cachev1alpha1.Memcached{working(time.Minute, cachev1alpha1.ReasonWaitingForDeletion)}, want: 9 * time.Minute,
		},
		"one of many at work": {
			all:  []cachev1alpha1.Memcached{settled(), working(time.Minute, cachev1alpha1.ReasonRollingOut), settled()},
			want: 9 * time.Minute,
		},
		"several at work, of which one ends its time first": {
			all: []cachev1alpha1.Memcached{
				working(time.Minute, cachev1alpha1.ReasonRollingOut),
				working(4*time.Minute, cachev1alpha1.ReasonRollingOut),
				working(2*time.Minute, cachev1alpha1.ReasonRollingOut),
			},
			want: 6 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

// What is stuck may be stuck until the upgrade that mends it.
func TestStuckWorkDoesNotHoldAnUpgradeUp(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]heldUp{
		"at work just as long as is believed": {
			all: []cachev1alpha1.Memcached{working(10*time.Minute, cachev1alpha1.ReasonWaitingForNodes)},
		},
		"at work for ever beside one that has begun": {
			all: []cachev1alpha1.Memcached{
				working(24*time.Hour, cachev1alpha1.ReasonWaitingForDeletion),
				working(time.Minute, cachev1alpha1.ReasonRollingOut),
			},
			want: 9 * time.Minute,
		},
		"degraded": {
			all: []cachev1alpha1.Memcached{memcached(time.Minute,
				metav1.ConditionFalse, cachev1alpha1.ReasonCrashLoop, metav1.ConditionTrue, cachev1alpha1.ReasonCrashLoop)},
		},
		"past the Deployment's progress deadline": {
			all: []cachev1alpha1.Memcached{memcached(time.Minute,
				metav1.ConditionFalse, cachev1alpha1.ReasonProgressDeadlineExceeded,
				metav1.ConditionTrue, cachev1alpha1.ReasonProgressDeadlineExceeded)},
		},
		"degraded, though it claims to be at work": {
			all: []cachev1alpha1.Memcached{memcached(time.Minute,
				metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut, metav1.ConditionTrue, cachev1alpha1.ReasonImagePullFailed)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestFinalizationHoldsAnUpgradeUpForAWhile(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]heldUp{
		"finalizing": {
			all: []cachev1alpha1.Memcached{finalizing(time.Minute, time.Minute, cachev1alpha1.Finalizer)}, want: 9 * time.Minute,
		},
		"finalizing after it was stuck for long": {
			all: []cachev1alpha1.Memcached{finalizing(time.Hour, time.Minute, cachev1alpha1.Finalizer)}, want: 9 * time.Minute,
		},
		"finalizing since the operator came back, long after the deletion": {
			all: []cachev1alpha1.Memcached{finalizing(time.Minute, time.Hour, cachev1alpha1.Finalizer)}, want: 9 * time.Minute,
		},
		"finalizing for longer than nodes can take to stop": {
			all: []cachev1alpha1.Memcached{finalizing(time.Hour, time.Hour, cachev1alpha1.Finalizer)},
		},
		"released, and kept by somebody else's finalizer": {
			all: []cachev1alpha1.Memcached{finalizing(time.Minute, time.Minute, "example.com/other")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

// A rollout is often one of several: OLM's chance comes when they are over.
func TestUpgradesWaitUntilAllIsQuiet(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		quietSince time.Time
		want       verdict
	}{
		"work has just ended, or the operator just started": {
			want: verdict{status: metav1.ConditionUnknown, quietSince: now, recheck: quiet},
		},
		"quiet for a while": {
			quietSince: now.Add(-4 * time.Second),
			want:       verdict{status: metav1.ConditionUnknown, quietSince: now.Add(-4 * time.Second), recheck: 6 * time.Second},
		},
		"quiet for long enough": {
			quietSince: now.Add(-quiet),
			want:       verdict{status: metav1.ConditionTrue, reason: "NothingInProgress", quietSince: now.Add(-quiet)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, tc.want, decide([]cachev1alpha1.Memcached{settled()}, now, tc.quietSince, quiet))
		})
	}
}

// compare demands a message wherever OLM is told something.
func compare(t *testing.T, want, got verdict) {
	t.Helper()
	if told := got.status != metav1.ConditionUnknown; told != (got.message != "") {
		t.Errorf("status %s has message %q", got.status, got.message)
	}
	got.message = ""
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(verdict{})); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
}
