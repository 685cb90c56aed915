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
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

// defaultGrace is Kubernetes' own default of a pod's grace period.
const defaultGrace = 30 * time.Second

// addFinalizer comes before anything is created, so that nothing is left behind.
func (r *MemcachedReconciler) addFinalizer(ctx context.Context, mc *cachev1alpha1.Memcached) error {
	if controllerutil.ContainsFinalizer(mc, cachev1alpha1.Finalizer) {
		return nil
	}
	return r.setFinalizers(ctx, mc, append(slices.Clone(mc.Finalizers), cachev1alpha1.Finalizer))
}

// finalize deletes the nodes and releases mc when they are gone.
func (r *MemcachedReconciler) finalize(ctx context.Context, mc *cachev1alpha1.Memcached, seen *observed) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(mc, cachev1alpha1.Finalizer) {
		return ctrl.Result{}, nil
	}
	r.surviving.forget(mc)
	if keepsNodes(mc, seen) || nodesGone(seen) {
		return ctrl.Result{}, r.release(ctx, mc)
	}
	remaining := r.remaining(mc, seen)
	if remaining <= 0 {
		if err := r.release(ctx, mc); err != nil {
			return ctrl.Result{}, err
		}
		r.announceNodesLeft(mc, seen)
		return ctrl.Result{}, nil
	}
	reported := r.report(ctx, mc, status.Compute(mc, seen.summary(mc), status.Outcome{}))
	return ctrl.Result{RequeueAfter: remaining}, errors.Join(reported, r.deleteDeployment(ctx, mc, seen))
}

// keepsNodes tells whether the nodes are to outlive mc: the user asked to
// orphan them, or they are not mc's.
func keepsNodes(mc *cachev1alpha1.Memcached, seen *observed) bool {
	return controllerutil.ContainsFinalizer(mc, metav1.FinalizerOrphanDependents) ||
		seen.deployment.UID != "" && !controls(mc, seen.deployment)
}

func nodesGone(seen *observed) bool {
	return seen.deployment.UID == "" && len(seen.pods) == 0
}

// remaining is how long the nodes may still take to stop: their grace period and
// Patience, counted from when this process first saw that they are to. Their own
// deletionTimestamp is of another clock, and an operator whose clock is fast would
// let mc go before its nodes.
func (r *MemcachedReconciler) remaining(mc *cachev1alpha1.Memcached, seen *observed) time.Duration {
	if seen.deployment.UID != "" && seen.deployment.DeletionTimestamp.IsZero() {
		r.terminating.forget(mc) // to be deleted now
	}
	var grace time.Duration
	for i := range seen.pods {
		podGrace := defaultGrace // not yet told to stop
		if seconds := seen.pods[i].DeletionGracePeriodSeconds; seconds != nil {
			podGrace = time.Duration(*seconds) * time.Second
		}
		grace = max(grace, podGrace)
	}
	return grace + r.Patience - r.terminating.of(mc)
}

// deleteDeployment deletes in the foreground: the Deployment stays until its
// nodes are gone, which is how the operator knows. It deletes the very version
// that was read, lest a stale cache deletes nodes that were orphaned meanwhile.
//
// One that somebody deleted otherwise, and that a finalizer of others holds, is
// deleted again: its nodes have not been told to stop.
func (r *MemcachedReconciler) deleteDeployment(ctx context.Context, mc *cachev1alpha1.Memcached, seen *observed) error {
	deployment := seen.deployment
	if !controls(mc, deployment) || controllerutil.ContainsFinalizer(deployment, metav1.FinalizerDeleteDependents) ||
		controllerutil.ContainsFinalizer(deployment, metav1.FinalizerOrphanDependents) {
		return nil
	}
	options := []client.DeleteOption{
		client.PropagationPolicy(metav1.DeletePropagationForeground),
		client.Preconditions{UID: &deployment.UID, ResourceVersion: &deployment.ResourceVersion},
	}
	if deployment.Labels[cachev1alpha1.LabelManagedBy] != cachev1alpha1.ManagedBy {
		// The caches would wait in vain to see what they do not hold.
		options = append(options, client.DisableReadYourWritesConsistency)
	}
	err := r.Delete(ctx, deployment, options...)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Deployment %s/%s: %w", mc.Namespace, mc.Name, err)
	}
	return nil
}

func (r *MemcachedReconciler) release(ctx context.Context, mc *cachev1alpha1.Memcached) error {
	r.terminating.forget(mc)
	rest := slices.DeleteFunc(slices.Clone(mc.Finalizers), func(finalizer string) bool {
		return finalizer == cachev1alpha1.Finalizer
	})
	return client.IgnoreNotFound(r.setFinalizers(ctx, mc, rest))
}

func (r *MemcachedReconciler) setFinalizers(ctx context.Context, mc *cachev1alpha1.Memcached, finalizers []string) error {
	patch, err := guardedPatch(mc, map[string]any{"finalizers": finalizers}, nil)
	if err != nil {
		return err
	}
	if err := r.Patch(ctx, mc, patch, fieldOwner); err != nil {
		return fmt.Errorf("set finalizers of Memcached %s/%s: %w", mc.Namespace, mc.Name, err)
	}
	return nil
}

// names tells what has not gone: the nodes, or the Deployment that others hold.
func names(seen *observed) string {
	var all []string
	for i := range seen.pods {
		all = append(all, "node "+seen.pods[i].Name)
	}
	if len(all) == 0 {
		return fmt.Sprintf("Deployment %s, held by its finalizers %v", seen.deployment.Name, seen.deployment.Finalizers)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
