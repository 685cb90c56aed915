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
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// merged are the folders that modern Debian keeps below /usr. Packages of
// older releases still bring them separately.
var merged = []string{"bin", "lib", "lib32", "lib64", "libx32", "sbin"}

// debianTree unpacks a Debian package and the libraries it needs, without
// installing anything: as installed packages, some would start services.
func debianTree(ctx context.Context, name string) (Tree, error) {
	scratch, err := os.MkdirTemp("", "memcached-node-packages-")
	if err != nil {
		return nil, fmt.Errorf("make room for Debian packages: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	archives, err := download(ctx, scratch, name)
	if err != nil {
		return nil, err
	}
	tree := Tree{}
	for _, folder := range merged {
		tree.Dir(path.Join("usr", folder), 0o755)
		tree.Link(folder, path.Join("usr", folder))
	}
	tree.Dir("tmp", 0o1777)
	for _, archive := range archives {
		if err := unpackDebian(ctx, tree, archive); err != nil {
			return nil, err
		}
	}
	return tree, nil
}

// download fetches a package, then the libraries it depends on, then those
// that they depend on, until nothing is missing.
func download(ctx context.Context, dir, name string) ([]string, error) {
	known := map[string]bool{name: true}
	var archives []string
	for missing := []string{name}; len(missing) > 0; {
		// apt drops its privileges for downloads and then may not write here.
		args := append([]string{"-qq", "-o", "APT::Sandbox::User=root", "download"}, missing...)
		if err := run(ctx, dir, "apt-get", args...); err != nil {
			return nil, fmt.Errorf("download the Debian packages %s: %w", strings.Join(missing, ", "), err)
		}
		present, err := filepath.Glob(filepath.Join(dir, "*.deb"))
		if err != nil {
			return nil, fmt.Errorf("list downloaded packages: %w", err)
		}
		missing = nil
		for _, archive := range present {
			if slices.Contains(archives, archive) {
				continue
			}
			archives = append(archives, archive)
			depends, err := exec.CommandContext(ctx, "dpkg-deb", "--field", archive, "Depends").Output()
			if err != nil {
				return nil, fmt.Errorf("read what %s depends on: %w", filepath.Base(archive), err)
			}
			for _, library := range libraries(string(depends)) {
				if !known[library] {
					known[library] = true
					missing = append(missing, library)
				}
			}
		}
	}
	return archives, nil
}

// libraries picks the shared libraries out of a Depends field. The rest (init
// scripts, perl, adduser) serves installing a package, not running it.
func libraries(depends string) []string {
	var names []string
	for clause := range strings.SplitSeq(depends, ",") {
		first, _, _ := strings.Cut(clause, "|")
		name, _, _ := strings.Cut(strings.TrimSpace(first), " ")
		name, _, _ = strings.Cut(name, ":")
		if strings.HasPrefix(name, "lib") {
			names = append(names, name)
		}
	}
	return names
}

func unpackDebian(ctx context.Context, tree Tree, archive string) error {
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", archive)
	stream, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
	}
	err = tree.Unpack(stream, mergeUsr, useless)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
	}
	return nil
}

// mergeUsr moves a path to where merged Debian has it.
func mergeUsr(name string) string {
	first, _, _ := strings.Cut(name, "/")
	if slices.Contains(merged, first) {
		return path.Join("usr", name)
	}
	return name
}

// useless tells what no process of the image ever reads.
func useless(name string) bool {
	for _, prefix := range []string{"usr/share/doc", "usr/share/man", "usr/share/lintian", "etc/init.d", "usr/lib/systemd"} {
		if name == prefix || strings.HasPrefix(name, prefix+"/") {
			return true
		}
	}
	return strings.Contains(name, "/gconv/")
}

// run runs a command in dir; its error says what the command said.
func run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}
