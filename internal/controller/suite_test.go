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
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
	// +kubebuilder:scaffold:imports
)

const (
	// managerUser is whom the manager under test is to the API server. It has
	// the generated role and nothing else.
	managerUser = "memcached-operator"

	testImage = "registry.example.com:5000/memcached:1.6.45"

	// patience is short, so that the test of a node that never stops is.
	patience = 3 * time.Second
)

var (
	ctx       context.Context
	cancel    context.CancelFunc
	testEnv   *envtest.Environment
	cfg       *rest.Config
	k8sClient client.Client

	managerConfig *rest.Config
	stopManager   func()
	auditLog      string
)

func TestController(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	RunSpecs(t, "Controller")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	ctx, cancel = context.WithCancel(context.Background())

	err := cachev1alpha1.AddToScheme(scheme.Scheme)
	Expect(err).NotTo(HaveOccurred())
	// +kubebuilder:scaffold:scheme

	testEnv = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
		BinaryAssetsDirectory: os.Getenv("KUBEBUILDER_ASSETS"),
	}
	if testEnv.BinaryAssetsDirectory == "" {
		testEnv.BinaryAssetsDirectory = filepath.Join("..", "..", ".cluster", "bin") // as `make` leaves them
	}
	folder := GinkgoT().TempDir()
	auditLog = filepath.Join(folder, "audit.log")
	policy := filepath.Join(folder, "audit.yaml")
	Expect(os.WriteFile(policy, []byte(`{"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
		"omitStages": ["RequestReceived", "ResponseStarted"], "rules": [{"level": "Metadata"}]}`), 0o600)).To(Succeed())
	testEnv.ControlPlane.GetAPIServer().Configure().
		Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement").
		Append("audit-policy-file", policy).
		Append("audit-log-path", auditLog)

	cfg, err = testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	cfg.QPS, cfg.Burst = -1, 0
	k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())

	user, err := testEnv.AddUser(envtest.User{Name: managerUser}, nil)
	Expect(err).NotTo(HaveOccurred())
	managerConfig = user.Config()
	grantManagerRole()
	restartManager()
})

var _ = AfterSuite(func() {
	stopManager()
	cancel()
	if suite, _ := GinkgoConfiguration(); len(suite.FocusStrings) == 0 { // all specs ran
		Expect(unusedPermissions()).To(BeEmpty(), "the manager's role has what no spec needed")
	}
	Expect(testEnv.Stop()).To(Succeed())
})

// grantManagerRole gives managerUser exactly what the generated role says.
func grantManagerRole() {
	GinkgoHelper()
	role := managerRole()
	Expect(k8sClient.Create(ctx, role)).To(Succeed())
	Expect(k8sClient.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: managerUser}},
	})).To(Succeed())
}

func managerRole() *rbacv1.ClusterRole {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "rbac", "role.yaml"))
	Expect(err).NotTo(HaveOccurred())
	role := &rbacv1.ClusterRole{}
	Expect(yaml.UnmarshalStrict(text, role)).To(Succeed())
	return role
}

// restartManager starts the manager that all specs share.
func restartManager() {
	GinkgoHelper()
	stopManager = startManager(cache.Options{})
}

// startManager starts a manager as cmd does, and returns how to stop it. The
// namespaces and the resync period are taken from overrides.
func startManager(overrides cache.Options) (stop func()) {
	GinkgoHelper()
	mgr := newManager(overrides)
	Expect(addReconciler(mgr)).To(Succeed())
	return run(mgr)
}

func newManager(overrides cache.Options) ctrl.Manager {
	GinkgoHelper()
	var namespaces []string
	for namespace := range overrides.DefaultNamespaces {
		namespaces = append(namespaces, namespace)
	}
	caches := CacheOptions(namespaces...)
	caches.SyncPeriod = overrides.SyncPeriod
	skip := true
	mgr, err := ctrl.NewManager(managerConfig, ctrl.Options{
		Scheme:     scheme.Scheme,
		Cache:      caches,
		Client:     ClientOptions(namespaces...),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &skip},
	})
	Expect(err).NotTo(HaveOccurred())
	return mgr
}

func addReconciler(mgr ctrl.Manager) error {
	return (&MemcachedReconciler{
		Options:  resources.Options{Image: testImage},
		Patience: patience,
	}).SetupWithManager(mgr)
}

// run runs a manager, and returns how to stop it and wait until it has.
func run(mgr ctrl.Manager) (stop func()) {
	running, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer GinkgoRecover()
		defer close(done)
		Expect(mgr.Start(running)).To(Succeed())
	}()
	return func() {
		cancel()
		<-done
	}
}
