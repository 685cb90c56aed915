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
	"io"
	"net/http"
	"strconv"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault is what happens to a request instead of being sent and answered; send
// sends it.
type Fault func(l *Line, req *http.Request, send func() (*http.Response, error)) (*http.Response, error)

func none(_ *Line, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	return send()
}

// CrashBefore ends the operator just before the request would leave it.
func CrashBefore(l *Line, _ *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
	l.Crash()
	return nil, ErrCut
}

// CrashAfter ends the operator when the request has taken effect, before it
// has seen the answer.
func CrashAfter(l *Line, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	discard(send())
	l.Crash()
	return nil, ErrCut
}

// Lost sends the request, but its answer does not arrive.
func Lost(_ *Line, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	discard(send())
	return nil, syscall.ECONNRESET
}

// Reset ends the connection before the request has arrived.
func Reset(*Line, *http.Request, func() (*http.Response, error)) (*http.Response, error) {
	return nil, syscall.ECONNRESET
}

// Timeout sends nothing and ends after a while.
func Timeout(_ *Line, req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
	select {
	case <-time.After(time.Second):
	case <-req.Context().Done():
	}
	return nil, timeout{}
}

type timeout struct{}

func (timeout) Error() string   { return "i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

// Freeze stops the operator, as SIGSTOP would, before the request leaves it.
// When the line thaws, the request is sent.
func Freeze(l *Line, req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	l.Freeze()
	if err := l.wait(req); err != nil {
		return nil, err
	}
	return send()
}

// Answer refuses the request, as the API server would with that code and
// reason.
func Answer(code int, reason metav1.StatusReason) Fault {
	return func(_ *Line, req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		return refuse(req, code, reason, http.Header{}), nil
	}
}

// RetryAfter refuses the request, as an overloaded API server does.
func RetryAfter(seconds int) Fault {
	return func(_ *Line, req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		header := http.Header{"Retry-After": {strconv.Itoa(seconds)}}
		return refuse(req, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, header), nil
	}
}

// Hold sends the request, and from then on withholds the notifications of one
// resource, such as "deployments", for that long.
func Hold(resource string, duration time.Duration) Fault {
	return func(l *Line, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		l.HoldFor(resource, duration)
		return send()
	}
}

// Drop sends the request, and ends the watches of one resource; "" of all.
func Drop(resource string) Fault {
	return func(l *Line, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		l.watches.drop(resource)
		return send()
	}
}

func refuse(req *http.Request, code int, reason metav1.StatusReason, header http.Header) *http.Response {
	header.Set("Content-Type", "application/json")
	body, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason,
		Message: "injected: " + string(reason),
	})
	if err != nil {
		panic(err) // it has no part that cannot be encoded
	}
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}

func discard(response *http.Response, err error) {
	if err == nil {
		_ = response.Body.Close()
	}
}
