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
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

const (
	enough  = "True MinimumNodesReady"
	tooFew  = "False TooFewNodesReady"
	settled = "False Settled"
	fine    = "False AsExpected"
	all     = "True AllNodesReady"
)

var situations = map[string]struct {
	mc   *cachev1alpha1.Memcached
	seen status.Observed
	out  status.Outcome
	want verdict
}{
	"nothing exists yet": {
		mc:   cache(1),
		want: verdict{tooFew, "True RollingOut", fine, "False RollingOut"},
	},
	"the Deployment exists, but its controller has not looked at it": {
		mc:   cache(1),
		seen: nodes(0, 0, 0, func(d *appsv1.Deployment) { d.Status.ObservedGeneration = 0 }),
		want: verdict{tooFew, "True RollingOut", fine, "False RollingOut"},
	},
	"a change has not reached nodes that are all ready": {
		mc:   cache(3),
		seen: nodes(3, 3, 3, func(d *appsv1.Deployment) { d.Status.ObservedGeneration = 4 }),
		want: verdict{enough, "True RollingOut", fine, "False RollingOut"},
	},
	"some nodes do not exist yet": {
		mc:   cache(3),
		seen: nodes(2, 2, 2),
		want: verdict{enough, "True RollingOut", fine, "False RollingOut"},
	},
	"a node of an old generation is left, and ready": {
		mc:   cache(3),
		seen: nodes(3, 2, 3),
		want: verdict{enough, "True RollingOut", fine, "False RollingOut"},
	},
	"a node too many is left": {
		mc:   cache(1),
		seen: nodes(2, 2, 2),
		want: verdict{enough, "True RollingOut", fine, "False RollingOut"},
	},
	"the only node of an old generation is ready": {
		mc:   cache(1),
		seen: nodes(1, 0, 1),
		want: verdict{enough, "True RollingOut", fine, "False RollingOut"},
	},
	"the Deployment is paused, which is about to be put right": {
		mc:   cache(1),
		seen: nodes(1, 1, 1, func(d *appsv1.Deployment) { d.Spec.Paused = true }),
		want: verdict{enough, settled, fine, all},
	},
	"the Deployment calls itself available with no node ready": {
		mc:   cache(1),
		seen: nodes(1, 1, 0, reporting(appsv1.DeploymentAvailable, corev1.ConditionTrue, "MinimumReplicasAvailable", "")),
		want: verdict{tooFew, "True WaitingForNodes", fine, "False WaitingForNodes"},
	},
	"the Deployment calls itself unavailable with all nodes ready": {
		mc:   cache(1),
		seen: nodes(1, 1, 1, reporting(appsv1.DeploymentAvailable, corev1.ConditionFalse, "MinimumReplicasUnavailable", "")),
		want: verdict{enough, settled, fine, all},
	},
	"the resource is being deleted": {
		mc:   deleted(cache(3)),
		seen: nodes(3, 3, 3),
		want: verdict{"False Finalizing", "True Finalizing", "True Finalizing", "False Finalizing"},
	},
	"the resource is being deleted while nodes crash": {
		mc:   deleted(cache(1)),
		seen: status.Observed{Pods: []corev1.Pod{node(crashed(2, 1, "Error", running()))}},
		want: verdict{"False Finalizing", "True Finalizing", "True Finalizing", "False Finalizing"},
	},
	"a former Deployment of this name is on its way out": {
		mc:   cache(1),
		out:  status.Outcome{Awaited: []string{"Deployment team/cache"}},
		want: verdict{tooFew, "True WaitingForDeletion", fine, "False WaitingForDeletion"},
	},
	"the Service is on its way out while all nodes are ready": {
		mc:   cache(2),
		seen: nodes(2, 2, 2),
		out:  status.Outcome{Awaited: []string{"Service team/cache"}},
		want: verdict{enough, "True WaitingForDeletion", fine, "False WaitingForDeletion"},
	},
	"somebody else's Deployment has the name": {
		mc:   cache(1),
		out:  status.Outcome{Conflicts: []string{"Deployment team/cache"}},
		want: verdict{tooFew, "False NameConflict", "True NameConflict", "False NameConflict"},
	},
	"somebody else's Service has the name while all nodes are ready": {
		mc:   cache(2),
		seen: nodes(2, 2, 2),
		out:  status.Outcome{Conflicts: []string{"Service team/cache"}},
		want: verdict{enough, "False NameConflict", "True NameConflict", "False NameConflict"},
	},
	"one node of three crashes": {
		mc: cache(3),
		seen: status.Observed{Deployment: nodes(3, 3, 2).Deployment, Pods: []corev1.Pod{
			node(crashed(4, 1, "Error", running())),
		}},
		want: verdict{enough, "False CrashLoop", "True CrashLoop", "False CrashLoop"},
	},
	"a rollout makes no progress": {
		mc:   cache(3),
		seen: nodes(3, 1, 2, stuck),
		want: verdict{enough, "False ProgressDeadlineExceeded", "True ProgressDeadlineExceeded", "False ProgressDeadlineExceeded"},
	},
}

func TestConditionsTellTheSituation(t *testing.T) {
	t.Parallel()
	for name, tc := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := status.Compute(tc.mc, tc.seen, tc.out)
			if diff := cmp.Diff(tc.want, verdictOf(t, got)); diff != "" {
				t.Errorf("conditions (-want +got):\n%s\n%s", diff, encode(t, got))
			}
		})
	}
}

// A cache may miss one node, except its only one.
func TestReadyNodesDecideAvailability(t *testing.T) {
	t.Parallel()
	for size, want := range map[int32][]string{
		1: {tooFew, enough},
		2: {tooFew, enough, enough},
		3: {tooFew, tooFew, enough, enough},
	} {
		for ready, available := range want {
			t.Run(fmt.Sprintf("%d of %d nodes ready", ready, size), func(t *testing.T) {
				t.Parallel()
				want := verdict{available, "True WaitingForNodes", fine, "False WaitingForNodes"}
				if ready == int(size) {
					want = verdict{available, settled, fine, all}
				}
				got := status.Compute(cache(size), nodes(size, size, int32(ready)), status.Outcome{})
				if diff := cmp.Diff(want, verdictOf(t, got)); diff != "" {
					t.Errorf("conditions (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestCountsAreTheDeployments(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		seen status.Observed
		want [2]int32
	}{
		"no Deployment is no nodes": {status.Observed{}, [2]int32{0, 0}},
		"nodes that exist":          {nodes(3, 2, 1), [2]int32{3, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.seen.Selector = "app.kubernetes.io/instance=cache"
			got := status.Compute(cache(3), tc.seen, status.Outcome{})
			if diff := cmp.Diff(tc.want, [2]int32{got.Replicas, got.ReadyReplicas}); diff != "" {
				t.Errorf("replicas and ready replicas (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.seen.Selector, got.Selector); diff != "" {
				t.Errorf("selector (-want +got):\n%s", diff)
			}
		})
	}
}
