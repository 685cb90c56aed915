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

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

var _ = Describe("The leader for life", Serial, func() {
	It("is followed by another one when it is deleted, evicted or updated", func(ctx SpecContext) {
		i := installed(ctx, newCatalog(ctx, inline(first)), automatic)
		mc := newCache(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		leader := i.leader(ctx)()
		Expect(leader).To(Equal(i.operators(ctx)[0].Name))

		By("deleting it")
		begun := time.Now()
		kubectl("delete", "pod", leader, "-n", i.namespace)
		i.expectFollowed(ctx, leader, mc, 2, begun)

		By("evicting it")
		leader, begun = i.leader(ctx)(), time.Now()
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: leader}}
		Expect(k8sClient.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{})).To(Succeed())
		i.expectFollowed(ctx, leader, mc, 3, begun)

		By("updating it: the new one must be ready before the old one goes")
		leader, begun = i.leader(ctx)(), time.Now()
		kubectl("patch", "subscription", packageName, "-n", i.namespace, "--type=merge",
			`-p={"spec":{"config":{"env":[{"name":"NOTHING","value":"reads this"}]}}}`)
		i.expectFollowed(ctx, leader, mc, 1, begun)
	})
})

// leader returns a poll for the pod that owns the lock.
func (i *installation) leader(ctx context.Context) func() string {
	return func() string {
		lock := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "memcached-operator-lock"}}
		if get(ctx, lock) != nil || len(lock.OwnerReferences) != 1 {
			return ""
		}
		return lock.OwnerReferences[0].Name
	}
}

// expectFollowed expects that another pod leads and does the leader's work.
func (i *installation) expectFollowed(ctx context.Context, former string, mc *cachev1alpha1.Memcached, size int, begun time.Time) {
	GinkgoHelper()
	Eventually(i.leader(ctx)).WithTimeout(2 * time.Minute).Should(And(Not(BeEmpty()), Not(Equal(former))))
	GinkgoWriter.Printf("another one leads after %s\n", since(begun))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: former}}
	Expect(apierrors.IsNotFound(get(ctx, pod))).To(BeTrue(), "one leads at a time: the former one is gone")
	kubectl("patch", "-n", mc.Namespace, "memcached/cache", "--type=merge", fmt.Sprintf(`-p={"spec":{"size":%d}}`, size))
	waitReady(ctx, mc)
	Expect(nodes(ctx, mc)).To(HaveLen(size))
	i.succeeded(ctx, first) // it was not, while its pod was replaced
}
