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
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// slowToStop makes a node that ignores the request to stop until its grace
// period of 12 seconds is over.
const slowToStop = `[
	JSONPatch{op: "replace", path: "/spec/terminationGracePeriodSeconds", value: 12},
	JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "docker.io/library/busybox:1.37"},
	JSONPatch{op: "replace", path: "/spec/containers/0/command", value: ["sh", "-c", "trap '' TERM; while :; do nc -l -p 11211 </dev/null; done"]}]`

var _ = Describe("A deleted cache", func() {
	for _, mode := range []string{"background", "foreground"} {
		It("goes when its nodes are gone, in mode "+mode, func(ctx SpecContext) {
			namespace := newNamespace(ctx)
			patchPods(ctx, namespace, slowToStop)
			mc := newMemcached(ctx, namespace, 1)
			Eventually(func() []corev1.Pod { return nodes(ctx, mc) }).Should(ConsistOf(HaveField("Status.Phase", corev1.PodRunning)))
			kubectl("delete", "memcached", "cache", "-n", namespace, "--cascade="+mode, "--wait=false")
			Eventually(conditionOf(ctx, mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonFinalizing))
			Expect(conditionOf(ctx, mc, cachev1alpha1.ConditionAvailable)()).To(HaveField("Status", metav1.ConditionFalse))
			Expect(kubectl("events", "-n", namespace, "--for=memcached/cache")).To(ContainSubstring("Deleting"))

			// The resource outlives every node.
			Eventually(func() bool { return apierrors.IsNotFound(get(ctx, mc)) }).WithPolling(100 * time.Millisecond).Should(BeTrue())
			var pods corev1.PodList
			Expect(k8sClient.List(ctx, &pods, client.InNamespace(namespace))).To(Succeed())
			Expect(pods.Items).To(BeEmpty())
			Eventually(func() string {
				return kubectl("get", "deployments,services,replicasets", "-n", namespace, "-o", "name")
			}).Should(BeEmpty())
		})
	}

	It("leaves its nodes running in mode orphan", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		before := nodeUIDs(ctx, mc)
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace, "--cascade=orphan", "--timeout=1m")
		Consistently(func() []string { return nodeUIDs(ctx, mc) }).WithTimeout(3 * time.Second).Should(Equal(before))
	})

	It("can be created again at once under its name", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 2)
		waitReady(ctx, mc)
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace)
		again := newMemcached(ctx, mc.Namespace, 2)
		Expect(again.UID).NotTo(Equal(mc.UID))
		waitReady(ctx, again)
		expectServing(ctx, again, 2)
	})

	It("does not hold up the deletion of its namespace", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 3)
		waitReady(ctx, mc)
		kubectl("delete", "namespace", mc.Namespace, "--timeout=2m")
		Expect(apierrors.IsNotFound(get(ctx, mc))).To(BeTrue())
	})
})
