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

package resources_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
)

var update = flag.Bool("update", false, "write testdata/ anew; the digests of the pod templates stay as they are")

// pinned are the children that testdata/ shows. A template's digest stands
// here, out of the reach of -update, so that nobody restarts caches in passing.
var pinned = map[string]struct {
	file     string
	mc       *cachev1alpha1.Memcached
	options  resources.Options
	template string
}{
	"the sample": {
		file:     "sample.yaml",
		mc:       sample(),
		options:  resources.Options{Image: image},
		template: "a71355ac65d4",
	},
	"a port below 1024": {
		file:     "port-80.yaml",
		mc:       sample(port(80)),
		options:  resources.Options{Image: image},
		template: "11b9ffb4916e",
	},
	"a platform that assigns users": {
		file:     "assigned-user.yaml",
		mc:       sample(),
		options:  resources.Options{Image: image, AssignsUser: true},
		template: "3f56572b565d",
	},
}

func TestChildrenAreAsTestdataShows(t *testing.T) {
	t.Parallel()
	for name, tc := range pinned {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", tc.file)
			got := document(t, resources.Desired(tc.mc, tc.options))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("children (-want +got), to be accepted with `go test ./internal/resources -update`:\n%s", diff)
			}
		})
	}
}

func TestPodTemplateStaysSoThatNoCacheRestarts(t *testing.T) {
	t.Parallel()
	for name, tc := range pinned {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := json.Marshal(resources.Desired(tc.mc, tc.options).Deployment.Spec.Template)
			if err != nil {
				t.Fatal(err)
			}
			digest := sha256.Sum256(template)
			if got := hex.EncodeToString(digest[:6]); got != tc.template {
				t.Errorf("the pod template has changed: its digest is %s, want %s.\n"+
					"A change of the template restarts every cache of every user when they upgrade the operator.\n"+
					"If it is worth that, write a CHANGELOG entry \"restarts nodes\" and put the new digest here; "+
					"TestChildrenAreAsTestdataShows tells what has changed.", got, tc.template)
			}
		})
	}
}

func document(t *testing.T, children resources.Children) string {
	t.Helper()
	deployment, err := yaml.Marshal(children.Deployment)
	if err != nil {
		t.Fatal(err)
	}
	service, err := yaml.Marshal(children.Service)
	if err != nil {
		t.Fatal(err)
	}
	return string(deployment) + "---\n" + string(service)
}
