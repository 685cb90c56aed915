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
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
)

func TestTwoCachesSelectTheirOwnNodesOnly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ one, other string }{
		"with unrelated names":                  {"carts", "pages"},
		"when one name begins with the other's": {"cache", "cache-2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := desired(sample(named(tc.one))), desired(sample(named(tc.other)))
			for kind, selector := range map[string]map[string]string{
				"Deployment": one.Deployment.Spec.Selector.MatchLabels,
				"Service":    one.Service.Spec.Selector,
			} {
				if got := selector[cachev1alpha1.LabelInstance]; got != tc.one {
					t.Errorf("%s selects the nodes of %q, want %q", kind, got, tc.one)
				}
				if !labels.SelectorFromSet(selector).Matches(labels.Set(one.Deployment.Spec.Template.Labels)) {
					t.Errorf("%s selects %v, which are not among the nodes' labels %v", kind, selector, one.Deployment.Spec.Template.Labels)
				}
				if labels.SelectorFromSet(selector).Matches(labels.Set(other.Deployment.Spec.Template.Labels)) {
					t.Errorf("%s of %s selects nodes of %s", kind, tc.one, tc.other)
				}
			}
		})
	}
}

// A Deployment's selector is immutable: with another one, the operator could
// change no Deployment that exists.
func TestSelectorNeverChanges(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"app.kubernetes.io/name":       "memcached",
		"app.kubernetes.io/instance":   "memcached-sample",
		"app.kubernetes.io/managed-by": "memcached-operator",
	}
	children := desired(sample(size(3), port(80)))
	for user, got := range map[string]map[string]string{
		"the Deployment":        children.Deployment.Spec.Selector.MatchLabels,
		"the Service":           children.Service.Spec.Selector,
		"the scale subresource": resources.Selector("memcached-sample"),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("selector of %s (-want +got):\n%s", user, diff)
		}
	}
}

func TestLabelsAreValidWhateverTheNameAndTheImage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ name, image string }{
		"a name of one character":       {"a", image},
		"the longest name":              {"c" + strings.Repeat("-", 50) + "9", image},
		"an image with a digest":        {"cache", "docker.io/library/memcached@sha256:" + strings.Repeat("0a", 32)},
		"an image on a registry port":   {"cache", "registry.example.com:5000/memcached"},
		"an image with a very long tag": {"cache", "memcached:" + strings.Repeat("t", 128)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := labelled(resources.Desired(sample(named(tc.name)), resources.Options{Image: tc.image}))
			for where, all := range got {
				for key, value := range all {
					if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
						t.Errorf("%s: label %s=%s: %v", where, key, value, problems)
					}
				}
			}
			want := labelled(resources.Desired(sample(named(tc.name)), resources.Options{Image: "another"}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("labels depend on the image (-want +got):\n%s", diff)
			}
		})
	}
}

// labelled returns all labels and selectors of children.
func labelled(children resources.Children) map[string]map[string]string {
	return map[string]map[string]string{
		"Deployment":          children.Deployment.Labels,
		"Deployment selector": children.Deployment.Spec.Selector.MatchLabels,
		"pod":                 children.Deployment.Spec.Template.Labels,
		"Service":             children.Service.Labels,
		"Service selector":    children.Service.Spec.Selector,
	}
}
