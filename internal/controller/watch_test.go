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
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/example/memcached-operator/test/campaign/wire"
)

var _ = Describe("A watch", Serial, func() {
	It("that missed the end of what the operator deleted does not hold the resource", func() {
		stopManager()
		defer restartManager()
		line := &wire.Line{Record: &wire.Record{}}
		original := managerConfig
		defer func() { managerConfig = original }()
		managerConfig = rest.CopyConfig(original)
		managerConfig.Wrap(func(next http.RoundTripper) http.RoundTripper {
			line.Next = next
			return line
		})
		defer startManager(cache.Options{})()
		mc := settledMemcached(newNamespace(), 1)

		line.HoldFor("deployments", time.Hour)
		Expect(k8sClient.Delete(ctx, mc)).To(Succeed())
		stopNodes(mc)
		By("listing everything anew, without the Deployment")
		line.Record.Arm(wire.Trigger{Point: "watch deployments", Nth: 1, Times: 1,
			Fault: wire.Answer(http.StatusGone, metav1.StatusReasonExpired)})
		line.Drop("deployments")
		line.HoldFor("deployments", 0)
		Eventually(func() error { return get(mc) }).Should(WithTransform(apierrors.IsNotFound, BeTrue()))
	})
})
