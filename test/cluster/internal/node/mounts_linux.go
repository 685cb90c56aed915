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
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// private are the folders of which the node gets an empty one of its own: what
// its processes leave there would otherwise stay on the host.
var private = []string{"/run", "/tmp", "/var/lib", "/var/log"}

// tunables are settings of the whole machine that the kubelet insists on. It
// only changes what differs, so it is shown files that say what it wants.
var tunables = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// isolate gives the node its own view of the machine's files, in which it can
// write to the project's .cluster folder, at a path of its own, to cgroups and
// to memory, but nowhere else.
func isolate(state string) error {
	// Opened first: the folder may lie below one that is about to be covered.
	source, err := os.Open(state)
	if err != nil {
		return fmt.Errorf("open the node's folder: %w", err)
	}
	defer func() { _ = source.Close() }()
	// First cut off from the host, then shared among the node's own processes:
	// containerd and pods must see what the kubelet mounts for them.
	for _, propagation := range []uintptr{unix.MS_PRIVATE, unix.MS_SHARED} {
		if err := mount("", "/", "", unix.MS_REC|propagation); err != nil {
			return err
		}
	}
	if err := mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC); err != nil {
		return err
	}
	for _, folder := range private {
		if err := mount("tmpfs", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV); err != nil {
			return err
		}
	}
	if err := os.Mkdir(inside, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", inside, err)
	}
	if err := mount(fmt.Sprintf("/proc/self/fd/%d", source.Fd()), inside, "", unix.MS_BIND); err != nil {
		return err
	}
	if err := coverTunables(); err != nil {
		return err
	}
	return mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY)
}

func coverTunables() error {
	for name, value := range tunables {
		setting := path.Join("/proc/sys", name)
		if _, err := os.Stat(setting); err != nil {
			continue // not in this kernel
		}
		cover := path.Join("/run/tunables", name)
		if err := write(cover, 0o644, []byte(value+"\n")); err != nil {
			return err
		}
		if err := mount(cover, setting, "", unix.MS_BIND); err != nil {
			return err
		}
	}
	return nil
}

func mount(source, target, kind string, flags uintptr) error {
	if err := unix.Mount(source, target, kind, flags, ""); err != nil {
		return fmt.Errorf("mount %s at %s (flags %#x): %w", source, target, flags, err)
	}
	return nil
}
