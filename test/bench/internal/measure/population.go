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
	"path/filepath"
	"time"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/result"
	"github.com/example/memcached-operator/test/bench/internal/twin"
)

const (
	mib = 1 << 20
	// resync is the period at which a twin reconciles everything anew.
	resync = 10 * time.Second
)

// populations lets each arm keep more and more resources, and looks at what
// that costs while nothing changes, and at the start.
func (b *Bench) populations(ctx context.Context) error {
	if len(b.Plan.Populations) == 0 {
		return nil
	}
	for _, a := range b.arms {
		if err := b.population(ctx, a); err != nil {
			return fmt.Errorf("arm %s: population: %w", a.Name, err)
		}
	}
	return nil
}

func (b *Bench) population(ctx context.Context, a *Arm) error {
	t, err := b.take(ctx, a)
	if err != nil {
		return err
	}
	defer t.end()
	if err := t.noteMemory(ctx, 0); err != nil {
		return err
	}
	here := 0
	for _, n := range b.Plan.Populations {
		if _, err := t.phase(ctx, t.create(n-here), t.settled); err != nil {
			return err
		}
		if here = n; err != nil {
			return err
		}
		if err := t.noteMemory(ctx, n); err != nil {
			return err
		}
	}
	for _, measured := range []func(context.Context, int) error{t.idle, t.restart, t.resync} {
		if err := measured(ctx, here); err != nil {
			return err
		}
	}
	return t.leave(ctx)
}

// noteMemory notes the memory of the process and, if there is a twin, its heap.
func (t *turn) noteMemory(ctx context.Context, n int) error {
	usage, err := t.process.Usage()
	if err != nil {
		return err
	}
	t.note(result.Memory, t.arm, n, 1, usage.Memory/mib)
	if len(t.arm.Twin) == 0 {
		return nil
	}
	return t.withTwin(ctx, nil, func(process *arm.Process) error {
		name := ""
		if t.Plan.Profiles != "" {
			name = filepath.Join(t.Plan.Profiles, fmt.Sprintf("heap-%05d.pprof", n))
		}
		var answer twin.Answer
		if err := process.Ask(ctx, name, &answer); err != nil {
			return err
		}
		t.note(result.Heap, t.arm, n, 1, float64(answer.Heap)/mib)
		return nil
	})
}

// withTwin runs a twin beside the operator, which has nothing to do, until what
// it does at its start is over.
func (t *turn) withTwin(ctx context.Context, arguments []string, use func(*arm.Process) error) (err error) {
	process, err := arm.StartTwin(t.arm.Definition, t.arm.kubeconfig, t.log(t.arm), arguments...)
	if err != nil {
		return err
	}
	defer func() {
		if stopped := process.Stop(); err == nil {
			err = stopped
		}
	}()
	if err := t.calm(ctx, process); err != nil {
		return err
	}
	return use(process)
}

// calmFor is how many seconds in a row a process must be calm: one that has to
// wait for a busy machine may look so for a moment.
const calmFor = 3

// calm waits until a process that has started uses next to no CPU: until then
// it lists, or looks at each resource once.
func (t *turn) calm(ctx context.Context, process *arm.Process) error {
	ctx, end := context.WithTimeout(ctx, phaseLimit)
	defer end()
	for before, calm := -1.0, 0; ; {
		usage, err := process.Usage()
		if err != nil {
			return err
		}
		if calm++; before < 0 || usage.CPU-before >= 0.05 {
			calm = 0
		}
		if calm == calmFor {
			return nil
		}
		before = usage.CPU
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// idle counts what the operator writes while nothing changes.
func (t *turn) idle(ctx context.Context, n int) error {
	mark := t.World.Log.Mark()
	select {
	case <-time.After(t.Plan.Idle):
	case <-ctx.Done():
		return ctx.Err()
	}
	t.note(result.IdleWrites, t.arm, n, 1, float64(len(t.World.Log.Since(mark, t.arm.user()).Writes())))
	return nil
}

// restart counts what the operator writes when it starts among n resources, and
// how soon it serves a new one, which is made at the same time.
func (t *turn) restart(ctx context.Context, n int) error {
	if err := t.process.Stop(); err != nil {
		return err
	}
	mark, former, began := t.World.Log.Mark(), t.namespace, time.Now()
	if err := t.start(); err != nil {
		return err
	}
	one := &turn{Bench: t.Bench, arm: t.arm, process: t.process}
	if err := one.enter(ctx); err != nil {
		return err
	}
	if _, err := one.phase(ctx, one.create(1), one.settled); err != nil {
		return err
	}
	if err := t.calm(ctx, t.process); err != nil {
		return err
	}
	usage, err := t.process.Usage()
	if err != nil {
		return err
	}
	requests := t.World.Log.Since(mark, t.arm.user())
	t.note(result.RestartWrites, t.arm, n, 1, float64(len(requests.In(former).Writes())))
	t.note(result.RestartCPU, t.arm, n, 1, usage.CPU*1e6/float64(n))
	t.note(result.RestartMemory, t.arm, n, 1, usage.Memory/mib)
	for _, served := range requests.In(one.namespace).Creations("deployments") {
		t.note(result.RestartServed, t.arm, n, 1, float64(served.Sub(began))/float64(time.Millisecond))
	}
	return one.leave(ctx)
}

// resync counts what a twin writes when everything is reconciled anew, and that
// it was.
func (t *turn) resync(ctx context.Context, n int) error {
	if len(t.arm.Twin) == 0 {
		return nil
	}
	return t.withTwin(ctx, []string{"-resync=" + resync.String()}, func(process *arm.Process) error {
		var before, after twin.Answer
		if err := process.Ask(ctx, "", &before); err != nil {
			return err
		}
		mark := t.World.Log.Mark()
		select {
		case <-time.After(2 * resync):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := process.Ask(ctx, "", &after); err != nil {
			return err
		}
		t.note(result.ResyncWrites, t.arm, n, 1, float64(len(t.World.Log.Since(mark, t.arm.user()).Writes())))
		t.note(result.ResyncRuns, t.arm, n, 1, (after.Reconciles-before.Reconciles)/float64(n))
		return nil
	})
}
