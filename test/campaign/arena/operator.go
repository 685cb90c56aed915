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

package arena

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/example/memcached-operator/internal/controller"
	"github.com/example/memcached-operator/internal/resources"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// Settings are what an operator is started with.
type Settings struct {
	// Image is the memcached image of all nodes.
	Image string
	// Also are further namespaces that it serves. With any, its caches do not
	// wait for its own writes (see controller.ClientOptions).
	Also []string
	// Process runs it as the shipped command, in a process of its own.
	Process bool
	// JSON makes it speak JSON with the API server, also of Kubernetes' own kinds.
	JSON bool
	// Everywhere gives it its role in all namespaces, not only in the plan's:
	// rights in a namespace go with it.
	Everywhere bool
}

// DefaultImage is the image of a plan's nodes unless it says otherwise.
const DefaultImage = "registry.example.com:5000/memcached:1.6.45"

// Patience is how long beyond their grace period nodes may take to stop: longer
// than a plan waits for anything.
const Patience = time.Minute

// Operator is one manager, as cmd makes it, and its connection.
type Operator struct {
	Line *wire.Line

	cancel context.CancelFunc
	done   chan struct{}
	log    *log
	err    error
	thawed bool // it was frozen
}

// Operate starts an operator. When it crashes, another is started in its place.
func (s *Stage) Operate(ctx context.Context, settings Settings) error {
	if settings.Image == "" {
		settings.Image = DefaultImage
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.settings = settings
	return s.start(ctx)
}

// Second starts another operator beside the one that is there, as happens when
// a leader is thought to be lost.
func (s *Stage) Second(ctx context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.start(ctx)
}

// start starts an operator; the caller holds the mutex.
func (s *Stage) start(ctx context.Context) error {
	s.starting.Add(1)
	era := s.era
	running, cancel := context.WithCancel(ctx)
	o := &Operator{Line: &wire.Line{Record: s.Record}, cancel: cancel, done: make(chan struct{}), log: &log{}}
	o.Line.Crashed = func() {
		s.starting.Add(1)
		cancel()
		go s.replace(ctx, o, era)
	}
	cfg := rest.CopyConfig(s.manager)
	if s.settings.Everywhere {
		cfg = rest.CopyConfig(s.everywhere)
	}
	if s.settings.JSON {
		cfg.ContentType = runtime.ContentTypeJSON
	}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		o.Line.Next = next
		return o.Line
	})
	begin := s.inProcess
	if s.settings.Process {
		begin = s.process
	}
	run, err := begin(cfg, o)
	if err != nil {
		s.starting.Add(-1)
		cancel()
		return err
	}
	s.operators = append(s.operators, o)
	go func() {
		defer close(o.done)
		o.err = run(running)
	}()
	go func() {
		defer s.starting.Add(-1)
		_ = wait.PollUntilContextCancel(running, pollInterval, true, func(context.Context) (bool, error) {
			return o.Line.Watching() >= watchedKinds, nil
		})
	}()
	return nil
}

// watchedKinds is how many kinds of objects an operator watches once it has
// started: Memcacheds, Deployments, Services, pods.
const watchedKinds = 4

// inProcess makes a manager as cmd does, but for what would cost each of
// thousands the same: finding out which resources there are.
func (s *Stage) inProcess(cfg *rest.Config, o *Operator) (func(context.Context) error, error) {
	namespaces := append([]string{s.Namespace}, s.settings.Also...)
	skip := true
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:         scheme.Scheme,
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return s.Admin.RESTMapper(), nil },
		Cache:          controller.CacheOptions(namespaces...),
		Client:         controller.ClientOptions(namespaces...),
		Metrics:        metricsserver.Options{BindAddress: "0"},
		Controller:     config.Controller{SkipNameValidation: &skip},
		Logger:         zap.New(zap.WriteTo(o.log)),
	})
	if err != nil {
		return nil, err
	}
	return mgr.Start, (&controller.MemcachedReconciler{
		Options:  resources.Options{Image: s.settings.Image},
		Patience: Patience,
	}).SetupWithManager(mgr)
}

// replace starts an operator when the crashed one has ended, unless all have
// been ended since.
func (s *Stage) replace(ctx context.Context, crashed *Operator, era int) {
	<-crashed.done
	defer s.starting.Add(-1)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if era == s.era {
		crashed.err = s.start(ctx)
	}
}

// Restart ends the operators in order and starts one with another image.
func (s *Stage) Restart(ctx context.Context, image string) error {
	s.stop()
	settings := s.settings
	settings.Image = image
	return s.Operate(ctx, settings)
}

// Drop ends the operators' watches of a resource.
func (s *Stage) Drop(resource string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, o := range s.operators {
		o.Line.Drop(resource)
	}
}

// Logs returns what all operators of the stage have said.
func (s *Stage) Logs() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var all strings.Builder
	for _, o := range s.operators {
		all.WriteString(o.log.String())
	}
	return all.String()
}

// Failed returns why an operator could not start, or ended by itself.
func (s *Stage) Failed() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var errs []error
	for _, o := range s.operators {
		errs = append(errs, o.err)
	}
	return errors.Join(errs...)
}

// Close ends what belongs to the stage alone. What is in its namespace stays.
func (s *Stage) Close() {
	s.stop()
	s.ledgers.Delete(s.Namespace)
}

// stop ends the operators and waits until they have ended.
func (s *Stage) stop() {
	s.mutex.Lock()
	operators := s.operators
	s.era++
	s.mutex.Unlock()
	for _, o := range operators {
		o.Line.Thaw()
		o.cancel()
	}
	for _, o := range operators {
		<-o.done
	}
}
