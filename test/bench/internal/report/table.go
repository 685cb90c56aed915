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

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/result"
)

// met sums up.
func met(r *result.Results) string {
	verdicts, good := r.Verdicts(arm.Operator, arm.Null), 0
	var missed []string
	for _, v := range verdicts {
		if v.Met {
			good++
		} else if title := v.Metric.Title; !slices.Contains(missed, title) {
			missed = append(missed, title)
		}
	}
	if len(missed) == 0 {
		return fmt.Sprintf("All %d goals are met.", good)
	}
	return fmt.Sprintf("Of %d goals, %d are met. Missed: %s.", len(verdicts), good, strings.Join(missed, "; "))
}

// goals is a table of what was hoped for, and how it was met.
func goals(r *result.Results) string {
	var table strings.Builder
	table.WriteString("| | Metric | Resources | Operator | Floor | Goal | |\n|---|---|--:|--:|--:|---|---|\n")
	for _, v := range r.Verdicts(arm.Operator, arm.Null) {
		answer := "met"
		if !v.Met {
			answer = "**missed**"
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %s | %s | %s | %s |\n", v.Metric.ID, v.Metric.Title, v.N,
			value(r, v.Metric, arm.Operator, v.N), value(r, v.Metric, arm.Null, v.N), v.Metric.Goal, answer)
	}
	return table.String()
}

// values is a table of all metrics and arms.
func values(r *result.Results) string {
	arms := r.Arms()
	var table strings.Builder
	fmt.Fprintf(&table, "| | Metric | Resources | %s |\n|---|---|--:|%s\n", strings.Join(arms, " | "), strings.Repeat("--:|", len(arms)))
	for _, metric := range result.Catalogue {
		for _, n := range r.Sizes(metric.Key) {
			fmt.Fprintf(&table, "| %s | %s | %d |", metric.ID, metric.Title, n)
			for _, name := range arms {
				fmt.Fprintf(&table, " %s |", value(r, metric, name, n))
			}
			table.WriteString("\n")
		}
	}
	return table.String()
}

// value is what an arm's cell of a table says.
func value(r *result.Results, metric result.Metric, name string, n int) string {
	measured, unit := r.Values(metric.Key, name, n), metric.Unit
	if metric.Time {
		measured, unit = result.Ratios(measured, r.Values(metric.Key, arm.Null, n)), "×"
	}
	estimate := result.NewEstimate(measured)
	switch {
	case math.IsNaN(estimate.Median):
		return "–"
	case len(measured) == 1 || estimate.Low == estimate.High:
		return strings.TrimSpace(number(estimate.Median) + " " + unit)
	}
	return fmt.Sprintf("%s [%s, %s] %s", number(estimate.Median), number(estimate.Low), number(estimate.High), unit)
}

// number has as many digits as mean something.
func number(x float64) string {
	switch {
	case x == math.Trunc(x), math.Abs(x) >= 100:
		return fmt.Sprintf("%.0f", x)
	case math.Abs(x) >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// requests is a table of what was asked for one resource.
func requests(r *result.Results) string {
	arms := r.Arms()
	var table strings.Builder
	fmt.Fprintf(&table, "| Phase | %s |\n|---|%s\n", strings.Join(arms, " | "), strings.Repeat("---|", len(arms)))
	for _, phase := range []string{"create", "scale", "delete"} {
		fmt.Fprintf(&table, "| %s |", phase)
		for _, name := range arms {
			fmt.Fprintf(&table, " %s |", strings.Join(r.Requests[name][phase], "<br>"))
		}
		table.WriteString("\n")
	}
	return table.String()
}
