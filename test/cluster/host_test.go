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
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/example/memcached-operator/test/cluster/internal/node"
)

// settingsOfTheHost are those that a kubelet or kube-proxy would change.
var settingsOfTheHost = []string{
	"/proc/sys/vm/overcommit_memory", "/proc/sys/vm/panic_on_oom", "/proc/sys/kernel/panic", "/proc/sys/kernel/panic_on_oops",
	"/proc/sys/kernel/keys/root_maxkeys", "/proc/sys/kernel/keys/root_maxbytes", "/proc/sys/net/ipv4/ip_forward",
	"/proc/sys/net/netfilter/nf_conntrack_max", "/sys/module/nf_conntrack/parameters/hashsize",
}

// foldersOfTheHost are where a node's commands leave things by default.
var foldersOfTheHost = []string{
	"/etc/*", "/etc/cni/*", "/opt/*", "/run/*", "/run/netns/*", "/tmp/containerd*", "/usr/libexec/*", "/var/lib/*", "/var/lib/cni/*",
	"/var/lib/kubelet/*", "/var/log/*", "/var/log/pods/*", "/var/log/containers/*", "/sys/fs/cgroup/*", "/sys/fs/cgroup/*/*",
}

// ofNodes are links and cgroups of nodes. Those of other clones may come and go
// during a test; expectGone looks after those of its own.
var ofNodes = regexp.MustCompile(`^memcached-`)

// hostState describes the machine in lines that can be compared.
func hostState(t *testing.T) []string {
	t.Helper()
	var lines []string
	note := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	links, err := netlink.LinkList()
	fatal(t, err)
	for _, link := range links {
		if ofNodes.MatchString(link.Attrs().Name) {
			continue
		}
		note("link %s", link.Attrs().Name)
		routes, err := netlink.RouteList(link, netlink.FAMILY_ALL)
		fatal(t, err)
		for _, route := range routes {
			note("route %s", route)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	fatal(t, err)
	for line := range bytes.Lines(mounts) {
		note("mount %s", line)
	}
	for _, rule := range packetFilter(t) {
		note("rule %s", rule)
	}
	for _, pattern := range foldersOfTheHost {
		files, err := filepath.Glob(pattern)
		fatal(t, err)
		for _, file := range files {
			if !ofNodes.MatchString(filepath.Base(file)) {
				note("file %s", file)
			}
		}
	}
	for _, name := range settingsOfTheHost {
		value, _ := os.ReadFile(name) // absent is a state, too
		note("%s = %s", name, value)
	}
	return lines
}

var comment = regexp.MustCompile(`(?m)^#.*\n?`) // with the date in it

func packetFilter(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("iptables-save").Output()
	fatal(t, err)
	return strings.Fields(strings.ReplaceAll(comment.ReplaceAllString(string(out), ""), " ", "_"))
}

// expectSameHost compares the machine with what it was.
func expectSameHost(t *testing.T, before []string) {
	t.Helper()
	after := hostState(t)
	for _, line := range before {
		if !slices.Contains(after, line) {
			t.Errorf("the host lost: %s", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			t.Errorf("the host was left with: %s", line)
		}
	}
}

// expectGone looks for what a node in particular may have left.
func expectGone(t *testing.T, n node.Node) {
	t.Helper()
	links, err := netlink.LinkList()
	fatal(t, err)
	for _, link := range links {
		if link.Attrs().Alias == n.State {
			t.Errorf("down left the link %s", link.Attrs().Name)
		}
	}
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	fatal(t, err)
	for _, route := range routes {
		if route.Dst != nil && n.Network().Contains(netip.MustParseAddr(route.Dst.IP.String())) {
			t.Errorf("down left the route %s", route)
		}
	}
	for _, pattern := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
		folders, err := filepath.Glob(pattern + n.Cgroup)
		fatal(t, err)
		for _, folder := range folders {
			t.Errorf("down left the cgroup %s", folder)
		}
	}
}

// namespacesOf returns what tells a process' namespaces from others.
func namespacesOf(t *testing.T, pid int) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, kind := range []string{"pid", "mnt", "net"} {
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
		fatal(t, err)
		names[name] = true
	}
	return names
}

// expectNobodyIn looks for processes in namespaces that should have ended.
func expectNobodyIn(t *testing.T, namespaces map[string]bool) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/ns/*")
	fatal(t, err)
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil && namespaces[name] {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(link)), "cmdline"))
			if len(command) == 0 {
				continue // it has ended, and its parent has not heard of it yet
			}
			t.Errorf("still there, by %s: %q", link, command)
		}
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
