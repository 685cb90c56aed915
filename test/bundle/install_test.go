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

package bundle

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OLM updates the Deployment of one version to that of the next, and a
// selector cannot be updated. Neither of these ever changes.
func TestDeploymentCanBeUpgraded(t *testing.T) {
	name, spec := deployment(t, load(t).CSV)
	if want := "memcached-operator-controller-manager"; name != want {
		t.Errorf("name %q, want %q", name, want)
	}
	want := &metav1.LabelSelector{MatchLabels: map[string]string{
		"app.kubernetes.io/name": "memcached-operator",
		"control-plane":          "controller-manager",
	}}
	if diff := cmp.Diff(want, spec.Selector); diff != "" {
		t.Errorf("selector (-want +got):\n%s", diff)
	}
}

func TestAllInstallModesAreSupported(t *testing.T) {
	got := map[operatorsv1alpha1.InstallModeType]bool{}
	for _, mode := range load(t).CSV.Spec.InstallModes {
		got[mode.Type] = mode.Supported
	}
	want := map[operatorsv1alpha1.InstallModeType]bool{
		operatorsv1alpha1.InstallModeTypeOwnNamespace:    true,
		operatorsv1alpha1.InstallModeTypeSingleNamespace: true,
		operatorsv1alpha1.InstallModeTypeMultiNamespace:  true,
		operatorsv1alpha1.InstallModeTypeAllNamespaces:   true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("install modes (-want +got):\n%s", diff)
	}
}

// What the manager needs to know under OLM, and what config/default tells it
// otherwise.
func TestManagerIsTunedForOLM(t *testing.T) {
	container := manager(t, load(t).CSV)
	if !slices.Contains(container.Args, "--leader-election=life") {
		t.Errorf("args %v do not elect the leader for life", container.Args)
	}
	for name, want := range map[string]string{
		"POD_NAME":        "metadata.name",
		"WATCH_NAMESPACE": "metadata.annotations['olm.targetNamespaces']",
	} {
		env := envOf(container, name)
		if env == nil || env.ValueFrom == nil || env.ValueFrom.FieldRef == nil || env.ValueFrom.FieldRef.FieldPath != want {
			t.Errorf("%s is not the pod's %s: %v", name, want, env)
		}
	}
	if env := envOf(container, "MEMCACHED_IMAGE"); env == nil || env.Value == "" {
		t.Error("MEMCACHED_IMAGE is not set")
	}
}

// A namespace that enforces Pod Security "restricted" lets the manager in.
func TestManagerIsRestricted(t *testing.T) {
	csv := load(t).CSV
	_, spec := deployment(t, csv)
	pod, container := spec.Template.Spec.SecurityContext, manager(t, csv).SecurityContext
	yes, no := true, false
	wantPod := &corev1.PodSecurityContext{
		RunAsNonRoot:   &yes,
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	if diff := cmp.Diff(wantPod, pod); diff != "" {
		t.Errorf("pod (-want +got):\n%s", diff)
	}
	wantContainer := &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no,
		ReadOnlyRootFilesystem:   &yes,
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	if diff := cmp.Diff(wantContainer, container); diff != "" {
		t.Errorf("container (-want +got):\n%s", diff)
	}
	resources := manager(t, csv).Resources
	if resources.Requests.Cpu().IsZero() || resources.Requests.Memory().IsZero() || resources.Limits.Memory().IsZero() {
		t.Errorf("resources %v: want requests, and a limit of memory", resources)
	}
}

// A registry without a way out mirrors relatedImages, and nothing else.
func TestRelatedImagesAreComplete(t *testing.T) {
	csv := load(t).CSV
	_, spec := deployment(t, csv)
	used := map[string]bool{csv.Annotations["containerImage"]: true}
	for _, container := range slices.Concat(spec.Template.Spec.InitContainers, spec.Template.Spec.Containers) {
		used[container.Image] = true
		for _, env := range container.Env {
			if strings.Contains(env.Name, "IMAGE") {
				used[env.Value] = true
			}
		}
	}
	names, listed := map[string]bool{}, map[string]bool{}
	for _, image := range csv.Spec.RelatedImages {
		if image.Name == "" || names[image.Name] {
			t.Errorf("the name %q of %s is empty or taken", image.Name, image.Image)
		}
		names[image.Name], listed[image.Image] = true, true
	}
	if diff := cmp.Diff(used, listed); diff != "" {
		t.Errorf("images (-used +listed):\n%s", diff)
	}
	reference := regexp.MustCompile(`^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[\w.-]+|@sha256:[0-9a-f]{64})$`)
	for image := range listed {
		if !reference.MatchString(image) || strings.HasSuffix(image, ":latest") {
			t.Errorf("%q names no registry, or no lasting version", image)
		}
	}
}

func envOf(container corev1.Container, name string) *corev1.EnvVar {
	at := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name })
	if at < 0 {
		return nil
	}
	return &container.Env[at]
}
