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
	"slices"
	"time"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// processes are killed and stopped by signals, at the writes of the workloads
// that every Memcached goes through.
func processes(w Workload, r Reference) []Plan {
	if !slices.Contains([]string{"create", "scale-up", "delete-background"}, w.Name) {
		return nil
	}
	r.Writes = slices.DeleteFunc(slices.Clone(r.Writes), func(write wire.Request) bool { return write.Point == statusWrite })
	var plans []Plan
	for _, p := range append(crashes(w, r), pausedLeaders(w, r)...) {
		p.Process = true
		plans = append(plans, p)
	}
	return plans
}

// pausedLeaders stop the operator at each write, as a paused machine does, and
// start another. When that one has done its work, the first goes on with the
// write that it was about to make, and with whatever it believes.
func pausedLeaders(w Workload, r Reference) []Plan {
	last := w.Steps[len(w.Steps)-1].Until
	var plans []Plan
	for _, p := range r.points() {
		plans = append(plans, Plan{
			What:   "paused before " + p.String(),
			Faults: []wire.Trigger{p.trigger(wire.Freeze)},
			During: func(ctx context.Context, s *arena.Stage) error {
				if err := s.Second(ctx); err != nil {
					return err
				}
				if err := s.Await(ctx, converge, last); err != nil {
					return err
				}
				s.Frozen().Line.Thaw()
				// It has lost its lease and ends, but not at once.
				if err := sleep(ctx, time.Second); err != nil {
					return err
				}
				s.Frozen().Retire()
				return nil
			},
			Twice: true, // two operators report
		})
	}
	return plans
}
