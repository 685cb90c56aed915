package image

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image is an image that can be assembled on this machine.
type Image struct {
	// Reference is the name that pods ask for.
	Reference string
	// Config is how a container of it starts.
	Config v1.Config
	// Key identifies its content: an image of the same key is not assembled
	// again. Without a key it always is.
	Key string
	// Tree returns its only layer.
	Tree func(context.Context) (Tree, error)
}

// File is where the image's archive lies below dir.
func (i Image) File(dir string) string {
	return filepath.Join(dir, hash(i.Reference, i.Key, fmt.Sprint(i.Config))+".tar")
}

// Assemble writes the image's archive below dir, unless it is there.
func (i Image) Assemble(ctx context.Context, dir string) error {
	file := i.File(dir)
	if _, err := os.Stat(file); err == nil && i.Key != "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the folder of images: %w", err)
	}
	reference, err := name.NewTag(i.Reference)
	if err != nil {
		return fmt.Errorf("image reference %q: %w: expected one with a tag, like example.com/name:v1", i.Reference, err)
	}
	assembled, err := i.assemble(ctx)
	if err != nil {
		return fmt.Errorf("assemble image %s: %w", i.Reference, err)
	}
	// The rename makes sure that an interrupted run leaves no half archive.
	partial := file + ".partial"
	if err := tarball.WriteToFile(partial, reference, assembled); err != nil {
		return fmt.Errorf("write image %s: %w", i.Reference, err)
	}
	if err := os.Rename(partial, file); err != nil {
		return fmt.Errorf("write image %s: %w", i.Reference, err)
	}
	return nil
}

func (i Image) assemble(ctx context.Context) (v1.Image, error) {
	tree, err := i.Tree(ctx)
	if err != nil {
		return nil, err
	}
	layer, err := tree.archive()
	if err != nil {
		return nil, err
	}
	config := &v1.ConfigFile{OS: "linux", Architecture: runtime.GOARCH, Config: i.Config}
	image, err := mutate.ConfigFile(empty.Image, config)
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(image, static.NewLayer(layer, types.DockerUncompressedLayer))
}
