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

package result

import (
	"fmt"
	"math"
)

// CIMargin is added to growth exponents where few resources and a busy machine
// make them uncertain: CPU time is counted in steps of 10 ms, and over 100 to 800
// resources the exponent was seen between 0.97 and 1.05.
const CIMargin = 0.1

// Verdict is whether a goal was met.
type Verdict struct {
	Metric Metric
	// N is with how many resources, Own and Floor the medians there.
	N          int
	Own, Floor float64
	Met        bool
}

func (v Verdict) String() string {
	met := "met"
	if !v.Met {
		met = "MISSED"
	}
	return fmt.Sprintf("%-4s %-58s N=%-6d %10.4g %s (floor %.4g, goal %s): %s",
		v.Metric.ID, v.Metric.Title, v.N, v.Own, v.Metric.Unit, v.Floor, v.Metric.Goal, met)
}

// Verdicts compares what was measured of an arm with the goals.
func (r *Results) Verdicts(own, floor string) []Verdict {
	var all []Verdict
	for _, metric := range Catalogue {
		if metric.Goal == nil {
			continue
		}
		for _, n := range r.Sizes(metric.Key) {
			v := Verdict{Metric: metric, N: n, Own: Median(r.Values(metric.Key, own, n)), Floor: Median(r.Values(metric.Key, floor, n))}
			v.Met = metric.Goal.Met(v.Own, v.Floor)
			if ratio, is := metric.Goal.(Ratio); is {
				v.Met = ratio.Met(Median(Ratios(r.Values(metric.Key, own, n), r.Values(metric.Key, floor, n))), 1)
			}
			if !math.IsNaN(v.Own) {
				all = append(all, v)
			}
		}
	}
	return all
}

// OnBusyMachine grants growth exponents CIMargin.
func (v Verdict) OnBusyMachine() Verdict {
	if limit, is := v.Metric.Goal.(AtMost); is && v.Metric.ID == "P9" {
		v.Metric.Goal = AtMost{Limit: limit.Limit + CIMargin}
		v.Met = v.Metric.Goal.Met(v.Own, v.Floor)
	}
	return v
}
