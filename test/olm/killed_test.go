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
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("An operator whose pod is killed", Serial, Label("slow"), func() {
	It("while it is installed, upgraded, and lets a cache go, still does all of it", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := subscribe(ctx, c, automatic, false)
		i.killDuring(ctx, first)
		i.succeeded(ctx, first)
		mc, done := i.cacheInUse(ctx)
		i.waitUpgradeable(ctx, first, "True")

		By("upgrading it")
		next := nextOf(first, nextVersion)
		c.publish(inline(first, next))
		i.killDuring(ctx, next)
		i.succeeded(ctx, next)
		i.expectReplaced(ctx, next)
		done()
		i.expectWorks(ctx, mc)

		By("deleting the cache")
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace, "--wait=false")
		i.kill(ctx)
		Eventually(func() bool { return apierrors.IsNotFound(get(ctx, mc)) }).Should(BeTrue())
		Expect(nodes(ctx, mc)).To(BeEmpty())
		i.uninstall()
	})

	It("while OLM unpacks the next version, still is upgraded", func(ctx SpecContext) {
		r := newRegistry()
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		i.waitUpgradeable(ctx, first, "True")
		next := nextOf(first, nextVersion)
		next.reference = bundleImage + ":v" + nextVersion
		c.publish(inline(first, next))
		// It goes on until the registry has the image.
		kubectl("wait", "-n", i.namespace, "subscription/"+packageName, "--for=condition=BundleUnpacking", "--timeout=2m")
		Expect(i.kill(ctx)).To(Equal(1))
		r.build(filepath.Dir(next.dir), "bundle.Dockerfile", next.reference)
		i.succeeded(ctx, next)
		i.expectReplaced(ctx, next)
		done()
		i.expectWorks(ctx, mc)
	})

	It("while it is uninstalled amid a rollout and a removal, lets the next one finish both", func(ctx SpecContext) {
		i := installed(ctx, newCatalog(ctx, inline(first)), automatic)
		deleted := newCache(ctx, newNamespace(ctx), 1)
		waitReady(ctx, deleted)
		kubectl("patch", "deployment", "cache", "-n", deleted.Namespace, "--type=merge", `-p={"metadata":{"finalizers":["test.example.com/hold"]}}`)
		kubectl("delete", "memcached", "cache", "-n", deleted.Namespace, "--wait=false")
		Eventually(func() []string { return nodeUIDs(ctx, deleted) }).Should(BeEmpty(), "the removal is under way")
		finish := i.endlessRollout(ctx)

		kubectl("delete", "subscription", packageName, "-n", i.namespace)
		Expect(k8sClient.DeleteAllOf(ctx, &operatorsv1alpha1.ClusterServiceVersion{}, client.InNamespace(i.namespace))).To(Succeed())
		Expect(i.kill(ctx)).To(Equal(1))
		i.expectGone()
		kubectl("patch", "deployment", "cache", "-n", deleted.Namespace, "--type=merge", `-p={"metadata":{"finalizers":null}}`)
		Consistently(func() error { return get(ctx, deleted) }).WithTimeout(aMoment).Should(Succeed())

		By("installing it again")
		i.subscribe(ctx)
		i.succeeded(ctx, first)
		Eventually(func() bool { return apierrors.IsNotFound(get(ctx, deleted)) }).Should(BeTrue())
		finish()
	})
})

// killDuring kills the operator's pods while OLM waits for a version to be ready.
func (i *installation) killDuring(ctx context.Context, b bundle) {
	GinkgoHelper()
	Eventually(i.csv(ctx, b)).Should(HaveField("Phase", operatorsv1alpha1.CSVPhaseInstalling))
	Eventually(func() int { return i.kill(ctx) }).Should(BeNumerically(">", 0))
}

// kill gives the operator's pods no time to end, and returns how many there were.
func (i *installation) kill(ctx context.Context) int {
	GinkgoHelper()
	pods := i.operators(ctx)
	for _, pod := range pods {
		Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, &pod, client.GracePeriodSeconds(0)))).To(Succeed())
	}
	GinkgoWriter.Printf("killed %d pods of the operator\n", len(pods))
	return len(pods)
}
