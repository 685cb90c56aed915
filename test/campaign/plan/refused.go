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
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// refusal is a way in which a request can fail for a moment.
type refusal struct {
	what  string
	fault wire.Fault
}

var passing = []refusal{
	{"conflict", wire.Answer(http.StatusConflict, metav1.StatusReasonConflict)},
	{"overload", wire.RetryAfter(1)},
	{"error", wire.Answer(http.StatusInternalServerError, metav1.StatusReasonInternalError)},
	{"unavailable", wire.Answer(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)},
	{"timeout", wire.Timeout},
	{"reset", wire.Reset},
}

// refusals make each write fail once, in each way.
func refusals(_ Workload, r Reference) []Plan {
	var plans []Plan
	for _, p := range r.decisive() {
		for _, refusal := range passing {
			plans = append(plans, Plan{What: p.String() + " " + refusal.what, Faults: []wire.Trigger{p.trigger(refusal.fault)}})
		}
	}
	return plans
}

// outages make every write of a kind fail for some seconds.
func outages(_ Workload, r Reference) []Plan {
	var kinds []string
	for _, write := range r.Writes {
		kinds = append(kinds, write.Point)
	}
	slices.Sort(kinds)
	var plans []Plan
	for _, kind := range slices.Compact(kinds) {
		for _, refusal := range passing {
			if refusal.what == "overload" {
				continue // the client waits for as long as it is told, again and again
			}
			plans = append(plans, Plan{
				What:   kind + " " + refusal.what,
				Faults: []wire.Trigger{{Point: kind, Nth: 1, Times: math.MaxInt, Fault: refusal.fault}},
				During: func(ctx context.Context, s *arena.Stage) error {
					defer s.Record.Disarm()
					return sleep(ctx, 5*time.Second)
				},
			})
		}
	}
	return plans
}

// startFaults make the operator's first reads fail.
func startFaults(w Workload, _ Reference) []Plan {
	if len(w.Steps) > 1 {
		return nil // they all start alike
	}
	var plans []Plan
	for _, resource := range watched {
		for _, refusal := range passing {
			if refusal.what == "conflict" {
				continue // no read does
			}
			plans = append(plans, Plan{
				What: resource + " " + refusal.what, AtStart: true,
				Faults: []wire.Trigger{{Point: "watch " + resource, Nth: 1, Times: 2, Fault: refusal.fault}},
			})
		}
	}
	return plans
}
