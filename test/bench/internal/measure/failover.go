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
	"time"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/result"
)

// failovers ends a leader while another one waits, and notes how soon that one
// serves a new resource. The leaders are twins: outside a pod, the operator does
// not know where its lease is.
func (b *Bench) failovers(ctx context.Context) error {
	if b.Plan.Failovers == 0 {
		return nil
	}
	for _, a := range b.arms {
		if len(a.Twin) == 0 {
			continue
		}
		if err := b.World.GrantLeases(ctx, a.user()); err != nil {
			return err
		}
		for round := range b.Plan.Failovers {
			for key, end := range map[string]func(*arm.Process) error{
				result.FailoverGraceful: (*arm.Process).Stop, result.FailoverCrash: (*arm.Process).Kill,
			} {
				took, err := b.failover(ctx, a, end)
				if err != nil {
					return fmt.Errorf("arm %s: failover: %w", a.Name, err)
				}
				b.note(key, a, 1, round+1, took.Seconds())
			}
		}
	}
	return nil
}

func (b *Bench) failover(ctx context.Context, a *Arm, end func(*arm.Process) error) (time.Duration, error) {
	leases, err := b.World.Namespace(ctx, "bench-lease")
	if err != nil {
		return 0, err
	}
	start := func() (*arm.Process, error) {
		return arm.StartTwin(a.Definition, a.kubeconfig, b.log(a), "-lease="+leases)
	}
	leader, err := start()
	if err != nil {
		return 0, err
	}
	t := &turn{Bench: b, arm: a, process: leader}
	if err := t.settleIn(ctx); err != nil { // it leads
		t.end()
		return 0, err
	}
	defer t.end()
	if t.process, err = start(); err != nil {
		_ = leader.Kill() // the first error tells more
		return 0, err
	}
	if err := t.calm(ctx, t.process); err != nil { // it waits
		_ = leader.Kill() // the first error tells more
		return 0, err
	}
	began := time.Now()
	if err := end(leader); err != nil {
		return 0, err
	}
	phase, err := t.phase(ctx, t.create(1), t.settled)
	if err != nil {
		return 0, err
	}
	for _, served := range phase.requests.Creations("deployments") {
		return served.Sub(began), t.leave(ctx)
	}
	return 0, fmt.Errorf("no Deployment was made in namespace %s", t.namespace)
}
