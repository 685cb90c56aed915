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

	"github.com/example/memcached-operator/test/cluster/internal/build"
	"github.com/example/memcached-operator/test/cluster/internal/image"
	"github.com/example/memcached-operator/test/cluster/internal/machine"
	"github.com/example/memcached-operator/test/cluster/internal/node"
)

// caches are what a node does not take with it.
var caches = []string{"bin", "images"}

// assets builds what tests against a lone API server need.
func assets(ctx context.Context, s settings) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	builder, err := build.New(ctx, s.project, s.progress)
	if err != nil {
		return err
	}
	if err := builder.Build(ctx, build.Assets()); err != nil {
		return err
	}
	s.progress.Printf("Use them: export KUBEBUILDER_ASSETS=%s", s.project.Bin())
	return nil
}

// load loads images into the running node.
func load(ctx context.Context, s settings) error {
	if err := machine.Refuse(machine.Look().Problems()); err != nil {
		return err
	}
	n, err := node.Load(s.project.State())
	if err != nil {
		return fmt.Errorf("%w: start the node with up", err)
	}
	if len(s.archives) > 0 {
		return n.Import(ctx, s.archives...)
	}
	builder, err := build.New(ctx, s.project, s.progress)
	if err != nil {
		return err
	}
	operator, err := operatorImage(ctx, s, builder)
	if err != nil {
		return err
	}
	archives, err := assemble(ctx, s, []image.Image{operator})
	if err != nil {
		return err
	}
	return n.Import(ctx, archives...)
}

// down removes the node.
func down(_ context.Context, s settings) error {
	if err := machine.Refuse(machine.Look().Problems()); err != nil {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	found, err := node.Stop(s.project.State(), caches...)
	if err != nil {
		return err
	}
	if !found {
		s.progress.Print("There is no node to remove.")
		return nil
	}
	s.progress.Printf("The node is gone. Kept for the next one: %s, %s and Go's build cache.", s.project.Bin(), s.project.Images())
	return nil
}
