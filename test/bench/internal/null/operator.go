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

// Package null is the floor of the benchmark: an operator that does the least
// that makes the same objects. It repairs nothing, survives no failure and
// explains nothing; what it costs, no operator for Memcached can do without.
//
// Reading order: operator.go (what it watches), steps.go (what it writes).
package null

import (
	"context"
	"fmt"
	"os"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
)

// workers is as many as the operator has, so that the two differ in what they
// do and not in how much of it at a time.
const workers = 8

type operator struct {
	options     resources.Options
	kubernetes  kubernetes.Interface
	memcacheds  rest.Interface
	mcs         cache.Store
	deployments cache.Store
	queue       workqueue.TypedRateLimitingInterface[string]

	mutex sync.Mutex
	// last is the latest step taken for each key, lest a stale store repeats it.
	last map[string]string
}

// Run runs the null operator until ctx ends.
func Run(ctx context.Context, config *rest.Config, image string) error {
	o := &operator{
		options: resources.Options{Image: image},
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedItemBasedRateLimiter[string]()),
		last:    map[string]string{},
	}
	var err error
	if o.kubernetes, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("null operator: %w", err)
	}
	if o.memcacheds, err = memcachedClient(config); err != nil {
		return fmt.Errorf("null operator: %w", err)
	}
	synced, err := o.watch(ctx)
	if err != nil {
		return fmt.Errorf("null operator: %w", err)
	}
	cache.WaitForCacheSync(ctx.Done(), synced...)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() { o.work(ctx) })
	}
	<-ctx.Done()
	o.queue.ShutDown()
	working.Wait()
	return nil
}

func memcachedClient(config *rest.Config) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	if err := cachev1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	ours := rest.CopyConfig(config)
	ours.APIPath, ours.GroupVersion = "/apis", &cachev1alpha1.GroupVersion
	ours.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(ours)
}

// watch keeps of both kinds what steps.go looks at.
func (o *operator) watch(ctx context.Context) ([]cache.InformerSynced, error) {
	selected := informers.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.LabelSelector = cachev1alpha1.LabelManagedBy + "=" + cachev1alpha1.ManagedBy
	})
	factory := informers.NewSharedInformerFactoryWithOptions(o.kubernetes, 0, selected, informers.WithTransform(strip))
	deployments := factory.Apps().V1().Deployments().Informer()
	mcs := cache.NewSharedInformer(
		cache.NewListWatchFromClient(o.memcacheds, "memcacheds", metav1.NamespaceAll, fields.Everything()), &cachev1alpha1.Memcached{}, 0)
	if err := mcs.SetTransform(strip); err != nil {
		return nil, err
	}
	o.mcs, o.deployments = mcs.GetStore(), deployments.GetStore()
	add := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			o.queue.Add(key)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, object any) { add(object) }, DeleteFunc: add}
	for _, informer := range []cache.SharedInformer{mcs, deployments} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return nil, err
		}
		go informer.Run(ctx.Done())
	}
	return []cache.InformerSynced{mcs.HasSynced, deployments.HasSynced}, nil
}

func strip(object any) (any, error) {
	switch kept := object.(type) {
	case *appsv1.Deployment:
		kept.ManagedFields, kept.Annotations, kept.Labels, kept.OwnerReferences = nil, nil, nil, nil
		kept.Spec = appsv1.DeploymentSpec{Replicas: kept.Spec.Replicas}
	case *cachev1alpha1.Memcached:
		kept.ManagedFields, kept.Annotations = nil, nil
	}
	return object, nil
}

func (o *operator) work(ctx context.Context) {
	for {
		key, end := o.queue.Get()
		if end {
			return
		}
		if err := o.reconcile(ctx, key); err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "null operator: Memcached %s: %v\n", key, err)
			o.queue.AddRateLimited(key)
		} else {
			o.queue.Forget(key)
		}
		o.queue.Done(key)
	}
}
