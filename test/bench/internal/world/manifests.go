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

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// bufferSize is for the longest document of a manifest; it grows as needed.
const bufferSize = 4096

// Apply makes the objects of manifests.
func (w *World) Apply(ctx context.Context, manifests []string) error {
	api, err := client.New(w.Load, client.Options{})
	if err != nil {
		return err
	}
	for _, path := range manifests {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read a manifest: %w", err)
		}
		for documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), bufferSize); ; {
			object := &unstructured.Unstructured{}
			if err := documents.Decode(object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return fmt.Errorf("read manifest %s: %w", path, err)
			}
			if len(object.Object) == 0 {
				continue // an empty document
			}
			apply := client.ApplyConfigurationFromUnstructured(object)
			if err := api.Apply(ctx, apply, client.FieldOwner(UserLoad), client.ForceOwnership); err != nil {
				return fmt.Errorf("apply %s %s of manifest %s: %w", object.GetKind(), object.GetName(), path, err)
			}
		}
	}
	return nil
}
