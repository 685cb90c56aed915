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
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1 "github.com/operator-framework/api/pkg/operators/v1"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// installation is a Subscription and the namespace it is in.
type installation struct {
	namespace string
	catalog   *catalog
	approval  operatorsv1alpha1.Approval
	// startingCSV is the version to begin with, where that is not the newest.
	startingCSV string
}

// subscribe asks OLM for the operator, for target namespaces or, where none is
// given, for all. The namespace of its own is one of them where own is true.
func subscribe(ctx context.Context, c *catalog, approval operatorsv1alpha1.Approval, own bool, targets ...string) *installation {
	GinkgoHelper()
	i := &installation{namespace: newNamespace(ctx), catalog: c, approval: approval}
	if own {
		targets = append(targets, i.namespace)
	}
	Expect(k8sClient.Create(ctx, &operatorsv1.OperatorGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "group"},
		Spec:       operatorsv1.OperatorGroupSpec{TargetNamespaces: targets},
	})).To(Succeed())
	i.report(ctx)
	i.subscribe(ctx)
	DeferCleanup(removeEverything)
	return i
}

func (i *installation) subscribe(ctx context.Context) {
	GinkgoHelper()
	Expect(k8sClient.Create(ctx, &operatorsv1alpha1.Subscription{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: packageName},
		Spec: &operatorsv1alpha1.SubscriptionSpec{
			CatalogSource: i.catalog.name, CatalogSourceNamespace: olmNamespace,
			Package: packageName, Channel: channel, InstallPlanApproval: i.approval, StartingCSV: i.startingCSV,
		},
	})).To(Succeed())
}

// installed subscribes for all namespaces and waits for the first version.
func installed(ctx context.Context, c *catalog, approval operatorsv1alpha1.Approval) *installation {
	GinkgoHelper()
	i := subscribe(ctx, c, approval, false)
	if approval == operatorsv1alpha1.ApprovalManual {
		i.approve(ctx, first)
	}
	i.succeeded(ctx, first)
	return i
}

// csv returns a poll for what OLM says of a version.
func (i *installation) csv(ctx context.Context, b bundle) func() operatorsv1alpha1.ClusterServiceVersionStatus {
	return func() operatorsv1alpha1.ClusterServiceVersionStatus {
		csv := &operatorsv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: b.csv.Name}}
		_ = get(ctx, csv)
		return csv.Status
	}
}

// succeeded waits until OLM is content with a version and its operator is ready.
func (i *installation) succeeded(ctx context.Context, b bundle) {
	GinkgoHelper()
	begun := time.Now()
	Eventually(func() (operatorsv1alpha1.ClusterServiceVersionPhase, error) {
		status := i.csv(ctx, b)()
		if status.Phase == operatorsv1alpha1.CSVPhaseFailed && status.Reason != operatorsv1alpha1.CSVReasonComponentUnhealthy {
			return status.Phase, StopTrying(fmt.Sprintf("OLM gave up: %s: %s", status.Reason, status.Message))
		}
		return status.Phase, nil
	}).WithTimeout(4 * time.Minute).Should(Equal(operatorsv1alpha1.CSVPhaseSucceeded))
	deployment := i.deployment()
	Expect(get(ctx, deployment)).To(Succeed())
	Expect(deployment.Status.ReadyReplicas).To(BeEquivalentTo(1))
	Expect(deployment.Spec.Template.Spec.Containers[0].Image).To(Equal(b.image()))
	GinkgoWriter.Printf("%s Succeeded after %s\n", b.csv.Name, since(begun))
}

func (i *installation) deployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: first.deploymentName()}}
}

// operators returns the operator's pods that nobody has told to stop.
func (i *installation) operators(ctx context.Context) []corev1.Pod {
	GinkgoHelper()
	var pods corev1.PodList
	Expect(k8sClient.List(ctx, &pods, client.InNamespace(i.namespace), client.HasLabels{"control-plane"})).To(Succeed())
	var active []corev1.Pod
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp.IsZero() {
			active = append(active, pod)
		}
	}
	return active
}

// plan waits for the InstallPlan that the Subscription names for a version. OLM
// sometimes makes two; only that one counts.
func (i *installation) plan(ctx context.Context, b bundle) *operatorsv1alpha1.InstallPlan {
	GinkgoHelper()
	subscription := &operatorsv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: packageName}}
	plan := &operatorsv1alpha1.InstallPlan{}
	Eventually(func() (string, error) {
		if err := get(ctx, subscription); err != nil {
			return "", err
		}
		if subscription.Status.InstallPlanRef == nil || subscription.Status.CurrentCSV != b.csv.Name {
			return "", fmt.Errorf("the Subscription names no InstallPlan for %s", b.csv.Name)
		}
		plan.Namespace, plan.Name = i.namespace, subscription.Status.InstallPlanRef.Name
		err := get(ctx, plan)
		return strings.Join(plan.Spec.ClusterServiceVersionNames, " "), err
	}).WithTimeout(2 * time.Minute).Should(Equal(b.csv.Name))
	return plan
}

// approve does what an administrator does where approval is manual.
func (i *installation) approve(ctx context.Context, b bundle) {
	GinkgoHelper()
	plan := i.plan(ctx, b)
	Eventually(func() operatorsv1alpha1.InstallPlanPhase { _ = get(ctx, plan); return plan.Status.Phase }).
		Should(Equal(operatorsv1alpha1.InstallPlanPhaseRequiresApproval))
	kubectl("patch", "installplan", plan.Name, "-n", i.namespace, "--type=merge", `-p={"spec":{"approved":true}}`)
}
