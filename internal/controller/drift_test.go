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
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

var _ = Describe("Drift", func() {
	var mc *cachev1alpha1.Memcached
	var namespace string
	BeforeEach(func() {
		namespace = newNamespace()
		mc = settledMemcached(namespace, 2)
	})

	deploymentState := func(live *appsv1.Deployment) any {
		d := live.DeepCopy()
		return []any{d.Spec.Replicas, d.Spec.Paused, d.Spec.Strategy, d.Spec.Template.Labels, d.Spec.Template.Spec, d.Labels}
	}
	serviceState := func(live *corev1.Service) any {
		s := live.DeepCopy()
		return []any{s.Spec.Type, s.Spec.ClusterIP, s.Spec.Ports, s.Spec.Selector, s.Labels}
	}
	onePatch := func(resource string) []string { return []string{"patch " + resource + " 200"} }

	DescribeTable("of the Deployment is put right with one write",
		func(edit func(*appsv1.Deployment)) {
			deployment := deploymentOf(mc)
			Expect(get(deployment)).To(Succeed())
			want := deploymentState(deployment)
			mark := auditMark()
			edit(deployment)
			Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
			Expect(deploymentState(deployment)).NotTo(Equal(want), "the edit must change something")

			Eventually(func() any { _ = get(deployment); return deploymentState(deployment) }).Should(Equal(want))
			settle(mc)
			Expect(childWrites(requests(namespace, mark))).To(Equal(onePatch("deployments")))
		},
		Entry("scaled up", func(d *appsv1.Deployment) { *d.Spec.Replicas = 3 }),
		Entry("scaled to zero", func(d *appsv1.Deployment) { *d.Spec.Replicas = 0 }),
		Entry("paused", func(d *appsv1.Deployment) { d.Spec.Paused = true }),
		Entry("another strategy", func(d *appsv1.Deployment) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		}),
		Entry("a surge", func(d *appsv1.Deployment) {
			surge := intstr.FromInt32(1)
			d.Spec.Strategy.RollingUpdate.MaxSurge = &surge
		}),
		Entry("another image", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "evil" }),
		Entry("another command", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Command = []string{"sleep"} }),
		Entry("more memory", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].Resources.Limits[corev1.ResourceMemory] = resource.MustParse("1Gi")
		}),
		Entry("no readiness probe", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].ReadinessProbe = nil }),
		Entry("a token", func(d *appsv1.Deployment) { d.Spec.Template.Spec.AutomountServiceAccountToken = new(true) }),
		Entry("privileges", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(true)
		}),
		Entry("a label gone", func(d *appsv1.Deployment) { delete(d.Labels, cachev1alpha1.LabelComponent) }),
		Entry("a pod label changed", func(d *appsv1.Deployment) { d.Spec.Template.Labels[cachev1alpha1.LabelComponent] = "other" }),
	)

	DescribeTable("of the Service is put right with one write",
		func(edit func(*corev1.Service)) {
			service := serviceOf(mc)
			Expect(get(service)).To(Succeed())
			want := serviceState(service)
			mark := auditMark()
			edit(service)
			Expect(k8sClient.Update(ctx, service)).To(Succeed())
			Expect(serviceState(service)).NotTo(Equal(want), "the edit must change something")
			Eventually(func() any { _ = get(service); return serviceState(service) }).Should(Equal(want))
			Consistently(func() []string { return childWrites(requests(namespace, mark)) }).WithTimeout(time.Second / 2).
				Should(Equal(onePatch("services")))
		},
		Entry("another selector", func(s *corev1.Service) { s.Spec.Selector = map[string]string{"app": "other"} }),
		Entry("another target port", func(s *corev1.Service) { s.Spec.Ports[0].TargetPort = intstr.FromInt32(1) }),
		Entry("a label gone", func(s *corev1.Service) { delete(s.Labels, cachev1alpha1.LabelName) }),
		Entry("an external name", func(s *corev1.Service) {
			s.Spec.Type, s.Spec.ExternalName, s.Spec.ClusterIP, s.Spec.ClusterIPs = corev1.ServiceTypeExternalName, "example.com", "", nil
			s.Spec.IPFamilies, s.Spec.IPFamilyPolicy, s.Spec.InternalTrafficPolicy = nil, nil, nil
		}),
	)

	// Where an edit contradicts what is ours, to apply is refused; what is ours
	// then takes the place of all of it.
	It("that contradicts ours is put right: a profile that only goes with another kind of seccomp", func() {
		deployment := deploymentOf(mc)
		Expect(get(deployment)).To(Succeed())
		deployment.Spec.Template.Spec.SecurityContext.SeccompProfile = &corev1.SeccompProfile{
			Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: new("profile.json")}
		Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
		Eventually(func() any { _ = get(deployment); return deployment.Spec.Template.Spec.SecurityContext.SeccompProfile }).
			Should(Equal(&corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}))
		settle(mc)
	})

	It("of a port's number is put right", func() {
		service, deployment := serviceOf(mc), deploymentOf(mc)
		Expect(get(service)).To(Succeed())
		service.Spec.Ports[0].Port = 12345
		Expect(k8sClient.Update(ctx, service)).To(Succeed())
		Expect(get(deployment)).To(Succeed())
		deployment.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort = 12345
		Expect(k8sClient.Update(ctx, deployment)).To(Succeed())

		Eventually(func() any { _ = get(service); return service.Spec.Ports }).
			Should(ConsistOf(HaveField("Port", BeEquivalentTo(11211))))
		Eventually(func() any { _ = get(deployment); return deployment.Spec.Template.Spec.Containers[0].Ports }).
			Should(ConsistOf(HaveField("ContainerPort", BeEquivalentTo(11211))))
		settle(mc)
		Eventually(func() []string { // it settles, for good
			mark := auditMark()
			time.Sleep(time.Second)
			return requests(namespace, mark)
		}).Should(BeEmpty())
	})

	It("is a deleted child: it comes back with one write", func() {
		mark := auditMark()
		for resource, child := range map[string]client.Object{"deployments": deploymentOf(mc), "services": serviceOf(mc)} {
			Expect(get(child)).To(Succeed())
			before := child.GetUID()
			Expect(k8sClient.Delete(ctx, child)).To(Succeed())
			Eventually(func() bool { return get(child) == nil && child.GetUID() != before }).Should(BeTrue(), resource)
		}
		settle(mc)
		Expect(childWrites(requests(namespace, mark))).To(ConsistOf("patch deployments 201", "patch services 201"))
		Eventually(eventReasons(mc)).Should(ContainElement("Repaired"))
	})

	It("is a deleted Deployment whose nodes still run: it comes back once they are being stopped", func() {
		pod := brokenNode(mc)
		deployment := deploymentOf(mc)
		Expect(k8sClient.Delete(ctx, deployment)).To(Succeed())
		Consistently(func() bool { return apierrors.IsNotFound(get(deployment)) }).WithTimeout(time.Second).Should(BeTrue())
		Expect(k8sClient.Delete(ctx, pod)).To(Succeed())
		Eventually(func() error { return get(deployment) }).Should(Succeed())
	})

	It("is our label removed while nodes run: it is no outage, and put right with a read and a write", func() {
		brokenNode(mc)
		version, mark := mc.ResourceVersion, auditMark()
		deployment := deploymentOf(mc)
		Expect(get(deployment)).To(Succeed())
		delete(deployment.Labels, cachev1alpha1.LabelManagedBy)
		Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
		Eventually(func() []string { return requests(namespace, mark) }).Should(Equal([]string{"get deployments 200", "patch deployments 200"}))
		Expect(get(mc)).To(Succeed())
		Expect(mc.ResourceVersion).To(Equal(version))
	})

	It("is a deleted Deployment whose nodes were orphaned: it comes back and can adopt them", func() {
		Expect(k8sClient.Create(ctx, nodePod(mc, "node"))).To(Succeed())
		deployment := deploymentOf(mc)
		Expect(k8sClient.Delete(ctx, deployment)).To(Succeed())
		Eventually(func() error { return get(deployment) }).Should(Succeed())
	})

	It("is our label removed: the child, which the caches have lost, is put right with three requests", func() {
		for resource, child := range map[string]client.Object{"deployments": deploymentOf(mc), "services": serviceOf(mc)} {
			mark := auditMark()
			Expect(get(child)).To(Succeed())
			labels := child.GetLabels()
			delete(labels, cachev1alpha1.LabelManagedBy)
			child.SetLabels(labels)
			Expect(k8sClient.Update(ctx, child)).To(Succeed())
			Eventually(func() string { _ = get(child); return child.GetLabels()[cachev1alpha1.LabelManagedBy] }).
				Should(Equal(cachev1alpha1.ManagedBy))
			Eventually(func() []string { return childWrites(requests(namespace, mark)) }).
				Should(Equal([]string{"patch " + resource + " 409", "get " + resource + " 200", "patch " + resource + " 200"}))
		}
	})

	It("is not what others own: annotations, sidecars and labels stay, at no cost", func() {
		deployment := deploymentOf(mc)
		Expect(get(deployment)).To(Succeed())
		metav1.SetMetaDataLabel(&deployment.ObjectMeta, "argocd.argoproj.io/instance", "caches")
		deployment.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}
		deployment.Spec.Template.Spec.Containers = append(deployment.Spec.Template.Spec.Containers,
			corev1.Container{Name: "sidecar", Image: "proxy"})
		Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
		mark := auditMark()
		settle(mc)
		Consistently(func() []string { return childWrites(requests(namespace, mark)) }).WithTimeout(time.Second).Should(BeEmpty())
		Expect(get(deployment)).To(Succeed())
		Expect(deployment.Labels).To(HaveKey("argocd.argoproj.io/instance"))
		Expect(deployment.Spec.Template.Annotations).NotTo(BeEmpty())
		Expect(deployment.Spec.Template.Spec.Containers).To(HaveLen(2))
	})

	It("is put right beside what cannot be told apart: a sidecar that names a variable twice", func() {
		deployment := deploymentOf(mc)
		Expect(get(deployment)).To(Succeed())
		deployment.Spec.Template.Spec.Containers = append(deployment.Spec.Template.Spec.Containers, corev1.Container{
			Name: "sidecar", Image: "sidecar", Env: []corev1.EnvVar{{Name: "TWICE", Value: "1"}, {Name: "TWICE", Value: "2"}},
		})
		deployment.Spec.Replicas = new(int32)
		Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(get(deployment)).To(Succeed())
			g.Expect(deployment.Spec.Replicas).To(HaveValue(Equal(mc.Spec.Size)))
			g.Expect(deployment.Spec.Template.Spec.Containers).To(HaveLen(2))
		}).Should(Succeed())

		By("letting the resource go")
		Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
		stopNodes(mc)
		Eventually(func() error { return get(mc) }).Should(WithTransform(apierrors.IsNotFound, BeTrue()))
	})

	It("is a status or a finalizer that somebody else changed", func() {
		mc.Status.ReadyReplicas = 99
		Expect(k8sClient.Status().Update(ctx, mc)).To(Succeed())
		Eventually(func() int32 { _ = get(mc); return mc.Status.ReadyReplicas }).Should(BeEquivalentTo(2))
		Eventually(func(g Gomega) {
			g.Expect(get(mc)).To(Succeed())
			mc.Finalizers = nil
			g.Expect(k8sClient.Update(ctx, mc)).To(Succeed())
		}).Should(Succeed())
		Eventually(finalizersOf(mc)).Should(ContainElement(cachev1alpha1.Finalizer))
	})
})
