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
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// leading holds the ways in which the leader, elected by a Lease, ends.
func leading() {
	It("passes on when the leader is deleted, evicted or updated: one works at a time, and soon", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		mark := time.Now()
		keepBusy(ctx, mc)
		leaders := []string{leader()}
		for _, end := range []func(*corev1.Pod){
			func(pod *corev1.Pod) { Expect(k8sClient.Delete(ctx, pod)).To(Succeed()) },
			func(pod *corev1.Pod) {
				Expect(k8sClient.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{})).To(Succeed())
			},
			func(*corev1.Pod) {
				kubectl("rollout", "restart", "-n", operatorNamespace, "deployment/"+operatorName)
			},
		} {
			former := leaders[len(leaders)-1]
			Eventually(func() []turn { return turns(mc.Namespace, mark) }).Should(HaveLen(len(leaders)), "the leader works")
			end(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: operatorNamespace, Name: former}})
			Eventually(leader).Should(And(Not(BeEmpty()), Not(Equal(former))))
			leaders = append(leaders, leader())
		}
		Eventually(func() []turn { return turns(mc.Namespace, mark) }).Should(HaveLen(len(leaders)))
		kubectl("rollout", "status", "-n", operatorNamespace, "deployment/"+operatorName, "--timeout=1m")

		all := turns(mc.Namespace, mark)
		for i, turn := range all {
			Expect(turn.pod).To(Equal(leaders[i]))
			if i > 0 {
				pause := turn.first.Sub(all[i-1].last)
				GinkgoWriter.Printf("work resumed after %s\n", pause)
				Expect(pause).To(BeNumerically("<", 6*3*time.Second))
			}
		}
	})
}

// leader is the pod that holds the Lease.
func leader() string {
	holder, _ := try("kubectl", "get", "lease", "memcached-operator.cache.example.com", "-n", operatorNamespace, "-o", "jsonpath={.spec.holderIdentity}")
	pod, _, _ := strings.Cut(holder, "_")
	return pod
}

// keepBusy deletes mc's Service again and again, until the test ends; whoever
// leads makes it anew.
func keepBusy(ctx context.Context, mc *cachev1alpha1.Memcached) {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: mc.Namespace, Name: mc.Name}}
	tick := time.NewTicker(200 * time.Millisecond)
	DeferCleanup(tick.Stop)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = k8sClient.Delete(ctx, service.DeepCopy()) // perhaps it is not back yet
			}
		}
	}()
}

// turn is the time in which one pod of the operator made Services.
type turn struct {
	pod         string
	first, last time.Time
}

func turns(namespace string, since time.Time) []turn {
	GinkgoHelper()
	var all []turn
	for _, r := range operatorRequests(namespace, since) {
		if r.ObjectRef.Resource != "services" {
			continue
		}
		if n := len(all); n == 0 || all[n-1].pod != r.pod() {
			all = append(all, turn{pod: r.pod(), first: r.RequestReceivedTimestamp})
		}
		all[len(all)-1].last = r.RequestReceivedTimestamp
	}
	return all
}
