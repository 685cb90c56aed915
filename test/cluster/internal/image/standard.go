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
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	// Pause is what containerd starts every pod with.
	Pause = "localhost/pause:1"
	// busybox is the client of demos and tests.
	busybox = "docker.io/library/busybox:1.37"
	// coredns is completed by CoreDNS' version.
	coredns = "localhost/coredns:"
)

// CoreDNS is the reference of the DNS server's image.
func CoreDNS(version string) string { return coredns + version }

// Static is an image that holds nothing but a static command. It runs as
// somebody without rights, like the distroless images.
func Static(reference, file, command, key string) Image {
	return Image{
		Reference: reference,
		Key:       key,
		Config:    v1.Config{Entrypoint: []string{command}, User: "65532:65532", WorkingDir: "/"},
		Tree: func(context.Context) (Tree, error) {
			tree := Tree{}
			tree.Dir("tmp", 0o1777)
			tree.File("etc/passwd", 0o644, []byte("root:x:0:0:root:/:/\nnonroot:x:65532:65532:nonroot:/:/\n"))
			return tree, tree.Program(strings.TrimPrefix(command, "/"), file)
		},
	}
}

// Memcached is Debian's memcached under the reference that the operator asks
// for: whichever version Debian has, not the one that the reference names.
func Memcached(reference string) Image {
	return Image{
		Reference: reference,
		Key:       debianKey("memcached"),
		Config:    v1.Config{Entrypoint: []string{"memcached"}, User: "11211:11211", Env: []string{"PATH=/usr/bin:/bin"}},
		Tree: func(ctx context.Context) (Tree, error) {
			tree, err := debianTree(ctx, "memcached")
			if err != nil {
				return nil, err
			}
			tree.File("etc/passwd", 0o644, []byte("root:x:0:0:root:/:/\nmemcache:x:11211:11211:memcache:/:/\n"))
			return tree, nil
		},
	}
}

// Busybox is Debian's dynamic busybox: the static one crashes as soon as
// it looks up a name.
func Busybox() Image {
	return Image{
		Reference: busybox,
		Key:       debianKey("busybox"),
		Config:    v1.Config{Cmd: []string{"sh"}, Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}},
		Tree: func(ctx context.Context) (Tree, error) {
			tree, err := debianTree(ctx, "busybox")
			if err != nil {
				return nil, err
			}
			tree.File("etc/passwd", 0o644, []byte("root:x:0:0:root:/:/bin/sh\n"))
			return tree, applets(ctx, tree)
		},
	}
}

// applets adds a link for each command that busybox can play.
func applets(ctx context.Context, tree Tree) error {
	scratch, err := os.MkdirTemp("", "memcached-node-busybox-")
	if err != nil {
		return fmt.Errorf("make room for busybox: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	program := filepath.Join(scratch, "busybox")
	if err := os.WriteFile(program, tree["usr/bin/busybox"].content, 0o755); err != nil {
		return fmt.Errorf("put busybox aside: %w", err)
	}
	list, err := exec.CommandContext(ctx, program, "--list-full").Output()
	if err != nil {
		return fmt.Errorf("ask busybox for its applets: %w", err)
	}
	for name := range strings.FieldsSeq(string(list)) {
		if name = mergeUsr(name); name != "usr/bin/busybox" {
			tree.Link(name, path.Join("/", "usr/bin/busybox"))
		}
	}
	return nil
}

// debianKey changes with Debian's release, not with each of its updates: an
// assembled image then keeps working without a network.
func debianKey(pkg string) string {
	const recipe = "1" // raise it when this package assembles them differently
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		release = nil // another release only means another key
	}
	return hash(recipe, pkg, runtime.GOARCH, string(release))
}

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:16]
}
