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
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/api/pkg/manifests"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// kinds are those that the bundle has use for. OLM and OLM v1 install them all,
// and OLM takes them away with the operator (which it does not with a Role).
var kinds = map[string]bool{"ClusterServiceVersion": true, "CustomResourceDefinition": true, "Service": true}

// OLM v1 refuses folders in manifests/, and neither OLM installs every kind.
func TestManifestsAreFilesOfSupportedKinds(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, "bundle/manifests"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, entry := range entries {
		if entry.IsDir() {
			t.Errorf("%s is a folder", entry.Name())
			continue
		}
		var object unstructured.Unstructured
		if err := yaml.Unmarshal(read(t, "bundle/manifests/"+entry.Name()), &object); err != nil {
			t.Errorf("%s: %v", entry.Name(), err)
			continue
		}
		if !kinds[object.GetKind()] {
			t.Errorf("%s is a %s", entry.Name(), object.GetKind())
		}
		if object.GetKind() != "ClusterServiceVersion" && object.GetNamespace() != "" {
			t.Errorf("%s names a namespace", entry.Name())
		}
		key := object.GetKind() + "/" + object.GetName()
		if names[key] {
			t.Errorf("%s is there twice", key)
		}
		names[key] = true
	}
}

func TestAPIIsThatOfConfig(t *testing.T) {
	bundle := load(t)
	if len(bundle.V1CRDs) == 0 {
		t.Fatal("there is no API")
	}
	for _, got := range bundle.V1CRDs {
		var want apiextensionsv1.CustomResourceDefinition
		readYAML(t, fmt.Sprintf("config/crd/bases/%s_%s.yaml", got.Spec.Group, got.Spec.Names.Plural), &want)
		if diff := cmp.Diff(want.Spec, got.Spec); diff != "" {
			t.Errorf("%s is out of date, run make bundle (-config +bundle):\n%s", got.Name, diff)
		}
	}
}

// Whatever has a name in the cluster's own scope, or in a namespace that it
// shares with other operators, says whose it is.
func TestNamesAreTheOperatorsOwn(t *testing.T) {
	bundle := load(t)
	for _, object := range bundle.Objects {
		name := object.GetName()
		if !strings.HasPrefix(name, "memcached-operator") && !strings.HasSuffix(name, ".cache.example.com") {
			t.Errorf("%s %s could be another operator's", object.GetKind(), name)
		}
	}
	name, spec := deployment(t, bundle.CSV)
	for _, name := range []string{name, spec.Template.Spec.ServiceAccountName} {
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 || !strings.HasPrefix(name, "memcached-operator") {
			t.Errorf("name %q: %v", name, problems)
		}
	}
}

// OLM v1 installs no bundle that needs another.
func TestBundleDependsOnNothing(t *testing.T) {
	bundle := load(t)
	spec := bundle.CSV.Spec
	if len(spec.CustomResourceDefinitions.Required) > 0 || len(spec.APIServiceDefinitions.Required) > 0 || len(bundle.Dependencies) > 0 {
		t.Errorf("the bundle requires %v %v %v", spec.CustomResourceDefinitions.Required, spec.APIServiceDefinitions.Required, bundle.Dependencies)
	}
	for _, file := range []string{"dependencies.yaml", "properties.yaml"} {
		if _, err := os.Stat(filepath.Join(root, "bundle/metadata", file)); err == nil {
			t.Errorf("metadata has a %s", file)
		}
	}
	if len(spec.WebhookDefinitions) > 0 {
		t.Error("the bundle has webhooks: test their names, ports and Deployments here")
	}
}

// Half of each limit, so that there is room to grow.
func TestSizes(t *testing.T) {
	const mebi = 1 << 20
	var raw, zipped int
	err := filepath.Walk(filepath.Join(root, "bundle"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		raw += len(content)
		zipped += size(t, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	annotations := 0
	for key, value := range load(t).CSV.Annotations {
		annotations += len(key) + len(value)
	}
	for _, tc := range []struct {
		what       string
		got, limit int
	}{
		{"the bundle, compressed into a ConfigMap", zipped, mebi},
		{"the manifests, inlined into an InstallPlan", raw, mebi * 3 / 2},
		{"the annotations, which OLM copies to the pods", annotations, mebi / 4},
	} {
		t.Logf("%s: %d of %d bytes", tc.what, tc.got, tc.limit)
		if tc.got > tc.limit/2 {
			t.Errorf("%s: %d bytes, more than half of the limit %d", tc.what, tc.got, tc.limit)
		}
	}
}

func size(t *testing.T, content []byte) int {
	t.Helper()
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	if _, err := writer.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped.Len()
}

// The image's labels and metadata/annotations.yaml say the same.
func TestLabelsAreTheAnnotations(t *testing.T) {
	var metadata manifests.AnnotationsFile
	var all struct {
		Annotations map[string]string `json:"annotations"`
	}
	readYAML(t, "bundle/metadata/annotations.yaml", &all)
	if err := yaml.Unmarshal(read(t, "bundle/metadata/annotations.yaml"), &metadata); err != nil {
		t.Fatal(err)
	}
	if metadata.Annotations.PackageName != "memcached-operator" || metadata.Annotations.DefaultChannelName != "stable" {
		t.Errorf("package %q, default channel %q", metadata.Annotations.PackageName, metadata.Annotations.DefaultChannelName)
	}
	dockerfile := string(read(t, "bundle.Dockerfile"))
	for key, value := range all.Annotations {
		if !strings.Contains(dockerfile, "LABEL "+key+"="+value+"\n") {
			t.Errorf("bundle.Dockerfile has no label %s=%s", key, value)
		}
		if strings.Contains(value, "unknown") {
			t.Errorf("%s is %s", key, value)
		}
	}
}
