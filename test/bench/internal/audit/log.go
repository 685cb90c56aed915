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

// Package audit counts what each user asked of the API server. The API server's
// own log is the only witness that no arm of the benchmark can influence.
package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// pollInterval is how often the log is read when it had nothing new.
const pollInterval = 20 * time.Millisecond

// Log follows the audit log of an API server. Its methods may be used at once.
type Log struct {
	mutex    sync.Mutex
	requests []Request
	interned map[string]string
	latest   time.Time
}

// Follow reads the audit log at path until ctx ends.
func Follow(ctx context.Context, path string) (*Log, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	log := &Log{interned: map[string]string{}, latest: time.Now()}
	go func() {
		defer func() { _ = file.Close() }()
		log.follow(ctx, bufio.NewReaderSize(file, 1<<20))
	}()
	return log, nil
}

func (l *Log) follow(ctx context.Context, reader *bufio.Reader) {
	var line []byte
	for ctx.Err() == nil {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			l.add(line)
			line = line[:0]
		case errors.Is(err, io.EOF): // it goes on later
			select {
			case <-ctx.Done():
			case <-time.After(pollInterval):
			}
		}
	}
}

func (l *Log) add(line []byte) {
	var entry event
	if json.Unmarshal(line, &entry) != nil || entry.ObjectRef == nil {
		return // no request for an object
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	request := entry.request()
	for _, text := range []*string{&request.User, &request.Verb, &request.Resource, &request.Namespace} {
		if _, known := l.interned[*text]; !known {
			l.interned[*text] = *text
		}
		*text = l.interned[*text]
	}
	l.requests = append(l.requests, request)
	l.latest = time.Now()
}

// Forget drops what was read so far.
func (l *Log) Forget() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.requests = nil
}

// Mark is a place in the log: all that was read so far.
func (l *Log) Mark() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.requests)
}

// Since returns the requests of a user after a mark; watches and what looks for
// APIs are left out. Nothing may have been forgotten since the mark was made.
func (l *Log) Since(mark int, user string) Requests {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var all Requests
	for _, request := range l.requests[mark:] {
		if request.User == user && request.Verb != "watch" {
			all = append(all, request)
		}
	}
	return all
}

// Quiet waits until nobody has asked anything for the time given, but no longer
// than limit: an operator that never rests is measured all the same.
func (l *Log) Quiet(ctx context.Context, rest, limit time.Duration) error {
	ctx, end := context.WithTimeoutCause(ctx, limit, errLimit)
	defer end()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for since := time.Now(); ; {
		l.mutex.Lock()
		quiet := time.Since(l.latest) > rest && time.Since(since) > rest
		l.mutex.Unlock()
		if quiet {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errLimit) {
				return nil
			}
			return ctx.Err()
		}
	}
}

var errLimit = errors.New("never quiet")
