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
	"crypto/tls"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// HTTP/2 lets a client exhaust the manager at no cost to itself.
func TestMetricsSpeakHTTP1Only(t *testing.T) {
	t.Parallel()
	for name, offered := range map[string][]string{
		"when the server would offer HTTP/2": {"h2", "http/1.1"},
		"when the server leaves it open":     nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := &tls.Config{NextProtos: offered, MinVersion: tls.VersionTLS12}
			for _, set := range managerOptions(options{}).Metrics.TLSOpts {
				set(config)
			}
			if diff := cmp.Diff([]string{"http/1.1"}, config.NextProtos); diff != "" {
				t.Errorf("protocols (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMetricsAskWhoReadsThem(t *testing.T) {
	t.Parallel()
	got := managerOptions(options{metricsAddress: ":8443", metricsCertDir: "/certs"}).Metrics
	if !got.SecureServing || got.FilterProvider == nil {
		t.Errorf("metrics are served without TLS (%t) or without authentication (%t)", !got.SecureServing, got.FilterProvider == nil)
	}
	if diff := cmp.Diff([]string{":8443", "/certs"}, []string{got.BindAddress, got.CertDir}); diff != "" {
		t.Errorf("address and certificates (-want +got):\n%s", diff)
	}
}

// A leader for life is elected without the manager, which would wait for a
// Lease as well.
func TestManagersElectALeaderWhenAskedTo(t *testing.T) {
	t.Parallel()
	for election, want := range map[string]bool{electionLease: true, electionLife: false, electionNone: false} {
		t.Run(election, func(t *testing.T) {
			t.Parallel()
			if got := managerOptions(options{leaderElection: election}).LeaderElection; got != want {
				t.Errorf("LeaderElection: got %t, want %t", got, want)
			}
		})
	}
}

func TestManagerWatchesItsNamespacesOnly(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"none given means all": nil,
		"one":                  {"team"},
		"several":              {"other", "team"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := slices.Sorted(maps.Keys(managerOptions(options{namespaces: want}).Cache.DefaultNamespaces))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("namespaces (-want +got):\n%s", diff)
			}
		})
	}
}
