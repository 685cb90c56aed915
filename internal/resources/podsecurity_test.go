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

package resources_test

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
)

// The evaluator is the API server's own, so this follows Kubernetes when the
// profile becomes stricter.
func TestNodesSatisfyPodSecurityRestricted(t *testing.T) {
	t.Parallel()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for name, tc := range map[string]struct {
		mc          *cachev1alpha1.Memcached
		assignsUser bool
	}{
		"as in the sample":                 {mc: sample()},
		"with three nodes":                 {mc: sample(size(3))},
		"on a port below 1024":             {mc: sample(port(80))},
		"where the platform assigns users": {mc: sample(), assignsUser: true},
		"on a low port of such a platform": {mc: sample(port(80)), assignsUser: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := typedPod(t, resources.Desired(tc.mc, resources.Options{Image: image, AssignsUser: tc.assignsUser}))
			if got := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec)); !got.Allowed {
				t.Errorf("the node violates %s: %s", restricted, got.ForbiddenDetail())
			}
		})
	}
}

// typedPod is what the API server makes of the template.
func typedPod(t *testing.T, children resources.Children) *corev1.PodTemplateSpec {
	t.Helper()
	body, err := json.Marshal(children.Deployment.Spec.Template)
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.PodTemplateSpec{}
	if err := json.Unmarshal(body, pod); err != nil {
		t.Fatal(err)
	}
	return pod
}
