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

// Package measure is what the benchmark does to the arms, and what it notes.
//
// Reading order: bench.go (what is common), turn.go (one arm at work), then one
// file for each scenario: lifecycle.go, population.go, foreign.go, failover.go.
package measure

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/load"
	"github.com/example/memcached-operator/test/bench/internal/result"
	"github.com/example/memcached-operator/test/bench/internal/world"
)

// Plan is what to measure, and with how many resources.
type Plan struct {
	// Rounds is how often each lifecycle is measured.
	Rounds int
	// Lifecycles are the numbers of resources that are created, scaled and
	// deleted in each round.
	Lifecycles []int
	// Populations are the numbers of resources that are kept for a while, ascending.
	Populations []int
	// Foreign is how many Deployments and Secrets of others to make; 0 for none.
	Foreign int
	// Failovers is how often a leader is ended in either way.
	Failovers int
	// Idle is how long to watch for writes.
	Idle time.Duration
	// Profiles is a folder for heap profiles; empty for none.
	Profiles string
}

// Bench measures.
type Bench struct {
	Plan    Plan
	World   *world.World
	Results *result.Results
	// Logs is where the arms' output goes.
	Logs string
	// Progress is told what is going on.
	Progress io.Writer

	arms []*Arm
}

// Arm is an operator that is known to the API server.
type Arm struct {
	arm.Definition
	kind       *load.Kind
	config     *rest.Config
	kubeconfig string
}

// user is whom the arm is to the API server.
func (a *Arm) user() string { return "bench-arm-" + a.Name }

// Join makes an arm known.
func (b *Bench) Join(ctx context.Context, definition arm.Definition) error {
	a := &Arm{Definition: definition}
	groups := []string{"system:masters"}
	if definition.Role != "" {
		groups = nil
		if err := b.World.Grant(ctx, a.user(), definition.Role); err != nil {
			return err
		}
	}
	var err error
	if a.config, a.kubeconfig, err = b.World.User(a.user(), groups...); err != nil {
		return err
	}
	if err := b.World.Apply(ctx, definition.Manifests); err != nil {
		return err
	}
	if a.kind, err = load.NewKind(b.World.Load, definition); err != nil {
		return err
	}
	b.arms = append(b.arms, a)
	return nil
}

// Run measures all that the plan asks for.
func (b *Bench) Run(ctx context.Context) error {
	for _, scenario := range []func(context.Context) error{b.lifecycles, b.populations, b.foreign, b.failovers} {
		if err := scenario(ctx); err != nil {
			return err
		}
	}
	b.growth()
	return nil
}

func (b *Bench) note(key string, a *Arm, n, round int, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return // too little was measured for a value
	}
	b.Results.Samples = append(b.Results.Samples, result.Sample{Key: key, Arm: a.Name, N: n, Round: round, Value: value})
	metric := result.Find(key)
	b.say("%-12s N=%-6d round %d: %s: %.4g %s", a.Name, n, round, metric.Title, value, metric.Unit)
}

func (b *Bench) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.Progress, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
}

func (b *Bench) log(a *Arm) string { return filepath.Join(b.Logs, a.Name+".log") }
