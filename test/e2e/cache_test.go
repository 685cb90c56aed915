//go:build e2e

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

package e2e

import (
	"context"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

var _ = Describe("A cache", func() {
	It("of the sample serves, under the DNS name of its resource, in a restricted namespace and without a warning", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		said := kubectl("apply", "-n", namespace, "-f", "config/samples/cache_v1alpha1_memcached.yaml")
		Expect(said).To(Equal("memcached.cache.example.com/memcached-sample created"))
		kubectl("wait", "-n", namespace, "--for=condition=Ready", "memcached/memcached-sample", "--timeout=2m")
		mc := &cachev1alpha1.Memcached{}
		Expect(k8sClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "memcached-sample"}, mc)).To(Succeed())
		expectServing(ctx, mc, 1)
		Expect(kubectl("get", "memcached", "-n", namespace, "-o", "wide", "--no-headers")).
			To(MatchRegexp(`^memcached-sample\s+1\s+1\s+True\s+\w+\s+AllNodesReady$`))
		Expect(nodes(ctx, mc)[0].Spec.Volumes).To(BeEmpty(), "a node needs no token")
	})

	It("is scaled by kubectl and an autoscaler's subresource, and keeps to its size against whoever scales the Deployment", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		first := nodeUIDs(ctx, mc)
		kubectl("scale", "-n", mc.Namespace, "memcached/cache", "--replicas=3")
		waitReady(ctx, mc)
		expectServing(ctx, mc, 3)
		Expect(nodeUIDs(ctx, mc)).To(ContainElements(first), "scaling up restarts nobody")

		_, err := try("kubectl", "scale", "-n", mc.Namespace, "memcached/cache", "--replicas=4")
		Expect(err).To(HaveOccurred())

		most := mostNodes(ctx, mc)
		kubectl("scale", "-n", mc.Namespace, "deployment/cache", "--replicas=0")
		deployment := deploymentOf(mc)
		Eventually(func() *int32 { _ = get(ctx, deployment); return deployment.Spec.Replicas }).Should(HaveValue(BeEquivalentTo(3)))
		waitReady(ctx, mc)
		kubectl("scale", "-n", mc.Namespace, "memcached/cache", "--replicas=1")
		waitReady(ctx, mc)
		Eventually(func() int { return len(nodes(ctx, mc)) }).Should(Equal(1))
		Expect(most.Load()).To(BeNumerically("<=", 3))
	})

	It("on a privileged port serves, and the rollout to it neither exceeds the size nor stops serving", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 3)
		waitReady(ctx, mc)
		most, outages, silence := mostNodes(ctx, mc), outagesOf(ctx, mc), trafficTo(ctx, mc)
		kubectl("patch", "-n", mc.Namespace, "memcached/cache", "--type=merge", `-p={"spec":{"containerPort":80}}`)
		waitReady(ctx, mc)
		expectServing(ctx, mc, 3)
		Expect(most.Load()).To(BeEquivalentTo(3))
		Expect(outages.Load()).To(BeZero(), "by the status")
		Expect(silence.Load()).To(BeZero(), "by the clients")
	})

	It("whose Deployment or Service is deleted gets it back, and never has more nodes than its size", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 2)
		waitReady(ctx, mc)
		most := mostNodes(ctx, mc)
		former := nodeUIDs(ctx, mc)
		kubectl("delete", "-n", mc.Namespace, "deployment,service", "cache")
		Eventually(func() []string { return nodeUIDs(ctx, mc) }).Should(And(HaveLen(2), Not(ContainElements(former))))
		waitReady(ctx, mc)
		expectServing(ctx, mc, 2)
		Expect(most.Load()).To(BeEquivalentTo(2))

		By("taking the nodes over where the Deployment was orphaned, so that their items are kept")
		kept := nodeUIDs(ctx, mc)
		kubectl("delete", "-n", mc.Namespace, "deployment", "cache", "--cascade=orphan")
		deployment := deploymentOf(mc)
		Eventually(func() error { return get(ctx, deployment) }).Should(Succeed())
		waitReady(ctx, mc)
		Expect(nodeUIDs(ctx, mc)).To(ConsistOf(kept))
	})
})

// mostNodes watches how many nodes mc has at a time, those not counted that are
// terminating, and keeps the highest number. What lasts less than half a second
// does not count: the Deployment's controller starts a replacement as soon as it
// has ordered a node to stop, and it is another controller that passes that on.
func mostNodes(ctx context.Context, mc *cachev1alpha1.Memcached) *atomic.Int32 {
	GinkgoHelper()
	watch, err := k8sClient.Watch(ctx, &corev1.PodList{}, client.InNamespace(mc.Namespace))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(watch.Stop)
	most := &atomic.Int32{}
	go func() {
		active := map[string]bool{}
		before, tick := 0, time.NewTicker(500*time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most.Store(max(most.Load(), int32(min(before, len(active)))))
				before = len(active)
			case event, open := <-watch.ResultChan():
				if !open {
					return
				}
				if pod, isPod := event.Object.(*corev1.Pod); isPod {
					delete(active, pod.Name)
					if pod.DeletionTimestamp.IsZero() && event.Type != apiwatch.Deleted {
						active[pod.Name] = true
					}
				}
			}
		}
	}()
	return most
}

// outagesOf counts the reports that mc is not available.
func outagesOf(ctx context.Context, mc *cachev1alpha1.Memcached) *atomic.Int32 {
	GinkgoHelper()
	watch, err := k8sClient.Watch(ctx, &cachev1alpha1.MemcachedList{}, client.InNamespace(mc.Namespace))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(watch.Stop)
	outages := &atomic.Int32{}
	go func() {
		for event := range watch.ResultChan() {
			seen, isMemcached := event.Object.(*cachev1alpha1.Memcached)
			if isMemcached && meta.IsStatusConditionFalse(seen.Status.Conditions, cachev1alpha1.ConditionAvailable) {
				outages.Add(1)
			}
		}
	}()
	return outages
}
