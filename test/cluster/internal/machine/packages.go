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

package machine

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// requirement is a Debian package, and the file that shows it is there,
// whoever brought it.
type requirement struct{ pkg, file string }

// requirements are what the node's commands call at run time, and what runc,
// the only one that needs C, is compiled with.
var requirements = []requirement{
	{"iptables", "iptables"},
	{"gcc", "gcc"},
	{"pkg-config", "pkg-config"},
	{"libc6-dev", "/usr/include/stdlib.h"},
	{"libseccomp-dev", "/usr/include/seccomp.h"},
}

// Install brings the packages that are missing.
func Install(ctx context.Context, progress *log.Logger) error {
	missing := absent(requirements)
	if len(missing) == 0 {
		return nil
	}
	progress.Printf("Installing Debian packages: %s", strings.Join(missing, " "))
	install := append([]string{"install", "--yes", "--no-install-recommends"}, missing...)
	if hasLists() && apt(ctx, install...) == nil {
		return nil
	}
	// Lists that are absent, or so old that what they name is gone.
	if err := apt(ctx, "update"); err != nil {
		return err
	}
	return apt(ctx, install...)
}

func absent(wanted []requirement) []string {
	var names []string
	for _, r := range wanted {
		if filepath.IsAbs(r.file) && anyFile(r.file) || !filepath.IsAbs(r.file) && commands(r.file) {
			continue
		}
		names = append(names, r.pkg)
	}
	return names
}

func hasLists() bool {
	lists, err := filepath.Glob("/var/lib/apt/lists/*Packages*")
	return err == nil && len(lists) > 0
}

func apt(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-qq"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
