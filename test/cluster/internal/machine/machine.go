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

// Package machine asks whether this machine can run the node, and brings the
// Debian packages that it lacks.
package machine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// otherWay ends every refusal: nobody should be stuck with this machine.
const otherWay = "Or use a cluster you have instead: make demo USE_EXISTING_CLUSTER=true IMG=<an image that it can pull>"

// Facts are what a machine has that the node depends on.
type Facts struct {
	OS      string
	Root    bool
	Debian  bool
	Cgroups bool
	Go      bool
}

// Look returns the facts about this machine.
func Look() Facts {
	return Facts{
		OS:      runtime.GOOS,
		Root:    os.Geteuid() == 0,
		Debian:  commands("apt-get", "dpkg-deb"),
		Cgroups: anyFile("/sys/fs/cgroup/cgroup.controllers", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"),
		Go:      commands("go"),
	}
}

// Problems says, in words for the person at the machine, what is in the way.
// On another system than Linux the rest does not matter.
func (f Facts) Problems() []string {
	if f.OS != "linux" {
		return []string{fmt.Sprintf("it runs %s; a Kubernetes node needs Linux", f.OS)}
	}
	var problems []string
	if !f.Root {
		problems = append(problems, "you are not root; namespaces, links and mounts need it: run this as root, or with sudo -E env PATH=\"$PATH\"")
	}
	if !f.Debian {
		problems = append(problems, "apt-get or dpkg-deb is missing; the node's tools and test images come from Debian's (or Ubuntu's) packages")
	}
	if !f.Cgroups {
		problems = append(problems, "no cgroups are mounted at /sys/fs/cgroup; containers need them")
	}
	if !f.Go {
		problems = append(problems, "the go command is not in PATH; it builds the node")
	}
	return problems
}

// Refuse turns problems into an error that also names the way around them.
func Refuse(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return errors.New("this machine cannot run the local node:\n  - " + strings.Join(problems, "\n  - ") + "\n" + otherWay)
}

func commands(names ...string) bool {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return true
}

func anyFile(names ...string) bool {
	for _, name := range names {
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}
