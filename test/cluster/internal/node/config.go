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

package node

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed files
var files embed.FS

var templates = template.Must(template.New("").Option("missingkey=error").ParseFS(files, "files/*"))

// configure writes what the node's processes read when they start.
func (n Node) configure() error {
	for name, file := range map[string]string{
		"containerd.toml": "node/containerd.toml",
		"pods.conflist":   "node/cni/10-pods.conflist",
		"kubelet.yaml":    "node/kubelet.yaml",
		"resolv.conf":     "node/resolv.conf",
		"audit.yaml":      "node/audit.yaml",
		"coredns.yaml":    "node/coredns.yaml",
	} {
		if err := render(n.path(file), 0o644, name, n); err != nil {
			return err
		}
	}
	for _, folder := range []string{"log/pods", "certs.d", "node/volume-plugins"} {
		if err := os.MkdirAll(n.path(folder), 0o755); err != nil {
			return fmt.Errorf("create the node's folders: %w", err)
		}
	}
	authority, err := newAuthority()
	if err != nil {
		return err
	}
	return n.certify(authority)
}

func render(file string, mode os.FileMode, name string, data any) error {
	var content bytes.Buffer
	if err := templates.ExecuteTemplate(&content, name, data); err != nil {
		return fmt.Errorf("write the node's configuration: %w", err)
	}
	return write(file, mode, content.Bytes())
}

func write(file string, mode os.FileMode, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write the node's configuration: %w", err)
	}
	if err := os.WriteFile(file, content, mode); err != nil {
		return fmt.Errorf("write the node's configuration: %w", err)
	}
	return nil
}
