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
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

func TestManagerThatIsToldNonsenseEnds(t *testing.T) {
	t.Parallel()
	if output, code := runManager(t, nil, "--leader-election=raft"); code != 2 || !strings.Contains(output, "raft") {
		t.Errorf("exit code: got %d, want 2; the manager said:\n%s", code, output)
	}
}

// runManager runs the manager against an API server that serves discovery alone,
// until it ends, and returns what it said and its exit code.
func runManager(t *testing.T, environment []string, args ...string) (output string, code int) {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(serveDiscovery))
	t.Cleanup(api.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	err := os.WriteFile(kubeconfig, fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": [{"name": "test", "cluster": {"server": %q}}],
		"contexts": [{"name": "test", "context": {"cluster": "test"}}]}`, api.URL), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0], append(args, "--health-probe-bind-address=127.0.0.1:0")...)
	command.Env = slices.Concat([]string{asManager + "=1", "KUBECONFIG=" + kubeconfig, "MEMCACHED_IMAGE=" + image}, environment)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	err = command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said.String(), command.ProcessState.ExitCode()
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
