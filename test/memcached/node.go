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

// Package memcached talks to a memcached node in its text protocol, as far as
// the tests need. It is for tests: each request waits for its answer.
package memcached

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"time"
)

// Node is a connection to a memcached node.
type Node struct {
	connection net.Conn
	lines      *bufio.Reader
}

// Dial connects to the node at address, host:port. Connecting, and then the
// whole conversation, may take no longer than limit.
func Dial(ctx context.Context, address string, limit time.Duration) (*Node, error) {
	dialer := net.Dialer{Timeout: limit}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := connection.SetDeadline(time.Now().Add(limit)); err != nil {
		return nil, fmt.Errorf("limit the conversation with %s: %w", address, err)
	}
	return &Node{connection, bufio.NewReader(connection)}, nil
}

// Close ends the conversation.
func (n *Node) Close() error {
	return n.connection.Close()
}

// Set stores an item that does not expire.
func (n *Node) Set(key, value string) error {
	_, err := n.ask(fmt.Sprintf("set %s 0 0 %d\r\n%s\r\n", key, len(value), value), "STORED")
	return err
}

// Get returns an item; that there is none is an error.
func (n *Node) Get(key string) (string, error) {
	answer, err := n.ask("get "+key+"\r\n", "END")
	if err != nil {
		return "", err
	}
	if len(answer) != 3 || answer[0] != fmt.Sprintf("VALUE %s 0 %d", key, len(answer[1])) {
		return "", fmt.Errorf("get %s: answered %q", key, answer)
	}
	return answer[1], nil
}

// Keeps stores an item and expects to get it back.
func (n *Node) Keeps(key, value string) error {
	if err := n.Set(key, value); err != nil {
		return err
	}
	got, err := n.Get(key)
	if err == nil && got != value {
		err = fmt.Errorf("get %s: answered %q, not %q", key, got, value)
	}
	return err
}

// Stat returns one of the node's general statistics.
func (n *Node) Stat(name string) (string, error) {
	answer, err := n.ask("stats\r\n", "END")
	if err != nil {
		return "", err
	}
	for _, line := range answer {
		if value, found := strings.CutPrefix(line, "STAT "+name+" "); found {
			return value, nil
		}
	}
	return "", fmt.Errorf("stats: no %s", name)
}

// ask returns the lines of the answer up to the one that ends it. A line that
// refuses the request ends it, too, as an error.
func (n *Node) ask(request, end string) ([]string, error) {
	verb, _, _ := strings.Cut(strings.TrimSpace(request), " ")
	if _, err := fmt.Fprint(n.connection, request); err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	var answer []string
	for {
		line, err := n.lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: answered %q, then %w", verb, answer, err)
		}
		line = strings.TrimSpace(line)
		answer = append(answer, line)
		switch first, _, _ := strings.Cut(line, " "); {
		case line == end:
			return answer, nil
		case first == "ERROR", first == "CLIENT_ERROR", first == "SERVER_ERROR":
			return nil, fmt.Errorf("%s: answered %q", verb, answer)
		}
	}
}
