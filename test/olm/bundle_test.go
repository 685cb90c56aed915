//go:build olm

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

package olm

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const (
	// nextVersion is one that this project is not going to reach. olm-test.mk
	// loads its image.
	nextVersion = "99.0.0"
	// absentVersion comes before it. Nobody makes its image.
	absentVersion = "98.0.0"
	// nextMemcached is another name of the memcached image, loaded likewise.
	nextMemcached = "example.com/memcached:next"
)

// bundle is a version of the operator on its way to OLM.
type bundle struct {
	dir string
	// reference is the image that OLM is to unpack it from, if it is.
	reference string
	csv       *operatorsv1alpha1.ClusterServiceVersion
}

// first is the bundle of this project, the only one that exists as files.
var first bundle

func readBundle(dir string) bundle {
	GinkgoHelper()
	b := bundle{dir: dir, csv: &operatorsv1alpha1.ClusterServiceVersion{}}
	content, err := os.ReadFile(b.csvFile())
	Expect(err).NotTo(HaveOccurred())
	Expect(yaml.Unmarshal(content, b.csv)).To(Succeed())
	return b
}

func (b bundle) csvFile() string {
	GinkgoHelper()
	return b.only("*clusterserviceversion.yaml")
}

func (b bundle) only(pattern string) string {
	GinkgoHelper()
	found, err := filepath.Glob(filepath.Join(b.dir, "manifests", pattern))
	Expect(err).NotTo(HaveOccurred())
	Expect(found).To(HaveLen(1), pattern)
	return found[0]
}

// deploymentName is what OLM calls the operator's Deployment.
func (b bundle) deploymentName() string {
	return b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs[0].Name
}

func (b bundle) serviceAccount() string {
	return b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs[0].Spec.Template.Spec.ServiceAccountName
}

// image is the operator's.
func (b bundle) image() string {
	return b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs[0].Spec.Template.Spec.Containers[0].Image
}

// nextOf makes the next version of a bundle from the same sources, as a
// release does. Its image is the same under the name of its own version.
func nextOf(b bundle, version string) bundle {
	GinkgoHelper()
	dir := filepath.Join(GinkgoT().TempDir(), "bundle") // as bundle.Dockerfile calls it
	Expect(os.CopyFS(dir, os.DirFS(b.dir))).To(Succeed())
	next := bundle{dir: dir}
	old := b.csv.Spec.Version.String()
	edit(next.csvFile(), func(csv map[string]any) {
		Expect(unstructured.SetNestedField(csv, packageName+".v"+version, "metadata", "name")).To(Succeed())
		Expect(unstructured.SetNestedField(csv, version, "spec", "version")).To(Succeed())
		Expect(unstructured.SetNestedField(csv, b.csv.Name, "spec", "replaces")).To(Succeed())
		replaceText(csv, b.image(), strings.TrimSuffix(b.image(), old)+version)
	})
	return readBundle(dir)
}

// edit changes a manifest in place.
func edit(file string, change func(map[string]any)) {
	GinkgoHelper()
	content, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	manifest := map[string]any{}
	Expect(yaml.Unmarshal(content, &manifest)).To(Succeed())
	change(manifest)
	content, err = yaml.Marshal(manifest)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(file, content, 0o644)).To(Succeed())
}

// replaceText replaces each string that equals from, wherever it stands.
func replaceText(value any, from, to string) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = replaceText(value[key], from, to)
		}
	case []any:
		for i := range value {
			value[i] = replaceText(value[i], from, to)
		}
	case string:
		if value == from {
			return to
		}
	}
	return value
}
