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
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/status"
)

// inInit moves the state of the only container to an init container.
func inInit(pod *corev1.Pod) {
	pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses = pod.Status.ContainerStatuses, nil
	pod.Status.InitContainerStatuses[0].Name = "mesh-init"
}

var brokenNodes = map[string]struct {
	pod      corev1.Pod
	reason   string
	mentions []string
}{
	"memory ran out, and the kubelet waits before the next start": {
		node(crashed(3, 137, "OOMKilled", backOff("back-off 40s restarting failed container"))),
		cachev1alpha1.ReasonCrashLoop, []string{"137", "OOMKilled", "kubectl logs -n team -l app.kubernetes.io/instance=cache --previous"},
	},
	"memcached was started again and is not ready yet": {
		node(crashed(1, 64, "Error", running())),
		cachev1alpha1.ReasonCrashLoop, []string{"64", "Error"},
	},
	"memcached has ended once more": {
		node(crashed(2, 1, "Error", ended(64, "Error"))),
		cachev1alpha1.ReasonCrashLoop, []string{"64"},
	},
	"nobody knows how memcached ended": {
		node(corev1.ContainerStatus{RestartCount: 1, State: running()}),
		cachev1alpha1.ReasonCrashLoop, []string{"memcached ended"},
	},
	"an init container of a mesh crashes": {
		node(crashed(2, 1, "Error", backOff("back-off 20s")), inInit),
		cachev1alpha1.ReasonCrashLoop, []string{"mesh-init"},
	},
	"an image of an init container cannot be pulled": {
		node(waiting("ErrImagePull", "not found"), inInit),
		cachev1alpha1.ReasonImagePullFailed, []string{image},
	},
	"no machine has room": {
		node(corev1.ContainerStatus{}, unscheduled("Unschedulable", "0/3 nodes are available: 3 Insufficient memory.")),
		cachev1alpha1.ReasonUnschedulable, []string{"kubectl describe pods -n team -l app.kubernetes.io/instance=cache"},
	},
}

func TestBrokenNodeIsExplained(t *testing.T) {
	t.Parallel()
	for name, tc := range brokenNodes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := degradedOf(t, status.Compute(cache(1), withPods(tc.pod), status.Outcome{}))
			if diff := cmp.Diff(tc.reason, got.Reason); diff != "" {
				t.Errorf("reason (-want +got):\n%s", diff)
			}
			for _, want := range tc.mentions {
				if !strings.Contains(got.Message, want) {
					t.Errorf("message does not mention %q: %s", want, got.Message)
				}
			}
		})
	}
}

