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
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// watched are the resources whose changes the operator is notified of.
var watched = []string{"memcacheds", "deployments", "services", "pods"}

// stalled is how long a watch is silent: longer than a rollout takes here.
const stalled = 3 * time.Second

// watchFaults end the watches at each write: once such that they go on where
// they were, once such that the operator has to list everything again.
func watchFaults(_ Workload, r Reference) []Plan {
	var plans []Plan
	for _, p := range r.decisive() {
		plans = append(plans, Plan{What: "all dropped at " + p.String(), Faults: []wire.Trigger{p.trigger(wire.Drop(""))}})
	}
	if len(r.points()) == 0 {
		return plans
	}
	for _, resource := range watched {
		plans = append(plans, Plan{What: resource + " expired", Faults: []wire.Trigger{
			r.points()[0].trigger(wire.Drop(resource)),
			{Point: "watch " + resource, Nth: 1, Times: 1, Fault: wire.Answer(http.StatusGone, metav1.StatusReasonExpired)},
		}})
	}
	return plans
}

// staleCaches withhold from each write on what happens to one kind of objects:
// the writes that follow are decided on what was true before. In the end the
// watch is dropped and has expired, so that what was between is never told.
func staleCaches(_ Workload, r Reference) []Plan {
	var plans []Plan
	for _, p := range r.decisive() {
		for _, resource := range []string{"memcacheds", "deployments", "pods"} {
			plans = append(plans,
				Plan{What: resource + " late from " + p.String(), Faults: []wire.Trigger{p.trigger(wire.Hold(resource, stalled))}},
				Plan{
					What:   resource + " unobserved from " + p.String(),
					Faults: []wire.Trigger{p.trigger(wire.Hold(resource, stalled))},
					During: func(ctx context.Context, s *arena.Stage) error {
						if err := sleep(ctx, stalled/2); err != nil {
							return err
						}
						s.Record.Arm(wire.Trigger{Point: "watch " + resource, Nth: 1, Times: 1,
							Fault: wire.Answer(http.StatusGone, metav1.StatusReasonExpired)})
						s.Drop(resource)
						return nil
					},
				})
		}
	}
	return plans
}
