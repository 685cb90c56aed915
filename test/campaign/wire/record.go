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

package wire

import (
	"slices"
	"sync"
	"time"
)

// Record is the log of all requests of one plan's operators, and the faults
// that are still to come. The zero value is ready to use.
type Record struct {
	mutex    sync.Mutex
	requests []Request
	triggers []*Trigger
	seen     map[string]int // since the faults were armed
}

// Trigger says where a fault is injected.
type Trigger struct {
	// Point is the kind of request, as in Request.
	Point string
	// Nth is which request at that point it is, from 1, counted from Arm.
	Nth int
	// Times is how many requests in a row the fault befalls, the Nth the first.
	Times int
	// Fault is what happens.
	Fault Fault

	fired int
}

// Arm sets the faults that befall requests from now on.
func (r *Record) Arm(triggers ...Trigger) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.triggers, r.seen = nil, map[string]int{}
	for _, trigger := range triggers {
		r.triggers = append(r.triggers, &trigger)
	}
}

// Disarm ends all faults.
func (r *Record) Disarm() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, trigger := range r.triggers {
		trigger.Times = trigger.fired
	}
}

// Fired tells whether every fault has befallen at least one request.
func (r *Record) Fired() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return !slices.ContainsFunc(r.triggers, func(t *Trigger) bool { return t.fired == 0 })
}

// Requests returns what was recorded from then on.
func (r *Record) Requests(since time.Time) []Request {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(r.requests), func(request Request) bool { return request.At.Before(since) })
}

// LastWrite returns when the last write ended, whatever its answer.
func (r *Record) LastWrite() time.Time {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, request := range slices.Backward(r.requests) {
		if request.Write {
			return request.At
		}
	}
	return time.Time{}
}

// next returns the fault that befalls a request; nil: none.
func (r *Record) next(point string) Fault {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.seen == nil {
		return nil
	}
	r.seen[point]++
	for _, trigger := range r.triggers {
		if n := r.seen[point] - trigger.Nth; trigger.Point == point && n >= 0 && n < trigger.Times {
			trigger.fired++
			return trigger.Fault
		}
	}
	return nil
}

func (r *Record) add(request Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	request.At = time.Now()
	r.requests = append(r.requests, request)
}
