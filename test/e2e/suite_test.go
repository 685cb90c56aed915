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

// Package e2e asks the operator's promises of a real cluster: real nodes, a real
// kubelet, real memcached traffic. It runs against the cluster of KUBECONFIG,
// with the operator's image IMG, which that cluster must have; AUDIT_LOG names
// its API server's audit log.
package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const (
	operatorNamespace = "memcached-operator-system"
	operatorName      = "memcached-operator-controller-manager"
	namespaceLabel    = "memcached-operator-e2e" // on each test's namespace
	operatorUser      = "system:serviceaccount:" + operatorNamespace + ":" + operatorName
)

var (
	root      = filepath.Join("..", "..")
	k8sClient client.WithWatch

	// idleNamespace holds a cache that nobody touches.
	idleNamespace string
)

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(time.Minute)
	SetDefaultEventuallyPollingInterval(200 * time.Millisecond)
	RunSpecs(t, "End to end")
}

// The first process installs the operator, as a user would, for all.
var _ = SynchronizedBeforeSuite(func(ctx SpecContext) []byte {
	connect()
	run("make", "--no-print-directory", "deploy", "IMG="+os.Getenv("IMG"))
	kubectl("rollout", "status", "-n", operatorNamespace, "deployment/"+operatorName, "--timeout=2m")
	namespace := newNamespace(ctx)
	waitReady(ctx, newMemcached(ctx, namespace, 2))
	return []byte(namespace)
}, func(namespace []byte) {
	connect()
	idleNamespace = string(namespace)
})

// The last one removes it, resources first, and looks for what is left.
var _ = SynchronizedAfterSuite(func() {}, func(SpecContext) {
	kubectl("delete", "memcached", "--all", "--all-namespaces")
	kubectl("delete", "namespaces", "-l", namespaceLabel, "--wait=false")
	run("make", "--no-print-directory", "undeploy")
	left := kubectl("get", "namespaces,crds,clusterroles,clusterrolebindings", "-o", "name")
	Expect(left).NotTo(ContainSubstring("memcached-operator"))
	Expect(left).NotTo(ContainSubstring("cache.example.com"))
})

func connect() {
	GinkgoHelper()
	Expect(cachev1alpha1.AddToScheme(scheme.Scheme)).To(Succeed())
	var err error
	k8sClient, err = client.NewWithWatch(ctrl.GetConfigOrDie(), client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())
}

// run runs a command in the project's root and returns what it printed.
func run(name string, args ...string) string {
	GinkgoHelper()
	out, err := try(name, args...)
	Expect(err).NotTo(HaveOccurred(), "%s %s: %s", name, strings.Join(args, " "), out)
	return out
}

func try(name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = root
	out, err := command.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func kubectl(args ...string) string {
	GinkgoHelper()
	return run("kubectl", args...)
}

// newNamespace makes a namespace of a test's own, which enforces Pod Security
// "restricted" as every namespace of a careful user does.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: map[string]string{
		namespaceLabel:                       "true",
		"pod-security.kubernetes.io/enforce": "restricted",
		"pod-security.kubernetes.io/warn":    "restricted",
	}}}
	Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}
