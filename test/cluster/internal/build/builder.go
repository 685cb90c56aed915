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

package build

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/example/memcached-operator/test/cluster/internal/project"
)

// Builder builds components into a project's bin folder.
type Builder struct {
	Project project.Project
	// Progress is where it says how far it is.
	Progress *log.Logger

	goVersion string
	ldflags   string
	started   time.Time
}

// New prepares a builder.
func New(ctx context.Context, p project.Project, progress *log.Logger) (*Builder, error) {
	goVersion, err := goCommand(ctx, false, "env", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("run the go command, which builds the node: %w", explain(err))
	}
	kubernetes, err := Version(ctx, p, "kubernetes", "k8s.io/kubernetes")
	if err != nil {
		return nil, err
	}
	ldflags, err := stamp(kubernetes)
	if err != nil {
		return nil, err
	}
	return &Builder{Project: p, Progress: progress, goVersion: strings.TrimSpace(string(goVersion)), ldflags: ldflags}, nil
}

// Build builds what is not there yet, one component after the other: each of
// them keeps all processors busy by itself.
func (b *Builder) Build(ctx context.Context, components []Component) error {
	if err := os.MkdirAll(filepath.Join(b.Project.Bin(), keyFolder), 0o755); err != nil {
		return fmt.Errorf("create the folder of built commands: %w", err)
	}
	stale, err := b.stale(components)
	if err != nil {
		return err
	}
	if len(stale) == 0 {
		b.Progress.Printf("All %d components are built.", len(components))
		return nil
	}
	b.Progress.Printf("Building %d of %d components.", len(stale), len(components))
	if _, large := stale["kube-apiserver"]; large {
		b.Progress.Print("The very first build compiles all of Kubernetes, which takes two processors about 13 minutes.\n" +
			"Go's build cache then makes later ones a matter of seconds.")
	}
	b.started = time.Now()
	for i, c := range components {
		key, isStale := stale[c.Name]
		if !isStale {
			continue
		}
		if err := b.build(ctx, fmt.Sprintf("[%d/%d] %s", i+1, len(components), c.Name), c, key); err != nil {
			return err
		}
	}
	return nil
}

// Manager builds the project's operator for the node into file. Its sources
// change all the time, so the go command decides what is to be done.
func (b *Builder) Manager(ctx context.Context, file string) error {
	cmd := goCommand(ctx, false, "build", "-C", b.Project.Root, "-trimpath", "-o", file, "./cmd")
	cmd.Env = append(cmd.Env, "GOOS=linux")
	b.started = time.Now()
	if err := b.run(cmd, "operator image"); err != nil {
		return fmt.Errorf("build the operator's manager from ./cmd: %w", err)
	}
	return nil
}

func (b *Builder) build(ctx context.Context, label string, c Component, key string) error {
	cmd := goCommand(ctx, c.Cgo, append([]string{"build", "-C", b.Project.Path(c.Module), "-v"}, b.arguments(c)...)...)
	if err := b.run(cmd, label); err != nil {
		return fmt.Errorf("build %s from %s: %w", c.Name, c.Module, err)
	}
	if err := os.WriteFile(b.keyFile(c), []byte(key), 0o644); err != nil {
		return fmt.Errorf("note that %s is built: %w", c.Name, err)
	}
	return nil
}

// arguments are those of go build that say what is built, and how.
func (b *Builder) arguments(c Component) []string {
	output := b.Project.Bin()
	if len(c.Packages) == 1 {
		output = filepath.Join(output, c.Name)
	} else {
		output += string(filepath.Separator)
	}
	return append(append(b.flags(c), "-o", output), c.Packages...)
}

func (b *Builder) flags(c Component) []string {
	var flags []string
	if c.Tags != "" {
		flags = append(flags, "-tags", c.Tags)
	}
	if c.Stamped {
		flags = append(flags, "-ldflags", b.ldflags)
	}
	return flags
}

// Program is a built command.
type Program struct {
	File string
	// Key identifies what it was built from.
	Key string
}

// Program returns one of the node's commands.
func (b *Builder) Program(name string) (Program, error) {
	for _, c := range Node() {
		if c.Name == name {
			key, err := b.Key(c)
			return Program{File: filepath.Join(b.Project.Bin(), name), Key: key}, err
		}
	}
	return Program{}, fmt.Errorf("no component is called %s", name)
}
