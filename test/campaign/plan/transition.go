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
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/example/memcached-operator/test/campaign/arena"
)

// change is something that a user does to a Memcached's spec.
type change struct {
	what string
	do   do
	// to changes the state that the resource should have in the end.
	to func(*state)
}

// state is what a spec says.
type state struct{ size, port int32 }

var initial = state{1, 11211} // by default

// changes are all there are. To cover another property, add lines.
var changes = []change{
	{"size 1", scale(1), func(s *state) { s.size = 1 }},
	{"size 2", scale(2), func(s *state) { s.size = 2 }},
	{"size 3", scale(3), func(s *state) { s.size = 3 }},
	{"port 11300", port(11300), func(s *state) { s.port = 11300 }},
	{"port 80", port(80), func(s *state) { s.port = 80 }},
	{"no size", patch(theMemcached, `{"spec":{"size":null}}`), func(s *state) { s.size = initial.size }},
	{"no port", patch(theMemcached, `{"spec":{"containerPort":null}}`), func(s *state) { s.port = initial.port }},
	{"no spec", patch(theMemcached, `{"spec":null}`), func(s *state) { *s = initial }},
	{"size 0", refused(scale(0)), func(*state) {}},
	{"size 4", refused(scale(4)), func(*state) {}},
	{"port 0", refused(port(0)), func(*state) {}},
	{"port 65536", refused(port(65536)), func(*state) {}},
}

// refused expects that the API server does not allow it.
func refused(d do) do {
	return func(ctx context.Context, s *arena.Stage) error {
		if err := d(ctx, s); !apierrors.IsInvalid(err) {
			return fmt.Errorf("expected a refusal at admission, got: %w", err)
		}
		return nil
	}
}

// rolledOut waits until a rollout that a change of the port has begun is over. A
// change of the size that makes the Deployment as large as the one ReplicaSet that
// has nodes just then makes Kubernetes' Deployment controller stop for good
// (kubernetes/kubernetes#102551, open in 1.37): no operator's doing, and found by
// these plans.
var rolledOut = until(func(ctx context.Context, s *arena.Stage) (string, error) {
	mc, err := s.Memcached(ctx)
	if err != nil || mc == nil {
		return "the Memcached is missing", err
	}
	return seen(deployment, func(d *appsv1.Deployment) bool {
		return d.Status.ObservedGeneration == d.Generation && d.Status.UpdatedReplicas == *d.Spec.Replicas &&
			d.Status.Replicas == *d.Spec.Replicas &&
			d.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort == mc.Spec.ContainerPort
	}, "the rollout is not over")(ctx, s)
})

// transitions are all changes in pairs. The end must be that of a resource
// which was created as it is in the end.
func transitions(w Workload, _ Reference) []Plan {
	if w.Name != "create" {
		return nil
	}
	var plans []Plan
	for _, first := range changes {
		for _, second := range changes {
			end := state{2, 11211}
			first.to(&end)
			second.to(&end)
			plans = append(plans, Plan{
				What:      first.what + " then " + second.what,
				During:    inOrder(until(ready(2)), first.do, rolledOut, second.do),
				Twice:     true,
				Most:      4, // of 3, in a rollout
				Elsewhere: end.reached(),
				Like:      end.name(),
			})
		}
	}
	return plans
}

func (s state) reached() Expectation { return all(ready(s.size), rolled) }

func (s state) name() string { return fmt.Sprintf("fresh-%d-%d", s.size, s.port) }

// fresh are the resources that are created as others become.
func fresh() []Workload {
	var all []Workload
	for size := range int32(3) {
		for _, number := range []int32{11211, 11300, 80} {
			s := state{size + 1, number}
			all = append(all, Workload{
				Name: s.name(), Most: int(s.size), Plain: true,
				Steps: []Step{{createLike(s), s.reached()}},
			})
		}
	}
	return all
}
