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

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// These play the kubelet and the controllers, because what is asked here is
// what the operator makes of their reports. test/e2e has the real ones.
var _ = Describe("A failure", func() {
	var namespace string
	BeforeEach(func() { namespace = newNamespace() })

	waiting := func(reason string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "memcached", Image: testImage, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "back-off 10s " + reason}}}
	}
	crashed := func(restarts int32, state corev1.ContainerState) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "memcached", Image: testImage, RestartCount: restarts, State: state,
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 64, Reason: "Error"}}}
	}

	DescribeTable("of a node shows, costs no writes while it lasts, and goes when the node is ready",
		func(reason, message string, reports ...corev1.ContainerStatus) {
			mc := settledMemcached(namespace, 1)
			pod := nodePod(mc, "node")
			Expect(k8sClient.Create(ctx, pod)).To(Succeed())
			show := func(report corev1.ContainerStatus) {
				Expect(get(pod)).To(Succeed())
				pod.Status.ContainerStatuses = []corev1.ContainerStatus{report}
				Expect(k8sClient.Status().Update(ctx, pod)).To(Succeed())
			}
			show(reports[0])
			Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(And(
				BeTrueFor(reason), HaveField("Message", ContainSubstring(message))))
			Expect(conditionOf(mc, cachev1alpha1.ConditionReady)()).To(BeFalseFor(reason))

			mark := auditMark()
			for range 3 {
				for _, report := range reports {
					show(report)
					time.Sleep(50 * time.Millisecond)
				}
			}
			Consistently(func() []string { return requests(namespace, mark) }).WithTimeout(time.Second / 2).Should(BeEmpty())

			show(corev1.ContainerStatus{Name: "memcached", Image: testImage, RestartCount: 7, Ready: true,
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
			Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeFalseFor(cachev1alpha1.ReasonAsExpected))
		},
		Entry("an image that cannot be pulled", cachev1alpha1.ReasonImagePullFailed, testImage,
			waiting("ErrImagePull"), waiting("ImagePullBackOff")),
		Entry("a container that cannot be made", cachev1alpha1.ReasonContainerStartFailed, "cannot be started",
			waiting("CreateContainerError"), waiting("CreateContainerConfigError")),
		Entry("a crash loop", cachev1alpha1.ReasonCrashLoop, "exit code 64 (Error)",
			crashed(1, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 10s"}}),
			crashed(2, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}),
			crashed(3, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 64, Reason: "Error"}})),
	)

	It("to schedule a node shows", func() {
		mc := settledMemcached(namespace, 1)
		pod := nodePod(mc, "node")
		pod.Spec.NodeName = ""
		Expect(k8sClient.Create(ctx, pod)).To(Succeed())
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: corev1.PodReasonUnschedulable, Message: "0/1 nodes are available"}}
		Expect(k8sClient.Status().Update(ctx, pod)).To(Succeed())
		Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonUnschedulable))
	})

	It("to create nodes shows without what moves in its message", func() {
		mc := settledMemcached(namespace, 1)
		deployment := deploymentOf(mc)
		for _, message := range []string{
			`pods "cache-5d4f-abcde" is forbidden: exceeded quota: tight, requested: limits.memory=140Mi, used: limits.memory=1Gi, limited: limits.memory=1Gi`,
			`pods "cache-5d4f-fghij" is forbidden: exceeded quota: tight, requested: limits.memory=140Mi, used: limits.memory=900Mi, limited: limits.memory=1Gi`,
		} {
			Expect(get(deployment)).To(Succeed())
			deployment.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentReplicaFailure,
				Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: message}}
			Expect(k8sClient.Status().Update(ctx, deployment)).To(Succeed())
			Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(And(
				BeTrueFor(cachev1alpha1.ReasonQuotaExceeded),
				HaveField("Message", "create pod: exceeded quota: tight, requested: limits.memory=140Mi, limited: limits.memory=1Gi")))
		}
	})

	It("of a quota on Deployments shows, and passes with the quota", func() {
		quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "none"},
			Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/deployments.apps": resource.MustParse("0")}}}
		Expect(k8sClient.Create(ctx, quota)).To(Succeed())
		quota.Status = corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard, Used: quota.Spec.Hard} // as its controller does
		Expect(k8sClient.Status().Update(ctx, quota)).To(Succeed())
		mc := newMemcached(namespace, 1)
		Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonQuotaExceeded))
		Expect(get(serviceOf(mc))).To(Succeed(), "one child's failure does not keep the other away")
		Expect(k8sClient.Delete(ctx, quota)).To(Succeed())
		settle(mc)
	})

	It("of an admission policy shows, is tried again less and less often, and passes with the policy", func() {
		policy := denyDeployments(namespace)
		mc := newMemcached(namespace, 1)
		Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonAdmissionDenied))
		Expect(mc.Status.Conditions).To(ContainElement(HaveField("Message", ContainSubstring("no Deployments here"))))

		mark, version := auditMark(), mc.ResourceVersion
		Consistently(func() int { return len(requests(namespace, mark)) }).WithTimeout(5 * time.Second).Should(BeNumerically("<=", 14))
		Expect(get(mc)).To(Succeed())
		Expect(mc.ResourceVersion).To(Equal(version))
		for _, object := range policy {
			Expect(k8sClient.Delete(ctx, object)).To(Succeed())
		}
		deployment := deploymentOf(mc)
		Eventually(func() error { return get(deployment) }).WithTimeout(3 * time.Minute).Should(Succeed())
		settle(mc)
	})

	It("of the Deployment's deadline shows when nothing better is known", func() {
		mc := settledMemcached(namespace, 1)
		deployment := deploymentOf(mc)
		Expect(get(deployment)).To(Succeed())
		deployment.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing,
			Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}}
		Expect(k8sClient.Status().Update(ctx, deployment)).To(Succeed())
		Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonProgressDeadlineExceeded))
	})

	It("to keep enough nodes shows as Available=False, and the Deployment's own opinion does not count", func() {
		mc := settledMemcached(namespace, 3)
		deployment := deploymentOf(mc)
		for ready, available := range map[int32]metav1.ConditionStatus{2: metav1.ConditionTrue, 1: metav1.ConditionFalse} {
			Eventually(func(g Gomega) {
				g.Expect(get(deployment)).To(Succeed())
				deployment.Status.ReadyReplicas, deployment.Status.AvailableReplicas = ready, ready
				deployment.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"}}
				g.Expect(k8sClient.Status().Update(ctx, deployment)).To(Succeed())
			}).Should(Succeed())
			Eventually(conditionOf(mc, cachev1alpha1.ConditionAvailable)).Should(HaveField("Status", available))
			Eventually(conditionOf(mc, cachev1alpha1.ConditionReady)).Should(BeFalseFor(cachev1alpha1.ReasonWaitingForNodes))
		}
	})
})

// denyDeployments makes a policy that denies Deployments in a namespace, and
// waits until it is enforced.
func denyDeployments(namespace string) []client.Object {
	GinkgoHelper()
	matches := &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
		RuleWithOperations: admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
		}}}}
	objects := []client.Object{
		&admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: namespace},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: matches,
				Validations:      []admissionregistrationv1.Validation{{Expression: "false", Message: "no Deployments here"}},
			}},
		&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: namespace},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: namespace, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
				MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
					MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}},
			}},
	}
	for _, object := range objects {
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
	}
	probe := deploymentOf(&cachev1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "probe"}})
	probe.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "probe"}}
	probe.Spec.Template.Labels = probe.Spec.Selector.MatchLabels
	probe.Spec.Template.Spec.Containers = []corev1.Container{{Name: "probe", Image: "probe"}}
	Eventually(func() error {
		return k8sClient.Create(ctx, probe.DeepCopy(), client.DryRunAll)
	}).Should(MatchError(ContainSubstring("no Deployments here")))
	return objects
}
