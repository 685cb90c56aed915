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
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	apiv2 "github.com/operator-framework/api/pkg/operators/v2"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// watching limits a manager to one namespace.
func watching(namespace string) ctrl.Options {
	return ctrl.Options{Cache: cache.Options{
		ReaderFailOnMissingInformer: true,
		DefaultNamespaces:           map[string]cache.Config{namespace: {}},
	}}
}

func operatorCondition(namespace string) *apiv2.OperatorCondition {
	return &apiv2.OperatorCondition{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: conditionName}}
}

// grantAsOLMDoes gives the operator what OLM gives it on its OperatorCondition,
// and what the operator's own role gives it on Memcacheds.
func grantAsOLMDoes(namespace string) {
	GinkgoHelper()
	grant(namespace,
		rbacv1.PolicyRule{
			APIGroups: []string{"operators.coreos.com"}, Resources: []string{"operatorconditions"},
			ResourceNames: []string{conditionName}, Verbs: []string{"get", "update", "patch"},
		},
		rbacv1.PolicyRule{
			APIGroups: []string{"cache.example.com"}, Resources: []string{"memcacheds"}, Verbs: []string{"list", "watch"},
		})
}

// grant gives the operator a role in a namespace.
func grant(namespace string, rules ...rbacv1.PolicyRule) {
	GinkgoHelper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "operator"}, Rules: rules}
	Expect(k8sClient.Create(ctx, role)).To(Succeed())
	Expect(k8sClient.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: operatorUser}},
	})).To(Succeed())
}

func newMemcached(namespace, name string, finalizers ...string) *cachev1alpha1.Memcached {
	GinkgoHelper()
	mc := &cachev1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Finalizers: finalizers}}
	Expect(k8sClient.Create(ctx, mc)).To(Succeed())
	return mc
}

// report plays the controller of Memcacheds: it sets Progressing, and Degraded
// to go with it.
func report(mc *cachev1alpha1.Memcached, work metav1.ConditionStatus, reason string) {
	GinkgoHelper()
	trouble := metav1.Condition{Type: cachev1alpha1.ConditionDegraded, Status: metav1.ConditionTrue, Reason: reason}
	switch reason {
	case cachev1alpha1.ReasonSettled, cachev1alpha1.ReasonRollingOut:
		trouble.Status, trouble.Reason = metav1.ConditionFalse, cachev1alpha1.ReasonAsExpected
	}
	Eventually(func(g Gomega) {
		g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(mc), mc)).To(Succeed())
		meta.SetStatusCondition(&mc.Status.Conditions, trouble)
		meta.SetStatusCondition(&mc.Status.Conditions,
			metav1.Condition{Type: cachev1alpha1.ConditionProgressing, Status: work, Reason: reason})
		g.Expect(k8sClient.Status().Update(ctx, mc)).To(Succeed())
	}).Should(Succeed())
}

// upgradeable returns a poll for what OLM was told.
func upgradeable(namespace string) func() (metav1.Condition, error) {
	return func() (metav1.Condition, error) {
		object := operatorCondition(namespace)
		if err := k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return metav1.Condition{}, err
		}
		condition := meta.FindStatusCondition(object.Spec.Conditions, apiv2.Upgradeable)
		if condition == nil {
			return metav1.Condition{}, nil
		}
		return *condition, nil
	}
}

// tellOLM is what an earlier operator did.
func tellOLM(namespace string, status metav1.ConditionStatus) {
	GinkgoHelper()
	object := operatorCondition(namespace)
	Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
	meta.SetStatusCondition(&object.Spec.Conditions, metav1.Condition{Type: apiv2.Upgradeable, Status: status, Reason: "Earlier"})
	Expect(k8sClient.Update(ctx, object)).To(Succeed())
}

// observeAsOLMDoes writes the status of the OperatorCondition, something new
// each time.
func observeAsOLMDoes(namespace string) {
	GinkgoHelper()
	object := operatorCondition(namespace)
	Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
	object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{
		Type: "Observed" + object.ResourceVersion, Status: metav1.ConditionTrue, Reason: "Observed", LastTransitionTime: metav1.Now(),
	})
	Expect(k8sClient.Status().Update(ctx, object)).To(Succeed())
}
