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
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

var _ = Describe("An operator that is uninstalled", Serial, func() {
	var c *catalog

	BeforeEach(func(ctx SpecContext) { c = newCatalog(ctx, inline(first)) })

	It("after its resources, leaves what OLM leaves of every operator, and nothing once that is deleted", func(ctx SpecContext) {
		i := installed(ctx, c, automatic)
		mc := newCache(ctx, newNamespace(ctx), 2)
		waitReady(ctx, mc)
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace, "--timeout=1m")
		i.uninstall()

		By("looking through every kind of resource there is")
		Expect(remains()).To(ConsistOf(
			"customresourcedefinition.apiextensions.k8s.io/"+crdName, // with it, resources would go
			"operator.operators.coreos.com/memcached-operator."+i.namespace,
			// What people may do with the resource.
			"clusterrole.rbac.authorization.k8s.io/"+crdName+"-v1alpha1-admin",
			"clusterrole.rbac.authorization.k8s.io/"+crdName+"-v1alpha1-edit",
			"clusterrole.rbac.authorization.k8s.io/"+crdName+"-v1alpha1-view",
			"clusterrole.rbac.authorization.k8s.io/"+crdName+"-v1alpha1-crdview",
		))
		kubectl("delete", "crd", crdName)
		kubectl("delete", "operators.operators.coreos.com", "memcached-operator."+i.namespace)
		Eventually(remains).Should(BeEmpty())
	})

	It("before its resources, leaves them serving; installed again, it takes them up", func(ctx SpecContext) {
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		i.uninstall()
		i.subscribe(ctx)
		i.succeeded(ctx, first)
		done()
		i.expectWorks(ctx, mc)
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace, "--timeout=1m")
		Expect(nodes(ctx, mc)).To(BeEmpty())
	})

	It("before its resources, lets a deleted one wait until it is installed again", func(ctx SpecContext) {
		i := installed(ctx, c, automatic)
		mc := newCache(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		i.uninstall()
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace, "--wait=false")
		Consistently(func() error { return get(ctx, mc) }).WithTimeout(aMoment).Should(Succeed())
		i.subscribe(ctx)
		i.succeeded(ctx, first)
		Eventually(func() bool { return apierrors.IsNotFound(get(ctx, mc)) }).Should(BeTrue())
	})
})
