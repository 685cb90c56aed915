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

package measure

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/example/memcached-operator/test/bench/internal/audit"
	"github.com/example/memcached-operator/test/bench/internal/result"
)

// scaledSize is how many nodes a resource is scaled to: the API's maximum.
const scaledSize = 3

// lifecycles takes turns: in each round, and for each number of resources, one
// arm after the other creates, scales and deletes them.
func (b *Bench) lifecycles(ctx context.Context) error {
	for round := range b.Plan.Rounds {
		for _, n := range b.Plan.Lifecycles {
			for i := range b.arms {
				// Who is first changes, lest one arm always finds the API
				// server as another left it.
				if err := b.lifecycle(ctx, b.arms[(i+round)%len(b.arms)], n, round+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b *Bench) lifecycle(ctx context.Context, a *Arm, n, round int) error {
	t, err := b.take(ctx, a)
	if err != nil {
		return err
	}
	defer t.end()
	create, err := t.phase(ctx, t.create(n), t.settled)
	if err != nil {
		return fmt.Errorf("arm %s: create: %w", a.Name, err)
	}
	scale, err := t.phase(ctx, func(ctx context.Context) error { return t.fleet.Scale(ctx, scaledSize) }, t.settled)
	if err != nil {
		return fmt.Errorf("arm %s: scale: %w", a.Name, err)
	}
	remove, err := t.phase(ctx, t.fleet.Delete, t.gone)
	if err != nil {
		return fmt.Errorf("arm %s: delete: %w", a.Name, err)
	}
	t.noteRequests(n, round, create, scale, remove)
	t.noteTimes(n, round, create, scale, remove)
	return t.World.Sweep(ctx, t.namespace)
}

func (t *turn) noteRequests(n, round int, create, scale, remove phase) {
	each := func(requests audit.Requests) float64 { return float64(len(requests)) / float64(n) }
	t.note(result.CreateRequests, t.arm, n, round, each(create.requests.Work()))
	t.note(result.CreateRequestsP99, t.arm, n, round, result.Quantile(create.requests.Work().PerName(), 0.99))
	t.note(result.ScaleRequests, t.arm, n, round, each(scale.requests.Work()))
	t.note(result.DeleteRequests, t.arm, n, round, each(remove.requests.Work()))
	all := slices.Concat(create.requests, scale.requests, remove.requests)
	t.note(result.LifeRequests, t.arm, n, round, each(all.Work()))
	t.note(result.LifeReads, t.arm, n, round, each(all.Reads()))
	t.note(result.LifeConflicts, t.arm, n, round, each(all.Conflicts()))
	t.note(result.LifeEvents, t.arm, n, round, each(all.Events()))
	if t.Results.Requests == nil {
		t.Results.Requests = map[string]map[string][]string{}
	}
	if n == 1 {
		t.Results.Requests[t.arm.Name] = map[string][]string{
			"create": tell(create.requests), "scale": tell(scale.requests), "delete": tell(remove.requests),
		}
	}
}

// tell puts requests in words, in the order of their names.
func tell(requests audit.Requests) []string {
	counts := requests.Work().Tally()
	var all []string
	for _, request := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d × %s", counts[request], request))
	}
	return all
}

func (t *turn) noteTimes(n, round int, create, scale, remove phase) {
	if latencies := create.latencies(); len(latencies) > 0 && n <= latencyLimit {
		t.note(result.LatencyP50, t.arm, n, round, result.Quantile(latencies, 0.5))
		t.note(result.LatencyP99, t.arm, n, round, result.Quantile(latencies, 0.99))
	}
	t.note(result.CreateTime, t.arm, n, round, create.took.Seconds())
	t.note(result.CreateCPU, t.arm, n, round, create.cpu)
	if n >= burst {
		t.note(result.Throughput, t.arm, n, round, float64(n)/create.took.Seconds())
		t.note(result.LifeCPU, t.arm, n, round, (create.cpu+scale.cpu+remove.cpu)*1000/float64(n))
		t.note(result.ServerCPU, t.arm, n, round, (create.server+scale.server+remove.server)*1000/float64(n))
	}
}

const (
	// latencyLimit: in a larger burst, a latency is the time in the queue, which
	// the throughput tells.
	latencyLimit = 100
	// burst is from how many resources on the throughput and the CPU time, which
	// is counted in steps of 10 ms, mean anything.
	burst = 500
)

// latencies returns how long it took from the answer to each creation until its
// Deployment was there, in ms, by the API server's clock.
func (p phase) latencies() []float64 {
	created := map[string]time.Time{}
	for _, q := range p.load {
		if q.Verb == "create" && q.Code == 201 {
			created[q.Name] = q.Done
		}
	}
	var all []float64
	for name, done := range p.requests.Creations("deployments") {
		if began, known := created[name]; known {
			all = append(all, float64(done.Sub(began))/float64(time.Millisecond))
		}
	}
	return all
}
