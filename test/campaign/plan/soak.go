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
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// soakSteps is how much happens in one soak.
const soakSteps = 20

// interference is what others do, beside the changes of the spec.
var interference = []do{
	scaleDeployment(0), scaleDeployment(3), pauseDeployment, stripLabel, editService, deleteDeployment, deleteService,
}

// Soak is a plan in which a seed decides what happens: changes of the spec, edits
// by others, and requests that fail.
func Soak(seed uint64) Plan {
	random := rand.New(rand.NewPCG(seed, seed))
	end := initial
	var steps []do
	for range soakSteps {
		switch n := random.IntN(10); {
		case n < 5:
			c := changes[random.IntN(len(changes))]
			c.to(&end)
			steps = append(steps, c.do, rolledOut)
		case n < 8:
			steps = append(steps, ignoreMissing(interference[random.IntN(len(interference))]))
		default:
			steps = append(steps, fail(random))
		}
		steps = append(steps, wait(time.Duration(random.IntN(400))*time.Millisecond))
	}
	return Plan{
		Group: "soak", Workload: Workload{Name: "soak", Plain: true, Steps: []Step{{createLike(initial), nil}}},
		What: fmt.Sprintf("seed %d", seed), Seed: seed, During: inOrder(append(steps, disarm)...),
		Twice: true, Most: 4, // of 3, in a rollout
		Elsewhere: end.reached(), Like: end.name(),
	}
}

// fail makes the next write at some point fail in some way.
func fail(random *rand.Rand) do {
	kinds := []string{"patch deployments", "patch services", "patch memcacheds/status"}
	faults := []wire.Fault{wire.CrashBefore, wire.CrashAfter, wire.Lost, wire.Reset, wire.Drop(""), wire.Hold("deployments", stalled)}
	trigger := wire.Trigger{Point: kinds[random.IntN(len(kinds))], Nth: 1, Times: 1, Fault: faults[random.IntN(len(faults))]}
	return func(_ context.Context, s *arena.Stage) error {
		s.Record.Arm(trigger)
		return nil
	}
}

func disarm(_ context.Context, s *arena.Stage) error {
	s.Record.Arm()
	return nil
}
