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

// Package twin is the operator's controller inside a process of the benchmark,
// wired as the command wires it. It is for what a process does not show to others:
// its live heap after garbage collection, a resync that need not be waited
// for, and an election outside a pod.
package twin

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/controller"
	"github.com/example/memcached-operator/internal/resources"
)

// Options are how a twin differs from the operator.
type Options struct {
	// Image is the memcached image of all nodes.
	Image string
	// Resync is how often everything is reconciled anew; 0 is the library's
	// default of about ten hours.
	Resync time.Duration
	// LeaseNamespace is where the lease of the election is; empty without one.
	LeaseNamespace string
	// Profile is a file for a CPU profile of the whole run; empty for none.
	Profile string
}

// Run runs the twin until ctx ends. It answers the questions that it reads from
// standard input; see Answer.
func Run(ctx context.Context, config *rest.Config, options Options) error {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, cachev1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return fmt.Errorf("twin: %w", err)
		}
	}
	caches := controller.CacheOptions()
	if options.Resync > 0 {
		caches.SyncPeriod = &options.Resync
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Cache: caches, Client: controller.ClientOptions(),
		Metrics:        metricsserver.Options{BindAddress: "0"},
		LeaderElection: options.LeaseNamespace != "", LeaderElectionNamespace: options.LeaseNamespace,
		LeaderElectionID: "memcached-operator.cache.example.com", LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return fmt.Errorf("twin: %w", err)
	}
	if err := (&controller.MemcachedReconciler{
		Options: resources.Options{Image: options.Image}, Patience: controller.DefaultPatience,
	}).SetupWithManager(mgr); err != nil {
		return fmt.Errorf("twin: %w", err)
	}
	if options.Profile != "" {
		file, err := os.Create(options.Profile)
		if err != nil {
			return fmt.Errorf("twin: write a CPU profile: %w", err)
		}
		defer func() { _ = file.Close() }()
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("twin: write a CPU profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	go answerAll(os.Stdin, os.Stdout)
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("twin: %w", err)
	}
	return nil
}
