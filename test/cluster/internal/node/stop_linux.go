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
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Stop ends the node whose state is kept in the folder and removes what is
// left of it, however it ended. It tells whether there was anything.
func Stop(state string, keep ...string) (bool, error) {
	killed, err := kill(state)
	if err != nil {
		return false, err
	}
	unlinked, err := removeLink(state)
	if err != nil {
		return killed, err
	}
	released, err := removeCgroups(cgroupFor(state))
	if err != nil {
		return true, err
	}
	emptied, err := removeState(state, keep)
	return killed || unlinked || released || emptied, err
}

// kill ends the init process. The kernel reports its death only when it has
// ended all others of the namespace.
func kill(state string) (bool, error) {
	pid, running := Find(state)
	if !running {
		return false, nil
	}
	handle, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return false, nil // it has just ended
	}
	if err != nil {
		return false, fmt.Errorf("get hold of the node's init process %d: %w", pid, err)
	}
	defer func() { _ = unix.Close(handle) }()
	if err := unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return false, fmt.Errorf("kill the node's init process %d: %w", pid, err)
	}
	ended, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, int(settle.Milliseconds()))
	if err != nil || ended == 0 {
		return false, fmt.Errorf("the node's init process %d does not end: look at /proc/%d/status (%w)", pid, pid, err)
	}
	return true, nil
}

// removeLink removes the link, and with it the host's routes. The kernel would
// do it too, but only when the node's last connection has timed out.
func removeLink(state string) (bool, error) {
	link, err := ownLink(state)
	if err != nil || link == nil {
		return false, err
	}
	gone := netlink.LinkNotFoundError{}
	if err := netlink.LinkDel(link); err != nil && !errors.Is(err, unix.ENODEV) && !errors.As(err, &gone) {
		return false, fmt.Errorf("remove the link %s: %w", link.Attrs().Name, err)
	}
	return true, nil
}

// removeState empties the folder, but for the names to keep.
func removeState(state string, keep []string) (bool, error) {
	entries, err := os.ReadDir(state)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove the node's state: %w", err)
	}
	kept := map[string]bool{}
	for _, name := range keep {
		kept[name] = true
	}
	removed := false
	for _, entry := range entries {
		if kept[entry.Name()] {
			continue
		}
		removed = true
		if err := os.RemoveAll(filepath.Join(state, entry.Name())); err != nil {
			return true, fmt.Errorf("remove the node's state: %w", err)
		}
	}
	return removed, nil
}
