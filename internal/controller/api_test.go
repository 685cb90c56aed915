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
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// create creates a Memcached as YAML would, so that absent and zero differ.
func create(namespace, name string, spec any) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": cachev1alpha1.GroupVersion.String(), "kind": "Memcached",
	}}
	object.SetNamespace(namespace)
	object.SetName(name)
	if spec != nil {
		object.Object["spec"] = spec
	}
	return object, k8sClient.Create(ctx, object)
}

var _ = Describe("The API", func() {
	var namespace string
	BeforeEach(func() { namespace = newNamespace() })

	DescribeTable("refuses what it cannot serve, and says why",
		func(name string, spec map[string]any, message string) {
			_, err := create(namespace, name, spec)
			Expect(apierrors.IsInvalid(err)).To(BeTrue(), "got: %v", err)
			Expect(err).To(MatchError(ContainSubstring(message)))
		},
		Entry("size 0", "cache", map[string]any{"size": int64(0)}, "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"),
		Entry("size 4", "cache", map[string]any{"size": int64(4)}, "spec.size in body should be less than or equal to 3"),
		Entry("size -1", "cache", map[string]any{"size": int64(-1)}, "spec.size in body should be greater than or equal to 1"),
		Entry("size as a string", "cache", map[string]any{"size": "2"}, "spec.size in body must be of type integer"),
		Entry("port 0", "cache", map[string]any{"containerPort": int64(0)}, "spec.containerPort in body should be greater than or equal to 1"),
		Entry("port 65536", "cache", map[string]any{"containerPort": int64(65536)}, "spec.containerPort in body should be less than or equal to 65535"),
		Entry("a name with a dot", "my.cache", map[string]any{}, "use at most 52 characters, only lower-case letters"),
		Entry("a name that starts with a digit", "1cache", map[string]any{}, "starting with a letter"),
		Entry("a name of 53 characters", strings.Repeat("a", 53), map[string]any{}, "use at most 52 characters"),
	)

	It("takes a name of 52 characters", func() {
		object, err := create(namespace, strings.Repeat("a", 52), map[string]any{"size": int64(1)})
		Expect(err).NotTo(HaveOccurred())
		mc := &cachev1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: object.GetName()}}
		settle(mc)
	})

	It("takes the sample unchanged", func() {
		text, err := os.ReadFile(filepath.Join("..", "..", "config", "samples", "cache_v1alpha1_memcached.yaml"))
		Expect(err).NotTo(HaveOccurred())
		mc := &cachev1alpha1.Memcached{}
		Expect(yaml.UnmarshalStrict(text, mc)).To(Succeed())
		mc.Namespace = namespace
		Expect(k8sClient.Create(ctx, mc)).To(Succeed())
		settle(mc)
	})

	It("gives a resource without a spec one node on port 11211, which can be scaled", func() {
		_, err := create(namespace, "cache", nil)
		Expect(err).NotTo(HaveOccurred())
		mc := &cachev1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cache"}}
		settle(mc)
		Expect(mc.Spec).To(Equal(cachev1alpha1.MemcachedSpec{Size: 1, ContainerPort: 11211}))

		scale := &autoscalingv1.Scale{}
		Expect(k8sClient.SubResource("scale").Get(ctx, mc, scale)).To(Succeed())
		Expect(scale.Status.Replicas).To(BeEquivalentTo(1))
		Expect(scale.Status.Selector).To(Equal(
			"app.kubernetes.io/instance=cache,app.kubernetes.io/managed-by=memcached-operator,app.kubernetes.io/name=memcached"))
	})
})
