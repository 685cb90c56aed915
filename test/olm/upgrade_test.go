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
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	operatorsv2 "github.com/operator-framework/api/pkg/operators/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

var _ = Describe("A new version", Serial, func() {
	It("comes by itself, as soon as no rollout is under way, and no client notices", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		i.waitUpgradeable(ctx, first, metav1.ConditionTrue)

		By("starting a rollout that does not end")
		finish := i.endlessRollout(ctx)
		i.waitUpgradeable(ctx, first, metav1.ConditionFalse)
		next := nextOf(first, nextVersion)
		c.publish(inline(first, next))
		i.expectRefused(ctx, next)

		By("ending the rollout")
		finish()
		i.succeeded(ctx, next)
		i.expectReplaced(ctx, next)
		done()
		i.expectWorks(ctx, mc)
	})

	It("with another memcached image brings it to every cache, and somebody always answers the clients", Label("slow"), func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc := newCache(ctx, newNamespace(ctx), 2)
		waitReady(ctx, mc)
		former, served := nodes(ctx, mc), clientsOfAny(ctx, mc)
		next := nextOf(first, nextVersion)
		edit(next.csvFile(), func(csv map[string]any) { replaceText(csv, former[0].Spec.Containers[0].Image, nextMemcached) })
		c.publish(inline(first, next))
		i.succeeded(ctx, next)
		Eventually(func() []corev1.Pod { return nodes(ctx, mc) }).WithTimeout(2 * time.Minute).
			Should(And(HaveLen(2), HaveEach(HaveField("Spec.Containers", ConsistOf(HaveField("Image", nextMemcached))))))
		waitReady(ctx, mc)
		served()
		i.waitUpgradeable(ctx, next, metav1.ConditionTrue)
	})

	It("waits for approval where that is manual", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, manual)
		mc, done := i.cacheInUse(ctx)
		next := nextOf(first, nextVersion)
		c.publish(inline(first, next))
		i.plan(ctx, next)
		Consistently(func() operatorsv1alpha1.ClusterServiceVersionPhase { return i.csv(ctx, first)().Phase }).
			WithTimeout(aMoment).Should(Equal(operatorsv1alpha1.CSVPhaseSucceeded))
		Expect(i.csv(ctx, next)().Phase).To(BeEmpty())
		i.approve(ctx, next)
		i.succeeded(ctx, next)
		i.expectReplaced(ctx, next)
		done()
		i.expectWorks(ctx, mc)
	})
})

// cacheInUse makes a cache with clients; the function returned expects that
// nothing happened to either.
func (i *installation) cacheInUse(ctx context.Context) (*cachev1alpha1.Memcached, func()) {
	GinkgoHelper()
	mc := newCache(ctx, newNamespace(ctx), 2)
	waitReady(ctx, mc)
	served := clients(ctx, mc)
	before, generation, uid := nodeUIDs(ctx, mc), mc.Generation, mc.UID
	return mc, func() {
		GinkgoHelper()
		served()
		expectKept(ctx, mc)
		Expect(nodeUIDs(ctx, mc)).To(ConsistOf(before), "the same nodes")
		Expect(get(ctx, mc)).To(Succeed())
		Expect([]any{mc.Generation, mc.UID}).To(Equal([]any{generation, uid}), "the same resource")
	}
}

// waitUpgradeable waits until the operator has told OLM whether it may be
// upgraded, and OLM has heard it.
func (i *installation) waitUpgradeable(ctx context.Context, b bundle, want metav1.ConditionStatus) {
	GinkgoHelper()
	begun := time.Now()
	condition := &operatorsv2.OperatorCondition{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: b.csv.Name}}
	Eventually(func() (metav1.ConditionStatus, error) {
		if err := get(ctx, condition); err != nil {
			return "", err
		}
		seen := meta.FindStatusCondition(condition.Status.Conditions, operatorsv2.Upgradeable)
		if seen == nil || seen.ObservedGeneration != condition.Generation {
			return "", fmt.Errorf("OLM has not seen generation %d: %+v", condition.Generation, seen)
		}
		return seen.Status, nil
	}).WithTimeout(time.Minute).Should(Equal(want))
	GinkgoWriter.Printf("Upgradeable is %s after %s\n", want, since(begun))
}

// endlessRollout starts a cache whose node does not become ready until the
// function returned is called.
func (i *installation) endlessRollout(ctx context.Context) (finish func()) {
	GinkgoHelper()
	namespace := newNamespace(ctx)
	unreserved := holdPods(ctx, namespace)
	mc := newCache(ctx, namespace, 1)
	return func() {
		GinkgoHelper()
		unreserved()
		kubectl("delete", "pods", "--all", "-n", namespace, "--wait=false")
		waitReady(ctx, mc)
	}
}

// expectRefused expects that OLM holds a version back because the present one
// asks for it, and that the present one goes on.
func (i *installation) expectRefused(ctx context.Context, next bundle) {
	GinkgoHelper()
	Eventually(i.csv(ctx, next)).Should(And(
		HaveField("Phase", operatorsv1alpha1.CSVPhasePending),
		HaveField("Reason", operatorsv1alpha1.CSVReasonOperatorConditionNotUpgradeable)))
	Consistently(func() string {
		deployment := i.deployment()
		Expect(get(ctx, deployment)).To(Succeed())
		return deployment.Spec.Template.Spec.Containers[0].Image
	}).WithTimeout(aMoment).Should(Equal(first.image()))
}

// expectReplaced expects that only one version is left, with one operator.
func (i *installation) expectReplaced(ctx context.Context, next bundle) {
	GinkgoHelper()
	Eventually(func() string { return kubectl("get", "csv", "-n", i.namespace, "-o", "name") }).
		Should(Equal("clusterserviceversion.operators.coreos.com/" + next.csv.Name))
	Eventually(func() int { return len(i.operators(ctx)) }).Should(Equal(1))
}

// expectWorks expects that the present operator does what it is told.
func (i *installation) expectWorks(ctx context.Context, mc *cachev1alpha1.Memcached) {
	GinkgoHelper()
	kept := nodeUIDs(ctx, mc)
	kubectl("scale", "-n", mc.Namespace, "memcached/"+mc.Name, "--replicas=3")
	waitReady(ctx, mc)
	Expect(nodes(ctx, mc)).To(HaveLen(3))
	Expect(nodeUIDs(ctx, mc)).To(ContainElements(kept))
}
