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

// Package plan has the plans of the campaign: what is done to a Memcached, what
// goes wrong meanwhile, and what must be true all the same.
//
// Reading order: plan.go (what a plan is), workload.go and step.go (what is
// done), run.go (how a plan is played), oracle.go (what must be true), then one
// file for each group of plans.
package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// Plan is a workload during whose last step something goes wrong.
type Plan struct {
	// Group is the kind of fault.
	Group string
	// Workload is what is done.
	Workload Workload
	// What tells the fault, in words that are unique for group and workload.
	What string
	// Faults befall requests from the last step on; with AtStart from the
	// operator's start on, in all steps.
	Faults  []wire.Trigger
	AtStart bool
	// During, if set, happens when the faults have befallen the first requests.
	During func(context.Context, *arena.Stage) error
	// Twice allows that objects are made again, or are written more often, than
	// when nothing goes wrong, because the plan itself makes them go or change.
	// Nodes may then be fewer for a while, too.
	Twice bool
	// Most is how many nodes may run at most; 0: as many as the workload says.
	Most int
	// Elsewhere says that another end than that of the workload is expected.
	Elsewhere Expectation
	// Like is the workload whose end it must have, history apart; "": its own.
	Like string
	// Process runs the operator as a process of its own: a crash is SIGKILL, a
	// pause SIGSTOP.
	Process bool
	// JSON makes the operator speak JSON with the API server, also of Kubernetes'
	// own kinds.
	JSON bool
	// Seed is what a random plan is made from.
	Seed uint64
	// Denied allows that the API server denies requests.
	Denied bool
}

// Name identifies a plan, and is what replays it.
func (p Plan) Name() string {
	return strings.ReplaceAll(strings.Join([]string{p.Group, p.Workload.Name, p.What}, "/"), " ", "-")
}

// Replay is the command that plays the plan again.
func (p Plan) Replay() string {
	if p.Seed != 0 {
		return fmt.Sprintf("make campaign PLAN='^$' SOAK=1ns SEED=%d", p.Seed)
	}
	return fmt.Sprintf("make campaign PLAN='^%s$'", p.Name())
}

// Expectation tells what is still missing, "" when nothing is.
type Expectation func(context.Context, *arena.Stage) (why string, err error)

// Reference is what happens when nothing goes wrong.
type Reference struct {
	// Writes are the operator's that took effect, in the last step, in order.
	Writes []wire.Request
	// Most is how many writes there were at each point in all steps.
	Most map[string]int
	// Counts are the objects that came and went.
	Counts map[string]int
	// Snapshot is the end state, and Present the same without its history: the
	// revisions of the Deployment.
	Snapshot, Present string
}

// point is one write of a reference run: the kind of request, and which of its
// kind it is.
type point struct {
	kind string
	nth  int
}

func (p point) String() string { return fmt.Sprintf("%s #%d", p.kind, p.nth) }

// trigger makes a fault befall the write.
func (p point) trigger(fault wire.Fault) wire.Trigger {
	return wire.Trigger{Point: p.kind, Nth: p.nth, Times: 1, Fault: fault}
}

// points returns the writes of the last step in order.
func (r Reference) points() []point {
	counts := map[string]int{}
	var all []point
	for _, write := range r.Writes {
		counts[write.Point]++
		all = append(all, point{write.Point, counts[write.Point]})
	}
	return all
}

// decisive returns them without the status writes after the first: those follow
// the nodes, and are as many as it takes.
func (r Reference) decisive() []point {
	return slices.DeleteFunc(r.points(), func(p point) bool { return p.kind == statusWrite && p.nth > 1 })
}

const statusWrite = "patch memcacheds/status"

// Group makes plans of one kind of fault from the reference runs.
type Group struct {
	Name string
	Make func(w Workload, r Reference) []Plan
}

// Groups are all kinds of plans. To add one, add a line.
var Groups = []Group{
	{"none", nothing},
	{"crash", crashes},
	{"crash-pair", crashPairs},
	{"lost", lostAnswers},
	{"refused", refusals},
	{"outage", outages},
	{"start", startFaults},
	{"watch", watchFaults},
	{"stale", staleCaches},
	{"clock", clocks},
	{"paused-leader", pausedLeaders},
	{"process", processes},
	{"deleted-meanwhile", deletions},
	{"edited", edits},
	{"other-writer", writers},
	{"environment", environments},
	{"transition", transitions},
}

// nothing goes wrong: for a comparison with the references of another operator.
func nothing(Workload, Reference) []Plan { return []Plan{{What: "nothing"}} }

// All returns the plans of all groups for all workloads.
func All(references map[string]Reference) []Plan {
	var all []Plan
	for _, group := range Groups {
		for _, w := range Workloads {
			if w.Plain && group.Name != "none" {
				continue
			}
			for _, p := range group.Make(w, references[w.Name]) {
				p.Group, p.Workload = group.Name, w
				all = append(all, p)
			}
		}
	}
	return all
}

// Few returns n of the plans, always the same and spread over all of them, for
// a run that has little time.
func Few(all []Plan, n int) []Plan {
	if n >= len(all) {
		return all
	}
	var few []Plan
	for i := range n {
		few = append(few, all[i*len(all)/n])
	}
	return few
}

// Chance tells whether it is chance that the plan's faults come to pass: how many
// writes of the status there are depends on when nodes become ready; a successor
// need not repeat a write; garbage collection or the namespace's controller may be
// faster to delete.
func (p Plan) Chance() bool {
	return p.Workload.Name == "namespace-deleted" || slices.ContainsFunc(p.Faults, func(t wire.Trigger) bool {
		// A watch may begin anew only when all is over.
		late := strings.HasPrefix(t.Point, "watch ") && !p.AtStart
		return late || t.Point == statusWrite || t.Point == "delete deployments" || t.Nth > 1
	})
}

// Uncovered returns the write points of a run that no plan befalls.
func Uncovered(all []Plan, requests []wire.Request) []string {
	covered := map[string]bool{}
	for _, p := range all {
		for _, trigger := range p.Faults {
			covered[trigger.Point] = true
		}
	}
	var missing []string
	for _, request := range requests {
		if request.Write && !covered[request.Point] {
			missing = append(missing, request.Point)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// Limits of the oracles; see the oracle of each in oracle.go.
const (
	converge = 30 * time.Second
	quiet    = 3 * time.Second
)
