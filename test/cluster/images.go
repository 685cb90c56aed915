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
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/example/memcached-operator/test/cluster/internal/build"
	"github.com/example/memcached-operator/test/cluster/internal/image"
)

// images are what every node gets.
type images struct {
	pause, coreDNS string
	all            []image.Image
}

// standard builds and lists them.
func standard(ctx context.Context, s settings, builder *build.Builder) (images, error) {
	version, err := build.Version(ctx, s.project, "coredns", "github.com/coredns/coredns")
	if err != nil {
		return images{}, err
	}
	pause, err := builder.Program("pause")
	if err != nil {
		return images{}, err
	}
	coreDNS, err := builder.Program("coredns")
	if err != nil {
		return images{}, err
	}
	operator, err := operatorImage(ctx, s, builder)
	if err != nil {
		return images{}, err
	}
	all := images{pause: image.Pause, coreDNS: image.CoreDNS(version)}
	all.all = []image.Image{
		image.Static(all.pause, pause.File, "/pause", pause.Key),
		image.Static(all.coreDNS, coreDNS.File, "/coredns", coreDNS.Key),
		image.Memcached(s.memcachedImage),
		image.Busybox(),
		operator,
	}
	return all, nil
}

// operatorImage builds what the Dockerfile's last stage holds.
func operatorImage(ctx context.Context, s settings, builder *build.Builder) (image.Image, error) {
	manager := filepath.Join(s.project.Bin(), "manager")
	if err := builder.Manager(ctx, manager); err != nil {
		return image.Image{}, err
	}
	key, err := contentKey(manager)
	return image.Static(s.operatorImage, manager, "/manager", key), err
}

// contentKey identifies a file whose sources nobody keeps track of.
func contentKey(name string) (string, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("identify a command: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// assemble writes the archives of images and returns their names.
func assemble(ctx context.Context, s settings, all []image.Image) ([]string, error) {
	var archives []string
	for _, each := range all {
		assembled, err := each.Assemble(ctx, s.project.Images())
		if err != nil {
			return nil, err
		}
		if assembled {
			s.progress.Printf("Assembled image %s", each.Reference)
		}
		archives = append(archives, each.File(s.project.Images()))
	}
	return archives, nil
}
