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
