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

import "fmt"

// Goal is what was hoped for of a metric.
type Goal interface {
	// Met tells whether the operator's value, beside the floor's, is good enough.
	Met(own, floor float64) bool
	// String says it in words.
	String() string
}

// Floor is a limit above the floor.
type Floor struct{ Plus float64 }

// Met implements Goal.
func (g Floor) Met(own, floor float64) bool { return own <= floor+g.Plus }

func (g Floor) String() string { return fmt.Sprintf("≤ floor + %g", g.Plus) }

// Ratio limits the ratio to the floor, on the side that is not 0.
type Ratio struct{ AtMost, AtLeast float64 }

// Met implements Goal.
func (g Ratio) Met(own, floor float64) bool {
	ratio := own / floor
	return (g.AtMost == 0 || ratio <= g.AtMost) && ratio >= g.AtLeast
}

func (g Ratio) String() string {
	if g.AtMost != 0 {
		return fmt.Sprintf("≤ %g × floor", g.AtMost)
	}
	return fmt.Sprintf("≥ %g × floor", g.AtLeast)
}

// AtMost is a limit by itself.
type AtMost struct{ Limit float64 }

// Met implements Goal.
func (g AtMost) Met(own, _ float64) bool { return own <= g.Limit }

func (g AtMost) String() string {
	if g.Limit == 0 {
		return "0"
	}
	return fmt.Sprintf("≤ %.4g", g.Limit)
}

// AtLeast is a limit from below: what must have happened for another metric to
// mean anything.
type AtLeast struct{ Limit float64 }

// Met implements Goal.
func (g AtLeast) Met(own, _ float64) bool { return own >= g.Limit }

func (g AtLeast) String() string { return fmt.Sprintf("≥ %.4g", g.Limit) }
