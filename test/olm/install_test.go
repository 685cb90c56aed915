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

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// automatic is the approval most users choose.
const automatic, manual = operatorsv1alpha1.ApprovalAutomatic, operatorsv1alpha1.ApprovalManual

var _ = Describe("A Subscription installs an operator", Serial, func() {
	var c *catalog

	BeforeEach(func(ctx SpecContext) { c = newCatalog(ctx, inline(first)) })

	It("for all namespaces", func(ctx SpecContext) {
		i := subscribe(ctx, c, automatic, false)
		i.succeeded(ctx, first)
		elsewhere := newNamespace(ctx)
		i.expectServes(ctx, i.namespace)
		i.expectServes(ctx, elsewhere)
		i.expectRights(ctx, i.namespace, inAllNamespaces)
		i.expectRights(ctx, elsewhere, inAllNamespaces)
		i.expectStays(ctx)
	})

	It("for its own namespace", func(ctx SpecContext) {
		i := subscribe(ctx, c, automatic, true)
		i.succeeded(ctx, first)
		elsewhere := newNamespace(ctx)
		i.expectServes(ctx, i.namespace)
		i.expectIgnores(ctx, elsewhere)
		i.expectRights(ctx, i.namespace, targeted)
		i.expectRights(ctx, elsewhere, untargeted)
	})

	It("for one other namespace", func(ctx SpecContext) {
		target := newNamespace(ctx)
		i := subscribe(ctx, c, automatic, false, target)
		i.succeeded(ctx, first)
		i.expectServes(ctx, target)
		i.expectIgnores(ctx, i.namespace)
		i.expectRights(ctx, target, targeted)
		i.expectRights(ctx, i.namespace, targeted)
		i.expectRights(ctx, newNamespace(ctx), untargeted)
	})

	It("for several namespaces", func(ctx SpecContext) {
		one, other := newNamespace(ctx), newNamespace(ctx)
		i := subscribe(ctx, c, automatic, false, one, other)
		i.succeeded(ctx, first)
		i.expectServes(ctx, one)
		i.expectServes(ctx, other)
		i.expectIgnores(ctx, newNamespace(ctx))
		i.expectRights(ctx, other, targeted)
	})
})

// expectServes expects that a cache in the namespace becomes available and
// answers its clients.
func (i *installation) expectServes(ctx context.Context, namespace string) {
	GinkgoHelper()
	mc := newCache(ctx, namespace, 1)
	waitReady(ctx, mc)
	Expect(meta.IsStatusConditionTrue(mc.Status.Conditions, cachev1alpha1.ConditionAvailable)).To(BeTrue())
	fill(ctx, mc)
}

// expectIgnores expects that nothing happens to a cache in a namespace that is
// not the operator's business.
func (i *installation) expectIgnores(ctx context.Context, namespace string) {
	GinkgoHelper()
	mc := newCache(ctx, namespace, 1)
	Consistently(func() []string { Expect(get(ctx, mc)).To(Succeed()); return mc.Finalizers }).WithTimeout(aMoment).Should(BeEmpty())
	Expect(mc.Status.Conditions).To(BeEmpty())
}

// expectStays expects that OLM stays content with what it installed, and the
// operator with where it runs.
func (i *installation) expectStays(ctx context.Context) {
	GinkgoHelper()
	Consistently(func() operatorsv1alpha1.ClusterServiceVersionPhase { return i.csv(ctx, first)().Phase }).
		WithTimeout(aMoment).Should(Equal(operatorsv1alpha1.CSVPhaseSucceeded))
	for _, pod := range i.operators(ctx) {
		Expect(pod.Status.ContainerStatuses[0].RestartCount).To(BeZero())
	}
}
