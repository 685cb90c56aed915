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

package status

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// problem is something that only a person, or a change elsewhere, can mend.
type problem struct {
	reason  string
	message string
}

// pullFailures are the kubelet's reasons for an image that it cannot get. Which
// of them a pod shows changes from second to second, so they count as one.
var pullFailures = []string{
	"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable",
	"SignatureValidationFailed",
}

// startFailures are the kubelet's reasons for a container that it cannot make.
var startFailures = []string{
	"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PreCreateHookError", "PreStartHookError", "PostStartHookError",
}

// diagnose returns the most fundamental problem, or nil: a name that is taken
// comes before a refused write, that before nodes that cannot be made, and that
// before nodes that do not work.
func diagnose(seen Observed, out Outcome) *problem {
	if len(out.Conflicts) > 0 {
		return &problem{cachev1alpha1.ReasonNameConflict, fmt.Sprintf(
			"%s: not controlled by this Memcached, so it stays as it is; delete or rename it, or choose another name for the Memcached",
			strings.Join(out.Conflicts, ", "))}
	}
	for _, err := range out.Errors {
		if found := refusedWrite(err); found != nil {
			return found
		}
	}
	if found := refusedNodes(seen.Deployment); found != nil {
		return found
	}
	for _, find := range []func(*corev1.Pod) *problem{crashLoop, pullFailure, startFailure, unschedulable} {
		if found := first(seen.Pods, find); found != nil {
			return found
		}
	}
	return deadlineExceeded(seen.Deployment)
}

// first returns the problem whose message sorts first: caches list pods in any
// order, and nodes that fail differently must not make the status move.
func first(pods []corev1.Pod, find func(*corev1.Pod) *problem) *problem {
	var least *problem
	for i := range pods {
		if found := find(&pods[i]); found != nil && (least == nil || found.message < least.message) {
			least = found
		}
	}
	return least
}

// crashLoop is a restart while the node is not ready. The message names no pod
// and no count, because those move while the failure stays the same.
func crashLoop(pod *corev1.Pod) *problem {
	for _, container := range working(pod) {
		if container.RestartCount == 0 || container.Ready {
			continue
		}
		ended := container.State.Terminated
		if ended == nil {
			ended = container.LastTerminationState.Terminated
		}
		how := "ended"
		if ended != nil {
			how = fmt.Sprintf("ended with exit code %d (%s)", ended.ExitCode, ended.Reason)
		}
		return &problem{cachev1alpha1.ReasonCrashLoop, fmt.Sprintf("container %s %s and was started again; "+
			"see its last words: kubectl logs -n %s %s --previous --prefix --ignore-errors", container.Name, how, pod.Namespace, selectNodes(pod))}
	}
	return nil
}

func pullFailure(pod *corev1.Pod) *problem {
	container := waiting(pod, pullFailures)
	if container == nil {
		return nil
	}
	return &problem{cachev1alpha1.ReasonImagePullFailed, fmt.Sprintf("image %q cannot be pulled; "+
		"check the reference, the registry and its credentials: kubectl describe pods -n %s %s", container.Image, pod.Namespace, selectNodes(pod))}
}

func startFailure(pod *corev1.Pod) *problem {
	container := waiting(pod, startFailures)
	if container == nil {
		return nil
	}
	return &problem{cachev1alpha1.ReasonContainerStartFailed, fmt.Sprintf("container %s cannot be started from image %q: "+
		"kubectl describe pods -n %s %s", container.Name, container.Image, pod.Namespace, selectNodes(pod))}
}

func unschedulable(pod *corev1.Pod) *problem {
	for _, condition := range pod.Status.Conditions {
		if pod.DeletionTimestamp.IsZero() && condition.Type == corev1.PodScheduled &&
			condition.Status == corev1.ConditionFalse && condition.Reason == corev1.PodReasonUnschedulable {
			return &problem{cachev1alpha1.ReasonUnschedulable, fmt.Sprintf("no machine of the cluster can take a node; "+
				"add capacity, or see what each machine lacks: kubectl describe pods -n %s %s", pod.Namespace, selectNodes(pod))}
		}
	}
	return nil
}

func deadlineExceeded(deployment *appsv1.Deployment) *problem {
	failing := condition(deployment, appsv1.DeploymentProgressing, corev1.ConditionFalse)
	if failing == nil || failing.Reason != "ProgressDeadlineExceeded" {
		return nil
	}
	return &problem{cachev1alpha1.ReasonProgressDeadlineExceeded, fmt.Sprintf("the rollout makes no progress: "+
		"kubectl describe deployment,pods -n %s -l %s=%s", deployment.Namespace, cachev1alpha1.LabelInstance, deployment.Name)}
}

// condition finds the condition of that type and status; nil if there is none.
func condition(deployment *appsv1.Deployment, conditionType appsv1.DeploymentConditionType, status corev1.ConditionStatus) *appsv1.DeploymentCondition {
	if deployment == nil {
		return nil
	}
	for i := range deployment.Status.Conditions {
		if found := &deployment.Status.Conditions[i]; found.Type == conditionType && found.Status == status {
			return found
		}
	}
	return nil
}

func waiting(pod *corev1.Pod, reasons []string) *corev1.ContainerStatus {
	containers := working(pod)
	for i := range containers {
		if state := containers[i].State.Waiting; state != nil && slices.Contains(reasons, state.Reason) {
			return &containers[i]
		}
	}
	return nil
}

// meantToRun tells whether the pod is neither one that terminates nor one that
// the kubelet gave up, which is replaced.
func meantToRun(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp.IsZero() && pod.Status.Phase != corev1.PodFailed
}

// working returns the containers of a pod that is meant to run.
func working(pod *corev1.Pod) []corev1.ContainerStatus {
	if !meantToRun(pod) {
		return nil
	}
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

func selectNodes(pod *corev1.Pod) string {
	return fmt.Sprintf("-l %s=%s", cachev1alpha1.LabelInstance, pod.Labels[cachev1alpha1.LabelInstance])
}
