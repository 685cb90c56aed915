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

// Package controller makes the cluster match its Memcached resources. It is the
// only package that reads and writes their children and their status.
//
// Reading order: memcached_controller.go (the steps), observe.go, apply.go,
// owned.go, survivors.go, finalize.go, report.go (the steps one by one), events.go, elapsed.go, backoff.go,
// cache.go.
package controller

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
	"github.com/example/memcached-operator/internal/status"
)

const (
	// fieldOwner is the operator's name in managedFields. It must never
	// change: fields applied under another name would be nobody's.
	fieldOwner = client.FieldOwner("memcached-operator")

	// recheck is how long to wait for an object whose disappearance the
	// watches may not show, and for a write that they may not show.
	recheck = 5 * time.Second

	// reconcileTimeout ends a run that waits for an API server or a watch that
	// no longer answers, so that it cannot hold its worker for ever.
	reconcileTimeout = time.Minute

	// workers is how many Memcacheds are reconciled at a time. The work is
	// waiting for the API server, so more workers than cores pay.
	workers = 8
)

// MemcachedReconciler reconciles Memcached resources.
type MemcachedReconciler struct {
	// Client reads from the manager's caches and writes to the API server. It,
	// Live and Recorder are what SetupWithManager takes from the manager.
	client.Client

	// Live reads from the API server. It is for the one question that the
	// caches cannot answer: who owns an object that they do not hold.
	Live client.Reader

	// Recorder writes events.
	Recorder events.EventRecorder

	// Options are the installation's choices.
	Options resources.Options

	// Patience is how long beyond their grace period the nodes of a deleted
	// Memcached may take to stop: a machine that no longer answers must not
	// hold a resource for ever.
	Patience time.Duration

	// surviving tells since when nodes have had no Deployment, terminating since
	// when the nodes of a deleted Memcached have been told to stop.
	surviving, terminating elapsed
}

// DefaultPatience is enough for a node that is merely slow.
const DefaultPatience = 2 * time.Minute

// What the manager may do, and why. It never gets a single Memcached or pod: it
// reads them from its caches. Patching a Memcached is for its finalizer.
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds,verbs=list;watch;patch
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds/status,verbs=patch
//
// A child that the caches lost is read from the API server: get. A Service is
// never deleted: garbage collection does that.
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
//
// The controller writes events of events.k8s.io, leader election older ones.
// +kubebuilder:rbac:groups="";events.k8s.io,resources=events,verbs=create;patch

// Reconcile observes the children, applies what differs and reports what is true.
func (r *MemcachedReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	mc := &cachev1alpha1.Memcached{}
	if err := r.read(ctx, request.NamespacedName, mc); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	seen, err := r.observe(ctx, mc)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !mc.DeletionTimestamp.IsZero() {
		return r.finalize(ctx, mc, seen)
	}
	if err := r.addFinalizer(ctx, mc); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // deleted meanwhile
	}
	begins := mc.Status.ObservedGeneration == 0 && !controls(mc, seen.deployment)
	out := r.apply(ctx, mc, seen, resources.Desired(mc, r.Options))
	if begins && controls(mc, seen.deployment) {
		// The new Deployment's arrival in the caches brings the next run, which
		// has more to tell. Those who wait for their nodes come before that.
		return again(out), retry(out)
	}
	reported := r.report(ctx, mc, status.Compute(mc, seen.summary(mc), out))
	return again(out), errors.Join(retry(out), reported)
}

// again asks for another look after a while at what is on its way out. All else
// is announced by a watch, or retried.
func again(out status.Outcome) ctrl.Result {
	if len(out.Awaited) == 0 {
		return ctrl.Result{}
	}
	return ctrl.Result{RequeueAfter: recheck}
}

// retry returns what has to be tried again. A conflict is: the foreign object
// may be one that the watches do not show.
func retry(out status.Outcome) error {
	all := out.Errors
	for _, name := range out.Conflicts {
		all = append(all, errors.New(name+" is not controlled by this Memcached"))
	}
	return errors.Join(all...)
}

// SetupWithManager registers the controller. Children have their Memcached's
// name, so their events need no owner reference to find it: that also serves a
// child whose reference was removed.
func (r *MemcachedReconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.Client, r.Live, r.Recorder = mgr.GetClient(), mgr.GetAPIReader(), mgr.GetEventRecorder("memcached-operator")
	if err := indexNodes(mgr); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("memcached").
		For(&cachev1alpha1.Memcached{}).
		Watches(&appsv1.Deployment{}, &handler.EnqueueRequestForObject{}).
		Watches(&corev1.Service{}, &handler.EnqueueRequestForObject{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(memcachedOf)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			ReconciliationTimeout:   reconcileTimeout,
			RateLimiter:             newBackoff(time.Now),
		}).
		Complete(r)
}
