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

// Command campaign plays the fault campaign: see docs/reliability.md.
//
// Reading order: main.go (what can be asked for), campaign.go (playing plans),
// mutants.go (testing the oracles), report.go (what came of it); then the
// packages plan, arena, wire and mutant.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/example/memcached-operator/test/campaign/arena"
)

// options are what the campaign is to do.
type options struct {
	root, assets  string
	only          *regexp.Regexp
	few           int
	parallel      int
	firstOnly     bool
	referenceFile string
	mutants       bool
	mutant        *regexp.Regexp
	soak          time.Duration
	seed          uint64
	report        string
}

func main() {
	ctrl.SetLogger(logr.Discard()) // each operator has a log of its own
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctrl.SetupSignalHandler(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("campaign", flag.ExitOnError)
	only, mutant := "", ""
	flags.StringVar(&o.root, "root", ".", "folder of the operator's sources")
	flags.StringVar(&o.assets, "assets", os.Getenv("KUBEBUILDER_ASSETS"), "folder of etcd, kube-apiserver and kube-controller-manager")
	flags.StringVar(&only, "only", "", "play only plans whose name matches this regular expression")
	flags.IntVar(&o.few, "few", 0, "play only so many plans, spread over all; 0: all")
	flags.IntVar(&o.parallel, "parallel", 24, "plans at a time")
	flags.BoolVar(&o.firstOnly, "first", false, "stop at the first violation")
	flags.StringVar(&o.referenceFile, "references", "", "file of what happens without faults; it is written if it is not there")
	flags.BoolVar(&o.mutants, "mutants", false, "test the oracles, too: each must find operators that are wrong on purpose")
	flags.StringVar(&mutant, "mutant", "", "test the oracles only by mutants whose name matches this regular expression")
	flags.DurationVar(&o.soak, "soak", 0, "play random plans for so long, too")
	flags.Uint64Var(&o.seed, "seed", uint64(time.Now().Unix()), "seed of the first random plan")
	flags.StringVar(&o.report, "report", "", "file to write the report to")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var errs [2]error
	o.only, errs[0] = regexp.Compile(only)
	o.mutant, errs[1] = regexp.Compile(mutant)
	return o, errors.Join(errs[:]...)
}

func run(ctx context.Context, o options) (err error) {
	begun := time.Now()
	a, err := arena.Start(ctx, o.root, o.assets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Stop()) }()
	c := &campaign{options: o, arena: a}
	if err := c.refer(ctx); err != nil {
		return err
	}
	c.play(ctx)
	c.playRandom(ctx)
	if o.mutants && ctx.Err() == nil {
		c.testOracles(ctx)
	}
	c.took = time.Since(begun)
	return errors.Join(c.write(), c.verdict())
}
