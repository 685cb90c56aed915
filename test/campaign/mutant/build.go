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

package mutant

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds a command of this module with the mutant's operator in it.
func (m Mutant) Build(ctx context.Context, root, command, out string) error {
	path, err := filepath.Abs(filepath.Join(root, m.File))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), m.Old); n != 1 {
		return fmt.Errorf("mutant %q: its text is %d times in %s, not once; write it anew in test/campaign/mutant", m.Name, n, m.File)
	}
	folder, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	mutated, overlay := filepath.Join(folder, "mutated.go"), filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(mutated, []byte(strings.Replace(string(text), m.Old, m.New, 1)), 0o600); err != nil {
		return err
	}
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutated}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, content, 0o600); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay="+overlay, "-o", out, command)
	build.Dir = root
	said := &bytes.Buffer{}
	build.Stdout, build.Stderr = said, said
	if err := build.Run(); err != nil {
		return fmt.Errorf("mutant %q does not build: %w\n%s", m.Name, err, said)
	}
	return nil
}
