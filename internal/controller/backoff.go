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
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Retries start after 5 ms and double, up to 30 s: a cache waits at most that
// long once the cause of a lasting failure is gone.
const firstRetry, lastRetry = 5 * time.Millisecond, 30 * time.Second

// backoff makes a resource wait, after a failure, for as long as it has been
// failing. It looks at the time, not at the number of failures, because whatever
// changes is a reason to try at once: a rollout during an outage of seconds fails
// dozens of times, which would otherwise end in a wait of lastRetry.
type backoff struct {
	now func() time.Time

	mutex    sync.Mutex
	failures map[reconcile.Request]failures
}

type failures struct {
	since time.Time
	count int
}

func newBackoff(now func() time.Time) *backoff {
	return &backoff{now: now, failures: map[reconcile.Request]failures{}}
}

// When implements workqueue.TypedRateLimiter.
func (b *backoff) When(request reconcile.Request) time.Duration {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	failed := b.failures[request]
	if failed.count == 0 {
		failed.since = b.now()
	}
	failed.count++
	b.failures[request] = failed
	return min(max(b.now().Sub(failed.since), firstRetry), lastRetry)
}

// Forget implements workqueue.TypedRateLimiter.
func (b *backoff) Forget(request reconcile.Request) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	delete(b.failures, request)
}

// NumRequeues implements workqueue.TypedRateLimiter.
func (b *backoff) NumRequeues(request reconcile.Request) int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.failures[request].count
}
