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
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	operatorsv2 "github.com/operator-framework/api/pkg/operators/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// report prints everything that OLM says of an installation, as it changes.
func (i *installation) report(ctx context.Context) {
	GinkgoHelper()
	begun := time.Now()
	for _, list := range []client.ObjectList{
		&operatorsv1alpha1.ClusterServiceVersionList{}, &operatorsv1alpha1.InstallPlanList{},
		&operatorsv1alpha1.SubscriptionList{}, &operatorsv2.OperatorConditionList{},
	} {
		watch, err := k8sClient.Watch(context.WithoutCancel(ctx), list, client.InNamespace(i.namespace))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(watch.Stop)
		go func() {
			said := map[string]string{}
			for event := range watch.ResultChan() {
				object, isObject := event.Object.(client.Object)
				if !isObject {
					continue
				}
				says := saying(event.Object)
				if event.Type == "DELETED" {
					says = "deleted"
				}
				if says != "" && said[object.GetName()] != says {
					said[object.GetName()] = says
					GinkgoWriter.Printf("%8s  %s: %s\n", since(begun), object.GetName(), says)
				}
			}
		}()
	}
}

// saying is the part of a status that people read.
func saying(object any) string {
	switch object := object.(type) {
	case *operatorsv1alpha1.ClusterServiceVersion:
		if object.Status.Phase == "" {
			return ""
		}
		return fmt.Sprintf("%s (%s) %s", object.Status.Phase, object.Status.Reason, object.Status.Message)
	case *operatorsv1alpha1.InstallPlan:
		return "InstallPlan " + string(object.Status.Phase) + trouble(object)
	case *operatorsv1alpha1.Subscription:
		if object.Status.State == "" {
			return ""
		}
		return fmt.Sprintf("Subscription %s, installed %s, current %s", object.Status.State, object.Status.InstalledCSV, object.Status.CurrentCSV)
	case *operatorsv2.OperatorCondition:
		if upgradeable := meta.FindStatusCondition(object.Status.Conditions, operatorsv2.Upgradeable); upgradeable != nil {
			return fmt.Sprintf("Upgradeable %s (%s) %s", upgradeable.Status, upgradeable.Reason, upgradeable.Message)
		}
	}
	return ""
}

// trouble is what an InstallPlan waits for, or failed with.
func trouble(plan *operatorsv1alpha1.InstallPlan) string {
	if n := len(plan.Status.Conditions); n > 0 && plan.Status.Phase == operatorsv1alpha1.InstallPlanPhaseFailed {
		return " " + plan.Status.Conditions[n-1].Message
	}
	for _, lookup := range plan.Status.BundleLookups {
		for _, condition := range lookup.Conditions {
			if condition.Status == corev1.ConditionTrue {
				return fmt.Sprintf(" %s (%s) %s", condition.Type, condition.Reason, condition.Message)
			}
		}
	}
	return ""
}

// What can be seen of a failure is gone with the cleanup.
var _ = AfterEach(func() {
	if !CurrentSpecReport().Failed() {
		return
	}
	for _, look := range [][]string{
		{"get", "pods,jobs,catalogsources,subscriptions,installplans,csv,memcacheds", "--all-namespaces", "--ignore-not-found"},
		{"get", "subscriptions", "--all-namespaces", "-o", "jsonpath={.items[*].status.conditions}"},
		{"logs", "-n", olmNamespace, "deployment/catalog-operator", "--tail=20"},
		{"logs", "-n", olmNamespace, "deployment/olm-operator", "--tail=20"},
	} {
		said, _ := try("kubectl", look...)
		GinkgoWriter.Printf("kubectl %v:\n%s\n", look, said)
	}
})
