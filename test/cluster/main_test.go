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
