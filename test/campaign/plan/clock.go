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
	"time"

	"github.com/example/memcached-operator/test/campaign/wire"
)

// clocks jump at each write: from then on the operator's clock and the API
// server's are an hour apart.
func clocks(_ Workload, r Reference) []Plan {
	var plans []Plan
	for _, p := range r.decisive() {
		for _, clock := range []struct {
			is string
			by time.Duration
		}{{"fast", -time.Hour}, {"slow", time.Hour}} {
			plans = append(plans, Plan{
				What:   "an hour " + clock.is + " from " + p.String(),
				Faults: []wire.Trigger{p.trigger(wire.Skew(clock.by))},
				JSON:   true,
			})
		}
	}
	return plans
}
