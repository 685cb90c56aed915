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
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	operatorsv1 "github.com/operator-framework/api/pkg/operators/v1"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// uninstall removes the operator as docs/olm.md says: the Subscription, so that
// OLM does not bring it back, then the CSV, until the operator is gone.
func (i *installation) uninstall() {
	GinkgoHelper()
	begun := time.Now()
	kubectl("delete", "subscription", packageName, "-n", i.namespace)
	i.expectGone()
	GinkgoWriter.Printf("uninstalled after %s\n", since(begun))
}

// expectGone deletes the CSV and expects that nothing of the operator stays in its
// namespace. If OLM is still busy with the InstallPlan, it makes the CSV once more.
func (i *installation) expectGone() {
	GinkgoHelper()
	Eventually(func() string {
		kubectl("delete", "csv", "--all", "-n", i.namespace)
		return kubectl("get", "deployments,pods,serviceaccounts,roles,rolebindings,services,secrets,operatorconditions", "-n", i.namespace, "-o", "name")
	}).Should(Equal("serviceaccount/default"), "OLM takes the operator away")
}

// removeEverything leaves the node as if the operator had never been there,
// whatever state a test left it in.
func removeEverything(ctx context.Context) {
	GinkgoHelper()
	_, _ = try("kubectl", "delete", "memcacheds", "--all", "--all-namespaces", "--timeout=20s")
	letGo(ctx)
	var namespaces corev1.NamespaceList
	Expect(k8sClient.List(ctx, &namespaces, client.HasLabels{namespaceLabel})).To(Succeed())
	for _, namespace := range namespaces.Items {
		for _, kind := range []client.Object{&operatorsv1alpha1.Subscription{}, &operatorsv1alpha1.ClusterServiceVersion{}, &operatorsv1.OperatorGroup{}} {
			Expect(k8sClient.DeleteAllOf(ctx, kind, client.InNamespace(namespace.Name))).To(Succeed())
		}
	}
	kubectl("delete", "crd", crdName, "--ignore-not-found", "--timeout=1m")
	kubectl("delete", "namespaces", "-l", namespaceLabel, "--wait=false") // what is in them is of no consequence now
	Eventually(func() []string {
		kubectl("delete", "operators.operators.coreos.com", "--all") // OLM makes them anew while anything is left
		return remains()
	}).WithTimeout(2*time.Minute).Should(BeEmpty(), "nothing of the operator is left")
}

// letGo takes the finalizer off resources whose operator is gone.
func letGo(_ context.Context) {
	left, err := try("kubectl", "get", "memcacheds", "--all-namespaces", "--no-headers", "-o", "custom-columns=:metadata.namespace,:metadata.name")
	if err != nil {
		return // no such kind: nothing is left
	}
	for line := range strings.Lines(left) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] != "No" {
			_, _ = try("kubectl", "patch", "memcached", fields[1], "-n", fields[0], "--type=merge", `-p={"metadata":{"finalizers":null}}`)
		}
	}
}

// remains lists everything in the cluster whose name tells that it belongs to
// the operator, and everything that OLM made for it.
func remains() []string {
	GinkgoHelper()
	kinds := strings.Fields(kubectl("api-resources", "--verbs=list", "-o", "name"))
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { // not kept, or views of others
		return strings.HasPrefix(kind, "events") || strings.HasPrefix(kind, "componentstatuses") || strings.HasPrefix(kind, "ipaddresses")
	})
	all := kubectl("get", strings.Join(kinds, ","), "--all-namespaces", "--ignore-not-found", "-o", "name")
	var ours []string
	for line := range strings.Lines(all) {
		if line = strings.TrimSpace(line); strings.Contains(line, "memcached") {
			ours = append(ours, line)
		}
	}
	slices.Sort(ours)
	return slices.Compact(ours)
}
