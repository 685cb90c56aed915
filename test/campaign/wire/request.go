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

// Package wire is the connection between an operator and its API server. It
// records each request, and lets some of them fail.
//
// Reading order: request.go (what is recorded), record.go (the log of one
// plan), line.go (one operator's connection), fault.go (what can go wrong),
// watch.go (what can go wrong with notifications).
package wire

import (
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// Request is one request of an operator, and what became of it.
type Request struct {
	// Point is verb and resource, such as "patch memcacheds/status".
	Point string
	// Namespace and Name are the object's; both may be empty.
	Namespace, Name string
	// Write tells whether the request was meant to change something. Events
	// count as no write.
	Write bool
	// Code is the API server's answer; 0 if it gave none, or was not asked.
	Code int
	// NoOp tells that a write named the version that it was based on, and that
	// the answer has the same version: nothing changed.
	NoOp bool
	// Denied tells that the operator has no right to this request: the code is
	// 403, for which there are other reasons, too.
	Denied bool
	// Fault tells that a fault was injected here.
	Fault bool
	// At is when the request ended.
	At time.Time
}

// Succeeded tells whether the API server did as asked.
func (r Request) Succeeded() bool {
	return r.Code >= 200 && r.Code < 300
}

var resolver = request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

// describe tells what a request is for, in the words of the API server itself.
func describe(r *http.Request) (Request, error) {
	info, err := resolver.NewRequestInfo(r)
	if err != nil {
		return Request{}, err
	}
	described := Request{Point: info.Verb + " " + info.Path, Namespace: info.Namespace, Name: info.Name}
	if info.IsResourceRequest {
		described.Point = info.Verb + " " + info.Resource
		if info.Subresource != "" {
			described.Point += "/" + info.Subresource
		}
		described.Write = info.Resource != "events" &&
			sets.New("create", "update", "patch", "delete", "deletecollection").Has(info.Verb)
	}
	return described, nil
}
