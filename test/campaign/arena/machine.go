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
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	machineName = "machine"

	// AbsentTag is the tag of an image that the machine cannot pull.
	AbsentTag = ":absent"

	// stopping is how long a node takes to stop: long enough that an operator
	// that does not wait for it is seen not to.
	stopping = 600 * time.Millisecond
)

// machine plays scheduler and kubelet: it takes every pod, and says that it
// runs. It writes nothing but pods.
type machine struct {
	client.Client
	pods client.Reader // of the cache
}

// startMachine adds a machine that takes any number of pods.
func (a *Arena) startMachine(ctx context.Context, cfg *rest.Config) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: machineName}, Status: corev1.NodeStatus{
		Capacity:   corev1.ResourceList{corev1.ResourcePods: resource.MustParse("100000")},
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated"}},
	}}
	if err := a.Admin.Create(ctx, node); err != nil {
		return err
	}
	skip := true
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme.Scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &skip},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(mgr).Named("machine").For(&corev1.Pod{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 20}).
		Complete(&machine{Client: a.Admin, pods: mgr.GetClient()})
	if err != nil {
		return err
	}
	a.running.Go(func() { _ = mgr.Start(ctx) }) // what it cannot do, the plans will miss
	return nil
}

// Reconcile takes a pod one step further.
func (m *machine) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	pod := &corev1.Pod{}
	if err := m.pods.Get(ctx, request.NamespacedName, pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var err error
	switch {
	case !pod.DeletionTimestamp.IsZero():
		// The API server adds the grace period to the time of the deletion.
		told := pod.DeletionTimestamp.Add(-time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second)
		if wait := stopping - time.Since(told); wait > 0 {
			return ctrl.Result{RequeueAfter: wait}, nil
		}
		err = m.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
	case len(pod.Spec.SchedulingGates) > 0: // it is not to be scheduled
	case pod.Spec.NodeName == "":
		err = m.SubResource("binding").Create(ctx, pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: machineName}})
	case len(pod.Status.ContainerStatuses) == 0:
		before := pod.DeepCopy()
		start(pod)
		err = m.Status().Patch(ctx, pod, client.MergeFrom(before))
	}
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

func start(pod *corev1.Pod) {
	ready := !strings.HasSuffix(pod.Spec.Containers[0].Image, AbsentTag)
	state := corev1.ContainerStatus{Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image, Ready: ready, Started: &ready}
	condition := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now()}
	pod.Status.Phase = corev1.PodPending
	if ready {
		pod.Status.Phase, condition.Status = corev1.PodRunning, corev1.ConditionTrue
		state.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.Now()}
	} else {
		state.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "not found"}
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{state}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}
