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

// Command manager is the Memcached operator. This package alone reads flags and
// environment; see options.go for them.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	// Credential plugins of cloud providers, for `make run`.
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/controller"
	"github.com/example/memcached-operator/internal/olm"
	"github.com/example/memcached-operator/internal/resources"
	// +kubebuilder:scaffold:imports
)

var (
	scheme   = runtime.NewScheme()
	setupLog = ctrl.Log.WithName("setup")
)

func init() {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))

	utilruntime.Must(cachev1alpha1.AddToScheme(scheme))
	// +kubebuilder:scaffold:scheme
}

func main() {
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	options, err := parseOptions(flag.CommandLine, os.Args[1:], os.Getenv)
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))
	if err != nil {
		setupLog.Error(err, "Invalid configuration")
		os.Exit(2)
	}

	config := ctrl.GetConfigOrDie()
	assignsUser, err := platformAssignsUser(config)
	if err != nil {
		setupLog.Error(err, "Failed to discover the platform")
		os.Exit(1)
	}
	mgr, err := ctrl.NewManager(config, managerOptions(options))
	if err != nil {
		setupLog.Error(err, "Failed to create manager")
		os.Exit(1)
	}

	lead := func() error { return setupControllers(mgr, options, assignsUser) }
	if options.leaderElection == electionLife {
		err = mgr.Add(olm.LeadForLife(config, lead))
	} else {
		err = lead()
	}
	if err != nil {
		setupLog.Error(err, "Failed to set up controllers")
		os.Exit(1)
	}

	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		setupLog.Error(err, "Failed to set up health check")
		os.Exit(1)
	}
	if err := mgr.AddReadyzCheck("readyz", healthz.Ping); err != nil {
		setupLog.Error(err, "Failed to set up ready check")
		os.Exit(1)
	}

	setupLog.Info("Starting manager", "memcachedImage", options.memcachedImage,
		"leaderElection", options.leaderElection, "namespaces", options.namespaces, "assignsUser", assignsUser)
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		setupLog.Error(err, "Failed to run manager")
		os.Exit(1)
	}
}

// setupControllers adds to mgr all that only the leader may run. With a leader
// for life, that is after mgr has started.
func setupControllers(mgr ctrl.Manager, options options, assignsUser bool) error {
	if err := (&controller.MemcachedReconciler{
		Options:  resources.Options{Image: options.memcachedImage, AssignsUser: assignsUser},
		Patience: controller.DefaultPatience,
	}).SetupWithManager(mgr); err != nil {
		return fmt.Errorf("create controller memcached: %w", err)
	}
	// +kubebuilder:scaffold:builder

	if options.operatorCondition == "" {
		return nil // not installed by OLM
	}
	upgradeable, err := olm.NewUpgradeable(mgr)
	if err != nil {
		return fmt.Errorf("create controller upgradeable: %w", err)
	}
	if err := upgradeable.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("create controller upgradeable: %w", err)
	}
	return nil
}

func managerOptions(options options) ctrl.Options {
	return ctrl.Options{
		Scheme: scheme,
		Cache:  controller.CacheOptions(options.namespaces...),
		Client: controller.ClientOptions(options.namespaces...),
		Metrics: metricsserver.Options{
			BindAddress:    options.metricsAddress,
			SecureServing:  true,
			FilterProvider: filters.WithAuthenticationAndAuthorization,
			CertDir:        options.metricsCertDir,
			// HTTP/2 lets a client open and reset streams at no cost to itself
			// (CVE-2023-44487).
			TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }},
		},
		HealthProbeBindAddress: options.probeAddress,
		LeaderElection:         options.leaderElection == electionLease,
		LeaderElectionID:       "memcached-operator.cache.example.com",
		// The process ends as soon as the manager has stopped, so the next
		// leader need not wait until the lease expires.
		LeaderElectionReleaseOnCancel: true,
	}
}

// platformAssignsUser tells whether the platform chooses the user ID of each
// pod, as OpenShift does.
func platformAssignsUser(config *rest.Config) (bool, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return false, err
	}
	groups, err := client.ServerGroups()
	if err != nil {
		return false, fmt.Errorf("list API groups: %w", err)
	}
	for _, group := range groups.Groups {
		if group.Name == "security.openshift.io" {
			return true, nil
		}
	}
	return false, nil
}
