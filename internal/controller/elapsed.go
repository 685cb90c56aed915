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

	"k8s.io/apimachinery/pkg/types"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// elapsed remembers for how long something has been true of a Memcached, since
// this process first saw it. It reads one clock only, which does not jump: the
// times in objects are of the API server's clock, which may be another.
//
// The zero value is ready to use.
type elapsed struct {
	mutex sync.Mutex
	since map[types.UID]time.Time
}

// of returns how long it has been true of mc: 0 at the first call.
func (e *elapsed) of(mc *cachev1alpha1.Memcached) time.Duration {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	since, known := e.since[mc.UID]
	if !known {
		if e.since == nil {
			e.since = map[types.UID]time.Time{}
		}
		since = time.Now()
		e.since[mc.UID] = since
	}
	return time.Since(since)
}

// forget tells that it is not, or no longer, true of mc.
func (e *elapsed) forget(mc *cachev1alpha1.Memcached) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	delete(e.since, mc.UID)
}
