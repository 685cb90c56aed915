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
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"flag"
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

// recipe is what one image consists of.
type recipe struct {
	base, reference, out, user, entrypoint string
	labels                                 repeated
	files                                  []string
}

// repeated is a flag that may be given several times.
type repeated []string

func (r *repeated) String() string { return strings.Join(*r, ",") }

func (r *repeated) Set(value string) error {
	*r = append(*r, value)
	return nil
}

func image(_ context.Context, args []string) error {
	var r recipe
	flags := flag.NewFlagSet("image", flag.ExitOnError)
	flags.StringVar(&r.base, "base", "", "the image `archive` it starts from, if any")
	flags.StringVar(&r.reference, "reference", "", "its `name`, with a tag")
	flags.StringVar(&r.out, "out", "", "the archive to write")
	flags.StringVar(&r.user, "user", "1001", "the `number` of the user it runs as")
	flags.StringVar(&r.entrypoint, "entrypoint", "", "the command it runs")
	flags.Var(&r.labels, "label", "a label, `key=value`; may be repeated")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r.files = flags.Args() // each is path-in-the-image=file
	reference, err := name.NewTag(r.reference)
	if err != nil {
		return err
	}
	assembled, err := r.assemble()
	if err != nil {
		return err
	}
	return write(r.out, reference, assembled)
}

// write leaves nothing that looks like a whole archive when it is interrupted.
func write(out string, reference name.Tag, image v1.Image) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if err := tarball.WriteToFile(out+".part", reference, image); err != nil {
		return err
	}
	return os.Rename(out+".part", out)
}

func (r recipe) assemble() (v1.Image, error) {
	image := empty.Image
	if r.base != "" {
		var err error
		if image, err = tarball.ImageFromPath(r.base, nil); err != nil {
			return nil, fmt.Errorf("read the base image: %w", err)
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config.User, config.Config.Cmd, config.Config.Entrypoint = r.user, nil, nil
	if r.entrypoint != "" {
		config.Config.Entrypoint = []string{r.entrypoint}
	}
	config.Config.Labels = map[string]string{}
	for _, label := range r.labels {
		key, value, _ := strings.Cut(label, "=")
		config.Config.Labels[key] = value
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	layer, err := r.layer()
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(image, static.NewLayer(layer, types.DockerUncompressedLayer))
}

// layer holds the recipe's files, without dates: equal files, equal image.
func (r recipe) layer() ([]byte, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, each := range r.files {
		inside, file, found := strings.Cut(each, "=")
		if !found {
			return nil, fmt.Errorf("%q: expected path-in-the-image=file", each)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		header := &tar.Header{Name: strings.TrimPrefix(inside, "/"), Mode: 0o755, Size: int64(len(content))}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(content); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), archive.Close()
}

// retag is how a test makes the next version's image: the same content under
// the name that the next version asks for.
func retag(_ context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("expected: archive reference archive")
	}
	image, err := tarball.ImageFromPath(args[0], nil)
	if err != nil {
		return err
	}
	reference, err := name.NewTag(args[1])
	if err != nil {
		return err
	}
	return write(args[2], reference, image)
}
