package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/example/memcached-operator/test/cluster/internal/build"
	"github.com/example/memcached-operator/test/cluster/internal/image"
	"github.com/example/memcached-operator/test/cluster/internal/machine"
	"github.com/example/memcached-operator/test/cluster/internal/node"
)

// assets builds what tests against a lone API server need.
func assets(ctx context.Context, s settings) error {
	builder, err := build.New(ctx, s.project, os.Stdout)
	if err != nil {
		return err
	}
	if err := builder.Build(ctx, build.Assets()); err != nil {
		return err
	}
	fmt.Printf("Use them: export KUBEBUILDER_ASSETS=%s\n", s.project.Bin())
	return nil
}

// up brings the node to where pods run, whatever is there already.
func up(ctx context.Context, s settings) error {
	begun := time.Now()
	if err := machine.Refuse(machine.Look().Problems()); err != nil {
		return err
	}
	unlock, err := lock(s.project.State())
	if err != nil {
		return err
	}
	defer unlock()
	if err := machine.Install(ctx, os.Stdout); err != nil {
		return err
	}
	builder, err := build.New(ctx, s.project, os.Stdout)
	if err != nil {
		return err
	}
	if err := builder.Build(ctx, build.Node()); err != nil {
		return err
	}
	archives, images, err := assemble(ctx, s, builder)
	if err != nil {
		return err
	}
	n, err := start(s, images)
	if err != nil {
		return err
	}
	if err := n.Listening(ctx); err != nil {
		return err
	}
	if err := n.Import(ctx, archives...); err != nil {
		return err
	}
	if err := n.Ready(ctx, os.Stdout); err != nil {
		return err
	}
	fmt.Printf("The node is ready, after %s in all. Use it:\n  export KUBECONFIG=%s PATH=%s:$PATH\nLogs, and what was asked of the API (audit.log): %s\n",
		time.Since(begun).Round(time.Second/10), s.project.Kubeconfig(), s.project.Bin(), s.project.Log())
	return nil
}

// start starts the node unless it runs.
func start(s settings, images node.Images) (node.Node, error) {
	state := s.project.State()
	if pid, running := node.Find(state); running {
		fmt.Printf("The node is already running (its init process is %d).\n", pid)
		return node.Load(state)
	}
	// What a node that was killed has left behind would be in the way.
	if _, err := node.Stop(state, caches...); err != nil {
		return node.Node{}, err
	}
	return node.Start(state, images)
}

// assemble makes all images and returns their archives.
func assemble(ctx context.Context, s settings, builder *build.Builder) ([]string, node.Images, error) {
	version, err := build.Version(ctx, s.project, "coredns", "github.com/coredns/coredns")
	if err != nil {
		return nil, node.Images{}, err
	}
	images := node.Images{Pause: image.Pause, CoreDNS: image.CoreDNS(version)}
	all := []image.Image{image.Memcached(s.memcachedImage), image.BusyboxImage()}
	for reference, name := range map[string]string{images.Pause: "pause", images.CoreDNS: "coredns"} {
		program, err := builder.Program(name)
		if err != nil {
			return nil, node.Images{}, err
		}
		all = append(all, image.Static(reference, program.File, "/"+name, program.Key))
	}
	if !s.withoutOperator {
		operator, err := operatorImage(ctx, s, builder)
		if err != nil {
			return nil, node.Images{}, err
		}
		all = append(all, operator)
	}
	var archives []string
	for _, each := range all {
		if err := each.Assemble(ctx, s.project.Images()); err != nil {
			return nil, node.Images{}, err
		}
		archives = append(archives, each.File(s.project.Images()))
	}
	return archives, images, nil
}

// operatorImage builds what the Dockerfile's last stage holds.
func operatorImage(ctx context.Context, s settings, builder *build.Builder) (image.Image, error) {
	manager := filepath.Join(s.project.Bin(), "manager")
	if err := builder.Manager(ctx, manager); err != nil {
		return image.Image{}, err
	}
	return image.Static(s.operatorImage, manager, "/manager", ""), nil
}

// load loads images into the running node.
func load(ctx context.Context, s settings) error {
	n, err := node.Load(s.project.State())
	if err != nil {
		return fmt.Errorf("%w (is the node up?)", err)
	}
	if len(s.archives) == 0 {
		builder, err := build.New(ctx, s.project, os.Stdout)
		if err != nil {
			return err
		}
		operator, err := operatorImage(ctx, s, builder)
		if err != nil {
			return err
		}
		if err := operator.Assemble(ctx, s.project.Images()); err != nil {
			return err
		}
		s.archives = []string{operator.File(s.project.Images())}
	}
	return n.Import(ctx, s.archives...)
}

// caches are what a node does not take with it.
var caches = []string{"bin", "images"}

// down removes the node.
func down(_ context.Context, s settings) error {
	if err := machine.Refuse(machine.Look().Problems()); err != nil {
		return err
	}
	unlock, err := lock(s.project.State())
	if err != nil {
		return err
	}
	defer unlock()
	found, err := node.Stop(s.project.State(), caches...)
	if err != nil {
		return err
	}
	if !found {
		fmt.Println("There is no node to remove.")
		return nil
	}
	fmt.Printf("The node is gone. Kept for the next one: %s, %s and Go's build cache.\n", s.project.Bin(), s.project.Images())
	return nil
}
