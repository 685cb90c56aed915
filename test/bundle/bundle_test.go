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
	"os"
	"path/filepath"
	"testing"

	"github.com/operator-framework/api/pkg/manifests"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// root is the clone.
const root = "../.."

// load reads the bundle.
func load(t *testing.T) *manifests.Bundle {
	t.Helper()
	bundle, err := manifests.GetBundleFromDir(filepath.Join(root, "bundle"))
	if err != nil {
		t.Fatal(err)
	}
	if bundle.CSV == nil {
		t.Fatal("the bundle has no ClusterServiceVersion")
	}
	return bundle
}

// deployment returns the one Deployment of the ClusterServiceVersion.
func deployment(t *testing.T, csv *operatorsv1alpha1.ClusterServiceVersion) (string, appsv1.DeploymentSpec) {
	t.Helper()
	all := csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs
	if len(all) != 1 {
		t.Fatalf("%d Deployments, want 1", len(all))
	}
	return all[0].Name, all[0].Spec
}

// manager returns the one container of the Deployment.
func manager(t *testing.T, csv *operatorsv1alpha1.ClusterServiceVersion) corev1.Container {
	t.Helper()
	_, spec := deployment(t, csv)
	pod := spec.Template.Spec
	if len(pod.Containers) != 1 || len(pod.InitContainers) != 0 {
		t.Fatalf("%d containers and %d init containers, want 1 and 0", len(pod.Containers), len(pod.InitContainers))
	}
	return pod.Containers[0]
}

// read reads a file of the clone.
func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// readYAML reads a file of the clone that holds one YAML document.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(read(t, path), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
