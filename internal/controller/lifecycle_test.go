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

package controller

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// Budgets are requests but events; what they measured is in docs/architecture.md.
var _ = Describe("The life of a Memcached", func() {
	var namespace string
	var mark int
	BeforeEach(func() {
		namespace = newNamespace()
		mark = auditMark()
	})

	It("is created with at most five requests", func() {
		mc := settledMemcached(namespace, 2)
		Expect(mc.Finalizers).To(ContainElement(cachev1alpha1.Finalizer))
		Expect(mc.Status.Replicas).To(BeEquivalentTo(2))
		Expect(mc.Status.ReadyReplicas).To(BeEquivalentTo(2))
		Expect(conditionOf(mc, cachev1alpha1.ConditionAvailable)()).To(BeTrueFor(cachev1alpha1.ReasonMinimumNodesReady))
		Expect(conditionOf(mc, cachev1alpha1.ConditionProgressing)()).To(BeFalseFor(cachev1alpha1.ReasonSettled))
		Expect(conditionOf(mc, cachev1alpha1.ConditionDegraded)()).To(BeFalseFor(cachev1alpha1.ReasonAsExpected))
		Expect(get(serviceOf(mc))).To(Succeed())

		Expect(requests(namespace, mark)).To(Equal([]string{
			"patch memcacheds 200",        // the finalizer, before anything else
			"patch deployments 201",       // created
			"patch services 201",          // created
			"patch memcacheds/status 200", // Progressing
			"patch memcacheds/status 200", // Ready
		}))
		Eventually(eventReasons(mc)).Should(ConsistOf("Created", "Created", "AllNodesReady"))
	})

	It("is scaled through the resource with at most three requests", func() {
		mc := settledMemcached(namespace, 1)
		mark = auditMark()
		Expect(k8sClient.SubResource("scale").Update(ctx, mc, client.WithSubResourceBody(
			&autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}))).To(Succeed())
		settle(mc)
		Expect(mc.Status.Replicas).To(BeEquivalentTo(3))
		Expect(requests(namespace, mark)).To(Equal([]string{
			"patch deployments 200", "patch memcacheds/status 200", "patch memcacheds/status 200",
		}))
	})

	It("is moved to another port in Deployment and Service", func() {
		mc := settledMemcached(namespace, 1)
		mc.Spec.ContainerPort = 80
		Expect(k8sClient.Update(ctx, mc)).To(Succeed())
		settle(mc)
		service, deployment := serviceOf(mc), deploymentOf(mc)
		Expect(get(service)).To(Succeed())
		Expect(service.Spec.Ports).To(ConsistOf(HaveField("Port", BeEquivalentTo(80))))
		Expect(get(deployment)).To(Succeed())
		Expect(deployment.Spec.Template.Spec.Containers[0].Ports).To(ConsistOf(HaveField("ContainerPort", BeEquivalentTo(80))))
		Expect(deployment.Spec.Template.Spec.SecurityContext.Sysctls).To(ConsistOf(
			corev1.Sysctl{Name: "net.ipv4.ip_unprivileged_port_start", Value: "0"}))
	})

	It("costs no request while nothing changes: neither on resync nor when the operator restarts", func() {
		mc := settledMemcached(namespace, 2)
		mark = auditMark()
		resync := 200 * time.Millisecond
		defer startManager(cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}, SyncPeriod: &resync})()
		Consistently(func() []string { return requests(namespace, mark) }).WithTimeout(3 * time.Second).Should(BeEmpty())
		Expect(get(mc)).To(Succeed())
	})

	It("keeps two resources of a namespace, and of one name in two namespaces, apart", func() {
		first := settledMemcached(namespace, 1)
		other := first.DeepCopy()
		other.ObjectMeta = metav1.ObjectMeta{Namespace: namespace, Name: "other"}
		Expect(k8sClient.Create(ctx, other)).To(Succeed())
		settle(other)
		namesake := settledMemcached(newNamespace(), 3)

		var deployments appsv1.DeploymentList
		Expect(k8sClient.List(ctx, &deployments, client.InNamespace(namespace))).To(Succeed())
		Expect(deployments.Items).To(HaveLen(2))
		Expect(deployments.Items[0].Spec.Selector).NotTo(Equal(deployments.Items[1].Spec.Selector))
		Expect(get(first)).To(Succeed())
		Expect(first.Status.Replicas).To(BeEquivalentTo(1))
		Expect(namesake.Status.Replicas).To(BeEquivalentTo(3))
	})

	It("is served where the operator watches some namespaces only, and only there", Serial, func() {
		stopManager()
		DeferCleanup(restartManager)
		another, third := newNamespace(), newNamespace()
		defer startManager(cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}, another: {}}})()
		settledMemcached(namespace, 1)
		settledMemcached(another, 1)
		ignored := newMemcached(third, 1)
		Consistently(finalizersOf(ignored)).WithTimeout(time.Second).Should(BeEmpty())
	})

	It("is served by a manager whose controller joins after it has started, as a leader for life does", Serial, func() {
		stopManager()
		DeferCleanup(restartManager)
		mgr := newManager(cache.Options{})
		Expect(mgr.Add(manager.RunnableFunc(func(context.Context) error { return addReconciler(mgr) }))).To(Succeed())
		defer run(mgr)()
		settledMemcached(namespace, 1)
	})

	Describe("ends", func() {
		for _, mode := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
			It("with its nodes, with at most three requests, deleted in mode "+string(mode), func() {
				mc := settledMemcached(namespace, 1)
				mark = auditMark()
				Expect(k8sClient.Delete(ctx, mc, client.PropagationPolicy(mode))).To(Succeed())
				Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonFinalizing))
				Expect(conditionOf(mc, cachev1alpha1.ConditionAvailable)()).To(BeFalseFor(cachev1alpha1.ReasonFinalizing))

				deployment := deploymentOf(mc)
				Eventually(finalizersOf(deployment)).Should(ContainElement(metav1.FinalizerDeleteDependents))
				Consistently(func() error { return get(mc) }).WithTimeout(time.Second).Should(Succeed())
				stopNodes(mc)
				Eventually(finalizersOf(mc)).ShouldNot(ContainElement(cachev1alpha1.Finalizer))
				Expect(requests(namespace, mark)).To(Equal([]string{
					"patch memcacheds/status 200", "delete deployments 200", "patch memcacheds 200",
				}))
				Eventually(eventReasons(mc)).Should(ContainElement("Deleting"))
			})
		}

		It("at once in mode Orphan, and leaves the Deployment alone", func() {
			mc := settledMemcached(namespace, 1)
			Expect(k8sClient.Delete(ctx, mc, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
			Eventually(finalizersOf(mc)).Should(Equal([]string{metav1.FinalizerOrphanDependents}))
			deployment := deploymentOf(mc)
			Expect(get(deployment)).To(Succeed())
			Expect(deployment.DeletionTimestamp).To(BeNil())
		})

		It("only when the last node has stopped, although the Deployment has gone", func() {
			mc := settledMemcached(namespace, 1)
			pod := nodePod(mc, "stubborn")
			pod.Spec.TerminationGracePeriodSeconds = new(int64)
			*pod.Spec.TerminationGracePeriodSeconds = 60
			Expect(k8sClient.Create(ctx, pod)).To(Succeed())
			Expect(k8sClient.Delete(ctx, pod)).To(Succeed()) // a machine has to confirm
			Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
			stopNodes(mc)
			Consistently(func() error { return get(mc) }).WithTimeout(time.Second).Should(Succeed())
			Expect(k8sClient.Delete(ctx, pod, client.GracePeriodSeconds(0))).To(Succeed())
			Eventually(func() bool { return apierrors.IsNotFound(get(mc)) }).Should(BeTrue())
		})

		It("with a warning that names a node which never stops", func() {
			mc := settledMemcached(namespace, 1)
			pod := nodePod(mc, "lost")
			Expect(k8sClient.Create(ctx, pod)).To(Succeed())
			Expect(k8sClient.Delete(ctx, pod)).To(Succeed())
			Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
			Eventually(func() bool { return apierrors.IsNotFound(get(mc)) }).Should(BeTrue())
			Eventually(eventReasons(mc)).Should(ContainElement("NodesLeft"))
		})

		It("although its Deployment's label was removed", func() {
			mc := settledMemcached(namespace, 1)
			// The caches hold the node, but no Deployment.
			seen := &observed{deployment: &appsv1.Deployment{}, pods: []corev1.Pod{*nodePod(mc, "node")}}
			r := &MemcachedReconciler{Client: k8sClient, Live: k8sClient}
			Expect(r.findDeployment(ctx, mc, seen)).To(Succeed())
			Expect(r.deleteDeployment(ctx, mc, seen)).To(Succeed())
			deployment := deploymentOf(mc)
			Expect(get(deployment)).To(Succeed())
			Expect(deployment.DeletionTimestamp).NotTo(BeNil())
		})

		It("although others hold its Deployment, which somebody deleted in the background: the nodes are told to stop", func() {
			mc := settledMemcached(namespace, 1)
			deployment := deploymentOf(mc)
			Expect(get(deployment)).To(Succeed())
			deployment.Finalizers = []string{"example.org/hold"}
			Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
			Expect(k8sClient.Delete(ctx, deployment)).To(Succeed())
			Expect(k8sClient.Create(ctx, nodePod(mc, "node"))).To(Succeed())
			Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
			Eventually(finalizersOf(deployment)).Should(ContainElement(metav1.FinalizerDeleteDependents))
			deployment.Finalizers = nil
			Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
		})

		It("and a new one of its name waits for what is left of it", func() {
			former := settledMemcached(namespace, 1)
			service := serviceOf(former)
			Expect(k8sClient.Delete(ctx, former)).To(Succeed())
			stopNodes(former)
			Eventually(func() bool { return apierrors.IsNotFound(get(former)) }).Should(BeTrue())

			mc := newMemcached(namespace, 1)
			Eventually(conditionOf(mc, cachev1alpha1.ConditionProgressing)).Should(BeTrueFor(cachev1alpha1.ReasonWaitingForDeletion))
			Expect(get(service)).To(Succeed())
			Expect(metav1.IsControlledBy(service, mc)).To(BeFalse())

			Expect(k8sClient.Delete(ctx, service)).To(Succeed()) // as garbage collection does
			settle(mc)
			Eventually(func() bool { service = serviceOf(mc); return get(service) == nil && metav1.IsControlledBy(service, mc) }).Should(BeTrue())
		})

		It("for good: a write for a deleted resource does not recreate it", func() {
			mc := settledMemcached(namespace, 1)
			stale := mc.DeepCopy()
			Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
			stopNodes(mc)
			Eventually(func() bool { return apierrors.IsNotFound(get(mc)) }).Should(BeTrue())
			r := &MemcachedReconciler{Client: k8sClient}
			Expect(apierrors.IsNotFound(r.setFinalizers(ctx, stale, []string{cachev1alpha1.Finalizer}))).To(BeTrue())
			Expect(apierrors.IsNotFound(get(mc))).To(BeTrue())

			By("nor does it change a new one of its name")
			again := newMemcached(namespace, 1)
			Expect(apierrors.IsConflict(r.setFinalizers(ctx, stale, nil))).To(BeTrue())
			Expect(get(again)).To(Succeed())
		})
	})

	It("stops creating in a namespace that is being deleted", func() {
		mc := settledMemcached(namespace, 1)
		Expect(k8sClient.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})).To(Succeed())
		Expect(k8sClient.Delete(ctx, deploymentOf(mc))).To(Succeed())
		Eventually(conditionOf(mc, cachev1alpha1.ConditionProgressing)).Should(BeTrueFor(cachev1alpha1.ReasonWaitingForDeletion))
		mark = auditMark()
		Consistently(func() int { return len(requests(namespace, mark)) }).WithTimeout(3 * time.Second).Should(BeNumerically("<=", 1))
	})
})
