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
	"io"
	"strings"
	"sync"
	"time"
)

// HoldFor withholds the notifications of a resource, such as "deployments", for
// that long; "" means all. A watch that begins meanwhile is held, too.
func (l *Line) HoldFor(resource string, duration time.Duration) {
	l.watches.hold(resource)
	time.AfterFunc(duration, func() { l.watches.release(resource) })
}

// Watching is how many watches are open.
func (l *Line) Watching() int {
	l.watches.mutex.Lock()
	defer l.watches.mutex.Unlock()
	return len(l.watches.open)
}

// watches are the notifications that are under way.
type watches struct {
	mutex sync.Mutex
	open  map[*stream]struct{}
	gates map[string]*gate
}

// stream is the body of one watch.
type stream struct {
	io.ReadCloser
	gate   *gate
	point  string
	closed chan struct{}
	once   sync.Once
	all    *watches
}

// add makes a watch's body one that can be held and dropped.
func (w *watches) add(point string, body io.ReadCloser) io.ReadCloser {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.open == nil {
		w.open = map[*stream]struct{}{}
	}
	s := &stream{ReadCloser: body, gate: w.gate(point), point: point, closed: make(chan struct{}), all: w}
	w.open[s] = struct{}{}
	return s
}

// gate is the one gate of all watches of a resource, present and future.
func (w *watches) gate(point string) *gate {
	if w.gates == nil {
		w.gates = map[string]*gate{}
	}
	if w.gates[point] == nil {
		w.gates[point] = &gate{}
	}
	return w.gates[point]
}

func (w *watches) hold(resource string) { w.each(resource, (*gate).close) }

func (w *watches) release(resource string) { w.each(resource, (*gate).open) }

func (w *watches) each(resource string, act func(*gate)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if resource != "" {
		act(w.gate("watch " + resource))
		return
	}
	for _, g := range w.gates {
		act(g)
	}
}

// drop ends the watches of a resource; "" means all.
func (w *watches) drop(resource string) {
	w.mutex.Lock()
	var found []*stream
	for s := range w.open {
		if resource == "" || strings.TrimPrefix(s.point, "watch ") == resource {
			found = append(found, s)
		}
	}
	w.mutex.Unlock()
	for _, s := range found {
		_ = s.Close()
	}
}

// Read implements io.Reader. What arrives while the gate is closed waits.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	select {
	case <-s.gate.opened():
		return n, err
	case <-s.closed:
		return 0, io.ErrUnexpectedEOF
	}
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.all.mutex.Lock()
		defer s.all.mutex.Unlock()
		delete(s.all.open, s)
	})
	return s.ReadCloser.Close()
}

// Drop ends the watches of a resource; "" of all.
func (l *Line) Drop(resource string) { l.watches.drop(resource) }
