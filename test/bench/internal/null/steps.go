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

package null

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
	"github.com/example/memcached-operator/internal/status"
)

// reconcile takes the next step, if there is one. Each is one request, but the
// first: finalizer, Deployment and Service follow each other at once.
func (o *operator) reconcile(ctx context.Context, key string) error {
	object, exists, err := o.mcs.GetByKey(key)
	if err != nil {
		return err
	}
	if !exists {
		o.forget(key)
		return nil
	}
	mc := object.(*cachev1alpha1.Memcached)
	var deployment *appsv1.Deployment
	if object, exists, err = o.deployments.GetByKey(key); err != nil {
		return err
	} else if exists {
		deployment = object.(*appsv1.Deployment)
	}
	step, act := o.next(mc, deployment)
	if act == nil || !o.first(key, step) {
		return nil
	}
	if err := act(ctx); err != nil {
		o.forget(key)
		return fmt.Errorf("%s: %w", step, err)
	}
	return nil
}

// next returns the step that mc needs now, and its name; nil if it needs none.
func (o *operator) next(mc *cachev1alpha1.Memcached, deployment *appsv1.Deployment) (string, func(context.Context) error) {
	held := slices.Contains(mc.Finalizers, cachev1alpha1.Finalizer)
	switch {
	case mc.DeletionTimestamp != nil && !held:
		return "", nil
	case mc.DeletionTimestamp != nil && deployment == nil:
		return "release", func(ctx context.Context) error { return o.setFinalizers(ctx, mc, nil) }
	case mc.DeletionTimestamp != nil:
		return "delete", func(ctx context.Context) error { return o.deleteDeployment(ctx, mc) }
	case !held:
		return "create", func(ctx context.Context) error { return o.create(ctx, mc) }
	case deployment == nil:
		return "", nil // on its way
	case *deployment.Spec.Replicas != mc.Spec.Size:
		return fmt.Sprint("scale ", mc.Generation), func(ctx context.Context) error { return o.scale(ctx, mc) }
	case deployment.Status.ObservedGeneration == deployment.Generation && deployment.Status.ReadyReplicas == mc.Spec.Size:
		return fmt.Sprint("report ", mc.Generation), func(ctx context.Context) error { return o.report(ctx, mc, deployment) }
	}
	return "", nil
}

func (o *operator) first(key, step string) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.last[key] == step {
		return false
	}
	o.last[key] = step
	return true
}

func (o *operator) forget(key string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	delete(o.last, key)
}

func (o *operator) create(ctx context.Context, mc *cachev1alpha1.Memcached) error {
	if err := o.setFinalizers(ctx, mc, []string{cachev1alpha1.Finalizer}); err != nil {
		return err
	}
	children := resources.Desired(mc, o.options)
	body, err := json.Marshal(children.Deployment)
	if err != nil {
		return err
	}
	err = o.kubernetes.AppsV1().RESTClient().Post().Namespace(mc.Namespace).Resource("deployments").
		SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
	if err != nil {
		return err
	}
	if body, err = json.Marshal(children.Service); err != nil {
		return err
	}
	return o.kubernetes.CoreV1().RESTClient().Post().Namespace(mc.Namespace).Resource("services").
		SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
}

func (o *operator) scale(ctx context.Context, mc *cachev1alpha1.Memcached) error {
	body := fmt.Appendf(nil, `{"spec": {"replicas": %d}}`, mc.Spec.Size)
	_, err := o.kubernetes.AppsV1().Deployments(mc.Namespace).Patch(ctx, mc.Name, types.MergePatchType, body, metav1.PatchOptions{})
	return err
}

// report writes the very status that the operator writes.
func (o *operator) report(ctx context.Context, mc *cachev1alpha1.Memcached, deployment *appsv1.Deployment) error {
	next := status.Compute(mc, status.Observed{
		Deployment: deployment, Selector: labels.SelectorFromSet(resources.Selector(mc.Name)).String(),
	}, status.Outcome{})
	if equality.Semantic.DeepEqual(mc.Status, next) {
		return nil
	}
	return o.patch(ctx, mc, map[string]any{"status": next}, "status")
}

func (o *operator) deleteDeployment(ctx context.Context, mc *cachev1alpha1.Memcached) error {
	foreground := metav1.DeletePropagationForeground
	return o.kubernetes.AppsV1().Deployments(mc.Namespace).Delete(ctx, mc.Name, metav1.DeleteOptions{PropagationPolicy: &foreground})
}

func (o *operator) setFinalizers(ctx context.Context, mc *cachev1alpha1.Memcached, finalizers []string) error {
	return o.patch(ctx, mc, map[string]any{"metadata": map[string]any{"finalizers": finalizers}})
}

func (o *operator) patch(ctx context.Context, mc *cachev1alpha1.Memcached, what map[string]any, subresource ...string) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return o.memcacheds.Patch(types.MergePatchType).Namespace(mc.Namespace).Resource("memcacheds").Name(mc.Name).
		SubResource(subresource...).Body(body).Do(ctx).Error()
}
