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

package audit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const entries = `{"verb":"patch","user":{"username":"arm"},"objectRef":{"resource":"memcacheds","subresource":"status","namespace":"a","name":"x"},"responseStatus":{"code":200}}
{"verb":"watch","user":{"username":"arm"},"objectRef":{"resource":"memcacheds"},"responseStatus":{"code":200}}
{"verb":"create","user":{"username":"arm"},"objectRef":{"resource":"events","namespace":"a","name":"e"},"responseStatus":{"code":201}}
{"verb":"patch","user":{"username":"arm"},"objectRef":{"resource":"deployments","namespace":"a","name":"x"},"responseStatus":{"code":409}}
{"verb":"get","user":{"username":"arm"},"objectRef":{"resource":"deployments","namespace":"b","name":"y"},"responseStatus":{"code":200}}
{"verb":"update","user":{"username":"arm"},"objectRef":{"resource":"leases","namespace":"a","name":"l"},"responseStatus":{"code":200}}
{"verb":"get","user":{"username":"arm"},"responseStatus":{"code":200}}
{"verb":"create","user":{"username":"other"},"objectRef":{"resource":"deployments","namespace":"a","name":"z"},"responseStatus":{"code":201}}
`

func TestRequestsAreSorted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	half := len(entries) / 2 // entries may be half written when they are read
	if err := os.WriteFile(path, []byte(entries[:half]), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := Follow(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.WriteString(entries[half:]); err != nil {
		t.Fatal(err)
	}
	if err := log.Quiet(t.Context(), 500*time.Millisecond, time.Minute); err != nil {
		t.Fatal(err)
	}
	all := log.Since(0, "arm")
	for name, tc := range map[string]struct {
		got  Requests
		want map[string]int
	}{
		"work":      {all.Work(), map[string]int{"patch memcacheds/status 200": 1, "patch deployments 409": 1, "get deployments 200": 1}},
		"writes":    {all.Writes(), map[string]int{"patch memcacheds/status 200": 1, "patch deployments 409": 1, "create events 201": 1}},
		"reads":     {all.Reads(), map[string]int{"get deployments 200": 1}},
		"conflicts": {all.Conflicts(), map[string]int{"patch deployments 409": 1}},
		"namespace": {all.In("b"), map[string]int{"get deployments 200": 1}},
		"others'":   {log.Since(0, "other"), map[string]int{"create deployments 201": 1}},
	} {
		if diff := cmp.Diff(tc.want, tc.got.Tally()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
