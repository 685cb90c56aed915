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
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const image = "docker.io/library/memcached:1.6.45"

func parse(args []string, environment map[string]string) (options, error) {
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return parseOptions(flags, args, func(name string) string { return environment[name] })
}

func TestLeaderElectionIsChosenByFlagThenEnvironment(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args        []string
		environment string
		want        string
	}{
		"neither is given":         {want: electionNone},
		"the environment is given": {environment: "lease", want: electionLease},
		"the flag is given":        {args: []string{"--leader-election=lease"}, want: electionLease},
		"life by the environment":  {environment: "life", want: electionLife},
		"life by the flag":         {args: []string{"--leader-election=life"}, environment: "lease", want: electionLife},
		"the flag wins":            {args: []string{"--leader-election=none"}, environment: "lease", want: electionNone},
		"a valid flag wins over an environment that is not": {
			args: []string{"--leader-election=lease"}, environment: "raft", want: electionLease,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tc.args, map[string]string{"LEADER_ELECTION": tc.environment, "MEMCACHED_IMAGE": image})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.leaderElection); diff != "" {
				t.Errorf("leader election (-want +got):\n%s", diff)
			}
		})
	}
}

// A manager that started with less than it was told would do harm in silence.
func TestWrongConfigurationIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args        []string
		environment map[string]string
		mentions    []string
	}{
		"no memcached image": {
			mentions: []string{"MEMCACHED_IMAGE"},
		},
		"an unknown election in the environment": {
			environment: map[string]string{"LEADER_ELECTION": "raft", "MEMCACHED_IMAGE": image},
			mentions:    []string{`"raft"`, `"life"`, `"lease"`, `"none"`, "LEADER_ELECTION"},
		},
		"an unknown election in the flag": {
			args:        []string{"--leader-election=raft"},
			environment: map[string]string{"LEADER_ELECTION": "lease", "MEMCACHED_IMAGE": image},
			mentions:    []string{`"raft"`, "--leader-election"},
		},
		"an empty election in the flag": {
			args:        []string{"--leader-election="},
			environment: map[string]string{"LEADER_ELECTION": "lease", "MEMCACHED_IMAGE": image},
			mentions:    []string{`""`, "--leader-election"},
		},
		"an unknown flag": {
			args:        []string{"--leader-elect"},
			environment: map[string]string{"MEMCACHED_IMAGE": image},
			mentions:    []string{"-leader-elect"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tc.args, tc.environment)
			if err == nil {
				t.Fatalf("accepted as %+v", got)
			}
			for _, want := range tc.mentions {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error does not mention %s: %v", want, err)
				}
			}
		})
	}
}

func TestWatchedNamespacesComeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		environment string
		want        []string
	}{
		"empty means all":              {"", nil},
		"spaces mean all":              {" ", nil},
		"one":                          {"team", []string{"team"}},
		"several":                      {"team,other", []string{"team", "other"}},
		"several with spaces":          {" team , other ", []string{"team", "other"}},
		"a comma too many is no entry": {"team,,other,", []string{"team", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(nil, map[string]string{"WATCH_NAMESPACE": tc.environment, "MEMCACHED_IMAGE": image})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.namespaces); diff != "" {
				t.Errorf("namespaces (-want +got):\n%s", diff)
			}
		})
	}
}

// Without OLM there is no OperatorCondition, and nothing must look for one.
func TestOperatorConditionComesFromOLMAlone(t *testing.T) {
	t.Parallel()
	for name, environment := range map[string]string{
		"without OLM": "",
		"with OLM":    "memcached-operator.v0.0.1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(nil, map[string]string{"OPERATOR_CONDITION_NAME": environment, "MEMCACHED_IMAGE": image})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(environment, got.operatorCondition); diff != "" {
				t.Errorf("operator condition (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddressesAndImagePassUnchanged(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		want options
	}{
		"by default, probes are served and metrics are not": {
			want: options{memcachedImage: image, leaderElection: electionNone, metricsAddress: "0", probeAddress: ":8081"},
		},
		"with every flag": {
			args: []string{
				"--leader-election=lease", "--metrics-bind-address=:8443", "--metrics-cert-path=/certs", "--health-probe-bind-address=:9000",
			},
			want: options{
				memcachedImage: image, leaderElection: electionLease,
				metricsAddress: ":8443", metricsCertDir: "/certs", probeAddress: ":9000",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tc.args, map[string]string{"MEMCACHED_IMAGE": image})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(options{})); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}
