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
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
	"github.com/example/memcached-operator/test/campaign/arena"
)

// Violation tells what was not as it must be. Oracles are:
//
//	 1  it converges within 30 s after the last fault, and stays
//	 2  the end is that of the run in which nothing went wrong
//	 3  a changed resource ends as one that was created like that
//	 4  objects are made and deleted, and children written, as often as then
//	 5  foreign objects are not touched
//	 6  no status write changes nothing, and none follows another for ever
//	 7  the status says what is true
//	 8  no panic, and no operator ends by itself
//	 9  what fails is tried again at a falling rate
//	10  the nodes that serve are never too few, those that run never too many
//	11  no secret is read or told
//	12  a deleted resource goes, its nodes before it
//	13  the operator asks for nothing that it may not do
type Violation struct {
	Oracle int
	What   string
}

func (v Violation) String() string { return fmt.Sprintf("O%d: %s", v.Oracle, v.What) }

func (r *run) violate(oracle int, format string, args ...any) {
	r.result.Violations = append(r.result.Violations, Violation{oracle, fmt.Sprintf(format, args...)})
}

// checkEnd compares the end with the reference's.
func (r *run) checkEnd() {
	if r.want == nil {
		return
	}
	if r.plan.Like != "" {
		if diff := cmp.Diff(r.want.Present, r.result.Happened.Present); diff != "" {
			r.violate(3, "the end differs from that of one created like it:\n%s", diff)
		}
		return
	}
	if r.plan.Elsewhere != nil {
		return
	}
	if diff := cmp.Diff(r.want.Snapshot, r.result.Happened.Snapshot); diff != "" {
		r.violate(2, "the end differs from that without faults:\n%s", diff)
	}
	if r.plan.Twice {
		return
	}
	want, got := maps.Clone(r.want.Counts), maps.Clone(r.result.Happened.Counts)
	for _, counts := range []map[string]int{want, got} {
		// A node that its machine refuses or loses is made again by Kubernetes.
		delete(counts, "created Pod")
		delete(counts, "deleted Pod")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.violate(4, "objects came and went otherwise than without faults:\n%s", diff)
	}
}

// checkNodes looks at how many nodes there were meanwhile.
func (r *run) checkNodes() {
	most, fewest := r.Ledger.Extremes()
	limit := r.plan.Workload.Most
	if r.plan.Most > 0 {
		limit = r.plan.Most
	}
	if most > limit {
		r.violate(10, "%d nodes ran at a time, not at most %d", most, limit)
	}
	if need := r.plan.Workload.Serving; fewest < need && !r.plan.Twice {
		r.violate(10, "only %d nodes were ready at a time, not at least %d", fewest, need)
	}
}

func (r *run) checkForeign(ctx context.Context) error {
	touched, err := r.Touched(ctx)
	if len(touched) > 0 {
		r.violate(5, "changed or gone: %s", strings.Join(touched, ", "))
	}
	return err
}

// checkGone looks, as soon as no Memcached is left, whether its nodes are gone.
func (r *run) checkGone(ctx context.Context) error {
	names, err := r.Memcacheds(ctx)
	if err != nil || len(names) > 0 || r.plan.Workload.Keeps {
		return err
	}
	left, err := r.Left(ctx)
	if len(left) > 0 {
		r.violate(12, "the Memcached is gone, and these are left: %v", left)
	}
	return err
}

// checkHonest compares what the status of every Memcached says with its nodes.
func (r *run) checkHonest(ctx context.Context) error {
	for _, size := range r.Ledger.Premature() {
		r.violate(7, "it said that all of %d nodes are ready before they were", size)
	}
	names, err := r.Memcacheds(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		mc := memcached(r.Stage)
		mc.Name = name
		if err := r.Admin.Get(ctx, client.ObjectKeyFromObject(mc), mc); err != nil {
			return err
		}
		pods := &corev1.PodList{}
		if err := r.Admin.List(ctx, pods, client.InNamespace(r.Namespace), client.MatchingLabels(resources.Selector(name))); err != nil {
			return err
		}
		r.checkStatus(mc, arena.Ready(pods))
	}
	return nil
}

func (r *run) checkStatus(mc *cachev1alpha1.Memcached, ready int) {
	if int(mc.Status.ReadyReplicas) != ready {
		r.violate(7, "%s says that %d nodes are ready, and %d are", mc.Name, mc.Status.ReadyReplicas, ready)
	}
	size := int(mc.Spec.Size)
	says := func(condition string) bool { return meta.IsStatusConditionTrue(mc.Status.Conditions, condition) }
	if available := ready >= max(size-1, 1); says(cachev1alpha1.ConditionAvailable) != available {
		r.violate(7, "%s: Available is not %t, with %d of %d nodes ready", mc.Name, available, ready, size)
	}
	if says(cachev1alpha1.ConditionReady) && ready != size {
		r.violate(7, "%s: Ready is True, with %d of %d nodes ready", mc.Name, ready, size)
	}
	for _, condition := range mc.Status.Conditions {
		if condition.ObservedGeneration != mc.Generation {
			r.violate(7, "%s: %s is of generation %d, not %d", mc.Name, condition.Type, condition.ObservedGeneration, mc.Generation)
		}
	}
}
