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

// Package arm is what is measured against each other: operators, each a process
// with a user of its own. A definition is a YAML file; arms/ has those that are
// always there.
//
// Reading order: definition.go (what an arm is), process.go (how it runs).
package arm

import (
	"embed"
	"errors"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

//go:embed arms
var builtin embed.FS

// The names of the arms that are always there.
const (
	// Null is the floor.
	Null = "null"
	// Operator is this project's.
	Operator = "operator"
)

// Definition says how an operator is run and how its work is recognized. Each
// ${VARIABLE} in the file is replaced, see Variables.
type Definition struct {
	// Name is the arm's in tables and charts.
	Name string `json:"name"`
	// Command starts the operator; it finds KUBECONFIG in its environment.
	Command []string `json:"command"`
	// Twin starts the same operator so that it tells of itself; see package
	// twin. Empty if there is none.
	Twin []string `json:"twin,omitempty"`
	// Environment is added to what a process needs anyway.
	Environment map[string]string `json:"environment,omitempty"`
	// Manifests are files with what the operator needs, such as its CRD.
	Manifests []string `json:"manifests,omitempty"`
	// Role is a file with the ClusterRole of the operator's user. Without one,
	// the user may do everything.
	Role string `json:"role,omitempty"`
	// Resource is a resource of the operator; name and namespace are added.
	Resource map[string]any `json:"resource"`
	// Size is the path of the field that is set to scale it.
	Size []string `json:"size"`
	// Settled is a CEL expression over the resource, `self`: whether the operator
	// is done with its present generation. A missing field means that it is not.
	Settled string `json:"settled"`
}

// Variables are what ${NAME} stands for in definitions: PROJECT (the folder of
// this repository), SELF (this program), MANAGER (the operator's binary), and the
// environment of the container in config/manager.
type Variables map[string]string

// Builtin returns the arms that are always there, the floor first.
func Builtin(variables Variables) ([]Definition, error) {
	var all []Definition
	for _, name := range []string{Null, Operator} {
		text, err := builtin.ReadFile("arms/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		definition, err := parse(text, variables)
		if err != nil {
			return nil, fmt.Errorf("arm %s: %w", name, err)
		}
		all = append(all, definition)
	}
	return all, nil
}

// Read reads the definition of another operator.
func Read(path string, variables Variables) (Definition, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Definition{}, fmt.Errorf("read an arm: %w", err)
	}
	definition, err := parse(text, variables)
	if err != nil {
		return Definition{}, fmt.Errorf("arm %s: %w", path, err)
	}
	return definition, nil
}

func parse(text []byte, variables Variables) (Definition, error) {
	var missing error
	expanded := os.Expand(string(text), func(name string) string {
		value, known := variables[name]
		if !known {
			missing = errors.Join(missing, fmt.Errorf("${%s} is unknown", name))
		}
		return value
	})
	var definition Definition
	if err := errors.Join(missing, yaml.UnmarshalStrict([]byte(expanded), &definition)); err != nil {
		return definition, err
	}
	switch {
	case definition.Name == "", len(definition.Command) == 0, definition.Resource == nil, len(definition.Size) == 0, definition.Settled == "":
		return definition, errors.New("name, command, resource, size and settled must be given")
	}
	return definition, nil
}
