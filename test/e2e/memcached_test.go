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
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	gomegatypes "github.com/onsi/gomega/types"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/memcached"
)

// patience is how long a conversation with a node may take.
const patience = 10 * time.Second

// newMemcached creates a Memcached called cache.
func newMemcached(ctx context.Context, namespace string, size int32) *cachev1alpha1.Memcached {
	GinkgoHelper()
	mc := &cachev1alpha1.Memcached{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cache"},
		Spec:       cachev1alpha1.MemcachedSpec{Size: size},
	}
	Expect(k8sClient.Create(ctx, mc)).To(Succeed())
	return mc
}

func get(ctx context.Context, object client.Object) error {
	return k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)
}

func deploymentOf(mc *cachev1alpha1.Memcached) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: mc.Namespace, Name: mc.Name}}
}

// conditionOf returns a poll for one of mc's conditions, of its present generation.
func conditionOf(ctx context.Context, mc *cachev1alpha1.Memcached, conditionType string) func() (metav1.Condition, error) {
	return func() (metav1.Condition, error) {
		if err := get(ctx, mc); err != nil {
			return metav1.Condition{}, err
		}
		condition := meta.FindStatusCondition(mc.Status.Conditions, conditionType)
		if condition == nil || condition.ObservedGeneration != mc.Generation {
			return metav1.Condition{}, fmt.Errorf("condition %s is not set yet", conditionType)
		}
		return *condition, nil
	}
}

// BeTrueFor matches a condition that is True for a reason.
func BeTrueFor(reason string) gomegatypes.GomegaMatcher {
	return And(HaveField("Status", metav1.ConditionTrue), HaveField("Reason", reason))
}

func waitReady(ctx context.Context, mc *cachev1alpha1.Memcached) {
	GinkgoHelper()
	Eventually(conditionOf(ctx, mc, cachev1alpha1.ConditionReady)).WithTimeout(2 * time.Minute).
		Should(BeTrueFor(cachev1alpha1.ReasonAllNodesReady))
}

// nodes returns mc's pods that nobody has told to stop.
func nodes(ctx context.Context, mc *cachev1alpha1.Memcached) []corev1.Pod {
	GinkgoHelper()
	var pods corev1.PodList
	Expect(k8sClient.List(ctx, &pods, client.InNamespace(mc.Namespace),
		client.MatchingLabels{cachev1alpha1.LabelInstance: mc.Name})).To(Succeed())
	var active []corev1.Pod
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp.IsZero() {
			active = append(active, pod)
		}
	}
	return active
}

func nodeUIDs(ctx context.Context, mc *cachev1alpha1.Memcached) []string {
	GinkgoHelper()
	var uids []string
	for _, pod := range nodes(ctx, mc) {
		uids = append(uids, string(pod.UID))
	}
	return uids
}

// addresses asks the cluster's DNS for mc's nodes, as an application does.
func addresses(ctx context.Context, mc *cachev1alpha1.Memcached) ([]string, error) {
	dns := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-dns"}}
	if err := get(ctx, dns); err != nil {
		return nil, err
	}
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", net.JoinHostPort(dns.Spec.ClusterIP, "53"))
	}}
	return resolver.LookupHost(ctx, fmt.Sprintf("%s.%s.svc.cluster.local.", mc.Name, mc.Namespace))
}

// expectServing expects that DNS knows size nodes and that each keeps an item.
func expectServing(ctx context.Context, mc *cachev1alpha1.Memcached, size int) {
	GinkgoHelper()
	var found []string
	Eventually(func() ([]string, error) { // DNS answers from its cache for some seconds
		var err error
		found, err = addresses(ctx, mc)
		return found, err
	}).Should(HaveLen(size))
	for _, host := range found {
		node, err := memcached.Dial(ctx, address(host, mc.Spec.ContainerPort), patience)
		Expect(err).NotTo(HaveOccurred())
		Expect(node.Keeps("greeting", "hello")).To(Succeed())
		Expect(node.Stat("limit_maxbytes")).To(Equal("67108864"))
		Expect(node.Close()).To(Succeed())
	}
}

// trafficTo sends requests to all of mc's nodes, all the time, and counts the
// rounds in which fewer of them answered than the contract promises: size - 1,
// and never fewer than one.
func trafficTo(ctx context.Context, mc *cachev1alpha1.Memcached) *atomic.Int32 {
	ctx, stop := context.WithCancel(ctx)
	DeferCleanup(stop)
	promised := max(int(mc.Spec.Size)-1, 1)
	whose := mc.DeepCopy() // the caller goes on reading into mc
	outages := &atomic.Int32{}
	go func() {
		for ctx.Err() == nil {
			if answering(ctx, whose) < promised && ctx.Err() == nil {
				outages.Add(1)
			}
		}
	}()
	return outages
}

// answering counts the nodes that keep an item. It asks all at once: one that
// has stopped must not hold up the question until the others have changed, too.
func answering(ctx context.Context, mc *cachev1alpha1.Memcached) int {
	var pods corev1.PodList
	if k8sClient.List(ctx, &pods, client.InNamespace(mc.Namespace), client.MatchingLabels{cachev1alpha1.LabelInstance: mc.Name}) != nil {
		return 0
	}
	var n atomic.Int32
	var asked sync.WaitGroup
	for _, pod := range pods.Items {
		asked.Go(func() {
			soon, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			node, err := memcached.Dial(soon, address(pod.Status.PodIP, pod.Spec.Containers[0].Ports[0].ContainerPort), patience)
			if err != nil {
				return
			}
			if node.Keeps("traffic", "kept") == nil {
				n.Add(1)
			}
			_ = node.Close()
		})
	}
	asked.Wait()
	return int(n.Load())
}

// address is where a node listens.
func address(host string, port int32) string {
	return net.JoinHostPort(host, fmt.Sprint(port))
}
