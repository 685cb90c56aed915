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
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/cluster/internal/build"
)

func testVersion(t *testing.T, c clone) {
	t.Helper()
	want, err := build.Version(t.Context(), c.Project, "kubernetes", "k8s.io/kubernetes")
	fatal(t, err)
	got := c.mustKubectl(t, "version")
	for _, line := range []string{"Client Version: " + want, "Server Version: " + want} {
		if !strings.Contains(got, line) {
			t.Errorf("kubectl version lacks %q:\n%s", line, got)
		}
	}
	if got := c.mustKubectl(t, "get", "node", "local", "-o", "jsonpath={.status.nodeInfo.kubeletVersion}"); got != want {
		t.Errorf("the kubelet is version %s, want %s", got, want)
	}
}

// testNetwork runs caches under Pod Security's strictest level and reaches them
// in every way that tests and demos do.
func testNetwork(t *testing.T, c clone) {
	t.Helper()
	c.mustKubectl(t, "create", "namespace", "network")
	c.mustKubectl(t, "label", "namespace", "network", "pod-security.kubernetes.io/enforce=restricted")
	c.mustKubectl(t, "-n", "network", "apply", "-f", "testdata/cache.yaml")
	c.mustKubectl(t, "-n", "network", "rollout", "status", "deployment/cache", "--timeout=50s")
	c.mustKubectl(t, "-n", "network", "wait", "--for=condition=Ready", "pod/client", "--timeout=50s")
	get := func(path string, what ...string) []string {
		return strings.Fields(c.mustKubectl(t, append([]string{"-n", "network", "get", "-o", "jsonpath=" + path}, what...)...))
	}
	in := func(command string) string {
		out, err := c.kubectl(t, "-n", "network", "exec", "client", "--", "sh", "-c", command)
		return fmt.Sprint(out, err)
	}
	service, pods := get("{.spec.clusterIP}", "service/cache"), get("{.items[*].status.podIP}", "pods", "--selector=app=cache")
	for _, address := range append(service, pods...) {
		if got := memcachedVersion(t, address); !strings.HasPrefix(got, "VERSION ") {
			t.Errorf("the host got %q from %s", got, address)
		}
	}
	if got := in("printf 'version\\r\\nquit\\r\\n' | nc cache 11211"); !strings.HasPrefix(got, "VERSION ") {
		t.Errorf("a pod got %q from the Service's name", got)
	}
	eventually(t, "a headless Service resolves to all nodes", func() bool {
		got := in("nslookup nodes.network.svc.cluster.local")
		return strings.Contains(got, pods[0]) && strings.Contains(got, pods[1])
	})
	if got := in("nslookup example.com"); !strings.Contains(got, "NXDOMAIN") {
		t.Errorf("a name outside the cluster gives %q, want NXDOMAIN", got)
	}
	if got := in("nc -l -p 80"); !strings.Contains(got, "ermission denied") {
		t.Errorf("a process without rights on port 80 gives %q, want that it is denied", got)
	}
	testResize(t, c, get("{.items[0].metadata.name}", "pods", "--selector=app=cache")[0])
}

func memcachedVersion(t *testing.T, address string) string {
	t.Helper()
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(address, "11211"), 10*time.Second)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = connection.Close() }()
	fatal(t, connection.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = connection.Write([]byte("version\r\n"))
	fatal(t, err)
	line, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return line
}

// testResize changes a running container's memory.
func testResize(t *testing.T, c clone, pod string) {
	t.Helper()
	const patch = `{"spec":{"containers":[{"name":"memcached","resources":{"limits":{"memory":"200Mi"},"requests":{"memory":"200Mi"}}}]}}`
	c.mustKubectl(t, "-n", "network", "patch", "pod", pod, "--subresource=resize", "--patch="+patch)
	status := func() string {
		return c.mustKubectl(t, "-n", "network", "get", "pod", pod, "-o",
			"jsonpath={.status.containerStatuses[0].resources.limits.memory} {.status.containerStatuses[0].restartCount}")
	}
	eventually(t, "the pod has its new memory without a restart", func() bool { return status() == "200Mi 0" })
}

func testAdmission(t *testing.T, c clone) {
	t.Helper()
	c.mustKubectl(t, "create", "namespace", "admission")
	c.mustKubectl(t, "label", "namespace", "admission", "pod-security.kubernetes.io/enforce=restricted")
	c.mustKubectl(t, "-n", "admission", "apply", "-f", "testdata/owner.yaml")
	for name, tc := range map[string]struct{ args, want string }{
		"Pod Security": {"apply -f testdata/privileged.yaml", "violates PodSecurity"},
		"OwnerReferencesPermissionEnforcement": {
			"create -f testdata/owned.yaml --as=system:serviceaccount:admission:writer",
			"cannot set blockOwnerDeletion",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.kubectl(t, append([]string{"-n", "admission"}, strings.Fields(tc.args)...)...)
			if err == nil || !strings.Contains(got, tc.want) {
				t.Errorf("got %q (%v), want a refusal with %q", got, err, tc.want)
			}
		})
	}
	t.Run("quota", func(t *testing.T) {
		c.mustKubectl(t, "-n", "admission", "apply", "-f", "testdata/quota.yaml")
		i := 0
		eventually(t, "a quota refuses what exceeds it", func() bool {
			i++
			got, err := c.kubectl(t, "-n", "admission", "create", "configmap", "map-"+strconv.Itoa(i))
			return err != nil && strings.Contains(got, "exceeded quota")
		})
	})
}

func testAudit(t *testing.T, c clone) {
	t.Helper()
	c.mustKubectl(t, "create", "namespace", "audited")
	audit, err := os.ReadFile(filepath.Join(c.Log(), "audit.log"))
	fatal(t, err)
	found := 0
	for line := range bytes.Lines(audit) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // still being written
		}
		var event struct {
			Level, Stage, Verb string
			ObjectRef          struct{ Resource, Name string }
		}
		fatal(t, json.Unmarshal(line, &event))
		if event.Level != "Metadata" || event.Stage == "RequestReceived" || event.Stage == "ResponseStarted" {
			t.Fatalf("level %s, stage %s in the audit log", event.Level, event.Stage)
		}
		if event.Verb == "create" && event.ObjectRef.Resource == "namespaces" && event.ObjectRef.Name == "audited" {
			found++
		}
	}
	if found != 1 {
		t.Errorf("the creation of a namespace is logged %d times, want once", found)
	}
}

// testIsolation: what the node's processes could write on the host would stay
// there after they are gone.
func testIsolation(t *testing.T, c clone) {
	t.Helper()
	mounts, err := os.ReadFile(fmt.Sprintf("/proc/%d/mounts", c.pid()))
	fatal(t, err)
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); fields[1] == "/" && !strings.HasPrefix(fields[3], "ro") {
			t.Errorf("the node can write on the host's root: %s", line)
		}
	}
}

// childOf finds a process that the node's init process started.
func childOf(t *testing.T, parent int, name string) int {
	t.Helper()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	fatal(t, err)
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	fatal(t, err)
	for _, thread := range threads {
		more, _ := os.ReadFile(thread) // threads come and go
		children = append(children, more...)
	}
	for child := range strings.FieldsSeq(string(children)) {
		command, _ := os.ReadFile("/proc/" + child + "/cmdline")
		if strings.HasPrefix(string(command), name+"\x00") {
			pid, err := strconv.Atoi(child)
			fatal(t, err)
			return pid
		}
	}
	t.Fatalf("the node does not run %s", name)
	return 0
}
