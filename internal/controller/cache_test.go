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
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// Ten thousand resources fit into the operator's memory only if little is kept
// of each.
var _ = Describe("The caches", func() {
	It("hold of a child what the operator looks at, and nothing else", func() {
		mc := settledMemcached(newNamespace(), 1) // somebody else wrote the status
		children := []client.Object{deploymentOf(mc), serviceOf(mc)}
		for _, child := range children {
			Expect(get(child)).To(Succeed())
			child.SetAnnotations(map[string]string{"example.org/note": "of somebody else", ownedDigest: "forged"})
			Expect(k8sClient.Update(ctx, child)).To(Succeed())
		}
		mgr := newManager(cache.Options{})
		Expect(addReconciler(mgr)).To(Succeed())
		defer run(mgr)()
		for _, child := range children {
			Eventually(func() error { return mgr.GetClient().Get(ctx, client.ObjectKeyFromObject(child), child) }).Should(Succeed())
			Expect(child.GetAnnotations()).To(SatisfyAll(HaveLen(1), HaveKeyWithValue(ownedDigest, HaveLen(64))))
			Expect(child.GetLabels()).To(HaveKey(cachev1alpha1.LabelManagedBy))
			Expect(child.GetOwnerReferences()).To(HaveLen(1))
			Expect(child.GetManagedFields()).To(BeEmpty())
			Expect(child).To(HaveField("Spec.Selector", BeZero()))
			Expect(get(child)).To(Succeed())
			Expect(child.GetAnnotations()).To(HaveKeyWithValue("example.org/note", "of somebody else"))
		}
	})
})
