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

package image

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

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
	// again.
	Key string
	// Tree returns its only layer.
	Tree func(context.Context) (Tree, error)
}

// File is where the image's archive lies below dir.
func (i Image) File(dir string) string {
	return filepath.Join(dir, strings.NewReplacer("/", "_", ":", "_").Replace(i.Reference)+".tar")
}

// Assemble writes the image's archive below dir, and tells whether it had to.
func (i Image) Assemble(ctx context.Context, dir string) (bool, error) {
	file := i.File(dir)
	key := []byte(hash(i.Key, fmt.Sprint(i.Config)))
	if present, err := os.ReadFile(file + ".key"); err == nil && bytes.Equal(present, key) {
		return false, nil
	}
	reference, err := name.NewTag(i.Reference)
	if err != nil {
		return false, fmt.Errorf("image reference %q: %w: expected one with a tag, like example.com/name:v1", i.Reference, err)
	}
	assembled, err := i.assemble(ctx)
	if err != nil {
		return false, fmt.Errorf("assemble image %s: %w", i.Reference, err)
	}
	return true, replace(file, key, func() error { return tarball.WriteToFile(file, reference, assembled) })
}

// replace writes an archive and then its key. Without its key an archive does
// not count, so an interrupted run leaves nothing that looks whole.
func replace(file string, key []byte, write func() error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("create the folder of images: %w", err)
	}
	if err := os.RemoveAll(file + ".key"); err != nil {
		return fmt.Errorf("replace an image archive: %w", err)
	}
	if err := write(); err != nil {
		return fmt.Errorf("write image archive %s: %w", file, err)
	}
	if err := os.WriteFile(file+".key", key, 0o644); err != nil {
		return fmt.Errorf("write image archive %s: %w", file, err)
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
