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

package controller

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestBackoffGrowsWithTheTimeNotWithTheFailures(t *testing.T) {
	now := time.Unix(0, 0)
	waits := newBackoff(func() time.Time { return now })
	cache, other := reconcile.Request{}, reconcile.Request{}
	cache.Name, other.Name = "cache", "other"
	for range 100 { // a rollout while nothing can be written
		if got := waits.When(cache); got != firstRetry {
			t.Fatalf("after %d failures at once: %s, want %s", waits.NumRequeues(cache), got, firstRetry)
		}
	}
	for _, step := range []struct{ failing, want time.Duration }{
		{time.Millisecond, firstRetry}, {20 * time.Millisecond, 20 * time.Millisecond}, {5 * time.Second, 5 * time.Second}, {time.Hour, lastRetry},
	} {
		now = time.Unix(0, 0).Add(step.failing)
		if got := waits.When(cache); got != step.want {
			t.Errorf("after failing for %s: %s, want %s", step.failing, got, step.want)
		}
	}
	if got := waits.When(other); got != firstRetry {
		t.Errorf("another resource: %s, want %s", got, firstRetry)
	}
	waits.Forget(cache)
	if got := waits.When(cache); got != firstRetry || waits.NumRequeues(cache) != 1 {
		t.Errorf("after a success: %s and %d failures, want %s and 1", got, waits.NumRequeues(cache), firstRetry)
	}
}
