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
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/example/memcached-operator/test/campaign/mutant"
)

// finding is what became of a mutant.
type finding struct {
	name string
	// by is the first violation; "" if none was found.
	by string
}

// mutantsAtATime is how many are played at a time: each has an API server of
// its own.
const mutantsAtATime = 2

// testOracles plays the mutants' plans, each with a mutant in the operator's
// place. The references are those of the operator itself.
func (c *campaign) testOracles(ctx context.Context) {
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		c.failures = append(c.failures, err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	references := filepath.Join(folder, "references.json")
	content, err := json.Marshal(c.references)
	if err == nil {
		err = os.WriteFile(references, content, 0o600)
	}
	if err != nil {
		c.failures = append(c.failures, err)
		return
	}
	group := errgroup.Group{}
	group.SetLimit(mutantsAtATime)
	for i, m := range mutant.Mutants {
		if !c.mutant.MatchString(m.Name) {
			continue
		}
		group.Go(func() error {
			by, err := c.kill(ctx, m, references, filepath.Join(folder, fmt.Sprint("mutant", i)))
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.findings = append(c.findings, finding{m.Name, by})
			c.failures = append(c.failures, err)
			if err != nil {
				by = "NOT FOUND: " + err.Error()
			}
			fmt.Printf("mutant that %s: %s\n", m.Name, by)
			return nil
		})
	}
	_ = group.Wait()
}

// found is how a violation is printed.
var found = regexp.MustCompile(`(?m)^VIOLATED (.*)\n  (O\d+: .*)$`)

// kill returns the first violation of a mutant.
func (c *campaign) kill(ctx context.Context, m mutant.Mutant, references, program string) (string, error) {
	if err := m.Build(ctx, c.root, "./test/campaign", program); err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(program) }()
	said := &bytes.Buffer{}
	command := exec.CommandContext(ctx, program, "-root", c.root, "-assets", c.assets, "-first", "-only", m.Plans, "-references", references)
	command.Stdout, command.Stderr = said, said
	err := command.Run()
	if match := found.FindStringSubmatch(said.String()); match != nil {
		return match[2] + " (" + match[1] + ")", nil
	}
	why := "it passed"
	if err != nil {
		why = strings.TrimSpace(said.String())
	}
	return "", errors.New("no oracle found the mutant that " + m.Name + ": " + why)
}
