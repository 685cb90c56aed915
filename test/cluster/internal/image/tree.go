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

// Package image assembles the few images that the node needs, from commands
// that were built here and from Debian's packages, without any registry.
package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Tree is a root file system in the making. All files belong to root and have
// no date, so that equal content gives an equal image.
type Tree map[string]node

type node struct {
	header  tar.Header
	content []byte
}

// Dir adds a folder and those above it.
func (t Tree) Dir(name string, mode int64) {
	if name == "." || name == "/" {
		return
	}
	t.Dir(path.Dir(name), 0o755)
	if _, exists := t[name]; !exists || mode != 0o755 {
		t.add(tar.Header{Name: name, Typeflag: tar.TypeDir, Mode: mode}, nil)
	}
}

// File adds a file.
func (t Tree) File(name string, mode int64, content []byte) {
	t.Dir(path.Dir(name), 0o755)
	t.add(tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: mode}, content)
}

// Program adds a command that lies on this machine.
func (t Tree) Program(name, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("put a command into an image: %w", err)
	}
	t.File(name, 0o755, content)
	return nil
}

// Link adds a symbolic link.
func (t Tree) Link(name, target string) {
	t.Dir(path.Dir(name), 0o755)
	t.add(tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target, Mode: 0o777}, nil)
}

// Unpack adds what a tar stream holds, leaving out what skip names.
func (t Tree) Unpack(stream io.Reader, rename func(string) string, skip func(string) bool) error {
	for archive := tar.NewReader(stream); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpack an archive: %w", err)
		}
		name := rename(strings.Trim(path.Clean("/"+header.Name), "/"))
		if name == "" || skip(name) {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
		if header.Typeflag == tar.TypeLink {
			header.Linkname = rename(strings.Trim(path.Clean("/"+header.Linkname), "/"))
		}
		t.Dir(path.Dir(name), 0o755)
		t.add(tar.Header{Name: name, Typeflag: header.Typeflag, Linkname: header.Linkname, Mode: header.Mode}, content)
	}
}

func (t Tree) add(header tar.Header, content []byte) {
	header.Size = int64(len(content))
	t[header.Name] = node{header: header, content: content}
}

// archive writes the tree as an image layer.
func (t Tree) archive() ([]byte, error) {
	var out bytes.Buffer
	layer := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		header := t[name].header
		if err := layer.WriteHeader(&header); err != nil {
			return nil, fmt.Errorf("write %s into a layer: %w", name, err)
		}
		if _, err := layer.Write(t[name].content); err != nil {
			return nil, fmt.Errorf("write %s into a layer: %w", name, err)
		}
	}
	if err := layer.Close(); err != nil {
		return nil, fmt.Errorf("write a layer: %w", err)
	}
	return out.Bytes(), nil
}
