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
	"errors"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	apiv2 "github.com/operator-framework/api/pkg/operators/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const (
	// shortQuiet is the quiet time of tests that wait for it, longQuiet of
	// those that must not depend on it.
	shortQuiet, longQuiet = 3 * time.Second, time.Hour

	conditionName = "memcached-operator.v0.0.1"
)

var _ = Describe("Upgradeable", func() {
	var namespace string
	var requests *traffic

	BeforeEach(func() {
		namespace = newNamespace()
		GinkgoT().Setenv("OPERATOR_CONDITION_NAME", conditionName)
		Expect(k8sClient.Create(ctx, operatorCondition(namespace))).To(Succeed())
		grantAsOLMDoes(namespace)
		requests = &traffic{resource: "operatorconditions"}
	})

	start := func(quiet time.Duration) func() error {
		GinkgoHelper()
		return startManager(requests.of(operatorConfig), watching(namespace), func(mgr ctrl.Manager) {
			upgradeable, err := NewUpgradeable(mgr)
			Expect(err).NotTo(HaveOccurred())
			upgradeable.Quiet = quiet
			Expect(upgradeable.SetupWithManager(mgr)).To(Succeed())
		})
	}

	It("is False as soon as a rollout starts, and True when all has been quiet", func() {
		mc := newMemcached(namespace, "cache")
		report(mc, metav1.ConditionFalse, cachev1alpha1.ReasonSettled)
		start(shortQuiet)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionTrue))

		began := time.Now()
		report(mc, metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut)
		Eventually(upgradeable(namespace)).Should(And(
			HaveField("Status", metav1.ConditionFalse), HaveField("Reason", "WorkInProgress"), HaveField("Message", Not(BeEmpty()))))
		AddReportEntry("False after", time.Since(began).String())

		settledAt := time.Now()
		report(mc, metav1.ConditionFalse, cachev1alpha1.ReasonSettled)
		Eventually(upgradeable(namespace)).Should(And(
			HaveField("Status", metav1.ConditionTrue), HaveField("Reason", "NothingInProgress"), HaveField("Message", Not(BeEmpty()))))
		Expect(time.Since(settledAt)).To(BeNumerically(">=", shortQuiet))
		AddReportEntry("True after", time.Since(settledAt).String())
	})

	It("stays False while one rollout follows another", func() {
		mc := newMemcached(namespace, "cache")
		start(shortQuiet)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionTrue))
		for range 4 {
			report(mc, metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut)
			Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionFalse))
			report(mc, metav1.ConditionFalse, cachev1alpha1.ReasonSettled)
			Consistently(upgradeable(namespace), shortQuiet/6).Should(HaveField("Status", metav1.ConditionFalse))
		}
		Expect(requests.count(http.MethodPut, http.MethodPatch)).To(Equal(2), "one write each for True and False")
	})

	It("is False during a finalization", func() {
		mc := newMemcached(namespace, "cache", cachev1alpha1.Finalizer)
		start(longQuiet)
		Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
		report(mc, metav1.ConditionTrue, cachev1alpha1.ReasonFinalizing)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionFalse))
	})

	It("is not held up by a Memcached that is Degraded", func() {
		mc := newMemcached(namespace, "cache")
		report(mc, metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut)
		start(shortQuiet)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionFalse))
		report(mc, metav1.ConditionFalse, cachev1alpha1.ReasonImagePullFailed)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionTrue))
	})

	It("becomes True although the last Memcached went while no operator ran", func() {
		tellOLM(namespace, metav1.ConditionFalse)
		start(shortQuiet)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionTrue))
	})

	DescribeTable("is read once and not written by an operator that finds it as it should be",
		func(status, work metav1.ConditionStatus, reason string) {
			tellOLM(namespace, status)
			report(newMemcached(namespace, "cache"), work, reason)
			start(10 * time.Millisecond)
			Eventually(func() int { return requests.count(http.MethodGet) }).Should(Equal(1))
			report(newMemcached(namespace, "other"), work, reason)
			Consistently(func() int { return requests.count(http.MethodPut, http.MethodPatch) }).Should(BeZero())
			Expect(requests.count(http.MethodGet)).To(Equal(1))
		},
		Entry("True with nothing to do", metav1.ConditionTrue, metav1.ConditionFalse, cachev1alpha1.ReasonSettled),
		Entry("False with work in progress", metav1.ConditionFalse, metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut),
	)

	It("is left alone by an operator that restarts, until it knows better", func() {
		tellOLM(namespace, metav1.ConditionTrue)
		start(longQuiet)
		report(newMemcached(namespace, "cache"), metav1.ConditionFalse, cachev1alpha1.ReasonSettled)
		Consistently(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionTrue))
		Expect(requests.count(http.MethodPut, http.MethodPatch)).To(BeZero())
	})

	It("survives writers that come in between", func() {
		requests.before = func(method string, count int) error {
			if method == http.MethodPut && count < 2 {
				observeAsOLMDoes(namespace)
			}
			return nil
		}
		report(newMemcached(namespace, "cache"), metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut)
		start(longQuiet)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionFalse))
		Expect(requests.count(http.MethodPut)).To(Equal(3))
		Expect(requests.count(http.MethodGet)).To(Equal(4), "a look at the start, and one ahead of each write: no run failed")
	})

	It("is right after a write of which nobody knows whether it happened", func() {
		mc := newMemcached(namespace, "cache")
		tellOLM(namespace, metav1.ConditionTrue)
		requests.before = func(method string, count int) error {
			if method != http.MethodPut || count > 0 {
				return nil
			}
			tellOLM(namespace, metav1.ConditionFalse) // it did, and the answer is lost
			report(mc, metav1.ConditionFalse, cachev1alpha1.ReasonSettled)
			time.Sleep(100 * time.Millisecond) // for the manager to see it
			return errors.New("connection lost")
		}
		report(mc, metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut)
		start(10 * time.Millisecond)
		Eventually(func() int { return requests.count(http.MethodPut) }).Should(BeNumerically(">", 1))
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionTrue))
	})

	It("needs no more than OLM grants", func() {
		operator, err := client.New(operatorConfig, client.Options{})
		Expect(err).NotTo(HaveOccurred())
		err = operator.List(ctx, &apiv2.OperatorConditionList{}, client.InNamespace(namespace))
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "the user of all tests here may list: %v", err)
	})

	It("looks at the watched namespaces only", func() {
		report(newMemcached(newNamespace(), "elsewhere"), metav1.ConditionTrue, cachev1alpha1.ReasonRollingOut)
		runInPodOf(namespace)
		start(shortQuiet)
		Eventually(upgradeable(namespace)).Should(HaveField("Status", metav1.ConditionTrue))
	})
})
