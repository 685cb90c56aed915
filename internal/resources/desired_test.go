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
	"testing"

	"github.com/google/go-cmp/cmp"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
)

func TestDesiredIsPure(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mc      *cachev1alpha1.Memcached
		options resources.Options
	}{
		"for the sample":                    {sample(), resources.Options{Image: image}},
		"for three nodes on a low port":     {sample(size(3), port(80)), resources.Options{Image: image}},
		"where the platform assigns users":  {sample(), resources.Options{Image: image, AssignsUser: true}},
		"for a resource that has no fields": {&cachev1alpha1.Memcached{}, resources.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := tc.mc.DeepCopy()
			first, second := resources.Desired(tc.mc, tc.options), resources.Desired(tc.mc, tc.options)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("the same input gave different children (-first +second):\n%s", diff)
			}
			if diff := cmp.Diff(before, tc.mc); diff != "" {
				t.Errorf("the input has changed (-before +after):\n%s", diff)
			}

			want := document(t, second)
			spoil(first)
			if diff := cmp.Diff(want, document(t, second)); diff != "" {
				t.Errorf("children share memory with those of another call (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, document(t, resources.Desired(tc.mc, tc.options))); diff != "" {
				t.Errorf("writing to children changed those of the next call (-want +got):\n%s", diff)
			}
		})
	}
}

// spoil writes wherever children could share memory.
func spoil(children resources.Children) {
	deployment, service := children.Deployment, children.Service
	for _, labels := range []map[string]string{
		deployment.Labels, deployment.Spec.Selector.MatchLabels, deployment.Spec.Template.Labels,
		service.Labels, service.Spec.Selector,
	} {
		labels["spoilt"] = "yes"
	}
	container := &deployment.Spec.Template.Spec.Containers[0]
	container.Command[0] = "spoilt"
	clear(*container.Resources.Requests)
	clear(*container.Resources.Limits)
	*deployment.Spec.Replicas = 99
	*service.Spec.Ports[0].Port = 99
}
