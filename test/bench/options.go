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
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/measure"
)

type options struct {
	// project is the folder of this repository.
	project string
	// binaries is the folder of etcd and kube-apiserver.
	binaries string
	// self is this program.
	self string
	// ci asks for what CI looks at, render for no measurement at all.
	ci, render bool
	arms       list
	plan       measure.Plan
}

// whole takes about an hour on two cores.
var whole = measure.Plan{
	Rounds: 5, Lifecycles: []int{1, 100, 1000}, Populations: []int{1000, 10000},
	Foreign: 10000, Failovers: 5, Idle: time.Minute,
}

// short takes about two minutes on two cores. Its goals are counts and growth.
var short = measure.Plan{
	Rounds: 1, Lifecycles: []int{1, 100, 400}, Populations: []int{100, 400}, Idle: 5 * time.Second,
}

func parseOptions(args []string) (options, error) {
	o := options{plan: whole}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.project, "project", ".", "The folder of the repository.")
	flags.StringVar(&o.binaries, "binaries", "", "The folder of etcd and kube-apiserver; default .cluster/bin of the project.")
	flags.BoolVar(&o.ci, "ci", false, "Measure counts and growth only, with few resources, and fail if a goal of them is missed.")
	flags.BoolVar(&o.render, "render", false, "Measure nothing: write the page from the results of the last run.")
	flags.Var(&o.arms, "arm", "A file that defines another operator; may be repeated. See internal/arm/arms for examples.")
	flags.IntVar(&o.plan.Rounds, "rounds", o.plan.Rounds, "How often the lifecycles are measured.")
	flags.Var((*numbers)(&o.plan.Lifecycles), "lifecycles", "Numbers of resources to create, scale and delete, as a list.")
	flags.Var((*numbers)(&o.plan.Populations), "populations", "Numbers of resources to keep, as an ascending list.")
	flags.IntVar(&o.plan.Foreign, "foreign", o.plan.Foreign, "How many Deployments and Secrets of others to make.")
	flags.IntVar(&o.plan.Failovers, "failovers", o.plan.Failovers, "How often a leader is ended in either way.")
	flags.DurationVar(&o.plan.Idle, "idle", o.plan.Idle, "How long to watch for writes while nothing changes.")
	flags.StringVar(&o.plan.Profiles, "profiles", "", "A folder for heap profiles.")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.ci {
		o.plan = short
	}
	return o, o.locate()
}

func (o *options) locate() (err error) {
	if o.project, err = filepath.Abs(o.project); err != nil {
		return err
	}
	if o.binaries == "" {
		o.binaries = filepath.Join(o.project, ".cluster", "bin")
	}
	if o.self, err = os.Executable(); err != nil {
		return err
	}
	return os.MkdirAll(o.folder(), 0o755)
}

// folder is for what a run leaves behind: logs, results and the binary.
func (o *options) folder() string { return filepath.Join(o.project, "bin", "bench") }

// path is where results are kept. Those for CI are too few for a page.
func (o *options) path() string {
	if o.ci {
		return filepath.Join(o.folder(), "results-ci.json")
	}
	return filepath.Join(o.folder(), "results.json")
}

// managerEnvironment returns the environment of the manager's container as it
// is deployed.
func managerEnvironment(project string) (arm.Variables, error) {
	path := filepath.Join(project, "config", "manager", "manager.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read how the operator is deployed: %w", err)
	}
	variables := arm.Variables{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var deployment appsv1.Deployment
		if err := yaml.Unmarshal([]byte(document), &deployment); err != nil {
			return nil, fmt.Errorf("read how the operator is deployed in %s: %w", path, err)
		}
		for _, container := range deployment.Spec.Template.Spec.Containers {
			for _, variable := range container.Env {
				variables[variable.Name] = variable.Value
			}
		}
	}
	return variables, nil
}

// list is a flag that may be repeated.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// numbers is a flag that is a list of numbers.
type numbers []int

func (n *numbers) String() string { return strings.Trim(fmt.Sprint([]int(*n)), "[]") }

func (n *numbers) Set(value string) error {
	*n = nil
	for word := range strings.SplitSeq(value, ",") {
		if word == "" {
			continue // none
		}
		number, err := strconv.Atoi(word)
		if err != nil || number < 1 {
			return errors.New("give numbers of resources, such as 1,100,1000")
		}
		*n = append(*n, number)
	}
	return nil
}
