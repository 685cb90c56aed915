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
	"encoding/json"
	"os/exec"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/operator-framework/api/pkg/apis/scorecard/v1alpha3"
)

var _ = Describe("operator-sdk's scorecard", Serial, func() {
	It("finds the bundle in order: all tests of the suites basic and olm", func(ctx SpecContext) {
		results := scorecard(newNamespace(ctx), "--service-account=default", "--selector=suite in (basic,olm)", "--wait-time=2m")
		Expect(results).To(HaveLen(6))
		Expect(results).To(HaveEach(HaveField("State", v1alpha3.PassState)))
	})

	It("finds that each example serves, with a test image of this project's own", func(ctx SpecContext) {
		i := installed(ctx, newCatalog(ctx, inline(first)), automatic)
		namespace := newNamespace(ctx)
		kubectl("apply", "-n", namespace, "-f", "test/scorecard/rbac.yaml")
		args := []string{"--service-account=memcached-scorecard", "--selector=suite=custom", "--wait-time=5m"}
		Expect(scorecard(namespace, args...)).To(ConsistOf(HaveField("State", v1alpha3.PassState)))

		By("failing without the rights that it needs")
		kubectl("delete", "rolebinding", "memcached-scorecard", "-n", namespace)
		Expect(scorecard(namespace, args...)).To(ConsistOf(And(
			HaveField("State", v1alpha3.FailState), HaveField("Errors", ContainElement(ContainSubstring("forbidden"))))))
		i.expectStays(ctx)
	})
})

// scorecard runs the tests in a namespace that enforces Pod Security
// "restricted", prints what they say, and returns it.
func scorecard(namespace string, args ...string) []v1alpha3.TestResult {
	GinkgoHelper()
	begun := time.Now()
	command := exec.Command("operator-sdk", append([]string{"scorecard", first.dir, "--namespace=" + namespace,
		"--untar-image=quay.io/operator-framework/scorecard-untar:v1", "--pod-security=restricted", "--output=json"}, args...)...)
	command.Dir = root + "/bundle" // operator-sdk 1.28 cannot read the project's PROJECT
	command.Stderr = GinkgoWriter
	out, err := command.Output() // fails where a test does
	var tests v1alpha3.TestList
	Expect(json.Unmarshal(out, &tests)).To(Succeed(), "%s: %v", out, err)
	var results []v1alpha3.TestResult
	for _, test := range tests.Items {
		results = append(results, test.Status.Results...)
	}
	for _, result := range results {
		// Some of operator-sdk's tests print the whole schema.
		GinkgoWriter.Printf("%s: %s %q %.400s\n", result.Name, result.State, result.Errors, result.Log)
	}
	GinkgoWriter.Printf("scorecard took %s\n", since(begun))
	return results
}
