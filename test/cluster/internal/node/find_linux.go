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

package node

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// InitVerb is the argument that makes this program a node's init process.
const InitVerb = "init"

// initTitle is what the init process calls itself, for ps and for find.
const initTitle = "memcached-node"

func initArgs(state string) []string { return []string{initTitle, InitVerb, state} }

// Find returns the process id of the init process of the node whose state is
// kept in the folder. It asks the kernel, because what a file remembers may be
// gone, or be about a process that is.
func Find(state string) (pid int, running bool) {
	want := []byte(strings.Join(initArgs(state), "\x00") + "\x00")
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, false
	}
	for _, entry := range entries {
		got, err := os.ReadFile(filepath.Join(entry, "cmdline"))
		if err != nil || !bytes.Equal(got, want) || !leadsNamespace(entry) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(entry)); err == nil {
			return pid, true
		}
	}
	return 0, false
}

// leadsNamespace tells whether a process is number 1 in a process namespace of
// its own. What the init process starts looks like it for a moment, but is not.
func leadsNamespace(entry string) bool {
	status, err := os.ReadFile(filepath.Join(entry, "status"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		if ids, found := strings.CutPrefix(line, "NSpid:"); found {
			fields := strings.Fields(ids)
			return len(fields) > 1 && fields[len(fields)-1] == "1"
		}
	}
	return false
}
