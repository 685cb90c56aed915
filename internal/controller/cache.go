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

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// CacheOptions limits the manager's caches to what the operator needs: its own
// children, in the namespaces given (none given: in all).
func CacheOptions(namespaces ...string) cache.Options {
	ours := labels.SelectorFromSet(labels.Set{cachev1alpha1.LabelManagedBy: cachev1alpha1.ManagedBy})
	options := cache.Options{
		// A read of a kind that is not listed here is a mistake, not a reason
		// to start watching it.
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&cachev1alpha1.Memcached{}: {Transform: cache.TransformStripManagedFields()},
			&appsv1.Deployment{}:       {Label: ours, Transform: condense},
			&corev1.Service{}:          {Label: ours, Transform: condense},
			&corev1.Pod{}:              {Label: ours, Transform: stripPod},
		},
	}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}

// ClientOptions makes a read wait until the caches hold the operator's own
// earlier writes, so that no run acts on what it has already changed. The
// library cannot do that with several namespaces (controller-runtime 0.25);
// there, a run may try a write twice, which its preconditions make harmless.
func ClientOptions(namespaces ...string) client.Options {
	consistent := len(namespaces) <= 1
	return client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: &consistent}}
}

// stripPod keeps of a pod what status and finalizer look at.
func stripPod(object any) (any, error) {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return object, nil
	}
	pod.ManagedFields, pod.Annotations = nil, nil
	pod.Spec = corev1.PodSpec{}
	pod.Status = corev1.PodStatus{
		Phase:                 pod.Status.Phase,
		Conditions:            pod.Status.Conditions,
		InitContainerStatuses: pod.Status.InitContainerStatuses,
		ContainerStatuses:     pod.Status.ContainerStatuses,
	}
	return pod, nil
}

// nodeIndex finds the pods of one Memcached without looking at all others.
const nodeIndex = "memcached"

func indexNodes(mgr ctrl.Manager) error {
	return mgr.GetFieldIndexer().IndexField(context.Background(), &corev1.Pod{}, nodeIndex, func(pod client.Object) []string {
		return []string{pod.GetLabels()[cachev1alpha1.LabelInstance]}
	})
}

func memcachedOf(_ context.Context, pod client.Object) []reconcile.Request {
	name := pod.GetLabels()[cachev1alpha1.LabelInstance]
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}
