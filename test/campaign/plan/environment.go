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
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/campaign/arena"
)

// environments are what a cluster does to the operator's rights.
func environments(w Workload, _ Reference) []Plan {
	if w.Name != "scale-up" {
		return nil
	}
	return []Plan{{
		What:   "rights revoked while a repair is due",
		During: inOrder(until(ready(3)), revoke, scaleDeployment(1), wait(4*time.Second), grant),
		// Without its rights it can neither repair nor say so.
		Denied: true, Twice: true, Elsewhere: ready(3),
	}, {
		What:   "rights revoked while a deletion is due",
		During: inOrder(until(ready(3)), revoke, remove("Background"), wait(4*time.Second), grant),
		Denied: true, Twice: true, Elsewhere: gone,
	}}
}

func inOrder(steps ...do) do {
	return func(ctx context.Context, s *arena.Stage) error {
		for _, step := range steps {
			if err := step(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// until waits for an expectation to come true.
func until(e Expectation) do {
	return func(ctx context.Context, s *arena.Stage) error { return s.Await(ctx, converge, e) }
}

func wait(long time.Duration) do {
	return func(ctx context.Context, _ *arena.Stage) error { return sleep(ctx, long) }
}

func revoke(ctx context.Context, s *arena.Stage) error { return s.Revoke(ctx, s.Namespace) }

func grant(ctx context.Context, s *arena.Stage) error { return s.Grant(ctx, s.Namespace) }

func deny(what string) do {
	return func(ctx context.Context, s *arena.Stage) error {
		return s.Label(ctx, arena.DenyLabel, what)
	}
}

const quotaName = "no-room"

// quota leaves the namespace room for so many pods. To lift it is to raise it: the
// API server may hold to one that is deleted for 30 seconds more (liveTTL in
// apiserver's plugin resourcequota).
func quota(pods int64) do {
	return func(ctx context.Context, s *arena.Stage) error {
		object := &corev1.ResourceQuota{ObjectMeta: objectMeta(s, quotaName)}
		room := *resource.NewQuantity(pods, resource.DecimalSI)
		if _, err := controllerutil.CreateOrUpdate(ctx, s.Admin, object, func() error {
			object.Spec.Hard = corev1.ResourceList{corev1.ResourcePods: room}
			return nil
		}); err != nil {
			return err
		}
		return s.Await(ctx, converge, seen(func(*arena.Stage) *corev1.ResourceQuota { return object },
			func(q *corev1.ResourceQuota) bool { return room.Equal(q.Status.Hard[corev1.ResourcePods]) }, "the quota is not in force"))
	}
}

func deleteNamespace(ctx context.Context, s *arena.Stage) error {
	s.ForgetForeign()
	return s.Admin.Delete(ctx, &corev1.Namespace{ObjectMeta: objectMeta(s, s.Namespace)})
}

func namespaceGone(ctx context.Context, s *arena.Stage) (string, error) {
	namespace := &corev1.Namespace{}
	err := s.Admin.Get(ctx, client.ObjectKey{Name: s.Namespace}, namespace)
	if err != nil {
		return "", client.IgnoreNotFound(err)
	}
	return fmt.Sprintf("the namespace is still there: %v", namespace.Status.Conditions), nil
}

// hostile are workloads in an environment that is against them.
var hostile = []Workload{
	{Name: "quota", Steps: []Step{{quota(1), nil}, {create(2), all(degraded(cachev1alpha1.ReasonQuotaExceeded), serviceAsDesired)}}, Most: 1},
	{Name: "quota-lifted", Steps: []Step{{quota(1), nil}, {create(2), degraded(cachev1alpha1.ReasonQuotaExceeded)}, {quota(10), ready(2)}}, Most: 2},
	{Name: "pods-denied", Steps: []Step{{deny("pods"), nil}, {create(2), all(degraded(cachev1alpha1.ReasonAdmissionDenied), serviceAsDesired)}}, Most: 0},
	{Name: "deployments-denied", Steps: []Step{{deny("deployments"), nil}, {create(2), all(degraded(cachev1alpha1.ReasonAdmissionDenied), serviceAsDesired)}}, Most: 0},
	{Name: "services-denied", Steps: []Step{{deny("services"), nil}, {create(2), degraded(cachev1alpha1.ReasonAdmissionDenied)}, {deny("nothing"), ready(2)}}, Most: 2},
	{Name: "namespace-deleted", Settings: arena.Settings{Everywhere: true},
		Steps: []Step{{create(2), ready(2)}, {deleteNamespace, namespaceGone}},
		// The namespace's controller looks again after half the nodes' grace period.
		Most: 2, Within: 3 * converge},
}

// sleep waits for time to pass, where that is what the plan is about.
func sleep(ctx context.Context, long time.Duration) error {
	select {
	case <-time.After(long):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
