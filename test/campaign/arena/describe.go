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
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Describe tells in some lines what there is of Deployments and nodes, for
// whoever wonders why a plan does not end.
func (s *Stage) Describe(ctx context.Context) string {
	deployments, sets, pods := &appsv1.DeploymentList{}, &appsv1.ReplicaSetList{}, &corev1.PodList{}
	for _, list := range []client.ObjectList{deployments, sets, pods} {
		if err := s.Admin.List(ctx, list, client.InNamespace(s.Namespace)); err != nil {
			return err.Error()
		}
	}
	text := &strings.Builder{}
	for i := range deployments.Items {
		d := &deployments.Items[i]
		_, _ = fmt.Fprintf(text, "\nDeployment %s: generation %d, observed %d, %d replicas, status %+v", d.Name, d.Generation,
			d.Status.ObservedGeneration, *d.Spec.Replicas, d.Status)
	}
	for i := range sets.Items {
		set := &sets.Items[i]
		_, _ = fmt.Fprintf(text, "\nReplicaSet %s: %d replicas, %d there, %d ready", set.Name, *set.Spec.Replicas, set.Status.Replicas, set.Status.ReadyReplicas)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		_, _ = fmt.Fprintf(text, "\nPod %s: %s, ready %t, deleted %v", pod.Name, pod.Status.Phase, podReady(pod), pod.DeletionTimestamp)
	}
	return text.String()
}
