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
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// writers are others who change what the operator does not own. It stays, and
// costs no write of a child.
func writers(w Workload, _ Reference) []Plan {
	if w.Name != "scale-up" {
		return nil
	}
	const labels = `{"metadata":{"labels":{"team":"web"},"annotations":{"team/note":"x"}}}`
	stamped := func(d *appsv1.Deployment) bool { return d.Spec.Template.Annotations["restarted"] == "yes" }
	return []Plan{{
		What:      "labels of a GitOps tool on the Deployment",
		During:    inOrder(until(ready(3)), patch(theDeployment, labels)),
		Elsewhere: all(ready(3), seen(deployment, func(d *appsv1.Deployment) bool { return d.Labels["team"] == "web" }, "the label is gone")),
	}, {
		What:      "labels of a GitOps tool on the Service",
		During:    inOrder(until(ready(3)), patch(theService, labels)),
		Elsewhere: all(ready(3), seen(service, func(v *corev1.Service) bool { return v.Labels["team"] == "web" }, "the label is gone")),
	}, {
		What:      "kubectl rollout restart",
		During:    inOrder(until(ready(3)), patch(theDeployment, `{"spec":{"template":{"metadata":{"annotations":{"restarted":"yes"}}}}}`)),
		Elsewhere: all(ready(3), rolled, seen(deployment, stamped, "the annotation is gone")),
		Most:      4,
	}, {
		What:   "a sidecar of a mutating webhook",
		During: inOrder(until(ready(3)), patchStrategic(theDeployment, sidecar)),
		Elsewhere: all(ready(3), rolled, seen(deployment,
			func(d *appsv1.Deployment) bool { return len(d.Spec.Template.Spec.Containers) == 2 }, "the sidecar is gone")),
		Most: 4,
	}, {
		What:      "an autoscaler that changes its mind",
		During:    inOrder(autoscale(3), autoscale(1), autoscale(2), wait(500*time.Millisecond), autoscale(3)),
		Elsewhere: ready(3), Twice: true, // one write for each change
	}, {
		What:      "kubectl edit of the status",
		During:    inOrder(until(ready(3)), patchStatus(`{"status":{"readyReplicas":7,"conditions":[]}}`)),
		Elsewhere: ready(3),
	}}
}

const sidecar = `{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","image":"registry.example.com/sidecar:1",
	"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]}}}}`

// autoscale sets the size through the scale subresource, as an HPA does.
func autoscale(size int32) do {
	return patchSub(theMemcached, "scale", fmt.Sprintf(`{"spec":{"replicas":%d}}`, size))
}

func patchStatus(body string) do { return patchSub(theMemcached, "status", body) }
