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
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/memcached"
)

// newCache creates a Memcached called cache.
func newCache(ctx context.Context, namespace string, size int32) *cachev1alpha1.Memcached {
	GinkgoHelper()
	mc := &cachev1alpha1.Memcached{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cache"},
		Spec:       cachev1alpha1.MemcachedSpec{Size: size},
	}
	Expect(k8sClient.Create(ctx, mc)).To(Succeed())
	return mc
}

// waitReady waits until all nodes of mc's present generation are ready.
func waitReady(ctx context.Context, mc *cachev1alpha1.Memcached) {
	GinkgoHelper()
	Eventually(func() bool {
		ready := &metav1.Condition{}
		if get(ctx, mc) == nil {
			ready = meta.FindStatusCondition(mc.Status.Conditions, cachev1alpha1.ConditionReady)
		}
		return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == mc.Generation
	}).WithTimeout(2*time.Minute).Should(BeTrue(), "the cache becomes ready")
}

// nodes returns mc's pods that nobody has told to stop.
func nodes(ctx context.Context, mc *cachev1alpha1.Memcached) []corev1.Pod {
	GinkgoHelper()
	var pods corev1.PodList
	Expect(k8sClient.List(ctx, &pods, client.InNamespace(mc.Namespace), client.MatchingLabels{cachev1alpha1.LabelInstance: mc.Name})).To(Succeed())
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return !pod.DeletionTimestamp.IsZero() })
}

func nodeUIDs(ctx context.Context, mc *cachev1alpha1.Memcached) []string {
	GinkgoHelper()
	var uids []string
	for _, pod := range nodes(ctx, mc) {
		uids = append(uids, string(pod.UID))
	}
	return uids
}

// fill gives each of mc's nodes an item, for expectKept.
func fill(ctx context.Context, mc *cachev1alpha1.Memcached) {
	GinkgoHelper()
	for _, pod := range nodes(ctx, mc) {
		node, err := memcached.Dial(ctx, address(mc, pod), 5*time.Second)
		Expect(err).NotTo(HaveOccurred())
		Expect(node.Set("kept", "hello")).To(Succeed())
		Expect(node.Close()).To(Succeed())
	}
	expectKept(ctx, mc)
}

// expectKept expects that every node still has what fill gave it.
func expectKept(ctx context.Context, mc *cachev1alpha1.Memcached) {
	GinkgoHelper()
	pods := nodes(ctx, mc)
	Expect(pods).To(HaveLen(int(mc.Spec.Size)))
	for _, pod := range pods {
		Expect(kept(ctx, mc, pod)).To(Equal("hello"))
	}
}

func address(mc *cachev1alpha1.Memcached, pod corev1.Pod) string {
	return net.JoinHostPort(pod.Status.PodIP, fmt.Sprint(mc.Spec.ContainerPort))
}

// kept asks a node, over a connection of its own, for what fill gave it.
func kept(ctx context.Context, mc *cachev1alpha1.Memcached, pod corev1.Pod) (string, error) {
	node, err := memcached.Dial(ctx, address(mc, pod), 5*time.Second)
	if err != nil {
		return "", err
	}
	defer func() { _ = node.Close() }()
	return node.Get("kept")
}

// clients keep asking every node of mc for what fill gave it; the function
// returned stops that and expects that every question was answered.
func clients(ctx context.Context, mc *cachev1alpha1.Memcached) (stop func()) {
	GinkgoHelper()
	fill(ctx, mc)
	var stops []func()
	for _, pod := range nodes(ctx, mc) {
		stops = append(stops, asking(func() error {
			answer, err := kept(ctx, mc, pod)
			if err == nil && answer != "hello" {
				err = fmt.Errorf("the node said %q", answer)
			}
			return err
		}))
	}
	return func() {
		GinkgoHelper()
		for _, end := range stops {
			end()
		}
	}
}

// clientsOfAny keep asking whichever node of mc answers, as an application does
// whose cache is rolled out.
func clientsOfAny(ctx context.Context, mc *cachev1alpha1.Memcached) (stop func()) {
	GinkgoHelper()
	return asking(func() error {
		err := errors.New("there is no node")
		for _, pod := range nodes(ctx, mc) {
			var node *memcached.Node
			if node, err = memcached.Dial(ctx, address(mc, pod), 5*time.Second); err == nil {
				err = errors.Join(node.Keeps("any", "hello"), node.Close())
			}
			if err == nil {
				break
			}
		}
		return err
	})
}

// asking asks again and again; the function returned stops that and expects that
// every question was answered.
func asking(ask func() error) (stop func()) {
	done := make(chan struct{})
	var work sync.WaitGroup
	answered, failures := 0, []error{}
	work.Go(func() {
		defer GinkgoRecover()
		ticks := time.NewTicker(20 * time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
			}
			if err := ask(); err != nil {
				failures = append(failures, err)
			} else {
				answered++
			}
		}
	})
	end := sync.OnceFunc(func() { close(done); work.Wait() })
	DeferCleanup(end)
	return func() {
		GinkgoHelper()
		end()
		GinkgoWriter.Printf("clients were answered %d times, and %d times not\n", answered, len(failures))
		Expect(failures).To(BeEmpty())
		Expect(answered).To(BeNumerically(">", 0))
	}
}
