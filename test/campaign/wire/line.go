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
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
)

// ErrCut is what a crashed operator's requests end with.
var ErrCut = errors.New("the operator has crashed")

// Line is one operator's connection to the API server.
type Line struct {
	// Record logs the requests and says which of them fail.
	Record *Record
	// Next sends them.
	Next http.RoundTripper
	// Paused, if set, is called when the line freezes (true) and thaws (false).
	Paused func(bool)
	// Crashed, if set, is called once, when a fault crashes the operator. It
	// must not wait for the operator to end.
	Crashed func()

	once    sync.Once
	cut     gate
	frozen  gate
	watches watches
	skew    atomic.Int64 // a time.Duration
}

// RoundTrip implements http.RoundTripper.
func (l *Line) RoundTrip(req *http.Request) (*http.Response, error) {
	request, err := describe(req)
	if err != nil {
		return nil, err
	}
	if err := l.wait(req); err != nil {
		return nil, err
	}
	fault := l.Record.next(request.Point)
	send := func() (*http.Response, error) { return l.send(req, &request) }
	if fault == nil {
		fault = none
	} else {
		request.Fault = true
	}
	response, err := fault(l, req, send)
	l.Record.add(request)
	return response, err
}

// Crash ends the operator as far as the API server can tell: nothing that it
// sends from now on arrives.
func (l *Line) Crash() {
	l.once.Do(func() {
		l.cut.close()
		l.watches.drop("")
		if l.Crashed != nil {
			l.Crashed()
		}
	})
}

// Freeze holds everything that the operator sends and receives, until Thaw:
// the process is stopped.
func (l *Line) Freeze() {
	l.frozen.close()
	l.watches.hold("")
	if l.Paused != nil {
		l.Paused(true)
	}
}

// Thaw lets all that was held go on.
func (l *Line) Thaw() {
	if l.Paused != nil {
		l.Paused(false)
	}
	l.frozen.open()
	l.watches.release("")
}

// wait holds a request while the operator is frozen.
func (l *Line) wait(req *http.Request) error {
	if l.cut.closed() {
		return ErrCut
	}
	select {
	case <-l.frozen.opened():
	case <-req.Context().Done():
		return req.Context().Err()
	}
	if l.cut.closed() {
		return ErrCut
	}
	return nil
}

func (l *Line) send(req *http.Request, request *Request) (*http.Response, error) {
	base, err := versionSent(req)
	if err != nil {
		return nil, err
	}
	response, err := l.Next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	request.Code = response.StatusCode
	if request.Succeeded() && strings.HasPrefix(request.Point, "watch ") {
		if response.Header.Get("Content-Type") == runtime.ContentTypeJSON && response.Header.Get("Content-Encoding") == "" {
			response.Body = l.shifted(response.Body)
		}
		response.Body = l.watches.add(request.Point, response.Body)
		return response, nil
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(l.shift(body)))
	request.Denied = request.Code == http.StatusForbidden && bytes.Contains(body, []byte(" cannot "))
	request.NoOp = request.Succeeded() && base != "" && base == version(body)
	return response, nil
}

// versionSent returns the resourceVersion in a patch of metadata.
func versionSent(req *http.Request) (string, error) {
	if req.Body == nil || req.Method != http.MethodPatch {
		return "", nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	return version(body), err
}

// version returns an object's resourceVersion; "" if the text is none, such as
// a JSON patch, or if the object is being deleted: the write that lets it go is
// answered with the version before.
func version(text []byte) string {
	var object struct {
		Metadata struct {
			ResourceVersion   string
			DeletionTimestamp *string
		}
	}
	if json.Unmarshal(text, &object) != nil || object.Metadata.DeletionTimestamp != nil {
		return ""
	}
	return object.Metadata.ResourceVersion
}

// gate is open until it is closed. The zero value is open.
type gate struct {
	mutex sync.Mutex
	shut  chan struct{} // closed when the gate opens; nil: it is open
}

func (g *gate) close() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

func (g *gate) closed() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.shut != nil
}

// opened is closed as soon as the gate is open.
func (g *gate) opened() <-chan struct{} {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.shut != nil {
		return g.shut
	}
	always := make(chan struct{})
	close(always)
	return always
}

// Frozen tells whether the operator is stopped.
func (l *Line) Frozen() bool { return l.frozen.closed() }
