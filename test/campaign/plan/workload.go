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
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/campaign/arena"
)

// Workload is what is done to a Memcached, step by step. Things go wrong in the
// last step; those before it prepare.
type Workload struct {
	Name     string
	Settings arena.Settings
	Steps    []Step
	// Most is how many nodes may run at most in the last step. In a rollout it is
	// one more than the size: Kubernetes starts a replacement when the node before
	// it has been ordered to stop, a moment before that is told (ADR 0005).
	Most int
	// Serving is how many nodes must be ready at any time in the last step.
	Serving int
	// Keeps says that nodes are to outlive the Memcached.
	Keeps bool
	// Within is how long the last step may take; 0: what oracle 1 says.
	Within time.Duration
	// Plain says that it is there to be compared with, and gets no faults.
	Plain bool
}

// Step is something that a user, or somebody else, does, and where it leads.
type Step struct {
	Do    func(context.Context, *arena.Stage) error
	Until Expectation
}

const (
	otherImage  = "registry.example.com:5000/memcached@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	absentImage = "registry.example.com:5000/memcached" + arena.AbsentTag
)

// Workloads are all there are.
var Workloads = slices.Concat(ordinary, hostile, fresh())

// ordinary are those of everyday. To add one, add a line.
var ordinary = []Workload{
	{Name: "create", Steps: []Step{{create(2), ready(2)}}, Most: 2},
	{Name: "create-several-namespaces", Settings: arena.Settings{Also: []string{arena.Elsewhere}},
		Steps: []Step{{create(2), ready(2)}}, Most: 2},
	{Name: "scale-up", Steps: []Step{{create(1), ready(1)}, {scale(3), ready(3)}}, Most: 3, Serving: 1},
	{Name: "scale-down", Steps: []Step{{create(3), ready(3)}, {scale(1), ready(1)}}, Most: 3, Serving: 1},
	{Name: "port", Steps: []Step{{create(3), ready(3)}, {port(11300), all(ready(3), rolled)}}, Most: 4, Serving: 2},
	{Name: "image", Steps: []Step{{create(3), ready(3)}, {restart(otherImage), all(ready(3), runs(otherImage))}}, Most: 4, Serving: 2},
	{Name: "deployment-deleted", Steps: []Step{{create(2), ready(2)}, {deleteDeployment, ready(2)}}, Most: 2},
	{Name: "deployment-orphaned", Steps: []Step{{create(2), ready(2)}, {orphanNodes, all(ready(2), nodesReady(2))}}, Most: 2, Serving: 2},
	{Name: "deployment-scaled", Steps: []Step{{create(2), ready(2)}, {scaleDeployment(0), ready(2)}}, Most: 2},
	{Name: "deployment-paused", Steps: []Step{{create(2), ready(2)}, {pauseDeployment, all(ready(2), unpaused)}}, Most: 2, Serving: 2},
	{Name: "label-stripped", Steps: []Step{{create(2), ready(2)}, {stripLabel, all(ready(2), labelled)}}, Most: 2, Serving: 2},
	{Name: "service-deleted", Steps: []Step{{create(2), ready(2)}, {deleteService, all(ready(2), serviceAsDesired)}}, Most: 2, Serving: 2},
	{Name: "service-edited", Steps: []Step{{create(2), ready(2)}, {editService, all(ready(2), serviceAsDesired)}}, Most: 2, Serving: 2},
	{Name: "delete-background", Steps: []Step{{create(2), ready(2)}, {remove(metav1.DeletePropagationBackground), gone}}, Most: 2},
	{Name: "delete-foreground", Steps: []Step{{create(2), ready(2)}, {remove(metav1.DeletePropagationForeground), gone}}, Most: 2},
	{Name: "delete-orphan", Steps: []Step{{create(2), ready(2)}, {remove(metav1.DeletePropagationOrphan), gone}}, Most: 2, Serving: 2, Keeps: true},
	{Name: "delete-orphan-slow", Steps: []Step{{deny(arena.Orphaning), nil}, {create(2), ready(2)},
		{remove(metav1.DeletePropagationOrphan), released}, {deny("nothing"), gone}}, Most: 2, Serving: 2, Keeps: true},
	{Name: "recreate", Steps: []Step{{create(2), ready(2)}, {remove(metav1.DeletePropagationBackground), gone}, {create(3), ready(3)}}, Most: 3},
	{Name: "absent-image", Settings: arena.Settings{Image: absentImage},
		Steps: []Step{{create(2), all(degraded(cachev1alpha1.ReasonImagePullFailed), serviceAsDesired)}}, Most: 2},
	{Name: "image-mended", Settings: arena.Settings{Image: absentImage},
		Steps: []Step{{create(2), degraded(cachev1alpha1.ReasonImagePullFailed)}, {restart(otherImage), ready(2)}}, Most: 3},
	{Name: "conflict-deployment", Steps: []Step{{foreignDeployment, nil},
		{create(1), all(degraded(cachev1alpha1.ReasonNameConflict), serviceAsDesired)}}, Most: 1},
	{Name: "conflict-service", Steps: []Step{{foreignService, nil},
		{create(1), all(degraded(cachev1alpha1.ReasonNameConflict), nodesReady(1))}}, Most: 1},
	{Name: "conflict-cleared", Steps: []Step{{foreignService, nil}, {create(1), degraded(cachev1alpha1.ReasonNameConflict)},
		{removeForeign, ready(1)}}, Most: 1},
	{Name: "neighbours", Steps: []Step{{create(2), ready(2)}, {createNeighbour(1), all(ready(2), neighbourReady(1))}}, Most: 3, Serving: 2},
}
