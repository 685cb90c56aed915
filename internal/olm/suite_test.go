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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	apiv2 "github.com/operator-framework/api/pkg/operators/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// operatorUser is whom the manager under test is to the API server. Each test
// grants it what it has in the namespace of that test, and no more.
const operatorUser = "memcached-operator"

var (
	ctx            context.Context
	testEnv        *envtest.Environment
	k8sClient      client.Client
	operatorConfig *rest.Config
)

func TestOLM(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	SetDefaultConsistentlyDuration(time.Second)
	RunSpecs(t, "OLM")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	var cancel context.CancelFunc
	ctx, cancel = context.WithCancel(context.Background())
	DeferCleanup(func() { cancel() })

	for _, add := range []func() error{
		func() error { return cachev1alpha1.AddToScheme(clientgoscheme.Scheme) },
		func() error { return apiv2.AddToScheme(clientgoscheme.Scheme) },
	} {
		Expect(add()).To(Succeed())
	}
	testEnv = &envtest.Environment{
		CRDDirectoryPaths: []string{
			filepath.Join("..", "..", "config", "crd", "bases"),
			filepath.Join(moduleFolder("github.com/operator-framework/api"), "crds", "operators.coreos.com_operatorconditions.yaml"),
		},
		ErrorIfCRDPathMissing: true,
		BinaryAssetsDirectory: os.Getenv("KUBEBUILDER_ASSETS"),
	}
	if testEnv.BinaryAssetsDirectory == "" {
		testEnv.BinaryAssetsDirectory = filepath.Join("..", "..", ".cluster", "bin") // as `make` leaves them
	}
	cfg, err := testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(testEnv.Stop()).To(Succeed()) })
	cfg.QPS = -1
	k8sClient, err = client.New(cfg, client.Options{})
	Expect(err).NotTo(HaveOccurred())
	user, err := testEnv.AddUser(envtest.User{Name: operatorUser}, nil)
	Expect(err).NotTo(HaveOccurred())
	operatorConfig = user.Config()
})

// moduleFolder is where the source of a module that the operator requires is.
func moduleFolder(module string) string {
	GinkgoHelper()
	folder, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(string(folder))
}

// newNamespace makes a namespace of a test's own, in which the operator's pod
// of that name then is.
func newNamespace() string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
	runInPodOf(namespace.Name)
	return namespace.Name
}

// startManager starts a manager that add has added to. It returns a function
// that stops it and returns how it ended; the test's end calls it, too.
func startManager(config *rest.Config, options ctrl.Options, add func(ctrl.Manager)) (stop func() error) {
	GinkgoHelper()
	options.Metrics = metricsserver.Options{BindAddress: "0"}
	skip := true // there are several managers in this process
	options.Controller.SkipNameValidation = &skip
	mgr, err := ctrl.NewManager(config, options)
	Expect(err).NotTo(HaveOccurred())
	Expect(mgr.AddReadyzCheck("readyz", healthz.Ping)).To(Succeed())
	add(mgr)
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	var once bool
	var result error
	stop = func() error {
		cancel()
		if !once {
			once, result = true, <-ended
		}
		return result
	}
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return stop
}
