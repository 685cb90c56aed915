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

package status_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

// triple is what Compute gets.
type triple struct {
	mc   *cachev1alpha1.Memcached
	seen status.Observed
	out  status.Outcome
}

// generator makes triples of whatever can be seen together, and of much that
// cannot. Equal seeds make equal triples.
type generator struct{ *rand.Rand }

func generate(seed uint64) triple {
	g := generator{rand.New(rand.NewPCG(seed, 11211))}
	mc := cache(1 + g.Int32N(3))
	mc.Generation = 1 + g.Int64N(9)
	if g.oneIn(3) {
		mc.Status = status.Compute(mc, g.observed(), g.outcome())
		for i := range mc.Status.Conditions {
			mc.Status.Conditions[i].LastTransitionTime = longAgo
		}
	}
	if g.oneIn(8) {
		deleted(mc)
	}
	return triple{mc, g.observed(), g.outcome()}
}

func (g generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// moving is a number that may be another one the next time; no message may hold
// it. See movingNumber.
func (g generator) moving() int32 { return 900_000 + g.Int32N(100_000) }

func (g generator) podName() string { return fmt.Sprintf("cache-5d4f-%d", g.moving()) }

func pick[T any](g generator, choice ...T) T { return choice[g.IntN(len(choice))] }

func (g generator) observed() status.Observed {
	var seen status.Observed
	if !g.oneIn(8) {
		all := g.Int32N(4)
		updated, ready := g.Int32N(all+1), g.Int32N(all+1)
		if g.oneIn(2) {
			updated, ready = all, all
		}
		seen = nodes(all, updated, ready)
		g.conditions(seen.Deployment)
		if g.oneIn(5) {
			seen.Deployment.Status.ObservedGeneration--
		}
	}
	for range pick(g, 0, 0, 1, 2, 4) {
		seen.Pods = append(seen.Pods, g.pod())
	}
	return seen
}

func (g generator) conditions(deployment *appsv1.Deployment) {
	is := pick(g, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown)
	reporting(appsv1.DeploymentAvailable, is, "MinimumReplicas", "")(deployment)
	if g.oneIn(6) {
		stuck(deployment)
	}
	if g.oneIn(6) {
		refused(pick(g,
			fmt.Sprintf("pods %q is forbidden: %s", g.podName(), g.quota()),
			fmt.Sprintf(`pods %q is forbidden: violates PodSecurity "restricted:latest": seccompProfile`, g.podName()),
			fmt.Sprintf("pods %q is forbidden: maximum memory usage per Container is 100Mi, but limit is 140Mi", g.podName()),
			g.unreachableWebhook().Error(),
		))(deployment)
	}
}

func (g generator) quota() string {
	return fmt.Sprintf("exceeded quota: tight, requested: pods=1, used: pods=%d, limited: pods=4", g.moving())
}

func (g generator) unreachableWebhook() error {
	return unreachable(fmt.Sprintf("read tcp 10.0.0.4:%d->10.96.7.2:443: i/o timeout", g.moving()))
}

func (g generator) pod() corev1.Pod {
	backingOff := fmt.Sprintf("back-off %ds restarting failed container=memcached pod=%s", g.moving(), g.podName())
	container := pick(g,
		corev1.ContainerStatus{Ready: true, RestartCount: g.moving(), State: running()},
		corev1.ContainerStatus{Ready: true, State: running()},
		corev1.ContainerStatus{State: running()},
		corev1.ContainerStatus{},
		waiting("ContainerCreating", ""),
		waiting("ErrImagePull", backingOff),
		waiting("ImagePullBackOff", backingOff),
		waiting("CreateContainerError", backingOff),
		waiting("NobodyKnows", backingOff),
		crashed(g.moving(), 137, "OOMKilled", backOff(backingOff)),
		crashed(g.moving(), 1, "Error", running()),
		crashed(g.moving(), 1, "Error", ended(64, "Error")),
		corev1.ContainerStatus{RestartCount: g.moving()},
	)
	pod := node(container, called(g.podName()))
	if g.oneIn(6) {
		unscheduled("Unschedulable", fmt.Sprintf("0/%d nodes are available", g.moving()))(&pod)
	}
	for _, edit := range []func(*corev1.Pod){terminating, failed} {
		if g.oneIn(6) {
			edit(&pod)
		}
	}
	return pod
}

var children = []string{"Deployment team/cache", "Service team/cache"}

func (g generator) outcome() status.Outcome {
	var out status.Outcome
	if g.oneIn(8) {
		out.Conflicts = children[g.IntN(2):]
	}
	if g.oneIn(6) {
		out.Awaited = children[g.IntN(2):]
	}
	for range pick(g, 0, 0, 0, 1, 2) {
		out.Errors = append(out.Errors, fmt.Errorf("apply Service team/cache: %w", pick[error](g,
			forbidden(g.quota()),
			forbidden(`User "operator" cannot patch resource "services"`),
			denied(403, "Forbidden", "no caches on Fridays"),
			g.unreachableWebhook(),
			apierrors.NewConflict(deployments, "cache", fmt.Errorf("resourceVersion %d", g.moving())),
			apierrors.NewTooManyRequests(fmt.Sprintf("retry after %d", g.moving()), 1),
			fmt.Errorf("dial tcp: port %d", g.moving()),
			context.DeadlineExceeded,
		)))
	}
	return out
}
