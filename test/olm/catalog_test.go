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
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const channel = "stable"

// catalog is an `opm serve` on the node, and OLM's CatalogSource for it.
type catalog struct{ name string }

// inline renders bundles into a catalog that carries their manifests itself, but
// for those with an image, with one channel, each bundle replacing the one before.
func inline(bundles ...bundle) string {
	GinkgoHelper()
	var blobs strings.Builder
	add := func(blob any) {
		Expect(json.NewEncoder(&blobs).Encode(blob)).To(Succeed())
	}
	var entries []map[string]string
	for i, b := range bundles {
		entry := map[string]string{"name": b.csv.Name}
		if i > 0 {
			entry["replaces"] = bundles[i-1].csv.Name
		}
		entries = append(entries, entry)
		render := []string{"render", "-o", "json", b.dir}
		if b.reference != "" {
			render = append(render, "--alpha-image-ref-template="+b.reference)
		}
		blobs.WriteString(run("opm", render...) + "\n")
	}
	add(map[string]any{"schema": "olm.package", "name": packageName, "defaultChannel": channel})
	add(map[string]any{"schema": "olm.channel", "package": packageName, "name": channel, "entries": entries})
	return blobs.String()
}

// newCatalog serves a catalog under a name of its own, so that nothing OLM
// remembers of another test's catalog is mistaken for it.
func newCatalog(ctx context.Context, content string) *catalog {
	GinkgoHelper()
	c := &catalog{name: fmt.Sprintf("catalog-%d", time.Now().UnixNano()%1e9)}
	DeferCleanup(func() {
		kubectl("delete", "catalogsource,service,deployment,configmap", "-n", olmNamespace, "-l", "catalog="+c.name, "--wait=false")
	})
	c.publish(content)
	c.create(ctx, operatorsv1alpha1.CatalogSourceSpec{
		SourceType: operatorsv1alpha1.SourceTypeGrpc,
		Address:    fmt.Sprintf("%s.%s.svc:50051", c.name, olmNamespace),
	})
	return c
}

// create tells OLM of the catalog and waits until OLM can read it.
func (c *catalog) create(ctx context.Context, spec operatorsv1alpha1.CatalogSourceSpec) {
	GinkgoHelper()
	source := &operatorsv1alpha1.CatalogSource{
		ObjectMeta: metav1.ObjectMeta{Namespace: olmNamespace, Name: c.name, Labels: map[string]string{"catalog": c.name}},
		Spec:       spec,
	}
	Expect(k8sClient.Create(ctx, source)).To(Succeed())
	Eventually(func() string {
		_ = get(ctx, source)
		if source.Status.GRPCConnectionState == nil {
			return ""
		}
		return source.Status.GRPCConnectionState.LastObservedState
	}).WithTimeout(2 * time.Minute).Should(Equal("READY"))
}

// publish replaces what the catalog says; OLM notices that it was restarted.
func (c *catalog) publish(content string) {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	Expect(os.WriteFile(filepath.Join(dir, "catalog.json"), []byte(content), 0o644)).To(Succeed())
	manifest, err := os.ReadFile("catalog.yaml")
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(dir, "catalog.yaml")
	Expect(os.WriteFile(file, []byte(strings.ReplaceAll(string(manifest), "NAME", c.name)), 0o644)).To(Succeed())
	_, _ = try("kubectl", "delete", "configmap", "-n", olmNamespace, c.name)
	kubectl("create", "configmap", "-n", olmNamespace, c.name, "--from-file="+filepath.Join(dir, "catalog.json"))
	kubectl("label", "configmap", "-n", olmNamespace, c.name, "catalog="+c.name)
	_, _ = try("kubectl", "delete", "deployment", "-n", olmNamespace, c.name, "--wait")
	kubectl("apply", "-f", file)
	kubectl("rollout", "status", "-n", olmNamespace, "deployment/"+c.name, "--timeout=1m")
}
