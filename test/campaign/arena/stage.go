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
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// Canary is a secret value that must appear nowhere but in its Secret.
const Canary = "c4n4ry-of-the-fault-campaign"

// CacheName is the name of a plan's Memcached.
const CacheName = "cache"

// Stage is what one plan has: a namespace, whose objects nobody else touches,
// and operators that serve it.
type Stage struct {
	*Arena
	Namespace string
	Record    *wire.Record
	Ledger    *Ledger

	mutex     sync.Mutex
	settings  Settings
	operators []*Operator
	starting  atomic.Int32
	era       int // how often the operators were ended on purpose
	foreign   []client.Object
}

// NewStage makes a namespace that enforces Pod Security "restricted", with
// foreign objects in it that the operator has no business with.
func (a *Arena) NewStage(ctx context.Context, name string) (*Stage, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: name + "-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := a.Admin.Create(ctx, namespace); err != nil {
		return nil, err
	}
	s := &Stage{Arena: a, Namespace: namespace.Name, Record: &wire.Record{}, Ledger: newLedger()}
	a.ledgers.Store(s.Namespace, s.Ledger)
	if err := a.Grant(ctx, s.Namespace); err != nil {
		return nil, err
	}
	s.foreign = bystanders(s.Namespace)
	for _, object := range s.foreign {
		if err := a.Admin.Create(ctx, object); err != nil {
			return nil, fmt.Errorf("create a bystander: %w", err)
		}
	}
	return s, nil
}

// Label labels the namespace.
func (s *Stage) Label(ctx context.Context, label, value string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace}}
	body := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, label, value)
	return s.Admin.Patch(ctx, namespace, client.RawPatch(types.MergePatchType, []byte(body)))
}

// Memcached returns the plan's Memcached as it is, nil if there is none.
func (s *Stage) Memcached(ctx context.Context) (*cachev1alpha1.Memcached, error) {
	mc := &cachev1alpha1.Memcached{}
	err := s.Admin.Get(ctx, types.NamespacedName{Namespace: s.Namespace, Name: CacheName}, mc)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return mc, nil
}

// pollInterval is how often a question is asked again.
const pollInterval = 100 * time.Millisecond

// Await asks again and again until what it asks for is true; why tells what is
// missing until then.
func (s *Stage) Await(ctx context.Context, limit time.Duration, holds func(context.Context, *Stage) (why string, err error)) error {
	why := ""
	err := wait.PollUntilContextTimeout(ctx, pollInterval, limit, true, func(ctx context.Context) (bool, error) {
		now, err := holds(ctx, s)
		if ctx.Err() == nil {
			why = now
		}
		return now == "" && err == nil, err
	})
	if err != nil && why != "" {
		return fmt.Errorf("not within %s: %s", limit, why)
	}
	return err
}

// Memcacheds returns the names of all that are there.
func (s *Stage) Memcacheds(ctx context.Context) ([]string, error) {
	list := &cachev1alpha1.MemcachedList{}
	err := s.Admin.List(ctx, list, client.InNamespace(s.Namespace))
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, err
}

// Remove deletes an object, if it is there.
func (s *Stage) Remove(ctx context.Context, object client.Object, policy metav1.DeletionPropagation) error {
	return client.IgnoreNotFound(s.Admin.Delete(ctx, object, client.PropagationPolicy(policy)))
}

// Left returns the nodes and Deployments that are there. A Service, which
// serves nobody then, is left to garbage collection.
func (s *Stage) Left(ctx context.Context) ([]string, error) {
	var left []string
	pods := &corev1.PodList{}
	if err := s.Admin.List(ctx, pods, client.InNamespace(s.Namespace)); err != nil {
		return nil, err
	}
	for i := range pods.Items {
		if metav1.GetControllerOf(&pods.Items[i]) != nil {
			left = append(left, "Pod "+pods.Items[i].Name)
		}
	}
	deployments := &appsv1.DeploymentList{}
	if err := s.Admin.List(ctx, deployments, client.InNamespace(s.Namespace)); err != nil {
		return nil, err
	}
	for i := range deployments.Items {
		if metav1.GetControllerOf(&deployments.Items[i]) != nil {
			left = append(left, fmt.Sprintf("Deployment %s of %s, deleted at %v, with finalizers %v", deployments.Items[i].Name,
				deployments.Items[i].CreationTimestamp, deployments.Items[i].DeletionTimestamp, deployments.Items[i].Finalizers))
		}
	}
	return left, nil
}

// Ready counts the pods that are ready and not told to stop.
func Ready(pods *corev1.PodList) int {
	n := 0
	for i := range pods.Items {
		if pods.Items[i].DeletionTimestamp.IsZero() && podReady(&pods.Items[i]) {
			n++
		}
	}
	return n
}
