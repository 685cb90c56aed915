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

package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "internal", "controller")
	for _, dir := range []string{below, filepath.Join(root, filepath.Dir(marker))} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Find(below); err == nil || !strings.Contains(err.Error(), "-project") {
		t.Errorf("outside a clone: got %v, want advice to use -project", err)
	}
	if err := os.WriteFile(filepath.Join(root, marker), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(below, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, below, link} {
		if p, err := Find(dir); err != nil || p.Root != root {
			t.Errorf("Find(%s) = %v, %v, want %s", dir, p, err, root)
		}
	}
}
