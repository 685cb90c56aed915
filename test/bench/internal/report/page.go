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

// Package report shows results: a page in Markdown, with charts.
//
// Reading order: page.go (the page), table.go (its tables), charts.go.
package report

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/example/memcached-operator/test/bench/internal/result"
)

//go:embed page.md.tmpl
var page embed.FS

// Write writes performance.md into a folder, and the charts below it.
func Write(results *result.Results, folder string) error {
	charts := filepath.Join(folder, "performance")
	if err := os.MkdirAll(charts, 0o755); err != nil {
		return err
	}
	for name, draw := range chartsOf {
		if err := draw(results, filepath.Join(charts, name+".svg")); err != nil {
			return fmt.Errorf("draw chart %s: %w", name, err)
		}
	}
	parsed, err := template.New("page.md.tmpl").Funcs(template.FuncMap{
		"goals": goals, "values": values, "requests": requests, "join": strings.Join, "met": met,
	}).ParseFS(page, "page.md.tmpl")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, results); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return os.WriteFile(filepath.Join(folder, "performance.md"), text.Bytes(), 0o644)
}
