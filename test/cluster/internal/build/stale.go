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
	"os"
	"path/filepath"
	"strings"
)

// keyFolder holds, beside the commands, what each was built from.
const keyFolder = ".built"

// stale returns the components that are to be built, each with its key.
func (b *Builder) stale(components []Component) (map[string]string, error) {
	stale := map[string]string{}
	for _, c := range components {
		key, err := b.Key(c)
		if err != nil {
			return nil, err
		}
		if built, err := os.ReadFile(b.keyFile(c)); err != nil || string(built) != key || !b.present(c) {
			stale[c.Name] = key
		}
	}
	return stale, nil
}

func (b *Builder) present(c Component) bool {
	for _, name := range c.outputs() {
		if _, err := os.Stat(filepath.Join(b.Project.Bin(), name)); err != nil {
			return false
		}
	}
	return true
}

func (b *Builder) keyFile(c Component) string {
	return filepath.Join(b.Project.Bin(), keyFolder, strings.ReplaceAll(c.Name, " ", "-"))
}
