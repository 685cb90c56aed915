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

package load

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/example/memcached-operator/test/bench/internal/arm"
)

// Kind is the kind of resources that an arm works on.
type Kind struct {
	client  dynamic.NamespaceableResourceInterface
	example map[string]any
	size    []string
	done    cel.Program
}

// NewKind looks up the resource of an arm's definition.
func NewKind(config *rest.Config, definition arm.Definition) (*Kind, error) {
	example := unstructured.Unstructured{Object: definition.Resource}
	resource, err := lookUp(config, example.GroupVersionKind())
	if err != nil {
		return nil, fmt.Errorf("arm %s: find %s: %w", definition.Name, example.GroupVersionKind(), err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	done, err := compile(definition.Settled)
	if err != nil {
		return nil, fmt.Errorf("arm %s: its condition `settled`: %w", definition.Name, err)
	}
	return &Kind{client: client.Resource(resource), example: definition.Resource, size: definition.Size, done: done}, nil
}

func lookUp(config *rest.Config, gvk schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	return mapping.Resource, nil
}

func compile(expression string) (cel.Program, error) {
	environment, err := cel.NewEnv(cel.Variable("self", cel.DynType))
	if err != nil {
		return nil, err
	}
	checked, issues := environment.Compile(expression)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return environment.Program(checked)
}

// settled tells whether the operator is done with the resource. What cannot be
// evaluated, because a field is not there yet, is not.
func (k *Kind) settled(resource *unstructured.Unstructured) bool {
	value, _, err := k.done.Eval(map[string]any{"self": resource.Object})
	return err == nil && value.Value() == true
}

func (k *Kind) template() map[string]any {
	return runtime.DeepCopyJSON(k.example)
}
