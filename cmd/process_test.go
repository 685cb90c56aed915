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
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// asManager makes the test's binary the manager's.
const asManager = "TEST_AS_MANAGER"

func TestMain(m *testing.M) {
	if os.Getenv(asManager) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// What OLM's installation needs of its surroundings must not be missed in
// silence, nor waited for in vain, by somebody who runs the manager by hand.
func TestManagerOutsideAPodEndsAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/var/run/secrets/kubernetes.io/serviceaccount/namespace"); err == nil {
		t.Skip("this is a pod")
	}
	for name, tc := range map[string]struct {
		election    string
		environment string
		mentions    []string
	}{
		"with a leader for life": {
			election: "life", mentions: []string{"works in a pod", "--leader-election=none"},
		},
		"with an OperatorCondition": {
			election: "none", environment: "OPERATOR_CONDITION_NAME=memcached-operator.v0.0.1",
			mentions: []string{"outside a pod", "OPERATOR_CONDITION_NAME"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, code := runManager(t, []string{tc.environment}, "--leader-election="+tc.election)
			if code != 1 {
				t.Errorf("exit code: got %d, want 1", code)
			}
			for _, want := range tc.mentions {
				if !strings.Contains(output, want) {
					t.Errorf("does not mention %s", want)
				}
			}
			if t.Failed() {
				t.Logf("the manager said:\n%s", output)
			}
		})
	}
}

func TestManagerWithoutOLMWorks(t *testing.T) {
	t.Parallel()
	output, code := runManager(t, nil, "--leader-election=none")
	if code != working || strings.Contains(output, "OperatorCondition") {
		t.Errorf("it did not start to work (exit code %d), or looked for an OperatorCondition; the manager said:\n%s", code, output)
	}
}

func TestManagerThatIsToldNonsenseEnds(t *testing.T) {
	t.Parallel()
	if output, code := runManager(t, nil, "--leader-election=raft"); code != 2 || !strings.Contains(output, "raft") {
		t.Errorf("exit code: got %d, want 2; the manager said:\n%s", code, output)
	}
}

// working, for an exit code, means that the manager had started to work.
const working = -1

// runManager runs the manager against an API server that serves discovery alone,
// until it ends or starts to work. It returns what it said and its exit code.
func runManager(t *testing.T, environment []string, args ...string) (output string, code int) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	var works atomic.Bool
	api := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/api/v1/pods" { // what it looks at first
			works.Store(true)
			end()
		}
		serveDiscovery(response, request)
	}))
	t.Cleanup(api.Close)
	command := exec.CommandContext(ctx, os.Args[0], append(args, "--health-probe-bind-address=127.0.0.1:0")...)
	command.Env = slices.Concat(
		[]string{asManager + "=1", "KUBECONFIG=" + kubeconfig(t, api.URL), "MEMCACHED_IMAGE=" + image}, environment)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	if works.Load() {
		return said.String(), working
	}
	if ctx.Err() != nil {
		t.Fatalf("it neither worked nor ended; the manager said:\n%s", said.String())
	}
	return said.String(), command.ProcessState.ExitCode()
}

// kubeconfig writes one for an API server, and returns where.
func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	err := os.WriteFile(path, fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": [{"name": "test", "cluster": {"server": %q}}],
		"contexts": [{"name": "test", "context": {"cluster": "test"}}]}`, server), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// apis are what a manager must find before it starts.
var apis = map[string]string{
	"/api": `{"kind": "APIVersions", "versions": ["v1"]}`,
	"/apis": `{"kind": "APIGroupList", "apiVersion": "v1", "groups": [
		{"name": "apps", "versions": [{"groupVersion": "apps/v1", "version": "v1"}]},
		{"name": "cache.example.com", "versions": [{"groupVersion": "cache.example.com/v1alpha1", "version": "v1alpha1"}]}]}`,
	"/api/v1": `{"kind": "APIResourceList", "groupVersion": "v1", "resources": [
		{"kind": "Pod", "name": "pods", "namespaced": true}, {"kind": "Service", "name": "services", "namespaced": true}]}`,
	"/apis/apps/v1": `{"kind": "APIResourceList", "groupVersion": "apps/v1", "resources": [
		{"kind": "Deployment", "name": "deployments", "namespaced": true}]}`,
	"/apis/cache.example.com/v1alpha1": `{"kind": "APIResourceList", "groupVersion": "cache.example.com/v1alpha1", "resources": [
		{"kind": "Memcached", "name": "memcacheds", "namespaced": true}]}`,
}

// serveDiscovery tells which APIs there are, and serves none of them.
func serveDiscovery(response http.ResponseWriter, request *http.Request) {
	body, found := apis[request.URL.Path]
	if !found {
		http.NotFound(response, request)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(response, body)
}