// The kubelet goes from one of these reasons to another while nothing changes
// for the user.
func TestKubeletsReasonsAreOneProblem(t *testing.T) {
	t.Parallel()
	for reason, kubelets := range map[string][]string{
		cachev1alpha1.ReasonImagePullFailed: {
			"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable",
			"SignatureValidationFailed",
		},
		cachev1alpha1.ReasonContainerStartFailed: {
			"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PreCreateHookError", "PreStartHookError", "PostStartHookError",
		},
	} {
		for _, kubelet := range kubelets {
			t.Run(kubelet+" is "+reason, func(t *testing.T) {
				t.Parallel()
				first := status.Compute(cache(1), withPods(node(waiting(kubelets[0], "at first"))), status.Outcome{})
				got := degradedOf(t, status.Compute(cache(1), withPods(node(waiting(kubelet, "later"))), status.Outcome{}))
				if diff := cmp.Diff(reason, got.Reason); diff != "" {
					t.Errorf("reason (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(degradedOf(t, first).Message, got.Message); diff != "" {
					t.Errorf("message, which should be that of %s (-want +got):\n%s", kubelets[0], diff)
				}
				if !strings.Contains(got.Message, image) {
					t.Errorf("message does not name the image: %s", got.Message)
				}
			})
		}
	}
}

func TestNodeThatNeedsNobodyIsNoProblem(t *testing.T) {
	t.Parallel()
	mended := crashed(7, 137, "OOMKilled", running())
	mended.Ready = true
	crashes := crashed(7, 137, "OOMKilled", backOff("back-off 5m0s"))
	for name, pod := range map[string]corev1.Pod{
		"it crashed, and is ready again":           node(mended),
		"it starts for the first time":             node(corev1.ContainerStatus{State: running()}),
		"it is being made":                         node(waiting("ContainerCreating", "")),
		"it waits for its init containers":         node(waiting("PodInitializing", "")),
		"it crashes, but is terminating":           node(crashes, terminating),
		"it crashes, but the kubelet gave it up":   node(crashes, failed),
		"its image is missing, but it terminates":  node(waiting("ErrImagePull", ""), terminating),
		"its image is missing, but was given up":   node(waiting("ErrImagePull", ""), failed),
		"it cannot be made, but is terminating":    node(waiting("CreateContainerError", ""), terminating),
		"it has no machine, but is terminating":    node(corev1.ContainerStatus{}, unscheduled("Unschedulable", ""), terminating),
		"it has no machine because of its gates":   node(corev1.ContainerStatus{}, unscheduled("SchedulingGated", "")),
		"its init container crashed, and is ready": node(mended, inInit),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := verdict{tooFew, "True WaitingForNodes", fine, "False WaitingForNodes"}
			got := status.Compute(cache(1), withPods(pod), status.Outcome{})
			if diff := cmp.Diff(want, verdictOf(t, got)); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}

// With everything wrong at once, the user reads of what has to be mended first.
func TestMostFundamentalProblemIsShown(t *testing.T) {
	t.Parallel()
	seen := nodes(1, 1, 0, refused("exceeded quota: tight"), stuck)
	seen.Pods = []corev1.Pod{node(crashed(1, 1, "Error", running()))}
	out := writing(denied(403, "Forbidden", "no"))
	out.Conflicts = []string{"Service team/cache"}
	out.Errors = append(writing(context.DeadlineExceeded).Errors, out.Errors...)
	for _, step := range []struct {
		want string
		mend func()
	}{
		{"True NameConflict", func() { out.Conflicts = nil }},
		{"True AdmissionDenied", func() { out.Errors = nil }},
		{"True QuotaExceeded", func() { seen.Deployment.Status.Conditions = seen.Deployment.Status.Conditions[1:] }},
		{"True CrashLoop", func() { seen.Pods = nil }},
		{"True ProgressDeadlineExceeded", func() { seen.Deployment.Status.Conditions = nil }},
		{fine, func() {}},
	} {
		if diff := cmp.Diff(step.want, verdictOf(t, status.Compute(cache(1), seen, out)).Degraded); diff != "" {
			t.Errorf("Degraded (-want +got):\n%s", diff)
		}
		step.mend()
	}
}

// The caches list nodes in any order, another one each time.
func TestOrderOfNodesDoesNotMatter(t *testing.T) {
	t.Parallel()
	otherImage := func(pod *corev1.Pod) { pod.Status.ContainerStatuses[0].Image = "memcached:1.6.44" }
	for name, pods := range map[string][]corev1.Pod{
		"when they end differently": {
			node(crashed(1, 137, "OOMKilled", running())), node(crashed(1, 1, "Error", running())), node(crashed(1, 64, "Error", running())),
		},
		"when they lack different images": {node(waiting("ErrImagePull", "")), node(waiting("ErrImagePull", ""), otherImage)},
		"when they have different problems": {
			node(waiting("ErrImagePull", "")), node(crashed(1, 1, "Error", running())), node(waiting("CreateContainerError", "")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := degradedOf(t, status.Compute(cache(1), withPods(pods...), status.Outcome{}))
			for range pods {
				pods = append(pods[1:], pods[0])
				got := degradedOf(t, status.Compute(cache(1), withPods(pods...), status.Outcome{}))
				if diff := cmp.Diff(want.Message, got.Message); diff != "" {
					t.Errorf("message (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// withPods is one node, not ready, with those pods behind it.
func withPods(pods ...corev1.Pod) status.Observed {
	seen := nodes(1, 1, 0)
	seen.Pods = pods
	return seen
}
