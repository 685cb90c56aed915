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

package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
	"github.com/example/memcached-operator/internal/resources"
	"github.com/example/memcached-operator/test/campaign/arena"
)

// edits change each field that the operator owns, one at a time, and expect it
// back.
func edits(w Workload, _ Reference) []Plan {
	if w.Name != "scale-up" { // one workload whose first step is a small cache
		return nil
	}
	mc := &cachev1alpha1.Memcached{}
	mc.Name, mc.Spec.Size, mc.Spec.ContainerPort = arena.CacheName, 1, 11211
	children := resources.Desired(mc, resources.Options{Image: arena.DefaultImage})
	var plans []Plan
	for _, child := range []struct {
		kind    string
		object  func(*arena.Stage) client.Object
		desired any
	}{{"deployment", theDeployment, children.Deployment}, {"service", theService, children.Service}} {
		for _, path := range leaves(child.desired) {
			plans = append(plans, edit(child.kind, path, child.object))
		}
	}
	return plans
}

// edit is the plan for one field.
func edit(kind string, path field, object func(*arena.Stage) client.Object) Plan {
	before := ""
	return Plan{
		What: kind + " " + path.String(),
		During: func(ctx context.Context, s *arena.Stage) error {
			if err := s.Await(ctx, converge, ready(3)); err != nil {
				return err
			}
			found := object(s)
			if err := s.Admin.Get(ctx, client.ObjectKeyFromObject(found), found); err != nil {
				return err
			}
			old, err := path.value(found)
			if err != nil {
				return err
			}
			before = old
			body, err := json.Marshal([]map[string]any{{"op": "replace", "path": path.pointer(), "value": path.other}})
			if err != nil {
				return err
			}
			err = s.Admin.Patch(ctx, found, client.RawPatch(types.JSONPatchType, body), client.FieldOwner("somebody"))
			if apierrors.IsInvalid(err) && immutable(path) {
				return nil // nobody can
			}
			return err
		},
		Twice: true, // an edit of the template is a rollout, and so is its repair
		Most:  5,    // of 3: each rollout begins while the other's nodes are being told
		Elsewhere: all(ready(3), func(ctx context.Context, s *arena.Stage) (string, error) {
			found := object(s)
			if err := s.Admin.Get(ctx, client.ObjectKeyFromObject(found), found); err != nil {
				return "", err
			}
			now, err := path.value(found)
			if before == "" || now != before {
				return fmt.Sprintf("%s is %s, not %s", path, now, before), err
			}
			return "", err
		}, rolled),
	}
}

// field is a leaf of an apply configuration, and another value for it.
type field struct {
	path  []string
	other any
}

func (f field) String() string { return strings.Join(f.path, ".") }

func (f field) pointer() string {
	escaped := make([]string, len(f.path))
	for i, part := range f.path {
		escaped[i] = strings.NewReplacer("~", "~0", "/", "~1").Replace(part)
	}
	return "/" + strings.Join(escaped, "/")
}

// value returns the field of an object, as text.
func (f field) value(object client.Object) (string, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return "", err
	}
	var at any = content
	for _, part := range f.path {
		switch here := at.(type) {
		case map[string]any:
			at = here[part]
		case []any:
			i := 0
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(here) {
				return "", fmt.Errorf("no %s", f)
			}
			at = here[i]
		}
	}
	text, err := json.Marshal(at)
	return string(text), err
}

// identity are fields that say which object it is, and cannot be edited; and
// whose it is: without its owner an object is foreign, and no longer mended.
var identity = []string{"apiVersion", "kind", "name", "namespace", "uid", "ownerReferences"}

// others are other values for texts that are not free.
var others = map[string]string{
	"RollingUpdate": "Recreate", "TCP": "UDP", "RuntimeDefault": "Unconfined", "ALL": "KILL", "10m": "20m", "140Mi": "150Mi",
	"ClusterIP": "NodePort", "None": "",
}

func otherText(path []string, text string) string {
	if slices.Contains(path, "requests") && text == "140Mi" {
		return "130Mi" // it may not exceed the limit
	}
	if other, known := others[text]; known {
		return other
	}
	return text + "x"
}

// immutable tells whether the API server lets nobody change the field, by itself
// or at all.
func immutable(f field) bool {
	name := f.String()
	return strings.HasPrefix(name, "spec.selector.matchLabels") || strings.HasPrefix(name, "spec.template.metadata.labels") || // they must agree
		slices.Contains([]string{"spec.strategy.type", "spec.clusterIP", "spec.type"}, name) // only together with others
}

func leaves(configuration any) []field {
	text, err := json.Marshal(configuration)
	if err != nil {
		panic(err) // apply configurations can be encoded
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		panic(err)
	}
	return walk(content, nil)
}

func walk(at any, path []string) []field {
	var found []field
	deeper := func(part string) []string { return append(slices.Clone(path), part) }
	switch here := at.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(here)) {
			if !identifies(key, path) {
				found = append(found, walk(here[key], deeper(key))...)
			}
		}
	case []any:
		for i := range here {
			found = append(found, walk(here[i], deeper(fmt.Sprint(i)))...)
		}
	case string:
		found = append(found, field{path, otherText(path, here)})
	case float64:
		found = append(found, field{path, here + 1})
	case bool:
		found = append(found, field{path, !here})
	}
	return found
}

// identifies tells whether a field of what is at path says which object it is;
// or which container: one of another name is somebody's sidecar.
func identifies(key string, path []string) bool {
	return len(path) < 2 && slices.Contains(identity, key) || key == "name" && path[len(path)-2] == "containers"
}
