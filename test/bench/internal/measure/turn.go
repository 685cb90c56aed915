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
	"errors"
	"fmt"
	"time"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/audit"
	"github.com/example/memcached-operator/test/bench/internal/load"
	"github.com/example/memcached-operator/test/bench/internal/world"
)

const (
	// pause is how long nobody may have asked anything before a phase counts as
	// over: longer than any operator waits on purpose before it writes.
	pause = time.Second
	// restless is how long an operator that never rests is waited for.
	restless = 30 * time.Second
	// phaseLimit ends a run in which an operator hangs. 10,000 resources were
	// seen to take a tenth of it.
	phaseLimit = 30 * time.Minute
)

// turn is one arm at work, alone, in a namespace of its own.
type turn struct {
	*Bench
	arm       *Arm
	process   *arm.Process
	fleet     *load.Fleet
	namespace string
}

// take starts an arm and lets it work on one resource, so that it is known to
// be ready, and what it does for the first one is not measured.
func (b *Bench) take(ctx context.Context, a *Arm) (*turn, error) {
	b.World.Log.Forget()
	t := &turn{Bench: b, arm: a}
	if err := t.start(); err != nil {
		return nil, err
	}
	if err := t.settleIn(ctx); err != nil {
		t.end()
		return nil, fmt.Errorf("arm %s (see %s): %w", a.Name, b.log(a), err)
	}
	return t, nil
}

func (t *turn) settleIn(ctx context.Context) error {
	if err := t.enter(ctx); err != nil {
		return err
	}
	if _, err := t.phase(ctx, t.create(1), t.settled); err != nil {
		return err
	}
	if err := t.leave(ctx); err != nil {
		return err
	}
	return t.enter(ctx)
}

func (t *turn) start() (err error) {
	t.process, err = arm.Start(t.arm.Definition, t.arm.kubeconfig, t.log(t.arm))
	return err
}

// enter begins a new namespace.
func (t *turn) enter(ctx context.Context) (err error) {
	if t.namespace, err = t.World.Namespace(ctx, "bench"); err != nil {
		return err
	}
	t.fleet, err = t.arm.kind.Watch(ctx, t.namespace)
	return err
}

// leave removes what is in the namespace, and returns what that took.
func (t *turn) leave(ctx context.Context) error {
	if _, err := t.phase(ctx, t.fleet.Delete, t.gone); err != nil {
		return err
	}
	t.fleet.Close()
	return t.World.Sweep(ctx, t.namespace)
}

// end stops the arm, if it still runs.
func (t *turn) end() {
	if t.fleet != nil {
		t.fleet.Close()
	}
	if t.process != nil {
		_ = t.process.Stop() // a process that has ended was reported when it was asked
		t.process = nil
	}
}

// phase is what happened between an action and the rest that follows it.
type phase struct {
	requests audit.Requests
	load     audit.Requests
	// took is how long it was from the action's beginning until the operator
	// was done with all resources.
	took time.Duration
	// cpu is what the arm's process used, and server the API server, in seconds.
	cpu, server float64
}

func (t *turn) phase(ctx context.Context, act func(context.Context) error, done func(context.Context) (time.Time, error)) (phase, error) {
	ctx, end := context.WithTimeout(ctx, phaseLimit)
	defer end()
	before, err := t.process.Usage()
	if err != nil {
		return phase{}, err
	}
	server, err := t.World.CPU()
	if err != nil {
		return phase{}, err
	}
	mark, began := t.World.Log.Mark(), time.Now()
	if err := act(ctx); err != nil {
		return phase{}, err
	}
	ended, err := done(ctx)
	if err != nil {
		return phase{}, err
	}
	if err := t.World.Log.Quiet(ctx, pause, restless); err != nil {
		return phase{}, err
	}
	p := phase{
		requests: t.World.Log.Since(mark, t.arm.user()), load: t.World.Log.Since(mark, world.UserLoad),
		took: ended.Sub(began),
	}
	if len(p.load) == 0 {
		return phase{}, errors.New("the audit log does not show what the benchmark asked: nothing can be counted")
	}
	return p, t.used(&p, before.CPU, server)
}

// used notes what processes have used since they had used that much.
func (t *turn) used(p *phase, cpu, server float64) error {
	usage, err := t.process.Usage()
	if err != nil {
		return err
	}
	p.cpu = usage.CPU - cpu
	p.server, err = t.World.CPU()
	p.server -= server
	return err
}

func (t *turn) create(n int) func(context.Context) error {
	return func(ctx context.Context) error { return t.fleet.Create(ctx, n) }
}

func (t *turn) settled(ctx context.Context) (time.Time, error) { return t.fleet.Settled(ctx) }

func (t *turn) gone(ctx context.Context) (time.Time, error) { return t.fleet.Gone(ctx) }
