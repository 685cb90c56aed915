package main

import (
	"os"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/cluster/internal/project"
)

// The operator asks for the image that its own manifest names. If the node had
// another one, every cache would wait for a registry that is not there.
func TestMemcachedImageIsTheOperatorsDefault(t *testing.T) {
	t.Parallel()
	p, err := project.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(p.Path("config", "manager", "manager.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var s settings
	s.flags()
	if !strings.Contains(string(manifest), "value: "+s.memcachedImage+"\n") {
		t.Errorf("config/manager/manager.yaml does not name the -memcached-image default %s", s.memcachedImage)
	}
}
