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

// Package olm asks the bundle's promises of the real Operator Lifecycle Manager
// on a real cluster: installation, upgrade and removal, with caches that serve
// meanwhile. It runs against the local node of KUBECONFIG, which must have the
// images that olm-test.mk loads.
//
// Specs labelled slow wait for OLM's own timeouts and back-offs, or kill pods.
package olm

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

	operatorsv1 "github.com/operator-framework/api/pkg/operators/v1"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	operatorsv2 "github.com/operator-framework/api/pkg/operators/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const (
	packageName    = "memcached-operator"
	crdName        = "memcacheds.cache.example.com"
	namespaceLabel = "memcached-operator-olm" // on each test's namespace
	// olmNamespace is where OLM runs, and where its global catalogs are.
	olmNamespace = "olm"
)

var (
	root, _    = filepath.Abs(filepath.Join("..", ".."))
	restConfig *rest.Config
	k8sClient  client.WithWatch
)

func TestOLM(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(time.Minute)
	SetDefaultEventuallyPollingInterval(200 * time.Millisecond)
	RunSpecs(t, "Operator Lifecycle Manager")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	connect()
	begun := time.Now()
	kubectl("apply", "--server-side", "-f", os.Getenv("OLM_CRDS"))
	kubectl("wait", "--for=condition=Established", "-f", os.Getenv("OLM_CRDS"), "--timeout=1m")
	kubectl("apply", "--server-side", "-f", "test/olm/olm.yaml")
	for _, deployment := range []string{"olm-operator", "catalog-operator"} {
		kubectl("rollout", "status", "-n", olmNamespace, "deployment/"+deployment, "--timeout=2m")
	}
	GinkgoWriter.Printf("OLM runs after %s\n", since(begun))
	first = readBundle(filepath.Join(root, "bundle"))
	removeEverything(ctx) // what an interrupted run left
})

func connect() {
	GinkgoHelper()
	for _, add := range []func(*runtime.Scheme) error{
		cachev1alpha1.AddToScheme, operatorsv1alpha1.AddToScheme, operatorsv1.AddToScheme, operatorsv2.AddToScheme,
	} {
		Expect(add(scheme.Scheme)).To(Succeed())
	}
	restConfig = ctrl.GetConfigOrDie()
	restConfig.QPS = -1 // a test's own patience is no part of what it measures
	var err error
	k8sClient, err = client.NewWithWatch(restConfig, client.Options{Scheme: scheme.Scheme})
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

func get(ctx context.Context, object client.Object) error {
	return k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)
}

// newNamespace makes a namespace of a test's own, which enforces Pod Security
// "restricted" as every namespace of a careful user does.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "olm-", Labels: map[string]string{
		namespaceLabel:                       "true",
		"pod-security.kubernetes.io/enforce": "restricted",
	}}}
	Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}

// newLaxNamespace is for what operator-sdk 1.28 makes, which Pod Security
// "restricted" refuses: its registry's pod does not say that it is not root.
func newLaxNamespace(ctx context.Context) string {
	GinkgoHelper()
	name := newNamespace(ctx)
	kubectl("label", "namespace", name, "--overwrite", "pod-security.kubernetes.io/enforce=baseline")
	return name
}

func since(begun time.Time) time.Duration { return time.Since(begun).Round(100 * time.Millisecond) }
