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
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// namespaces are what a node has of its own.
const namespaces = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET

// Options are what a node depends on that it does not choose itself.
type Options struct {
	// Pause and CoreDNS are the images that the node itself needs.
	Pause, CoreDNS string
	// Snapshotter is how containerd keeps images.
	Snapshotter string
}

// Start starts the node whose state is kept in the folder. It returns as soon
// as the node is on its own; Ready waits for it to become useful.
func Start(state string, o Options) (Node, error) {
	if err := os.MkdirAll(filepath.Join(state, "log"), 0o755); err != nil {
		return Node{}, fmt.Errorf("create the node's folders: %w", err)
	}
	init, orders, err := spawn(state)
	if err != nil {
		return Node{}, err
	}
	defer func() { _ = orders.Close() }()
	n, err := prepare(state, init.Pid, o)
	if err == nil {
		err = json.NewEncoder(orders).Encode(n)
	}
	if err != nil {
		_ = init.Kill() // and with it all that there is of the node
		_, _ = init.Wait()
		return Node{}, err
	}
	// From here on it is nobody's child: whoever starts a node does not wait
	// for its end.
	if err := init.Release(); err != nil {
		return Node{}, fmt.Errorf("let go of the node's init process: %w", err)
	}
	return n, nil
}

// spawn starts this program as the init process of new namespaces. It waits
// there for its orders, and ends by itself if they do not come.
func spawn(state string) (*os.Process, *os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the node's init process: %w", err)
	}
	defer func() { _ = reader.Close() }()
	log, err := os.OpenFile(filepath.Join(state, "log", "init.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("start the node's init process: %w", err)
	}
	defer func() { _ = log.Close() }()
	cmd := &exec.Cmd{
		Path:   "/proc/self/exe",
		Args:   initArgs(state),
		Dir:    "/",
		Env:    []string{"PATH=" + inside + "/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		Stdin:  reader,
		Stdout: log,
		Stderr: log,
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags: namespaces,
			Setsid:     true, // it outlives this terminal
		},
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the node's init process in new process, mount and network namespaces: %w", err)
	}
	return cmd.Process, writer, nil
}

// prepare does the host's part for the node led by pid.
func prepare(state string, pid int, o Options) (Node, error) {
	n, err := claim(state, pid)
	if err != nil {
		return Node{}, err
	}
	n.Snapshotter, n.Pause, n.CoreDNS = o.Snapshotter, o.Pause, o.CoreDNS
	if err := createCgroups(n.Cgroup); err != nil {
		return Node{}, err
	}
	if err := n.configure(); err != nil {
		return Node{}, err
	}
	return n, n.save()
}
