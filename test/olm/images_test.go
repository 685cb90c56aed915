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
	"fmt"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
)

const (
	bundleImage  = "example.com/memcached-operator-bundle"
	catalogImage = "example.com/memcached-operator-catalog:latest"
	opmImage     = "quay.io/operator-framework/opm:v1.56.0"
)

var _ = Describe("Images of bundle and catalog, built from their Dockerfiles and pulled from a registry", Serial, func() {
	It("install the operator by OLM's own unpack Job", func(ctx SpecContext) {
		r := newRegistry()
		r.provide("opm.tar", opmImage)
		r.build(root, "bundle.Dockerfile", bundleImage+":v"+first.csv.Spec.Version.String())
		r.build(root, "catalog.Dockerfile", catalogImage)
		c := &catalog{name: "catalog-image"}
		DeferCleanup(func() { kubectl("delete", "catalogsource", "-n", olmNamespace, c.name) })
		begun := time.Now()
		c.create(ctx, operatorsv1alpha1.CatalogSourceSpec{SourceType: operatorsv1alpha1.SourceTypeGrpc, Image: catalogImage})
		GinkgoWriter.Printf("OLM serves the catalog's image after %s\n", since(begun))
		i := installed(ctx, c, automatic)
		Expect(i.plan(ctx, first).Status.BundleLookups).To(ConsistOf(HaveField("Path", bundleImage+":v"+first.csv.Spec.Version.String())))
		Expect(kubectl("get", "jobs", "-n", olmNamespace, "-o", "jsonpath={.items[*].status.succeeded}")).To(ContainSubstring("1"))
		i.expectServes(ctx, newNamespace(ctx))
	})

	It("and with them those of the operator and its scorecard test, install an operator that serves", Label("slow"), func(ctx SpecContext) {
		r := newRegistry()
		flags := r.bases()
		begun := time.Now()
		version := fmt.Sprintf("97.0.%d", begun.Unix()) // which the node has not got, so it pulls it
		next := nextOf(first, version)
		r.build(root, "Dockerfile", next.image(), flags...)
		r.build(root, "test/scorecard/Dockerfile", "example.com/memcached-operator-scorecard:v"+version, flags...)
		GinkgoWriter.Printf("both were built after %s\n", since(begun))
		i := subscribe(ctx, newCatalog(ctx, inline(first, next)), automatic, false)
		i.succeeded(ctx, next)
		i.expectServes(ctx, newNamespace(ctx))
	})

	It("are run, upgraded and cleaned up by operator-sdk", Label("slow"), func(ctx SpecContext) {
		r := newRegistry()
		r.provide("opm.tar", opmImage)
		next := nextOf(first, nextVersion)
		r.build(root, "bundle.Dockerfile", bundleImage+":v"+first.csv.Spec.Version.String())
		r.build(filepath.Dir(next.dir), "bundle.Dockerfile", bundleImage+":v"+nextVersion)
		i := &installation{namespace: newLaxNamespace(ctx)}
		i.report(ctx)
		DeferCleanup(removeEverything)
		sdk := func(args ...string) {
			GinkgoHelper()
			begun := time.Now()
			GinkgoWriter.Println(r.run(GinkgoT().TempDir(), "operator-sdk", append(args, "--namespace="+i.namespace)...))
			GinkgoWriter.Printf("operator-sdk %s took %s\n", args[0]+" "+args[1], since(begun))
		}
		sdk("run", "bundle", r.reference(bundleImage+":v"+first.csv.Spec.Version.String()), "--index-image="+r.reference(opmImage), "--timeout=3m")
		i.succeeded(ctx, first)
		mc, done := i.cacheInUse(ctx)
		i.waitUpgradeable(ctx, first, "True")
		sdk("run", "bundle-upgrade", r.reference(bundleImage+":v"+nextVersion), "--timeout=3m")
		i.succeeded(ctx, next)
		i.expectReplaced(ctx, next)
		done()
		i.expectWorks(ctx, mc)
		sdk("cleanup", packageName)
		Eventually(func() error { return get(ctx, mc) }).Should(HaveOccurred(), "cleanup takes the resources, too")
		Eventually(func() []string { return nodeUIDs(ctx, mc) }).Should(BeEmpty())
	})
})
