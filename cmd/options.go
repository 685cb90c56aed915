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
	"fmt"
	"slices"
	"strings"
)

// The kinds of leader election.
const (
	// electionLife is operator-lib's leader-for-life: a ConfigMap that the
	// leader's pod owns until it is gone.
	electionLife = "life"
	// electionLease is controller-runtime's: a Lease that the leader renews.
	electionLease = "lease"
	// electionNone is for a manager that is known to be the only one.
	electionNone = "none"
)

// The environment that the manager reads.
const (
	envMemcachedImage = "MEMCACHED_IMAGE"
	envLeaderElection = "LEADER_ELECTION"
	envWatchNamespace = "WATCH_NAMESPACE"
	// envOperatorCondition is set by OLM. operator-lib reads it, too.
	envOperatorCondition = "OPERATOR_CONDITION_NAME"
)

// options are the manager's configuration.
type options struct {
	memcachedImage string
	leaderElection string
	// namespaces to watch; none means all.
	namespaces []string
	// operatorCondition is where OLM reads whether it may upgrade the
	// operator; empty without OLM.
	operatorCondition string

	metricsAddress string
	metricsCertDir string
	probeAddress   string
}

// parseOptions reads flags and environment; a flag wins over a variable.
func parseOptions(flags *flag.FlagSet, args []string, getenv func(string) string) (options, error) {
	var o options
	election := getenv(envLeaderElection)
	if election == "" {
		election = electionNone
	}
	flags.StringVar(&o.leaderElection, "leader-election", election,
		"How managers agree on one that works: life, lease or none. Default from "+envLeaderElection+".")
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", "0",
		"Where metrics are served over HTTPS, for example :8443; 0 serves none.")
	flags.StringVar(&o.metricsCertDir, "metrics-cert-path", "",
		"Folder of tls.crt and tls.key for metrics; without it, a self-signed certificate is made.")
	flags.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081",
		"Where /healthz and /readyz are served.")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if !slices.Contains([]string{electionLife, electionLease, electionNone}, o.leaderElection) {
		return o, fmt.Errorf("leader election %q: use %q, %q or %q (flag --leader-election, environment %s)",
			o.leaderElection, electionLife, electionLease, electionNone, envLeaderElection)
	}
	o.memcachedImage = getenv(envMemcachedImage)
	if o.memcachedImage == "" {
		return o, fmt.Errorf("environment %s is empty: set it to the memcached image of all nodes, "+
			"for example docker.io/library/memcached:1.6.45", envMemcachedImage)
	}
	o.operatorCondition = getenv(envOperatorCondition)
	o.namespaces = split(getenv(envWatchNamespace))
	return o, nil
}

// split reads a comma-separated list; spaces and empty entries do not count.
func split(list string) []string {
	var all []string
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			all = append(all, entry)
		}
	}
	return all
}
