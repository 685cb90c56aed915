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

// Package stub plays the controller of Deployments, and garbage collection for
// them: all nodes of a generation become ready in one step, and one that is
// deleted in the foreground goes at once. There are neither ReplicaSets nor pods,
// so what is measured is the operator and not a cluster's nodes.
package stub

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// LabelIgnored is on Deployments that the stub leaves alone.
const LabelIgnored = "bench.example.com/ignored"

// workers is how many Deployments are worked on at a time: enough that an
// operator never waits for the stub while the API server has room.
const workers = 16

type stub struct {
	client kubernetes.Interface
	store  cache.Store
	queue  workqueue.TypedRateLimitingInterface[string]
}

// Run plays until ctx ends.
func Run(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("stub: %w", err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "!" + LabelIgnored }))
	informer := factory.Apps().V1().Deployments().Informer()
	s := &stub{client: client, store: informer.GetStore(), queue: workqueue.NewTypedRateLimitingQueue(
		workqueue.DefaultTypedItemBasedRateLimiter[string]())}
	add := func(object any) {
		if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
			s.queue.Add(key)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, object any) { add(object) },
	}); err != nil {
		return fmt.Errorf("stub: %w", err)
	}
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() { s.work(ctx) })
	}
	<-ctx.Done()
	s.queue.ShutDown()
	working.Wait()
	factory.Shutdown()
	return nil
}

// strip keeps what the stub looks at.
func strip(object any) (any, error) {
	if deployment, is := object.(*appsv1.Deployment); is {
		deployment.ManagedFields, deployment.Annotations = nil, nil
		deployment.Spec = appsv1.DeploymentSpec{Replicas: deployment.Spec.Replicas}
	}
	return object, nil
}

func (s *stub) work(ctx context.Context) {
	for {
		key, end := s.queue.Get()
		if end {
			return
		}
		if err := s.act(ctx, key); err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "stub: Deployment %s: %v\n", key, err)
			s.queue.AddRateLimited(key)
		} else {
			s.queue.Forget(key)
		}
		s.queue.Done(key)
	}
}

func (s *stub) act(ctx context.Context, key string) error {
	object, exists, err := s.store.GetByKey(key)
	if err != nil || !exists {
		return err
	}
	deployment := object.(*appsv1.Deployment)
	switch {
	case deployment.DeletionTimestamp != nil && slices.Contains(deployment.Finalizers, metav1.FinalizerDeleteDependents):
		return s.patch(ctx, deployment, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	case deployment.DeletionTimestamp == nil && deployment.Status.ObservedGeneration < deployment.Generation:
		return s.patch(ctx, deployment, map[string]any{"status": ready(deployment)}, "status")
	}
	return nil
}

func (s *stub) patch(ctx context.Context, deployment *appsv1.Deployment, what map[string]any, subresource ...string) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	_, err = s.client.AppsV1().Deployments(deployment.Namespace).
		Patch(ctx, deployment.Name, types.MergePatchType, body, metav1.PatchOptions{}, subresource...)
	if apierrors.IsNotFound(err) {
		return nil // it has gone
	}
	return err
}

// ready is what the controller of Deployments says when all nodes are.
func ready(deployment *appsv1.Deployment) appsv1.DeploymentStatus {
	size, now := *deployment.Spec.Replicas, metav1.Now()
	condition := func(kind appsv1.DeploymentConditionType, reason, message string) appsv1.DeploymentCondition {
		return appsv1.DeploymentCondition{
			Type: kind, Status: corev1.ConditionTrue, Reason: reason, Message: message, LastUpdateTime: now, LastTransitionTime: now,
		}
	}
	return appsv1.DeploymentStatus{
		ObservedGeneration: deployment.Generation,
		Replicas:           size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size,
		Conditions: []appsv1.DeploymentCondition{
			condition(appsv1.DeploymentAvailable, "MinimumReplicasAvailable", "Deployment has minimum availability."),
			condition(appsv1.DeploymentProgressing, "NewReplicaSetAvailable",
				fmt.Sprintf("ReplicaSet %q has successfully progressed.", deployment.Name)),
		},
	}
}
