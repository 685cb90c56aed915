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

// These tests run real nodes, of copies of this project, so that a node that
// somebody is using is left alone. They need root and run with
//
//	go test -tags e2e .
//
// in about a minute when everything is built (up builds it).
package main

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/cluster/internal/build"
	"github.com/example/memcached-operator/test/cluster/internal/machine"
	"github.com/example/memcached-operator/test/cluster/internal/node"
	"github.com/example/memcached-operator/test/cluster/internal/project"
)

func TestNodes(t *testing.T) {
	program := compile(t)
	before := hostState(t)
	near := newClone(t, program, t.TempDir())
	// Longer than the path of a socket may be.
	far := newClone(t, program, filepath.Join(t.TempDir(), strings.Repeat("far-", 20), strings.Repeat("away-", 20)))
	upTogether(t, near, far)

	t.Run("two clones have a node each", func(t *testing.T) { expectApart(t, near, far) })
	for name, test := range map[string]func(*testing.T, clone){
		"up is harmless when the node runs":               testUpAgain,
		"everything reports the pinned version":           testVersion,
		"pods and the host find Services and pods":        testNetwork,
		"admission refuses what it should":                testAdmission,
		"the audit log has one line for each request":     testAudit,
		"the operator's image can be loaded at any time":  testLoad,
		"what the node's processes write stays in memory": testIsolation,
	} {
		t.Run(name, func(t *testing.T) { test(t, near) })
	}
	t.Run("a node whose component ends says so, ends, and can start again", func(t *testing.T) { testComponentEnds(t, far) })
	t.Run("down removes a running node", func(t *testing.T) { testDown(t, near, func() {}) })
	t.Run("down cleans up after a node that was killed", func(t *testing.T) {
		testDown(t, far, func() {
			fatal(t, syscall.Kill(far.pid(), syscall.SIGKILL))
			fatal(t, os.Remove(filepath.Join(far.State(), "node.json"))) // as if half removed
		})
	})
	expectSameHost(t, before)
}

// compile builds the program under test and everything it needs.
func compile(t *testing.T) string {
	t.Helper()
	fatal(t, machine.Refuse(machine.Look().Problems()))
	fatal(t, machine.Install(t.Context(), log.Default()))
	p, err := project.Find(".")
	fatal(t, err)
	builder, err := build.New(t.Context(), p, log.Default())
	fatal(t, err)
	fatal(t, builder.Build(t.Context(), build.Node()))
	program := filepath.Join(t.TempDir(), "cluster")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return program
}

func upTogether(t *testing.T, clones ...clone) {
	t.Helper()
	var all sync.WaitGroup
	for _, c := range clones {
		all.Go(func() {
			if out, err := c.try(t, "up"); err != nil {
				t.Errorf("up: %v\n%s", err, out)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

func expectApart(t *testing.T, one, other clone) {
	t.Helper()
	a, err := node.Load(one.State())
	fatal(t, err)
	b, err := node.Load(other.State())
	fatal(t, err)
	if a.Network().Overlaps(b.Network()) || a.Link == b.Link || a.Cgroup == b.Cgroup {
		t.Errorf("two nodes share something: %+v and %+v", a, b)
	}
	for _, c := range []clone{one, other} {
		want := "local " + c.mustKubectl(t, "get", "node", "local", "-o", "jsonpath={.status.addresses[0].address}")
		got := c.mustKubectl(t, "get", "nodes", "-o", "jsonpath={.items[*].metadata.name} {.items[*].status.addresses[?(@.type=='InternalIP')].address}")
		if got != want {
			t.Errorf("got nodes %q, want %q", got, want)
		}
	}
}

func testUpAgain(t *testing.T, c clone) {
	t.Helper()
	pid := c.pid()
	if out := c.must(t, "up"); !strings.Contains(out, "already running") {
		t.Errorf("up does not say that the node was already running:\n%s", out)
	}
	if c.pid() != pid {
		t.Errorf("the node's init process was %d and is %d", pid, c.pid())
	}
}

func testLoad(t *testing.T, c clone) {
	t.Helper()
	const reference = "example.com/another-name:v1"
	c.must(t, "load", "-operator-image", reference)
	c.mustKubectl(t, "run", "operator", "--image="+reference, "--image-pull-policy=Never", "--restart=Never", "--", "-h")
	c.mustKubectl(t, "wait", "--for=jsonpath={.status.containerStatuses[0].state.terminated}", "pod/operator", "--timeout=50s")
	if said := c.mustKubectl(t, "logs", "operator"); !strings.Contains(said, "/manager") {
		t.Errorf("the image does not run the manager:\n%s", said)
	}
}

// testComponentEnds: a half node would make tests fail for reasons that nobody
// finds.
func testComponentEnds(t *testing.T, c clone) {
	t.Helper()
	victim := childOf(t, c.pid(), "kube-scheduler")
	fatal(t, syscall.Kill(victim, syscall.SIGKILL))
	eventually(t, "the node ends", func() bool { return c.pid() == 0 })
	said, err := os.ReadFile(filepath.Join(c.Log(), "init.log"))
	fatal(t, err)
	if !strings.Contains(string(said), "kube-scheduler has ended") {
		t.Errorf("init.log does not name the component that ended:\n%s", said)
	}
	c.must(t, "up")
}

func testDown(t *testing.T, c clone, disaster func()) {
	t.Helper()
	n, err := node.Load(c.State())
	fatal(t, err)
	namespaces := namespacesOf(t, c.pid())
	disaster()
	c.must(t, "down")
	expectNobodyIn(t, namespaces)
	expectGone(t, n)
	left, err := filepath.Glob(filepath.Join(c.State(), "*"))
	fatal(t, err)
	for _, name := range left {
		if base := filepath.Base(name); base != "bin" && base != "images" {
			t.Errorf("down left %s", name)
		}
	}
	if out := c.must(t, "down"); !strings.Contains(out, "no node") {
		t.Errorf("a second down found something to do:\n%s", out)
	}
}

// eventually waits six times as long as anything here is meant to take.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out: %s", what)
		}
	}
}
