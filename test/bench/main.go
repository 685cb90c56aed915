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

// Command bench measures how close the operator is to the least work possible.
// One API server, one operator after the other, the same resources: see
// internal/measure for what is done, internal/result for what is measured and
// what was hoped for, and internal/arm for adding an operator.
//
// Reading order: main.go (what is run), options.go (flags), children.go (the
// processes that the benchmark starts of itself).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/measure"
	"github.com/example/memcached-operator/test/bench/internal/report"
	"github.com/example/memcached-operator/test/bench/internal/result"
	"github.com/example/memcached-operator/test/bench/internal/world"
)

func main() {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to defer
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		if child := children[args[0]]; child != nil {
			return child(ctx, args[1:])
		}
	}
	ctrl.SetLogger(logr.Discard()) // what fails is returned
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	results, err := results(ctx, o)
	if err != nil {
		return err
	}
	missed := tell(results, o.ci)
	switch {
	case o.ci && missed > 0:
		return fmt.Errorf("%d goals of counts and growth were missed, see above", missed)
	case o.ci:
		return nil
	}
	return report.Write(results, filepath.Join(o.project, "docs"))
}

// tell prints how each goal was met, and returns how many of those that CI
// looks at were not.
func tell(results *result.Results, ci bool) (missed int) {
	seen := map[string]bool{}
	for _, verdict := range results.Verdicts(arm.Operator, arm.Null) {
		switch {
		case ci && !verdict.Metric.CI:
			continue // it means little with few resources, or on a busy machine
		case ci:
			verdict = verdict.OnBusyMachine()
		}
		fmt.Println(verdict)
		seen[verdict.Metric.Key] = true
		if !verdict.Met && verdict.Metric.CI {
			missed++
		}
	}
	for _, metric := range result.Catalogue {
		if metric.CI && !seen[metric.Key] {
			fmt.Printf("%-4s %s: NOT MEASURED\n", metric.ID, metric.Title)
			missed++
		}
	}
	return missed
}

// results measures, or reads what was measured.
func results(ctx context.Context, o options) (*result.Results, error) {
	if o.render {
		return result.Read(o.path())
	}
	results := &result.Results{Cores: runtime.NumCPU(), Rounds: o.plan.Rounds, Idle: o.plan.Idle.String()}
	err := measureAll(ctx, o, results)
	// What was measured before something failed is worth keeping: -render shows it.
	return results, errors.Join(err, results.Write(o.path()))
}

func measureAll(ctx context.Context, o options, results *result.Results) (err error) {
	definitions, err := definitions(ctx, o)
	if err != nil {
		return err
	}
	w, err := world.Start(ctx, o.binaries, filepath.Join(o.project, "config", "crd", "bases"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Stop()) }()
	bench := &measure.Bench{Plan: o.plan, World: w, Results: results, Logs: o.folder(), Progress: os.Stderr}
	for _, definition := range definitions {
		if err := bench.Join(ctx, definition); err != nil {
			return err
		}
	}
	_, kubeconfig, err := w.User(world.UserStub, "system:masters")
	if err != nil {
		return err
	}
	stub, err := arm.Start(arm.Definition{Command: []string{o.self, "stub"}}, kubeconfig, filepath.Join(o.folder(), "stub.log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stub.Stop()) }()
	return bench.Run(ctx)
}

// definitions builds the operator and returns all arms.
func definitions(ctx context.Context, o options) ([]arm.Definition, error) {
	manager := filepath.Join(o.folder(), "manager")
	build := exec.CommandContext(ctx, "go", "build", "-o", manager, "./cmd")
	build.Dir, build.Env, build.Stderr = o.project, append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build the operator in %s: %w", o.project, err)
	}
	variables, err := managerEnvironment(o.project)
	if err != nil {
		return nil, err
	}
	variables["PROJECT"], variables["SELF"], variables["MANAGER"] = o.project, o.self, manager
	all, err := arm.Builtin(variables)
	if err != nil {
		return nil, err
	}
	for _, path := range o.arms {
		other, err := arm.Read(path, variables)
		if err != nil {
			return nil, err
		}
		all = append(all, other)
	}
	return all, nil
}
