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

package bundle

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// descriptor is what spec and status descriptors have in common.
type descriptor struct {
	path, displayName, description string
	xDescriptors                   []string
}

// A console shows the fields that have a descriptor, and only those.
func TestEveryFieldHasADescriptor(t *testing.T) {
	bundle := load(t)
	owned := bundle.CSV.Spec.CustomResourceDefinitions.Owned
	for _, crd := range bundle.V1CRDs {
		for _, version := range crd.Spec.Versions {
			at := slices.IndexFunc(owned, func(d operatorsv1alpha1.CRDDescription) bool {
				return d.Name == crd.Name && d.Version == version.Name
			})
			if at < 0 {
				t.Errorf("%s %s is not owned", crd.Name, version.Name)
				continue
			}
			fields := version.Schema.OpenAPIV3Schema.Properties
			checkDescriptors(t, version.Name+" spec", fields["spec"], specDescriptors(owned[at]))
			checkDescriptors(t, version.Name+" status", fields["status"], statusDescriptors(owned[at]))
		}
	}
}

func checkDescriptors(t *testing.T, what string, schema apiextensionsv1.JSONSchemaProps, descriptors []descriptor) {
	t.Helper()
	var described []string
	for _, d := range descriptors {
		described = append(described, d.path)
		if d.displayName == "" || d.description == "" || len(d.xDescriptors) == 0 {
			t.Errorf("%s: the descriptor of %s lacks a name, a description or an x-descriptor", what, d.path)
		}
		for _, x := range d.xDescriptors {
			if !strings.HasPrefix(x, "urn:alm:descriptor:") {
				t.Errorf("%s: %s has the x-descriptor %q", what, d.path, x)
			}
		}
	}
	slices.Sort(described)
	if diff := cmp.Diff(paths("", schema), described); diff != "" {
		t.Errorf("%s (-fields +descriptors):\n%s", what, diff)
	}
}

// paths returns the fields of a schema, those of objects within it included.
// Lists and maps are one field.
func paths(prefix string, schema apiextensionsv1.JSONSchemaProps) []string {
	var all []string
	for name, field := range schema.Properties {
		if len(field.Properties) > 0 {
			all = append(all, paths(prefix+name+".", field)...)
			continue
		}
		all = append(all, prefix+name)
	}
	slices.Sort(all)
	return all
}

func specDescriptors(owned operatorsv1alpha1.CRDDescription) []descriptor {
	var all []descriptor
	for _, d := range owned.SpecDescriptors {
		all = append(all, descriptor{d.Path, d.DisplayName, d.Description, d.XDescriptors})
	}
	return all
}

func statusDescriptors(owned operatorsv1alpha1.CRDDescription) []descriptor {
	var all []descriptor
	for _, d := range owned.StatusDescriptors {
		all = append(all, descriptor{d.Path, d.DisplayName, d.Description, d.XDescriptors})
	}
	return all
}
