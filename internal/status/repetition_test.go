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
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

func called(name string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Name = name }
}

func unreachable(cause string) error {
	return apierrors.NewInternalError(errors.New(`failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.infra.svc:443/": ` + cause))
}

// lasting are problems, each as it is seen at different times.
var lasting = map[string][]func() (status.Observed, status.Outcome){
	"a crash loop of several nodes": {
		sees(crashed(1, 137, "OOMKilled", running()), called("cache-5d4f-abcde")),
		sees(crashed(2, 137, "OOMKilled", backOff("back-off 10s restarting failed container=memcached pod=cache-5d4f-abcde")), called("cache-5d4f-abcde")),
		sees(crashed(93, 1, "Error", ended(137, "OOMKilled")), called("cache-5d4f-abcde")),
		sees(crashed(17, 137, "OOMKilled", backOff("back-off 5m0s restarting failed container=memcached pod=cache-5d4f-fghij")), called("cache-5d4f-fghij")),
	},
	"an image that is missing": {
		sees(waiting("ErrImagePull", "rpc error: code = NotFound"), called("cache-5d4f-abcde")),
		sees(waiting("ImagePullBackOff", "Back-off pulling image"), called("cache-5d4f-abcde")),
		sees(waiting("ErrImagePull", "dial tcp 10.0.0.4:41532->10.0.0.9:443: i/o timeout"), called("cache-77aa-fghij")),
	},
	"a container that cannot be made": {
		sees(waiting("CreateContainerError", "context deadline exceeded"), called("cache-5d4f-abcde")),
		sees(waiting("CreateContainerConfigError", "failed to sync configmap cache"), called("cache-5d4f-fghij")),
	},
	"a cluster that is full": {
		sees(corev1.ContainerStatus{}, unscheduled("Unschedulable", "0/3 nodes are available: 3 Insufficient memory."), called("cache-5d4f-abcde")),
		sees(corev1.ContainerStatus{}, unscheduled("Unschedulable", "0/7 nodes are available: 7 Insufficient cpu."), called("cache-5d4f-fghij")),
	},
	"a quota that is used up": {
		refuses(podForbidden + "exceeded quota: tight, requested: pods=1, used: pods=4, limited: pods=4"),
		refuses(`pods "cache-5d4f-fghij" is forbidden: exceeded quota: tight, requested: pods=1, used: pods=5, limited: pods=4`),
	},
	"Pod Security that refuses nodes": {
		refuses(podForbidden + `violates PodSecurity "restricted:latest": seccompProfile`),
		refuses(`pods "cache-77aa-fghij" is forbidden: violates PodSecurity "restricted:latest": seccompProfile`),
	},
	"a webhook that nodes cannot reach": {
		refuses(unreachable("dial tcp 10.96.7.2:443: connect: connection refused").Error()),
		refuses(unreachable("read tcp 10.0.0.4:41532->10.96.7.2:443: read: connection reset by peer").Error()),
	},
	"a webhook that the operator's writes cannot reach": {
		fails(unreachable("read tcp 10.0.0.4:41532->10.96.7.2:443: i/o timeout")),
		fails(unreachable("read tcp 10.0.0.4:59008->10.96.7.2:443: i/o timeout")),
		fails(unreachable("context deadline exceeded")),
	},
	"a deadline that has passed": {
		func() (status.Observed, status.Outcome) { return nodes(1, 1, 0, stuck), status.Outcome{} },
		func() (status.Observed, status.Outcome) {
			seen := nodes(1, 1, 0, stuck)
			seen.Deployment.Status.Conditions[0].Message = `ReplicaSet "cache-77aa" has timed out progressing.`
			return seen, status.Outcome{}
		},
	},
}

func sees(container corev1.ContainerStatus, edits ...func(*corev1.Pod)) func() (status.Observed, status.Outcome) {
	return func() (status.Observed, status.Outcome) { return withPods(node(container, edits...)), status.Outcome{} }
}

func refuses(message string) func() (status.Observed, status.Outcome) {
	return func() (status.Observed, status.Outcome) { return nodes(1, 1, 0, refused(message)), status.Outcome{} }
}

func fails(err error) func() (status.Observed, status.Outcome) {
	return func() (status.Observed, status.Outcome) { return nodes(1, 1, 0), writing(err) }
}

// A status that moves while the problem stays would be written for ever.
func TestLastingProblemCostsOneWrite(t *testing.T) {
	t.Parallel()
	for name, sightings := range lasting {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mc := cache(1)
			seen, out := sightings[0]()
			mc.Status = status.Compute(mc, seen, out)
			if got := degradedOf(t, mc.Status); got.Status != metav1.ConditionTrue {
				t.Fatalf("no problem is seen: %s", encode(t, mc.Status))
			}
			want := encode(t, mc.Status)
			for _, sighting := range sightings {
				seen, out := sighting()
				if diff := cmp.Diff(want, encode(t, status.Compute(mc, seen, out))); diff != "" {
					t.Errorf("status (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// before is a status of long ago.
func before(t *testing.T, mc *cachev1alpha1.Memcached, seen status.Observed) cachev1alpha1.MemcachedStatus {
	t.Helper()
	got := status.Compute(mc, seen, status.Outcome{})
	for i := range got.Conditions {
		got.Conditions[i].LastTransitionTime = longAgo
	}
	return got
}

func TestTransitionTimeIsThatOfTheStatus(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		was, is status.Observed
		want    []string // the conditions that have a new time
	}{
		"nothing changes":                        {was: nodes(3, 3, 3), is: nodes(3, 3, 3)},
		"only a message changes":                 {was: nodes(3, 3, 0), is: nodes(3, 3, 1)},
		"only reasons and messages change":       {was: nodes(3, 2, 1), is: nodes(3, 3, 1)},
		"one node too few is ready":              {was: nodes(3, 3, 3), is: nodes(3, 3, 2), want: []string{"Progressing", "Ready"}},
		"most nodes are lost":                    {was: nodes(3, 3, 3), is: nodes(3, 3, 1), want: []string{"Available", "Progressing", "Ready"}},
		"a problem shows that keeps nodes away":  {was: nodes(3, 3, 2), is: nodes(3, 3, 2, stuck), want: []string{"Progressing", "Degraded"}},
		"a problem shows while nodes are enough": {was: nodes(3, 3, 3), is: nodes(3, 3, 3, stuck), want: []string{"Degraded", "Ready"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mc := cache(3)
			mc.Status = before(t, mc, tc.was)
			mc.Generation++
			var got []string
			for _, condition := range status.Compute(mc, tc.is, status.Outcome{}).Conditions {
				if condition.LastTransitionTime.After(longAgo.Time) {
					got = append(got, condition.Type)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("conditions with a new time (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatusSpeaksOfThePresentGeneration(t *testing.T) {
	t.Parallel()
	for name, seen := range map[string]status.Observed{
		"when nothing has changed":       nodes(3, 3, 3),
		"when conditions become others":  nodes(3, 1, 0, stuck),
		"when nothing exists any longer": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mc := cache(3)
			mc.Status = before(t, mc, nodes(3, 3, 3))
			mc.Generation = 9
			got := status.Compute(mc, seen, status.Outcome{})
			if diff := cmp.Diff(int64(9), got.ObservedGeneration); diff != "" {
				t.Errorf("observedGeneration of the status (-want +got):\n%s", diff)
			}
			for _, condition := range got.Conditions {
				if diff := cmp.Diff(int64(9), condition.ObservedGeneration); diff != "" {
					t.Errorf("observedGeneration of %s (-want +got):\n%s", condition.Type, diff)
				}
			}
		})
	}
}
