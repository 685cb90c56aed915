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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	cgroups = "/sys/fs/cgroup"
	// settle is how long the kernel may take to empty the cgroups of processes
	// that it has been told to kill.
	settle = 10 * time.Second
)

// unified tells whether the machine has cgroup v2: one hierarchy for all.
func unified() bool {
	_, err := os.Stat(filepath.Join(cgroups, "cgroup.controllers"))
	return err == nil
}

// hierarchies lists where every cgroup has a folder: in one place on cgroup
// v2, and in one for each controller on v1.
func hierarchies() ([]string, error) {
	if unified() {
		return []string{cgroups}, nil
	}
	entries, err := os.ReadDir(cgroups)
	if err != nil {
		return nil, fmt.Errorf("list cgroup hierarchies: %w", err)
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() { // the rest are links, like cpu to cpu,cpuacct
			found = append(found, filepath.Join(cgroups, entry.Name()))
		}
	}
	return found, nil
}

// createCgroups creates the folders that the kubelet expects to find.
func createCgroups(name string) error {
	found, err := hierarchies()
	if err != nil {
		return err
	}
	if unified() {
		if err := delegate(); err != nil {
			return err
		}
	}
	for _, hierarchy := range found {
		folder := filepath.Join(hierarchy, name)
		if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("create a cgroup: %w", err)
		}
		// On v1 a new cpuset is empty, and nothing can run in it.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			if content, err := os.ReadFile(filepath.Join(hierarchy, file)); err == nil && !unified() {
				if err := os.WriteFile(filepath.Join(folder, file), content, 0o644); err != nil {
					return fmt.Errorf("give a cgroup the host's processors and memory: %w", err)
				}
			}
		}
	}
	return nil
}

// delegate makes the controllers available below the root on cgroup v2.
func delegate() error {
	controllers, err := os.ReadFile(filepath.Join(cgroups, "cgroup.controllers"))
	if err != nil {
		return fmt.Errorf("list cgroup controllers: %w", err)
	}
	enable := filepath.Join(cgroups, "cgroup.subtree_control")
	enabled, err := os.ReadFile(enable)
	if err != nil {
		return fmt.Errorf("list enabled cgroup controllers: %w", err)
	}
	for _, controller := range []string{"cpu", "cpuset", "io", "memory", "pids", "hugetlb"} {
		if !slices.Contains(strings.Fields(string(controllers)), controller) || slices.Contains(strings.Fields(string(enabled)), controller) {
			continue
		}
		if err := os.WriteFile(enable, []byte("+"+controller), 0o644); err != nil {
			return fmt.Errorf("enable the %s cgroup controller in %s (in a container, processes in its top cgroup prevent it): %w", controller, enable, err)
		}
	}
	return nil
}

// removeCgroups removes the folders of a node that has ended, and tells
// whether there were any.
func removeCgroups(name string) (bool, error) {
	found, err := hierarchies()
	if err != nil {
		return false, err
	}
	removed := false
	for _, hierarchy := range found {
		folder := filepath.Join(hierarchy, name)
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		removed = true
		deadline := time.Now().Add(settle)
		for err := removeFolders(folder); err != nil; err = removeFolders(folder) {
			if time.Now().After(deadline) {
				return true, fmt.Errorf("remove a cgroup: %w", err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return removed, nil
}

// removeFolders removes a cgroup and those below it. Their files are the
// kernel's and go with the folders.
func removeFolders(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeFolders(filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
