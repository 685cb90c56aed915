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

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/example/memcached-operator/test/cluster/internal/build"
	"github.com/example/memcached-operator/test/cluster/internal/machine"
	"github.com/example/memcached-operator/test/cluster/internal/node"
)

// up brings the node to where pods run, whatever is there already.
func up(ctx context.Context, s settings) error {
	begun := time.Now()
	if err := machine.Refuse(machine.Look().Problems()); err != nil {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := machine.Install(ctx, s.progress); err != nil {
		return err
	}
	kernel, err := node.Probe(s.project.State())
	if err != nil {
		return err
	}
	if err := machine.Refuse(kernel.Problems); err != nil {
		return err
	}
	builder, err := build.New(ctx, s.project, s.progress)
	if err != nil {
		return err
	}
	if err := builder.Build(ctx, build.Node()); err != nil {
		return err
	}
	n, err := bringUp(ctx, s, builder, kernel)
	if err != nil {
		return err
	}
	if err := handOver(s.project.Kubeconfig(), s.sudoUser); err != nil {
		return err
	}
	s.explain(n, time.Since(begun))
	return nil
}

// explain says how to use the node.
func (s settings) explain(n node.Node, took time.Duration) {
	s.progress.Printf("The node is ready, after %s in all. Use it:", took.Round(time.Second/10))
	s.progress.Printf("  export KUBECONFIG=%s PATH=%s:$PATH", s.project.Kubeconfig(), s.project.Bin())
	if s.proxied {
		s.progress.Printf("  export NO_PROXY=$NO_PROXY,%s", n.Network())
	}
	s.progress.Printf("Logs, and everything that the API was asked for (audit.log): %s", s.project.Log())
}

// bringUp starts what is built, gives it its images and waits for it.
func bringUp(ctx context.Context, s settings, builder *build.Builder, kernel node.Abilities) (node.Node, error) {
	images, err := standard(ctx, s, builder)
	if err != nil {
		return node.Node{}, err
	}
	archives, err := assemble(ctx, s, images.all)
	if err != nil {
		return node.Node{}, err
	}
	n, err := start(s, node.Options{Pause: images.pause, CoreDNS: images.coreDNS, Snapshotter: kernel.Snapshotter})
	if err != nil {
		return node.Node{}, err
	}
	if err := n.Listening(ctx); err != nil {
		return node.Node{}, err
	}
	if err := n.Import(ctx, archives...); err != nil {
		return node.Node{}, err
	}
	return n, n.Ready(ctx, s.progress)
}

// start starts the node unless it runs.
func start(s settings, options node.Options) (node.Node, error) {
	state := s.project.State()
	if pid, running := node.Find(state); running {
		s.progress.Printf("The node is already running (its init process is %d).", pid)
		return node.Load(state)
	}
	// What a node that was killed has left behind would be in the way.
	if _, err := node.Stop(state, caches...); err != nil {
		return node.Node{}, err
	}
	return node.Start(state, options)
}

// handOver gives a file that only its owner may read to whoever ran sudo.
func handOver(file, user string) error {
	if user == "" { // nobody did
		return nil
	}
	id, err := strconv.Atoi(user)
	if err != nil {
		return fmt.Errorf("read SUDO_UID: %w", err)
	}
	if err := os.Chown(file, id, -1); err != nil {
		return fmt.Errorf("let user %d use the node: %w", id, err)
	}
	return nil
}
