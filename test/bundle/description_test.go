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

package bundle

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// What the pipelines of the community's catalogs ask for, or remark on.
func TestDescriptionIsComplete(t *testing.T) {
	csv := load(t).CSV
	for field, tc := range map[string]struct{ got, want string }{
		"annotation capabilities":    {csv.Annotations["capabilities"], `^(Basic Install|Seamless Upgrades|Full Lifecycle|Deep Insights|Auto Pilot)$`},
		"annotation categories":      {csv.Annotations["categories"], `^Database$`},
		"annotation containerImage":  {csv.Annotations["containerImage"], `^[^/]+(/[^/:]+)+(:[^:]+|@sha256:[0-9a-f]{64})$`},
		"annotation description":     {csv.Annotations["description"], `^.{10,135}$`},
		"annotation repository":      {csv.Annotations["repository"], `^https://github\.com/example/memcached-operator$`},
		"annotation support":         {csv.Annotations["support"], `^.{3,}$`},
		"annotation alm-examples":    {csv.Annotations["alm-examples"], `(?s)^.{30,}$`},
		"annotation for a namespace": {csv.Annotations["operatorframework.io/suggested-namespace"], `^memcached-operator-system$`},
		"display name":               {csv.Spec.DisplayName, `^.{3,50}$`},
		"description":                {csv.Spec.Description, `(?s)^.{20,}$`},
		"maturity":                   {csv.Spec.Maturity, `^alpha$`},
		"minimal Kubernetes version": {csv.Spec.MinKubeVersion, `^1\.\d+\.\d+$`},
		"provider":                   {csv.Spec.Provider.Name, `^.{3,}$`},
		"keywords":                   {strings.Join(csv.Spec.Keywords, " "), `\w+ \w+`},
	} {
		if !regexp.MustCompile(tc.want).MatchString(tc.got) {
			t.Errorf("%s is %q, want %s", field, tc.got, tc.want)
		}
	}
	if _, err := time.Parse(time.RFC3339, csv.Annotations["createdAt"]); err != nil {
		t.Errorf("createdAt: %v", err)
	}
	if len(csv.Spec.Maintainers) == 0 || len(csv.Spec.Links) == 0 || len(csv.Spec.Icon) != 1 {
		t.Error("maintainers or links are missing, or there is not exactly one icon")
	}
	for _, owned := range csv.Spec.CustomResourceDefinitions.Owned {
		if len(owned.Resources) == 0 || owned.Description == "" {
			t.Errorf("%s %s lacks resources or a description", owned.Name, owned.Version)
		}
	}
}

// OpenShift's catalog filters by these, and takes a missing one for a mistake.
func TestInfrastructureFeaturesAreSaid(t *testing.T) {
	const prefix = "features.operators.openshift.io/"
	got := map[string]string{}
	for key, value := range load(t).CSV.Annotations {
		if feature, is := strings.CutPrefix(key, prefix); is {
			got[feature] = value
		}
	}
	want := map[string]string{
		"cnf": "false", "cni": "false", "csi": "false", "disconnected": "true", "fips-compliant": "false",
		"proxy-aware": "false", "tls-profiles": "false",
		"token-auth-aws": "false", "token-auth-azure": "false", "token-auth-gcp": "false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("features (-want +got):\n%s", diff)
	}
}

func TestIconIsTheSource(t *testing.T) {
	icon := load(t).CSV.Spec.Icon[0]
	source := read(t, "config/manifests/icon.svg")
	if icon.MediaType != "image/svg+xml" || icon.Data != base64.StdEncoding.EncodeToString(source) {
		t.Error("the icon is not config/manifests/icon.svg: put `base64 -w0 config/manifests/icon.svg` into the base of the ClusterServiceVersion")
	}
	decoder := xml.NewDecoder(strings.NewReader(string(source)))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("icon.svg: %v", err)
		}
	}
}

func TestExamplesAreTheSamples(t *testing.T) {
	var got, want []any
	if err := json.Unmarshal([]byte(load(t).CSV.Annotations["alm-examples"]), &got); err != nil {
		t.Fatal(err)
	}
	var samples struct {
		Resources []string `json:"resources"`
	}
	if err := yaml.Unmarshal(read(t, "config/samples/kustomization.yaml"), &samples); err != nil {
		t.Fatal(err)
	}
	for _, file := range samples.Resources {
		var sample any
		readYAML(t, "config/samples/"+file, &sample)
		want = append(want, sample)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("examples (-config/samples +bundle):\n%s", diff)
	}
}
