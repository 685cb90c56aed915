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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// deletions delete the Memcached just before each write, in each mode.
func deletions(w Workload, r Reference) []Plan {
	if w.Name == "deployment-orphaned" {
		return nil // what was orphaned a moment before stays, as the README says
	}
	var plans []Plan
	for _, p := range r.decisive() {
		for _, policy := range []metav1.DeletionPropagation{
			metav1.DeletePropagationBackground, metav1.DeletePropagationForeground,
		} {
			plans = append(plans, deletion(p, policy))
		}
	}
	return plans
}

// deletion holds the write until the Memcached has been deleted.
func deletion(p point, policy metav1.DeletionPropagation) Plan {
	return Plan{
		What:   fmt.Sprintf("%s before %s", policy, p),
		Faults: []wire.Trigger{p.trigger(wire.Freeze)},
		During: func(ctx context.Context, s *arena.Stage) error {
			if err := remove(policy)(ctx, s); err != nil {
				return err
			}
			s.Frozen().Line.Thaw()
			return nil
		},
		Twice:     true,
		Elsewhere: gone,
	}
}
