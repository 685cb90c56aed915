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
	"fmt"
	"time"

	apiv2 "github.com/operator-framework/api/pkg/operators/v2"
	"github.com/operator-framework/operator-lib/conditions"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

const (
	// DefaultQuiet is how long no work must be in progress before OLM may
	// upgrade the operator.
	DefaultQuiet = 10 * time.Second

	// Retries start after 5 ms and double, up to 30 s.
	firstRetry, lastRetry = 5 * time.Millisecond, 30 * time.Second
)

// Upgradeable keeps the condition of that name on the OperatorCondition that
// OLM made for the operator. Only one may work at a time, in the leader.
type Upgradeable struct {
	// Quiet is how long no work must be in progress before OLM may upgrade.
	Quiet time.Duration

	// memcacheds reads from the manager's cache.
	memcacheds client.Reader

	// direct has no cache: OLM grants get, update and patch of the one object
	// called name, but neither list nor watch.
	direct    client.Client
	name      types.NamespacedName
	condition conditions.Condition

	// told is what OLM was told last; empty if that has to be read first.
	told metav1.ConditionStatus

	quietSince time.Time
}

// NewUpgradeable finds the OperatorCondition as operator-lib does: its name is
// in OPERATOR_CONDITION_NAME, its namespace is the pod's.
func NewUpgradeable(mgr ctrl.Manager) (*Upgradeable, error) {
	scheme := runtime.NewScheme()
	if err := apiv2.AddToScheme(scheme); err != nil {
		return nil, err
	}
	direct, err := client.New(mgr.GetConfig(), client.Options{
		Scheme: scheme, HTTPClient: mgr.GetHTTPClient(), Mapper: mgr.GetRESTMapper(),
	})
	if err != nil {
		return nil, fmt.Errorf("make a client for the OperatorCondition: %w", err)
	}
	factory := conditions.InClusterFactory{Client: direct}
	name, err := factory.GetNamespacedName()
	if err != nil {
		return nil, fmt.Errorf("find the OperatorCondition, which is in the namespace of the operator's pod; "+
			"outside a pod, unset OPERATOR_CONDITION_NAME: %w", err)
	}
	condition, err := factory.NewCondition(apiv2.ConditionType(apiv2.Upgradeable))
	if err != nil {
		return nil, err
	}
	return &Upgradeable{
		Quiet: DefaultQuiet, memcacheds: mgr.GetCache(), direct: direct, name: *name, condition: condition,
	}, nil
}

// SetupWithManager registers the controller. Every change of any Memcached is
// one and the same request, and so is the start: whatever an earlier leader told
// OLM may no longer hold.
func (u *Upgradeable) SetupWithManager(mgr ctrl.Manager) error {
	request := reconcile.Request{NamespacedName: u.name}
	return ctrl.NewControllerManagedBy(mgr).
		Named("upgradeable").
		Watches(&cachev1alpha1.Memcached{}, handler.EnqueueRequestsFromMapFunc(
			func(context.Context, client.Object) []reconcile.Request { return []reconcile.Request{request} })).
		WatchesRawSource(source.Func(
			func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
				queue.Add(request)
				return nil
			})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 1,
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
				firstRetry, lastRetry),
		}).
		Complete(u)
}

// Reconcile looks at all Memcacheds and tells OLM what changed.
func (u *Upgradeable) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	var all cachev1alpha1.MemcachedList
	if err := u.memcacheds.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil { // only looked at
		return ctrl.Result{}, fmt.Errorf("list Memcacheds: %w", err)
	}
	next := decide(all.Items, time.Now(), u.quietSince, u.Quiet)
	u.quietSince = next.quietSince
	if err := u.tell(ctx, next); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: next.recheck}, nil
}

// tell writes only when the answer changes: OLM upgrades nothing before it has
// observed each generation of the OperatorCondition.
func (u *Upgradeable) tell(ctx context.Context, next verdict) error {
	if next.status == metav1.ConditionUnknown {
		return nil
	}
	if err := u.recall(ctx); err != nil {
		return err
	}
	if u.told == next.status {
		return nil
	}
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { // OLM writes the object, too
		return u.condition.Set(ctx, next.status, conditions.WithReason(next.reason), conditions.WithMessage(next.message))
	})
	if err != nil {
		u.told = "" // it may have been written all the same
		return fmt.Errorf("set Upgradeable to %s in OperatorCondition %s: %w", next.status, u.name, err)
	}
	u.told = next.status
	ctrl.LoggerFrom(ctx).Info("Told OLM whether it may upgrade the operator", "upgradeable", next.status, "reason", next.reason)
	return nil
}

// recall reads what OLM was told last, unless that is known.
func (u *Upgradeable) recall(ctx context.Context) error {
	if u.told != "" {
		return nil
	}
	var object apiv2.OperatorCondition
	if err := u.direct.Get(ctx, u.name, &object); err != nil {
		return fmt.Errorf("get OperatorCondition %s: %w", u.name, err)
	}
	u.told = metav1.ConditionUnknown
	if condition := meta.FindStatusCondition(object.Spec.Conditions, apiv2.Upgradeable); condition != nil {
		u.told = condition.Status
	}
	return nil
}
