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

package status_test

import (
	"encoding/json"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

const image = "docker.io/library/memcached:1.6.45"

// longAgo is when all that exists before a test happened.
var longAgo = metav1.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// cache is a Memcached of that size whose status nobody has written yet.
func cache(size int32) *cachev1alpha1.Memcached {
	return &cachev1alpha1.Memcached{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "cache", Generation: 3},
		Spec:       cachev1alpha1.MemcachedSpec{Size: size, ContainerPort: 11211},
	}
}

func deleted(mc *cachev1alpha1.Memcached) *cachev1alpha1.Memcached {
	mc.DeletionTimestamp = &longAgo
	return mc
}

// nodes is a Deployment whose controller is up to date, with so many nodes, of
// which so many are of the present generation, and so many are ready.
func nodes(all, updated, ready int32, edits ...func(*appsv1.Deployment)) status.Observed {
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "cache", Generation: 5},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: 5, Replicas: all, UpdatedReplicas: updated, ReadyReplicas: ready, AvailableReplicas: ready,
		},
	}
	for _, edit := range edits {
		edit(deployment)
	}
	return status.Observed{Deployment: deployment}
}

// reporting gives a Deployment a condition.
func reporting(conditionType appsv1.DeploymentConditionType, is corev1.ConditionStatus, reason, message string) func(*appsv1.Deployment) {
	return func(deployment *appsv1.Deployment) {
		deployment.Status.Conditions = append(deployment.Status.Conditions, appsv1.DeploymentCondition{
			Type: conditionType, Status: is, Reason: reason, Message: message,
		})
	}
}

func refused(message string) func(*appsv1.Deployment) {
	return reporting(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, "FailedCreate", message)
}

func stuck(deployment *appsv1.Deployment) {
	reporting(appsv1.DeploymentProgressing, corev1.ConditionFalse, "ProgressDeadlineExceeded",
		`ReplicaSet "cache-5d4f" has timed out progressing.`)(deployment)
}

// node is a pod with one container in that state.
func node(container corev1.ContainerStatus, edits ...func(*corev1.Pod)) corev1.Pod {
	container.Name, container.Image = "memcached", image
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "cache-5d4f-abcde", Labels: map[string]string{cachev1alpha1.LabelInstance: "cache"}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{container}},
	}
	for _, edit := range edits {
		edit(&pod)
	}
	return pod
}

func waiting(reason, message string) corev1.ContainerStatus {
	return corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}
}

// crashed is a container that has ended that often, at last with that code.
func crashed(restarts, code int32, reason string, state corev1.ContainerState) corev1.ContainerStatus {
	return corev1.ContainerStatus{RestartCount: restarts, State: state, LastTerminationState: ended(code, reason)}
}

func ended(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
}

func backOff(message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: message}}
}

func running() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
}

func terminating(pod *corev1.Pod) { pod.DeletionTimestamp = &longAgo }

func failed(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed }

func unscheduled(reason, message string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Phase, pod.Status.ContainerStatuses = corev1.PodPending, nil
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message}}
	}
}

// verdict is what a status says, each condition as "status reason".
type verdict struct{ Available, Progressing, Degraded, Ready string }

func verdictOf(t *testing.T, got cachev1alpha1.MemcachedStatus) verdict {
	t.Helper()
	says := func(conditionType string) string {
		condition := meta.FindStatusCondition(got.Conditions, conditionType)
		if condition == nil {
			t.Fatalf("no condition %s in %v", conditionType, got.Conditions)
		}
		return string(condition.Status) + " " + condition.Reason
	}
	return verdict{
		Available:   says(cachev1alpha1.ConditionAvailable),
		Progressing: says(cachev1alpha1.ConditionProgressing),
		Degraded:    says(cachev1alpha1.ConditionDegraded),
		Ready:       says(cachev1alpha1.ConditionReady),
	}
}

// degradedOf is what a status says of trouble, which must be what a user sees
// in all conditions that repeat it.
func degradedOf(t *testing.T, got cachev1alpha1.MemcachedStatus) metav1.Condition {
	t.Helper()
	degraded := meta.FindStatusCondition(got.Conditions, cachev1alpha1.ConditionDegraded)
	ready := meta.FindStatusCondition(got.Conditions, cachev1alpha1.ConditionReady)
	if degraded == nil || ready == nil {
		t.Fatalf("no Degraded or no Ready in %v", got.Conditions)
	}
	if degraded.Status == metav1.ConditionTrue && (ready.Reason != degraded.Reason || ready.Message != degraded.Message) {
		t.Errorf("Ready says %s %q, Degraded says %s %q", ready.Reason, ready.Message, degraded.Reason, degraded.Message)
	}
	return *degraded
}

func encode(t *testing.T, value any) string {
	t.Helper()
	body, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
