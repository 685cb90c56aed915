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
	"archive/tar"
	"bytes"
	"io"
	"slices"
	"testing"
)

func TestLibraries(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		depends string
		want    []string
	}{
		"nothing":                       {"", nil},
		"versions are ignored":          {"libc6 (>= 2.34), libevent-2.1-7 (>= 2.1.8-stable)", []string{"libc6", "libevent-2.1-7"}},
		"the first alternative is used": {"libssl3 | libssl1.1, default-mta | libmail", []string{"libssl3"}},
		"architectures are ignored":     {"libgcc-s1:any", []string{"libgcc-s1"}},
		"what only installs is skipped": {"adduser, perl:any, lsb-base (>= 3.2-13), libsasl2-2", []string{"libsasl2-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := libraries(tc.depends); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMergeUsr(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"lib/x86_64-linux-gnu/libc.so.6": "usr/lib/x86_64-linux-gnu/libc.so.6",
		"lib64":                          "usr/lib64",
		"usr/bin/memcached":              "usr/bin/memcached",
		"library/x":                      "library/x",
	} {
		if got := mergeUsr(name); got != want {
			t.Errorf("mergeUsr(%q) = %q, want %q", name, got, want)
		}
	}
}

// Equal content must give equal bytes, or images would differ for no reason.
func TestArchiveIsOrderedAndDateless(t *testing.T) {
	t.Parallel()
	tree := Tree{}
	tree.File("usr/bin/b", 0o755, []byte("b"))
	tree.Link("bin", "usr/bin")
	tree.File("a", 0o644, []byte("a"))
	layer, err := tree.archive()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	archive := tar.NewReader(bytes.NewReader(layer))
	for header, err := archive.Next(); err != io.EOF; header, err = archive.Next() {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
		if header.ModTime.Unix() != 0 || header.Uid != 0 || header.Gid != 0 {
			t.Errorf("%s has a date or an owner", header.Name)
		}
	}
	if want := []string{"a", "bin", "usr", "usr/bin", "usr/bin/b"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
