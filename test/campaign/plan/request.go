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
	"maps"
	"slices"
	"strings"

	"github.com/example/memcached-operator/test/campaign/arena"
	"github.com/example/memcached-operator/test/campaign/wire"
)

// MostAttempts is how often a request may fail in a plan. The longest failure
// lasts 5 s. The first retry comes after 5 ms and each takes twice as long as the
// one before, so there are 11; whatever changes meanwhile, in a rollout some 45
// times, is a reason to try at once.
const MostAttempts = 60

// checkRequests looks at what the operators asked of the API server.
func (r *run) checkRequests() {
	counts, failed := map[string]int{}, map[string]int{}
	for _, request := range r.result.Requests {
		r.checkRequest(request)
		switch {
		case request.Write && request.Succeeded():
			counts[request.Point]++
		case request.Write:
			failed[request.Point+" "+request.Name]++
		}
	}
	r.result.Happened.Most = counts
	for _, what := range slices.Sorted(maps.Keys(failed)) {
		if failed[what] > MostAttempts {
			r.violate(9, "%s failed %d times", what, failed[what])
		}
	}
	if r.want != nil && r.want.Most != nil {
		r.compareWrites(counts)
	}
}

func (r *run) checkRequest(request wire.Request) {
	switch {
	case strings.Contains(request.Point, "secrets"):
		r.violate(11, "it asked to %s", request.Point)
	case request.Denied && !r.plan.Denied:
		r.violate(13, "it may not %s %s", request.Point, request.Name)
	case request.NoOp:
		r.violate(6, "%s %s changed nothing", request.Point, request.Name)
	}
}

// compareWrites allows one write more for each fault: the one that was not seen
// to succeed. The status may follow the nodes in more steps, or in fewer.
func (r *run) compareWrites(counts map[string]int) {
	for kind, n := range counts {
		limit := r.want.Most[kind] + len(r.plan.Faults)
		if kind == statusWrite {
			limit = 2*limit + 6
		}
		if n > limit && !r.plan.Twice {
			r.violate(4, "%d times %s, not at most %d", n, kind, limit)
		}
	}
}

func (r *run) checkLogs() {
	logs := r.Logs()
	for line := range strings.SplitSeq(logs, "\n") {
		if strings.Contains(line, "panic") {
			r.violate(8, "%s", line)
		}
	}
	if err := r.Failed(); err != nil {
		r.violate(8, "an operator ended by itself: %v", err)
	}
	if strings.Contains(logs, arena.Canary) {
		r.violate(11, "the secret is in the log")
	}
	if !r.result.Reached && len(r.plan.Faults) == 0 {
		r.result.Reached = true
	}
}
