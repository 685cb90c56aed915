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
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Request is one request that the API server has answered.
type Request struct {
	// User is who asked.
	User string
	// Verb is the API server's name of what was asked: patch, also for an apply.
	Verb string
	// Resource is the plural of the kind, with "/subresource" if there is one.
	Resource string
	// Namespace and Name are the object's.
	Namespace, Name string
	// Code is the HTTP status of the answer.
	Code int
	// Done is when it was answered, by the API server's clock.
	Done time.Time
}

// Requests are some of them, in the order in which they were answered.
type Requests []Request

// event is what is read of an entry of the log.
type event struct {
	Verb string
	User struct {
		Username string
	}
	ObjectRef *struct {
		Namespace, Name, Resource, Subresource string
	}
	ResponseStatus struct {
		Code int
	}
	StageTimestamp time.Time
}

func (e event) request() Request {
	return Request{
		User: e.User.Username, Verb: e.Verb,
		Resource:  strings.TrimSuffix(e.ObjectRef.Resource+"/"+e.ObjectRef.Subresource, "/"),
		Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
		Code: e.ResponseStatus.Code, Done: e.StageTimestamp,
	}
}

// Work leaves out events, which are not in the budgets because they are not
// needed for the work, and leases, which do not grow with it.
func (r Requests) Work() Requests {
	return r.keep(func(q Request) bool { return q.Resource != "events" && q.Resource != "leases" })
}

// Events keeps the requests that announce something to people.
func (r Requests) Events() Requests {
	return r.keep(func(q Request) bool { return q.Resource == "events" })
}

// Writes keeps what is meant to change something, leases left out.
func (r Requests) Writes() Requests {
	return r.keep(func(q Request) bool { return !q.reads() && q.Resource != "leases" })
}

// Reads keeps what was read from the API server.
func (r Requests) Reads() Requests {
	return r.Work().keep(Request.reads)
}

// Conflicts keeps the writes that met another version than they expected.
func (r Requests) Conflicts() Requests {
	return r.keep(func(q Request) bool { return q.Code == 409 })
}

// In keeps the requests for the objects of a namespace.
func (r Requests) In(namespace string) Requests {
	return r.keep(func(q Request) bool { return q.Namespace == namespace })
}

// PerName returns how many requests there were for each name.
func (r Requests) PerName() []float64 {
	counts := map[string]float64{}
	for _, request := range r {
		counts[request.Name]++
	}
	return slices.Collect(maps.Values(counts))
}

// Creations returns when each object of a resource was created, by name.
func (r Requests) Creations(resource string) map[string]time.Time {
	all := map[string]time.Time{}
	for _, q := range r {
		if _, known := all[q.Name]; !known && q.Resource == resource && q.Code == 201 {
			all[q.Name] = q.Done
		}
	}
	return all
}

// Tally counts them by verb, resource and code.
func (r Requests) Tally() map[string]int {
	counts := map[string]int{}
	for _, q := range r {
		counts[fmt.Sprintf("%s %s %d", q.Verb, q.Resource, q.Code)]++
	}
	return counts
}

func (q Request) reads() bool {
	return q.Verb == "get" || q.Verb == "list" || q.Verb == "watch"
}

func (r Requests) keep(wanted func(Request) bool) Requests {
	var kept Requests
	for _, request := range r {
		if wanted(request) {
			kept = append(kept, request)
		}
	}
	return kept
}
