//go:build e2e && linux

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
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/cluster/internal/node"
	"github.com/example/memcached-operator/test/cluster/internal/project"
)

// limit bounds every command of these tests: many times what any of them needs
// when everything is built, and enough to build it on a fresh machine.
const limit = time.Hour

// clone is a copy of this project, with a node of its own.
type clone struct {
	project.Project
	program string
}

// newClone copies what a node is made of. What the original has built already
// is linked, not copied: the two have the same sources.
func newClone(t *testing.T, program, root string) clone {
	t.Helper()
	original, err := project.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum", "api", "cmd", "internal", "tools", "test/cluster"} {
		copyTree(t, original.Path(name), filepath.Join(root, name))
	}
	copyTree(t, original.Bin(), filepath.Join(root, ".cluster", "bin"))
	copyTree(t, original.Images(), filepath.Join(root, ".cluster", "images"))
	p, err := project.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	c := clone{Project: p, program: program}
	t.Cleanup(func() { c.must(t, "down") })
	return c
}

// copyTree copies a file or folder, if it exists. The commands that a node
// consists of are large and never changed in place, so a link will do.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if filepath.Base(filepath.Dir(name)) == "bin" && entry.Name() != "manager" && os.Link(name, target) == nil {
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o755)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// try runs the program under test on this clone.
func (c clone) try(t *testing.T, verb string, args ...string) (string, error) {
	t.Helper()
	// Not the test's context: clones are also cleaned up after it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, append([]string{verb, "-project", c.Root}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	err := cmd.Run()
	t.Logf("%s took %s", verb, time.Since(begun).Round(time.Second/10))
	return out.String(), err
}

// must is try for what has to work.
func (c clone) must(t *testing.T, verb string, args ...string) string {
	t.Helper()
	out, err := c.try(t, verb, args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", verb, err, out)
	}
	return out
}

// kubectl runs kubectl against this clone's node.
func (c clone) kubectl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(c.Bin(), "kubectl"), append([]string{"--kubeconfig", c.Kubeconfig()}, args...)...)
	cmd.Env = append(os.Environ(), "NO_PROXY=*")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// mustKubectl is kubectl for what has to work.
func (c clone) mustKubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.kubectl(t, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// pid returns the node's init process, or 0.
func (c clone) pid() int {
	pid, _ := node.Find(c.State())
	return pid
}
