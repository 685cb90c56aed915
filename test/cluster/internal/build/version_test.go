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

package build

import (
	"strings"
	"testing"
)

func TestStamp(t *testing.T) {
	t.Parallel()
	got, err := stamp("v1.37.2")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"k8s.io/component-base/version.gitVersion=v1.37.2",
		"k8s.io/component-base/version.gitMajor=1",
		"k8s.io/component-base/version.gitMinor=37",
		"k8s.io/client-go/pkg/version.gitVersion=v1.37.2",
	} {
		if !strings.Contains(got, "-X "+want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if _, err := stamp("master"); err == nil {
		t.Error("a version without numbers was accepted")
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Node() {
		for _, name := range c.outputs() {
			if seen[name] || strings.Contains(name, " ") {
				t.Errorf("%s: file name %q is doubled or odd", c.Name, name)
			}
			seen[name] = true
		}
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl", "runc", "ptp", "host-local", "coredns", "pause"} {
		if !seen[name] {
			t.Errorf("nothing builds %s", name)
		}
	}
}
