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

// promise is within how long a failure shows; tests wait six times as long.
const promise = 10 * time.Second

var _ = Describe("A failing node", func() {
	DescribeTable("shows with its reason, costs no writes while it lasts, and mends",
		func(ctx SpecContext, reason, patch string) {
			namespace := newNamespace(ctx)
			repair := patchPods(ctx, namespace, patch)
			mc := newMemcached(ctx, namespace, 1)
			started := time.Now()
			Eventually(conditionOf(ctx, mc, cachev1alpha1.ConditionDegraded)).WithTimeout(6 * promise).Should(BeTrueFor(reason))
			GinkgoWriter.Printf("%s showed after %s\n", reason, time.Since(started).Round(time.Millisecond))
			Expect(conditionOf(ctx, mc, cachev1alpha1.ConditionAvailable)()).To(HaveField("Status", metav1.ConditionFalse))
			Expect(conditionOf(ctx, mc, cachev1alpha1.ConditionReady)()).To(HaveField("Reason", reason))

			// The pod may have told before the Deployment counted it.
			Eventually(func() int32 { _ = get(ctx, mc); return mc.Status.Replicas }).Should(BeEquivalentTo(1))
			// The kubelet goes on reporting its back-off; the status stands.
			version := mc.ResourceVersion
			Consistently(func() string { _ = get(ctx, mc); return mc.ResourceVersion }).WithTimeout(10 * time.Second).Should(Equal(version))

			repair()
			kubectl("delete", "pods", "--all", "-n", namespace, "--wait=false")
			waitReady(ctx, mc)
			Expect(conditionOf(ctx, mc, cachev1alpha1.ConditionDegraded)()).To(HaveField("Status", metav1.ConditionFalse))
			expectServing(ctx, mc, 1)
		},
		// memcached 1.6 reads this as no memory at all, and refuses to start.
		Entry("that crashes", cachev1alpha1.ReasonCrashLoop,
			`[JSONPatch{op: "replace", path: "/spec/containers/0/command", value: ["memcached", "-m=64", "-o", "modern"]}]`),
		Entry("whose image cannot be pulled", cachev1alpha1.ReasonImagePullFailed,
			`[JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "127.0.0.1:1/memcached:none"}]`),
		Entry("that no machine can take", cachev1alpha1.ReasonUnschedulable,
			`[JSONPatch{op: "add", path: "/spec/nodeSelector", value: {"no-such": "machine"}}]`),
	)

	It("that never accepts connections is not available, whatever its Deployment says", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		patchPods(ctx, namespace, `[
			JSONPatch{op: "replace", path: "/spec/terminationGracePeriodSeconds", value: 1},
			JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "docker.io/library/busybox:1.37"},
			JSONPatch{op: "replace", path: "/spec/containers/0/command", value: ["sleep", "3600"]}]`)
		mc := newMemcached(ctx, namespace, 1)
		deployment := deploymentOf(mc)
		Eventually(func() []appsv1.DeploymentCondition { _ = get(ctx, deployment); return deployment.Status.Conditions }).
			Should(ContainElement(And(HaveField("Type", appsv1.DeploymentAvailable), HaveField("Status", corev1.ConditionTrue))))
		Eventually(func() int32 { _ = get(ctx, mc); return mc.Status.Replicas }).Should(BeEquivalentTo(1))
		Expect(conditionOf(ctx, mc, cachev1alpha1.ConditionAvailable)()).To(HaveField("Status", metav1.ConditionFalse))
		Expect(conditionOf(ctx, mc, cachev1alpha1.ConditionProgressing)()).To(BeTrueFor(cachev1alpha1.ReasonWaitingForNodes))
	})

	It("that a quota keeps away shows, and comes when there is room", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "memory"},
			Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceLimitsMemory: resource.MustParse("140Mi")}}}
		Expect(k8sClient.Create(ctx, quota)).To(Succeed())
		Eventually(func() corev1.ResourceList { _ = get(ctx, quota); return quota.Status.Hard }).ShouldNot(BeEmpty())
		mc := newMemcached(ctx, namespace, 2)
		Eventually(conditionOf(ctx, mc, cachev1alpha1.ConditionDegraded)).WithTimeout(6 * promise).Should(And(
			BeTrueFor(cachev1alpha1.ReasonQuotaExceeded), HaveField("Message", ContainSubstring("exceeded quota: memory"))))
		Eventually(conditionOf(ctx, mc, cachev1alpha1.ConditionAvailable)).Should(BeTrueFor(cachev1alpha1.ReasonMinimumNodesReady))
		Expect(k8sClient.Delete(ctx, quota)).To(Succeed())
		// The ReplicaSet's controller tries again with a back-off of its own.
		Eventually(conditionOf(ctx, mc, cachev1alpha1.ConditionReady)).WithTimeout(3 * time.Minute).
			Should(BeTrueFor(cachev1alpha1.ReasonAllNodesReady))
	})
})

// patchPods has the API server change each new pod of a namespace, and returns
// how to end that.
func patchPods(ctx context.Context, namespace, patch string) (repair func()) {
	GinkgoHelper()
	fail := admissionregistrationv1.Fail
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			FailurePolicy:      &fail,
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				}}}},
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType: admissionregistrationv1.PatchTypeJSONPatch,
				JSONPatch: &admissionregistrationv1.JSONPatch{Expression: patch},
			}},
		},
	}
	binding := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{
			PolicyName: namespace,
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}},
		},
	}
	repair = func() {
		for _, object := range []client.Object{policy, binding} {
			Expect(client.IgnoreNotFound(k8sClient.Delete(context.WithoutCancel(ctx), object))).To(Succeed())
		}
		Eventually(func() bool { return patched(context.WithoutCancel(ctx), namespace) }).Should(BeFalse())
	}
	for _, object := range []client.Object{policy, binding} {
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
	}
	DeferCleanup(repair)
	Eventually(func() bool { return patched(ctx, namespace) }).Should(BeTrue(), "the policy takes effect")
	return repair
}

// patched tells whether a pod like a node would be changed, without making it.
func patched(ctx context.Context, namespace string) bool {
	nobody, no, yes := int64(1000), false, true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "probe"},
		Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: &yes, RunAsUser: &nobody,
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{Name: "probe", Image: "probe", Command: []string{"probe"}, SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: &no, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}}},
		},
	}
	if k8sClient.Create(ctx, pod, client.DryRunAll) != nil {
		return false
	}
	return pod.Spec.Containers[0].Command[0] != "probe" || pod.Spec.Containers[0].Image != "probe" || pod.Spec.NodeSelector != nil ||
		pod.Spec.TerminationGracePeriodSeconds != nil && *pod.Spec.TerminationGracePeriodSeconds != 30
}
