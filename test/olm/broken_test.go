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
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// The way out, whatever is wrong with a version, and though the catalog still has
// it: delete the Subscription and the CSVs, keep the CRD and with it the resources,
// and subscribe again, to the last good version and with approval by hand.
var _ = Describe("A bad version", Serial, Label("slow"), func() {
	It("whose image does not exist leaves the old operator working, is given up by OLM, and can be left", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		bad := nextOf(first, absentVersion)
		c.publish(inline(first, bad))
		i.expectGivenUp(ctx, bad)
		i.expectLeave(ctx, mc, done)
	})

	It("that OLM gave up is replaced by a good one, once the OperatorGroup says so", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		bad := nextOf(first, absentVersion)
		c.publish(inline(first, bad))
		Eventually(i.csv(ctx, bad)).WithTimeout(2 * time.Minute).Should(HaveField("Phase", operatorsv1alpha1.CSVPhaseInstalling))
		good := nextOf(bad, nextVersion)
		c.publish(inline(first, bad, good))
		i.expectGivenUp(ctx, bad)
		Expect(i.csv(ctx, good)().Phase).To(BeEmpty())
		begun := time.Now()
		kubectl("patch", "operatorgroup", "group", "-n", i.namespace, "--type=merge", `-p={"spec":{"upgradeStrategy":"TechPreviewUnsafeFailForward"}}`)
		// At the latest when the Deployment's progress deadline has passed, too.
		Eventually(i.csv(ctx, good)).WithTimeout(12 * time.Minute).Should(HaveField("Phase", operatorsv1alpha1.CSVPhaseSucceeded))
		i.succeeded(ctx, good)
		GinkgoWriter.Printf("failing forward took %s\n", since(begun))
		i.expectReplaced(ctx, good)
		done()
		i.expectWorks(ctx, mc)
	})

	It("whose schema refuses resources that exist is not installed, and can be left", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		bad := nextOf(first, nextVersion)
		edit(bad.only("cache.example.com_memcacheds.yaml"), func(crd map[string]any) {
			versions, _, err := unstructured.NestedSlice(crd, "spec", "versions")
			Expect(err).NotTo(HaveOccurred())
			Expect(unstructured.SetNestedField(versions[0].(map[string]any), 1.0,
				"schema", "openAPIV3Schema", "properties", "spec", "properties", "size", "maximum")).To(Succeed())
			Expect(unstructured.SetNestedSlice(crd, versions, "spec", "versions")).To(Succeed())
		})
		c.publish(inline(first, bad))
		plan := i.plan(ctx, bad)
		Eventually(func() string { _ = get(ctx, plan); return string(plan.Status.Phase) }).WithTimeout(4 * time.Minute).Should(Equal("Failed"))
		Expect(plan.Status.Message + saying(plan)).To(ContainSubstring("should be less than or equal to 1"))
		i.expectLeave(ctx, mc, done)
	})
})

// expectGivenUp expects that OLM fails a version whose image does not exist,
// while the old operator stays.
func (i *installation) expectGivenUp(ctx context.Context, bad bundle) {
	GinkgoHelper()
	Eventually(i.csv(ctx, bad)).WithTimeout(2 * time.Minute).Should(And(
		HaveField("Phase", operatorsv1alpha1.CSVPhaseInstalling), HaveField("Reason", operatorsv1alpha1.CSVReasonWaiting)))
	Eventually(i.csv(ctx, bad)).WithTimeout(10 * time.Minute).Should(HaveField("Phase", operatorsv1alpha1.CSVPhaseFailed))
	Expect(i.operators(ctx)).To(HaveLen(2), "the old one stays until the new one is ready")
}

// expectLeave expects that the old operator works in spite of the bad version,
// and that the way out leads back to the good one without a client noticing. done
// is what cacheInUse returned.
func (i *installation) expectLeave(ctx context.Context, mc *cachev1alpha1.Memcached, done func()) {
	GinkgoHelper()
	other := newCache(ctx, newNamespace(ctx), 1)
	waitReady(ctx, other)
	begun := time.Now()
	i.uninstall()
	i.approval, i.startingCSV = manual, first.csv.Name
	i.subscribe(ctx)
	i.approve(ctx, first)
	i.succeeded(ctx, first)
	GinkgoWriter.Printf("the way out took %s\n", since(begun))
	done()
	i.expectWorks(ctx, mc)
}
