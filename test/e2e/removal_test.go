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
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// removal holds the ways to remove the operator that its documentation warns
// of, each with the way out that it gives.
func removal() {
	deploy := func() {
		GinkgoHelper()
		run("make", "--no-print-directory", "deploy", "IMG="+os.Getenv("IMG"))
		kubectl("rollout", "status", "-n", operatorNamespace, "deployment/"+operatorName, "--timeout=2m")
	}

	It("leaves a resource hanging without the operator, until it is deployed again", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		kubectl("delete", "namespace", operatorNamespace)
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace, "--wait=false")
		Consistently(func() error { return get(ctx, mc) }).WithTimeout(3 * time.Second).Should(Succeed())
		Expect(nodes(ctx, mc)).To(HaveLen(1), "its node goes on serving")
		deploy()
		Eventually(func() bool { return apierrors.IsNotFound(get(ctx, mc)) }).Should(BeTrue())
		Expect(nodes(ctx, mc)).To(BeEmpty())
	})

	It("lets a resource go by hand when the operator is not to come back", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		kubectl("scale", "-n", operatorNamespace, "deployment/"+operatorName, "--replicas=0")
		kubectl("wait", "-n", operatorNamespace, "--for=delete", "pod", "-l", "control-plane=controller-manager", "--timeout=1m")
		kubectl("delete", "memcached", "cache", "-n", mc.Namespace, "--wait=false")
		kubectl("patch", "memcached", "cache", "-n", mc.Namespace, "--type=json",
			`-p=[{"op":"remove","path":"/metadata/finalizers"}]`)
		Eventually(func() []string { return nodeUIDs(ctx, mc) }).Should(BeEmpty(), "garbage collection stops the nodes")
		kubectl("scale", "-n", operatorNamespace, "deployment/"+operatorName, "--replicas=1")
	})

	It("takes every cache with the CRD, and goes on when that is installed again", func(ctx SpecContext) {
		mc := newMemcached(ctx, newNamespace(ctx), 1)
		waitReady(ctx, mc)
		kubectl("delete", "crd", "memcacheds.cache.example.com", "--timeout=2m")
		Expect(nodes(ctx, mc)).To(BeEmpty())
		run("make", "--no-print-directory", "install")
		kubectl("wait", "--for=condition=Established", "crd/memcacheds.cache.example.com", "--timeout=1m")
		again := &cachev1alpha1.Memcached{}
		again.Namespace, again.Name = mc.Namespace, mc.Name
		Eventually(func() error { return k8sClient.Create(ctx, again.DeepCopy()) }).Should(Succeed())
		waitReady(ctx, again)
	})
}
