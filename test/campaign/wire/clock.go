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
	"bufio"
	"io"
	"net/http"
	"regexp"
	"time"
)

// Skew sends the request, and from then on all times that arrive, in JSON, are
// that much later: what an operator sees whose clock is that much slow.
func Skew(by time.Duration) Fault {
	return func(l *Line, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		l.skew.Store(int64(by))
		return send()
	}
}

// stamp is how a time looks in JSON.
var stamp = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)

// shift moves the times in a text.
func (l *Line) shift(text []byte) []byte {
	by := time.Duration(l.skew.Load())
	if by == 0 {
		return text
	}
	const layout = `"` + time.RFC3339 + `"`
	return stamp.ReplaceAllFunc(text, func(old []byte) []byte {
		at, err := time.Parse(layout, string(old))
		if err != nil {
			return old // it only looks like a time
		}
		return at.Add(by).AppendFormat(nil, layout)
	})
}

// shifted is the body of a watch in JSON, each line of which is one notification.
type shifted struct {
	io.Closer
	line  *Line
	lines *bufio.Reader
	rest  []byte
}

func (l *Line) shifted(body io.ReadCloser) io.ReadCloser {
	return &shifted{Closer: body, line: l, lines: bufio.NewReader(body)}
}

// Read implements io.Reader.
func (s *shifted) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		text, err := s.lines.ReadBytes('\n')
		if len(text) == 0 {
			return 0, err
		}
		s.rest = s.line.shift(text)
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
