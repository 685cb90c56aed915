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
	_ "unsafe" // for go:linkname

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	_ "github.com/operator-framework/operator-lib/conditions"
	_ "github.com/operator-framework/operator-lib/leader"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// operator-lib reads the namespace from a file that only pods have, at a path
// that tests cannot choose. These are its variables for its own tests.

//go:linkname conditionsNamespace github.com/operator-framework/operator-lib/conditions.readNamespace
var conditionsNamespace func() (string, error)

//go:linkname leaderNamespace github.com/operator-framework/operator-lib/leader.readNamespace
var leaderNamespace func() (string, error)

// runInPodOf lets operator-lib believe, until the test ends, that it runs in a
// pod of that namespace.
func runInPodOf(namespace string) {
	beforeConditions, beforeLeader := conditionsNamespace, leaderNamespace
	read := func() (string, error) { return namespace, nil }
	conditionsNamespace, leaderNamespace = read, read
	DeferCleanup(func() { conditionsNamespace, leaderNamespace = beforeConditions, beforeLeader })
}

// newPod is a pod of the operator, on a machine that may not exist.
func newPod(namespace, name, machine string) *corev1.Pod {
	GinkgoHelper()
	noGrace := int64(0) // no kubelet here confirms that it stopped
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{
			NodeName:                      machine,
			TerminationGracePeriodSeconds: &noGrace,
			Containers:                    []corev1.Container{{Name: "manager", Image: "registry.example.com/manager"}},
		},
	}
	Expect(k8sClient.Create(ctx, pod)).To(Succeed())
	return pod
}

func getPod(namespace, name string) *corev1.Pod {
	GinkgoHelper()
	pod := &corev1.Pod{}
	Expect(k8sClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, pod)).To(Succeed())
	return pod
}
