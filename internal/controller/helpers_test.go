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
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	gomegatypes "github.com/onsi/gomega/types"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
)

// newNamespace makes a namespace of a test's own.
func newNamespace() string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}

// newMemcached creates a Memcached called cache.
func newMemcached(namespace string, size int32) *cachev1alpha1.Memcached {
	GinkgoHelper()
	mc := &cachev1alpha1.Memcached{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cache"},
		Spec:       cachev1alpha1.MemcachedSpec{Size: size},
	}
	Expect(k8sClient.Create(ctx, mc)).To(Succeed())
	return mc
}

// settledMemcached creates a Memcached and plays the Deployment's controller
// until it is ready.
func settledMemcached(namespace string, size int32) *cachev1alpha1.Memcached {
	GinkgoHelper()
	mc := newMemcached(namespace, size)
	settle(mc)
	return mc
}

// settle plays the Deployment's controller: all nodes of the present generation
// become ready in one step.
func settle(mc *cachev1alpha1.Memcached) {
	GinkgoHelper()
	deployment := deploymentOf(mc)
	Eventually(func(g Gomega) {
		g.Expect(get(mc)).To(Succeed())
		g.Expect(mc.Status.ObservedGeneration).To(Equal(mc.Generation), "the operator has not come round yet")
		g.Expect(get(deployment)).To(Succeed())
		g.Expect(deployment.Spec.Replicas).To(HaveValue(Equal(mc.Spec.Size)))
		size := *deployment.Spec.Replicas
		deployment.Status = appsv1.DeploymentStatus{
			ObservedGeneration: deployment.Generation,
			Replicas:           size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size,
		}
		g.Expect(k8sClient.Status().Update(ctx, deployment)).To(Succeed())
	}).Should(Succeed())
	Eventually(conditionOf(mc, cachev1alpha1.ConditionReady)).Should(BeTrueFor(cachev1alpha1.ReasonAllNodesReady))
}

// stopNodes plays garbage collection for a Deployment that is being deleted in
// the foreground and whose nodes have stopped.
func stopNodes(mc *cachev1alpha1.Memcached) {
	GinkgoHelper()
	deployment := deploymentOf(mc)
	Eventually(func(g Gomega) {
		g.Expect(get(deployment)).To(Succeed())
		g.Expect(deployment.DeletionTimestamp).NotTo(BeNil())
		deployment.Finalizers = nil
		g.Expect(k8sClient.Update(ctx, deployment)).To(Succeed())
	}).Should(Succeed())
}

func get(object client.Object) error {
	return k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)
}

// finalizersOf returns a poll for an object's finalizers; none when it is gone.
func finalizersOf(object client.Object) func() []string {
	return func() []string {
		if get(object) != nil {
			return nil
		}
		return object.GetFinalizers()
	}
}

func deploymentOf(mc *cachev1alpha1.Memcached) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: mc.Namespace, Name: mc.Name}}
}

func serviceOf(mc *cachev1alpha1.Memcached) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: mc.Namespace, Name: mc.Name}}
}

// nodePod is a pod of mc, bound to a machine, that grants a second to stop.
func nodePod(mc *cachev1alpha1.Memcached, name string) *corev1.Pod {
	second := int64(1)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: mc.Namespace, Name: name, Labels: resources.Selector(mc.Name),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "cache", UID: "1", Controller: new(true)}},
		},
		Spec: corev1.PodSpec{
			NodeName: "machine", TerminationGracePeriodSeconds: &second,
			Containers: []corev1.Container{{Name: "memcached", Image: testImage}},
		},
	}
}

// brokenNode makes a pod of mc that cannot pull its image, and waits until the
// operator says so: from then on it is known to have seen the node.
func brokenNode(mc *cachev1alpha1.Memcached) *corev1.Pod {
	GinkgoHelper()
	pod := nodePod(mc, "node")
	Expect(k8sClient.Create(ctx, pod)).To(Succeed())
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "memcached", Image: testImage,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}}}
	Expect(k8sClient.Status().Update(ctx, pod)).To(Succeed())
	Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonImagePullFailed))
	return pod
}

// conditionOf returns a poll for one of mc's conditions.
func conditionOf(mc *cachev1alpha1.Memcached, conditionType string) func() (metav1.Condition, error) {
	return func() (metav1.Condition, error) {
		if err := get(mc); err != nil {
			return metav1.Condition{}, err
		}
		condition := meta.FindStatusCondition(mc.Status.Conditions, conditionType)
		if condition == nil {
			return metav1.Condition{}, fmt.Errorf("condition %s is not set", conditionType)
		}
		if condition.ObservedGeneration != mc.Generation {
			return metav1.Condition{}, fmt.Errorf("condition %s speaks of generation %d, not %d",
				conditionType, condition.ObservedGeneration, mc.Generation)
		}
		return *condition, nil
	}
}

// BeTrueFor matches a condition that is True for a reason.
func BeTrueFor(reason string) gomegatypes.GomegaMatcher {
	return And(HaveField("Status", metav1.ConditionTrue), HaveField("Reason", reason))
}

// BeFalseFor matches a condition that is False for a reason.
func BeFalseFor(reason string) gomegatypes.GomegaMatcher {
	return And(HaveField("Status", metav1.ConditionFalse), HaveField("Reason", reason))
}

// eventReasons returns a poll for the reasons of the events about mc.
func eventReasons(mc *cachev1alpha1.Memcached) func() ([]string, error) {
	return func() ([]string, error) {
		var list corev1.EventList
		err := k8sClient.List(ctx, &list, client.InNamespace(mc.Namespace))
		var reasons []string
		for i := range list.Items {
			if list.Items[i].InvolvedObject.UID == mc.UID {
				reasons = append(reasons, list.Items[i].Reason)
			}
		}
		return reasons, err
	}
}
