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

package resources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/internal/resources"
)

func TestSizeIsTheNumberOfReplicas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int32{
		"one node":    1,
		"two nodes":   2,
		"three nodes": 3,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&want, desired(sample(size(want))).Deployment.Spec.Replicas); diff != "" {
				t.Errorf("replicas (-want +got):\n%s", diff)
			}
		})
	}
}

// Some clusters refuse pods with sysctls, so only those that need one have it.
func TestSysctlOpensPrivilegedPortsOnly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		port int32
		want map[string]string
	}{
		"the lowest port":             {1, map[string]string{"net.ipv4.ip_unprivileged_port_start": "0"}},
		"the last privileged port":    {1023, map[string]string{"net.ipv4.ip_unprivileged_port_start": "0"}},
		"the first unprivileged port": {1024, map[string]string{}},
		"memcached's own port":        {11211, map[string]string{}},
		"the highest port":            {65535, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			for _, sysctl := range desired(sample(port(tc.port))).Deployment.Spec.Template.Spec.SecurityContext.Sysctls {
				got[*sysctl.Name] = *sysctl.Value
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("sysctls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUserIsChosenUnlessThePlatformDoes(t *testing.T) {
	t.Parallel()
	user := int64(1001)
	for name, tc := range map[string]struct {
		assignsUser bool
		want        *int64
	}{
		"on Kubernetes, a fixed user":                    {false, &user},
		"on OpenShift, none: it refuses any but its own": {true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			security := resources.Desired(sample(), resources.Options{Image: image, AssignsUser: tc.assignsUser}).
				Deployment.Spec.Template.Spec.SecurityContext
			if diff := cmp.Diff(tc.want, security.RunAsUser); diff != "" {
				t.Errorf("runAsUser (-want +got):\n%s", diff)
			}
			if !*security.RunAsNonRoot {
				t.Error("the node may run as root")
			}
		})
	}
}

func TestImagePassesUnchanged(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"with a tag":                "docker.io/library/memcached:1.6.45",
		"without a tag":             "memcached",
		"with a digest":             "quay.io/team/memcached@sha256:" + strings.Repeat("0a", 32),
		"with a tag and a digest":   "quay.io/team/memcached:1.6@sha256:" + strings.Repeat("0a", 32),
		"on a registry with a port": "registry.example.com:5000/memcached",
		"on an IPv6 registry":       "[2001:db8::1]:5000/team/memcached:1.6.45",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := resources.Desired(sample(), resources.Options{Image: want}).Deployment.Spec.Template.Spec.Containers[0].Image
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("image (-want +got):\n%s", diff)
			}
		})
	}
}

// memcached reads "-m=64" as zero, so each value must be an argument of its own.
func TestMemcachedGetsSeparateArguments(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		port int32
		want string
	}{
		"on its usual port": {11211, "memcached|-m|64|-o|modern|-p|11211|-U|0|-v"},
		"on port 80":        {80, "memcached|-m|64|-o|modern|-p|80|-U|0|-v"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			children := desired(sample(port(tc.port)))
			container := children.Deployment.Spec.Template.Spec.Containers[0]
			if diff := cmp.Diff(tc.want, strings.Join(container.Command, "|")); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
			if len(container.Args) > 0 {
				t.Errorf("arguments beside the command: %v", container.Args)
			}
			for where, got := range map[string]int32{
				"container": *container.Ports[0].ContainerPort,
				"Service":   *children.Service.Spec.Ports[0].Port,
			} {
				if got != tc.port {
					t.Errorf("port of the %s: got %d, want the one memcached listens on, %d", where, got, tc.port)
				}
			}
		})
	}
}
