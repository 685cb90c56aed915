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

package plan

import (
	"github.com/example/memcached-operator/test/campaign/wire"
)

// crashes end the operator before and after each write; another takes over.
func crashes(_ Workload, r Reference) []Plan {
	var plans []Plan
	for _, p := range r.points() {
		plans = append(plans,
			Plan{What: "before " + p.String(), Faults: []wire.Trigger{p.trigger(wire.CrashBefore)}},
			Plan{What: "after " + p.String(), Faults: []wire.Trigger{p.trigger(wire.CrashAfter)}})
	}
	return plans
}

// crashPairs end the operator after a write, and its successor after the next.
func crashPairs(_ Workload, r Reference) []Plan {
	points := r.points()
	var plans []Plan
	for i := range len(points) - 1 {
		first, second := points[i], points[i+1]
		plans = append(plans,
			Plan{What: "after " + first.String() + " and " + second.String(),
				Faults: []wire.Trigger{first.trigger(wire.CrashAfter), second.trigger(wire.CrashAfter)}},
			// The successor repeats the first write, so the second is one further.
			Plan{What: "before " + first.String() + " and again",
				Faults: []wire.Trigger{first.trigger(wire.CrashBefore), point{first.kind, first.nth + 1}.trigger(wire.CrashBefore)}})
	}
	return plans
}

// lostAnswers lose the answer to each write, and let the operator live.
func lostAnswers(_ Workload, r Reference) []Plan {
	var plans []Plan
	for _, p := range r.points() {
		plans = append(plans, Plan{What: p.String(), Faults: []wire.Trigger{p.trigger(wire.Lost)}})
	}
	return plans
}
