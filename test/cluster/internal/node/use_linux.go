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
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a node may take to become ready: many times what it
// needs, for slow and busy machines.
const patience = 3 * time.Minute

// Import loads image archives into the running node.
func (n Node) Import(ctx context.Context, archives ...string) error {
	pid, running := Find(n.State)
	if !running {
		return errors.New("the node is not running: start it with up")
	}
	// A socket file is reached through the root of the process that has it.
	socket := fmt.Sprintf("/proc/%d/root/run/containerd/containerd.sock", pid)
	for _, archive := range archives {
		// Locally, because the daemon itself unpacks for overlayfs only.
		args := []string{"--address", socket, "--namespace", "k8s.io", "images", "import", "--local", "--snapshotter", n.Snapshotter, archive}
		if out, err := exec.CommandContext(ctx, n.path("bin", "ctr"), args...).CombinedOutput(); err != nil {
			return fmt.Errorf("load image archive %s: %w: %s", archive, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// Listening waits until the node takes images.
func (n Node) Listening(ctx context.Context) error {
	return n.wait(ctx, "containerd to listen", func() bool {
		pid, running := Find(n.State)
		if !running {
			return false
		}
		_, err := os.Stat(fmt.Sprintf("/proc/%d/root/run/containerd/containerd.sock", pid))
		return err == nil
	})
}

// Ready waits until the node runs pods that find each other by name.
func (n Node) Ready(ctx context.Context, progress *log.Logger) error {
	begun := time.Now()
	report := func(what string) { progress.Printf("%-34s  after %.1fs", what, time.Since(begun).Seconds()) }
	api, err := newAPI(n.Server(), n.State)
	if err != nil {
		return err
	}
	if err := n.wait(ctx, "the API server to be ready", api.ready); err != nil {
		return err
	}
	report("API server ready")
	ctx, cancel := n.whileRunning(ctx)
	defer cancel()
	limit := "--timeout=" + patience.String()
	steps := []struct {
		args []string
		done string
	}{
		{[]string{"apply", "--filename", n.path("node", "coredns.yaml")}, ""},
		{[]string{"wait", "--for=create", "node/" + Name, limit}, ""},
		{[]string{"wait", "--for=condition=Ready", "node/" + Name, limit}, "node Ready"},
		{[]string{"rollout", "status", "--namespace=kube-system", "deployment/coredns", limit}, "CoreDNS ready"},
	}
	for _, step := range steps {
		if err := n.kubectl(ctx, step.args...); err != nil {
			return err
		}
		if step.done != "" {
			report(step.done)
		}
	}
	return nil
}

func (n Node) kubectl(ctx context.Context, args ...string) error {
	args = append([]string{"--kubeconfig", n.path("kubeconfig")}, args...)
	cmd := exec.CommandContext(ctx, n.path("bin", "kubectl"), args...)
	cmd.Env = append(os.Environ(), "NO_PROXY=*") // no proxy can reach the node
	out, err := cmd.CombinedOutput()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", strings.Join(args[2:], " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// wait polls for a condition while the node runs.
func (n Node) wait(ctx context.Context, what string, condition func() bool) error {
	ctx, cancel := n.whileRunning(ctx)
	defer cancel()
	for !condition() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// whileRunning returns a context that ends when the node does, or has had
// long enough; its cause then says what happened.
func (n Node) whileRunning(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		deadline := time.Now().Add(patience)
		for ctx.Err() == nil {
			if _, running := Find(n.State); !running {
				cancel(n.obituary())
			}
			if time.Now().After(deadline) {
				cancel(fmt.Errorf("the node is still not ready after %s: look into %s", patience, n.path("log")))
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// obituary says why the node has ended: the last line of its init's log.
func (n Node) obituary() error {
	file := n.path("log", "init.log")
	said, err := os.ReadFile(file)
	if err != nil {
		return errors.New("the node has ended")
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return fmt.Errorf("the node has ended: %s (%s)", lines[len(lines)-1], file)
}
