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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

var _ = Describe("A foreign object of a child's name", func() {
	var mc *cachev1alpha1.Memcached
	var foreign map[string]client.Object
	BeforeEach(func() {
		mc = &cachev1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: newNamespace(), Name: "cache"}}
		meta := metav1.ObjectMeta{Namespace: mc.Namespace, Name: mc.Name, Labels: map[string]string{"team": "other"}}
		pods := map[string]string{"app": "other"}
		foreign = map[string]client.Object{
			"Deployment": &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
				Selector: &metav1.LabelSelector{MatchLabels: pods},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: pods},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "other", Image: "other"}}},
				},
			}},
			"Service": &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{
				Selector: pods, Ports: []corev1.ServicePort{{Port: 80}},
			}},
		}
	})

	for _, kind := range []string{"Deployment", "Service"} {
		It("that was there before, a "+kind+", is never touched; once it is gone the cache comes up", func() {
			object := foreign[kind]
			Expect(k8sClient.Create(ctx, object)).To(Succeed())
			version := object.GetResourceVersion()
			Expect(k8sClient.Create(ctx, mc)).To(Succeed())
			Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(And(
				BeTrueFor(cachev1alpha1.ReasonNameConflict), HaveField("Message", ContainSubstring(kind+" "+mc.Namespace+"/cache"))))
			Expect(conditionOf(mc, cachev1alpha1.ConditionProgressing)()).To(BeFalseFor(cachev1alpha1.ReasonNameConflict))
			Eventually(eventReasons(mc)).Should(ContainElement("NameConflict"))

			statusVersion := mc.ResourceVersion
			Consistently(func() string { _ = get(mc); return mc.ResourceVersion }).WithTimeout(time.Second).Should(Equal(statusVersion))
			Expect(get(object)).To(Succeed())
			Expect(object.GetResourceVersion()).To(Equal(version))

			Expect(k8sClient.Delete(ctx, object)).To(Succeed())
			settle(mc)
		})

		It("that took the place of ours, a "+kind+", is never touched", func() {
			Expect(k8sClient.Create(ctx, mc)).To(Succeed())
			settle(mc)
			object := foreign[kind]
			var version string
			Eventually(func() error { // the operator may be faster than we
				ours := object.DeepCopyObject().(client.Object)
				if err := k8sClient.Delete(ctx, ours); err != nil {
					return err
				}
				created := object.DeepCopyObject().(client.Object)
				err := k8sClient.Create(ctx, created)
				version = created.GetResourceVersion()
				return err
			}).WithPolling(time.Millisecond).Should(Succeed())
			Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonNameConflict))
			Expect(get(object)).To(Succeed())
			Expect(object.GetResourceVersion()).To(Equal(version))
		})

		It("that was ours until its owner reference was removed, a "+kind+", is not taken back", func() {
			Expect(k8sClient.Create(ctx, mc)).To(Succeed())
			settle(mc)
			object := foreign[kind]
			Expect(get(object)).To(Succeed())
			object.SetOwnerReferences(nil)
			Expect(k8sClient.Update(ctx, object)).To(Succeed())
			version := object.GetResourceVersion()
			Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonNameConflict))
			Expect(get(object)).To(Succeed())
			Expect(object.GetResourceVersion()).To(Equal(version))

			By("seeing at once when it is gone, because it still carries our label")
			Expect(k8sClient.Delete(ctx, object)).To(Succeed())
			settle(mc)
		})
	}

	It("does not keep the resource from being deleted, and survives it", func() {
		object := foreign["Deployment"]
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		Expect(k8sClient.Create(ctx, mc)).To(Succeed())
		Eventually(conditionOf(mc, cachev1alpha1.ConditionDegraded)).Should(BeTrueFor(cachev1alpha1.ReasonNameConflict))
		Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
		Eventually(func() bool { return apierrors.IsNotFound(get(mc)) }).Should(BeTrue())
		Expect(get(object)).To(Succeed())
	})

	// Undocumented behaviour of the API server that creation relies on.
	It("is safe from an apply with resourceVersion 1, which creates what is absent and conflicts with what is present", func() {
		apply := corev1ac.Service(mc.Name, mc.Namespace).WithResourceVersion("1").
			WithSpec(corev1ac.ServiceSpec().WithPorts(corev1ac.ServicePort().WithPort(1)))
		Expect(k8sClient.Create(ctx, foreign["Service"])).To(Succeed())
		Expect(apierrors.IsConflict(k8sClient.Apply(ctx, apply, fieldOwner, client.ForceOwnership))).To(BeTrue())
		Expect(k8sClient.Delete(ctx, foreign["Service"])).To(Succeed())
		Expect(k8sClient.Apply(ctx, apply, fieldOwner)).To(Succeed())
	})
})
