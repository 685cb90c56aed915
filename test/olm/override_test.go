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
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// As docs/olm.md says.
var _ = Describe("An administrator's word on upgrades", Serial, Label("slow"), func() {
	It("lets one happen that an operator holds up which cannot come back", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		finish := i.endlessRollout(ctx)
		i.waitUpgradeable(ctx, first, metav1.ConditionFalse)
		next := nextOf(first, nextVersion)
		c.publish(inline(first, next))
		i.expectRefused(ctx, next)
		letStart := holdPods(ctx, i.namespace)
		Expect(i.kill(ctx)).To(Equal(1))
		i.expectRefused(ctx, next)

		letStart() // the next version; who waits already, waits for ever
		begun := time.Now()
		i.override(first, metav1.ConditionTrue)
		i.succeeded(ctx, next)
		GinkgoWriter.Printf("the override took %s\n", since(begun))
		i.expectReplaced(ctx, next)
		done()
		finish()
		i.expectWorks(ctx, mc)
	})

	It("holds one up though the operator does not, until it is taken back", func(ctx SpecContext) {
		c := newCatalog(ctx, inline(first))
		i := installed(ctx, c, automatic)
		mc, done := i.cacheInUse(ctx)
		i.waitUpgradeable(ctx, first, metav1.ConditionTrue)
		i.override(first, metav1.ConditionFalse)
		next := nextOf(first, nextVersion)
		c.publish(inline(first, next))
		i.expectRefused(ctx, next)
		begun := time.Now()
		kubectl("patch", "operatorcondition", first.csv.Name, "-n", i.namespace, "--type=json", `-p=[{"op":"remove","path":"/spec/overrides"}]`)
		i.succeeded(ctx, next)
		GinkgoWriter.Printf("taking it back took %s\n", since(begun))
		i.expectReplaced(ctx, next)
		done()
		i.expectWorks(ctx, mc)
	})
})

func (i *installation) override(b bundle, upgradeable metav1.ConditionStatus) {
	GinkgoHelper()
	kubectl("patch", "operatorcondition", b.csv.Name, "-n", i.namespace, "--type=merge", fmt.Sprintf(
		`-p={"spec":{"overrides":[{"type":"Upgradeable","status":%q,"reason":"Administrator","message":"said so","lastTransitionTime":%q}]}}`,
		upgradeable, time.Now().UTC().Format(time.RFC3339)))
}
