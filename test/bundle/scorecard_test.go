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
	"strings"
	"testing"

	"github.com/operator-framework/api/pkg/apis/scorecard/v1alpha3"
)

// The image of this project's own scorecard test is published with each version.
func TestScorecardRunsTheTestOfThisVersion(t *testing.T) {
	var configuration v1alpha3.Configuration
	readYAML(t, "bundle/tests/scorecard/config.yaml", &configuration)
	var images []string
	for _, stage := range configuration.Stages {
		for _, test := range stage.Tests {
			if test.Labels["suite"] == "custom" {
				images = append(images, test.Image)
			}
		}
	}
	if len(images) != 1 {
		t.Fatalf("images %q, want one", images)
	}
	tag := ":v" + load(t).CSV.Spec.Version.String()
	if !strings.HasSuffix(images[0], tag) && !strings.Contains(images[0], "@sha256:") {
		t.Errorf("image %q is neither tagged %s nor named by digest", images[0], tag)
	}
}
