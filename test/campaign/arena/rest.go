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

package arena

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Busy tells what is still under way in the stage, "" if nothing is: an operator
// that starts, a controller of Kubernetes or a machine that has not come round.
func (s *Stage) Busy(ctx context.Context) (string, error) {
	if s.starting.Load() > 0 {
		return "an operator is starting", nil
	}
	deployments := &appsv1.DeploymentList{}
	if err := s.Admin.List(ctx, deployments, client.InNamespace(s.Namespace)); err != nil {
		return "", err
	}
	for i := range deployments.Items {
		if d := &deployments.Items[i]; d.Status.ObservedGeneration != d.Generation {
			return "the Deployment's controller has not come round", nil
		}
	}
	pods := &corev1.PodList{}
	if err := s.Admin.List(ctx, pods, client.InNamespace(s.Namespace)); err != nil {
		return "", err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !pod.DeletionTimestamp.IsZero() || len(pod.Status.ContainerStatuses) == 0 && len(pod.Spec.SchedulingGates) == 0 {
			return "nodes are starting or stopping", nil
		}
	}
	return "", nil
}

// LastChange is when something was last written by the operators, or changed in
// the namespace.
func (s *Stage) LastChange() time.Time {
	write, change := s.Record.LastWrite(), s.Ledger.lastChange()
	if change.After(write) {
		return change
	}
	return write
}
