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

// Package project knows where things are: the pinned tools, and everything
// that the local node keeps below the project's .cluster folder.
package project

import (
	"fmt"
	"os"
	"path/filepath"
)

// marker is the file that only the project's root has.
const marker = "test/cluster/go.mod"

// Project is a clone of this repository.
type Project struct {
	// Root is the clone's absolute path, free of symbolic links, because the
	// node's names are derived from it.
	Root string
}

// Find returns the project that dir lies in.
func Find(dir string) (Project, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, fmt.Errorf("find the project: %w", err)
	}
	start, err = filepath.EvalSymlinks(start)
	if err != nil {
		return Project{}, fmt.Errorf("find the project: %w", err)
	}
	for root := start; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, marker)); err == nil {
			return Project{Root: root}, nil
		}
		if root == filepath.Dir(root) {
			return Project{}, fmt.Errorf("no %s in %s or above it: run this inside a clone, or name one with -project", marker, start)
		}
	}
}

// Path joins a path below the project's root.
func (p Project) Path(elem ...string) string {
	return filepath.Join(append([]string{p.Root}, elem...)...)
}

// State is the folder of everything the node builds, keeps and logs.
func (p Project) State() string { return p.Path(".cluster") }

// Bin holds the built commands. It is a cache, and outlives the node.
func (p Project) Bin() string { return p.Path(".cluster", "bin") }

// Images holds the assembled images. It is a cache, and outlives the node.
func (p Project) Images() string { return p.Path(".cluster", "images") }

// Log holds one file for each process of the node, and the API's audit log.
func (p Project) Log() string { return p.Path(".cluster", "log") }

// Kubeconfig is the file that users of the node point KUBECONFIG at.
func (p Project) Kubeconfig() string { return p.Path(".cluster", "kubeconfig") }
