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

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/example/memcached-operator/test/campaign/plan"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// row is what came of the plans of a group.
type row struct {
	Name                              string
	Plans, NotReached, Once, Violated int
	total                             time.Duration
}

// Seconds is how long a plan took on average.
func (r row) Seconds() string {
	return fmt.Sprintf("%.1f", (r.total / time.Duration(max(r.Plans, 1))).Seconds())
}

// rows returns what came of each group, in the order of the groups.
func (c *campaign) rows() []row {
	var rows []row
	for _, result := range c.results {
		i := slices.IndexFunc(rows, func(r row) bool { return r.Name == result.Plan.Group })
		if i < 0 {
			i, rows = len(rows), append(rows, row{Name: result.Plan.Group})
		}
		rows[i].Plans++
		rows[i].total += result.Took
		if !result.Reached {
			rows[i].NotReached++
		}
		if result.Once {
			rows[i].Once++
		}
		if len(result.Violations) > 0 {
			rows[i].Violated++
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return order(a.Name) - order(b.Name) })
	return rows
}

// order is a group's place; the random plans come last.
func order(name string) int {
	i := slices.IndexFunc(plan.Groups, func(g plan.Group) bool { return g.Name == name })
	if i < 0 {
		i = len(plan.Groups)
	}
	return i
}

// uncovered returns the write points that no plan befalls.
func (c *campaign) uncovered() []string {
	var requests []wire.Request
	for _, result := range c.results {
		requests = append(requests, result.Requests...)
	}
	return plan.Uncovered(c.all, requests)
}

//go:embed report.md.tmpl
var reportText string

// write prints the table, and writes the report where it was asked for.
func (c *campaign) write() error {
	total, fixed := row{Name: "all"}, 0
	for _, r := range c.rows() {
		fmt.Printf("%-18s %4d plans, %d not reached, %d violated only once, %d violated, %s s each\n", r.Name, r.Plans, r.NotReached, r.Once, r.Violated, r.Seconds())
		total.Once += r.Once
		if order(r.Name) < len(plan.Groups) {
			fixed += r.Plans
		}
		total.Plans, total.NotReached, total.Violated = total.Plans+r.Plans, total.NotReached+r.NotReached, total.Violated+r.Violated
	}
	if c.report == "" {
		return nil
	}
	out := &strings.Builder{}
	text := template.Must(template.New("report").Parse(reportText))
	killed := slices.Clone(c.findings)
	slices.SortFunc(killed, func(a, b finding) int { return strings.Compare(a.name, b.name) })
	var mutants []map[string]string
	for _, f := range killed {
		by, what, _ := strings.Cut(f.by, ": ")
		mutants = append(mutants, map[string]string{"Name": f.name, "By": by, "What": strings.ReplaceAll(what, "|", "\\|")})
	}
	if err := text.Execute(out, map[string]any{
		"Rows": c.rows(), "Total": total, "Workloads": len(plan.Workloads), "Mutants": mutants, "Fixed": fixed, "All": len(c.all), "MostAttempts": plan.MostAttempts, "Seed": c.seed, "Took": c.took.Round(time.Minute),
	}); err != nil {
		return err
	}
	return os.WriteFile(c.report, []byte(out.String()), 0o644)
}

// verdict is an error if anything was not as it must be.
func (c *campaign) verdict() error {
	errs := c.failures
	for _, result := range c.results {
		if !result.Reached {
			fmt.Println("not reached:", result.Plan.Name())
			if c.few == 0 && !result.Plan.Chance() {
				errs = append(errs, fmt.Errorf("its fault did not come to pass: %s", result.Plan.Name()))
			}
		}
		if len(result.Violations) > 0 {
			errs = append(errs, fmt.Errorf("violated: %s; play it again: %s", result.Plan.Name(), result.Plan.Replay()))
		}
	}
	for _, point := range c.uncovered() {
		errs = append(errs, fmt.Errorf("no plan befalls %q: give a workload to it in test/campaign/plan", point))
	}
	return errors.Join(errs...)
}
