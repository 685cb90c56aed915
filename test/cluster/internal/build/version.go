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

package build

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/example/memcached-operator/test/cluster/internal/project"
)

var semver = regexp.MustCompile(`^v(\d+)\.(\d+)\.\d+`)

// Version returns the version at which a module below tools pins another. It
// is the only place that a version comes from: go.mod says it once.
func Version(ctx context.Context, p project.Project, tool, module string) (string, error) {
	out, err := goCommand(ctx, false, "-C", p.Path("tools", tool), "list", "-m", "-f", "{{.Version}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("read the version of %s from tools/%s/go.mod: %w", module, tool, explain(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// stamp returns the linker flags that make Kubernetes' commands report their
// version. Unstamped they say v0.0.0-master+$Format:%H$, which kubectl cannot
// parse and which every minimum version check takes for 0.0.0.
func stamp(version string) (string, error) {
	parts := semver.FindStringSubmatch(version)
	if parts == nil {
		return "", fmt.Errorf("tools/kubernetes/go.mod pins k8s.io/kubernetes at %q: expected a version like v1.2.3", version)
	}
	return strings.Join([]string{
		"-X k8s.io/component-base/version.gitVersion=" + version,
		"-X k8s.io/component-base/version.gitMajor=" + parts[1],
		"-X k8s.io/component-base/version.gitMinor=" + parts[2],
		"-X k8s.io/client-go/pkg/version.gitVersion=" + version,
	}, " "), nil
}
