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
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// Result is how a plan went.
type Result struct {
	Plan       Plan
	Violations []Violation
	// Once tells that there were violations when it was played among others, and
	// none when it was played by itself.
	Once bool
	// Reached tells whether the plan's faults came to pass.
	Reached bool
	// Happened is what the operator did and what came of it.
	Happened Reference
	// Requests are all of the plan's operators.
	Requests []wire.Request
	Took     time.Duration
}

// run is a plan that is being played.
type run struct {
	*arena.Stage
	plan   Plan
	want   *Reference // nil: this is the reference run
	began  time.Time  // of the last step
	result Result
}

// Play plays a plan and compares what happens with want; without want, with
// what must always be true. The error tells that the plan could not be played.
func Play(ctx context.Context, a *arena.Arena, p Plan, want *Reference) (Result, error) {
	begun := time.Now()
	stage, err := a.NewStage(ctx, p.Workload.Name)
	if err != nil {
		return Result{}, err
	}
	defer stage.Close()
	r := &run{Stage: stage, plan: p, want: want, result: Result{Plan: p}}
	err = r.prepare(ctx)
	if err == nil {
		err = r.act(ctx)
	}
	if err == nil {
		err = r.end(ctx)
	}
	stage.Close()
	r.result.Requests = r.Record.Requests(time.Time{})
	r.checkRequests()
	r.checkLogs()
	r.result.Took = time.Since(begun)
	if err != nil {
		err = fmt.Errorf("%s, in namespace %s: %w", p.Name(), stage.Namespace, err)
	}
	return r.result, err
}

// prepare does all steps but the last.
func (r *run) prepare(ctx context.Context) error {
	if r.plan.AtStart {
		r.Record.Arm(r.plan.Faults...)
	}
	settings := r.plan.Workload.Settings
	settings.Process, settings.JSON = r.plan.Process, r.plan.JSON
	if err := r.Operate(ctx, settings); err != nil {
		return err
	}
	steps := r.plan.Workload.Steps
	for _, step := range steps[:len(steps)-1] {
		if err := step.Do(ctx, r.Stage); err != nil {
			return err
		}
		if step.Until != nil {
			if err := r.Await(ctx, converge, step.Until); err != nil {
				r.violate(1, "while preparing: %v", err)
				return nil
			}
		}
	}
	return r.still(ctx, 500*time.Millisecond)
}

// act does the last step, while things go wrong.
func (r *run) act(ctx context.Context) error {
	last := r.plan.Workload.Steps[len(r.plan.Workload.Steps)-1]
	until := last.Until
	if r.plan.Elsewhere != nil {
		until = r.plan.Elsewhere
	}
	r.Ledger.Mark()
	r.began = time.Now()
	if !r.plan.AtStart {
		r.Record.Arm(r.plan.Faults...)
	}
	if err := last.Do(ctx, r.Stage); err != nil {
		return err
	}
	if r.plan.During != nil {
		if err := r.Await(ctx, max(converge/3, r.plan.Workload.Within), r.befallen); err != nil {
			r.Record.Disarm()
			return ctx.Err() // not reached, which the result tells
		}
		r.result.Reached = true
		if err := r.plan.During(ctx, r.Stage); err != nil {
			return err
		}
	}
	if err := r.Await(ctx, r.limit(), until); err != nil {
		r.violate(1, "%v%s", err, r.Describe(ctx))
		return nil
	}
	if err := r.checkGone(ctx); err != nil {
		return err
	}
	return r.settle(ctx, until)
}

// limit is how long the last step may take.
func (r *run) limit() time.Duration { return max(converge, r.plan.Workload.Within) }

func (r *run) befallen(context.Context, *arena.Stage) (string, error) {
	if !r.Record.Fired() {
		return "the faults have not come to pass", nil
	}
	return "", nil
}

// settle waits until the operator has come to rest, and looks at what is there.
func (r *run) settle(ctx context.Context, until Expectation) error {
	if err := r.still(ctx, quiet); err != nil {
		r.violate(1, "%v", err)
		return nil
	}
	r.result.Reached = r.result.Reached || r.Record.Fired()
	r.Record.Disarm()
	if why, err := until(ctx, r.Stage); err != nil {
		return err
	} else if why != "" {
		r.violate(1, "it did not stay: %s", why)
	}
	if err := r.checkHonest(ctx); err != nil {
		return err
	}
	r.result.Happened.Writes = slices.DeleteFunc(r.Record.Requests(r.began), func(request wire.Request) bool {
		return !request.Write || !request.Succeeded()
	})
	r.result.Happened.Counts = r.Ledger.Counts()
	var err error
	if r.result.Happened.Snapshot, r.result.Happened.Present, err = r.Snapshot(ctx); err != nil {
		return err
	}
	r.checkEnd()
	r.checkNodes()
	return r.checkForeign(ctx)
}

// still waits until nothing is under way and nothing has changed for that long.
func (r *run) still(ctx context.Context, long time.Duration) error {
	since := time.Now()
	return r.Await(ctx, r.limit(), func(ctx context.Context, s *arena.Stage) (string, error) {
		busy, err := s.Busy(ctx)
		if busy != "" || err != nil {
			since = time.Now()
			return busy, err
		}
		if last := s.LastChange(); last.After(since) {
			since = last
		}
		if time.Since(since) < long {
			return fmt.Sprintf("there are changes at least every %s", long), nil
		}
		return "", nil
	})
}

// end deletes what is left: the operator's last promise, in every plan.
func (r *run) end(ctx context.Context) error {
	for _, name := range []string{arena.CacheName, neighbour} {
		mc := memcached(r.Stage)
		mc.Name = name
		if err := r.Remove(ctx, mc, metav1.DeletePropagationBackground); err != nil {
			return err
		}
	}
	if err := r.Await(ctx, converge, r.empty); err != nil {
		r.violate(12, "%v", err)
	}
	return errors.Join(r.checkGone(ctx), r.checkForeign(ctx))
}

func (r *run) empty(ctx context.Context, s *arena.Stage) (string, error) {
	if names, err := s.Memcacheds(ctx); err != nil || len(names) > 0 {
		return fmt.Sprintf("these Memcacheds do not go: %v", names), err
	}
	return "", nil
}

// Refer plays a workload in which nothing goes wrong, twice, and returns what
// happens. Both times must end alike.
func Refer(ctx context.Context, a *arena.Arena, w Workload) (Reference, []Violation, error) {
	first, err := Play(ctx, a, Plan{Group: "reference", Workload: w, What: "first"}, nil)
	if err != nil || len(first.Violations) > 0 {
		return Reference{}, first.Violations, err
	}
	reference := first.Happened
	reference.Most = nil // who deletes first, the operator or garbage collection, is chance
	second, err := Play(ctx, a, Plan{Group: "reference", Workload: w, What: "second"}, &reference)
	if err != nil {
		return Reference{}, nil, err
	}
	if len(second.Happened.Writes) > len(reference.Writes) {
		reference.Writes = second.Happened.Writes
	}
	reference.Most = maps.Clone(first.Happened.Most)
	for kind, n := range second.Happened.Most {
		reference.Most[kind] = max(reference.Most[kind], n)
	}
	return reference, second.Violations, nil
}
