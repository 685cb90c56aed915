//go:build !linux

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

package node

import (
	"context"
	"errors"
	"log"
)

// The node is a matter of Linux' namespaces. On other systems this program
// still builds the commands that tests against an API server need.

// InitVerb is the argument that makes this program a node's init process.
const InitVerb = "init"

var errLinux = errors.New("a Kubernetes node needs Linux")

// ProbeVerb is the argument that makes this program try what a node needs.
const ProbeVerb = "probe"

// Options are what a node depends on that it does not choose itself.
type Options struct{ Pause, CoreDNS, Snapshotter string }

// Abilities is what the kernel lets a node do.
type Abilities struct {
	Problems    []string
	Snapshotter string
}

// Probe refuses.
func Probe(string) (Abilities, error) { return Abilities{}, errLinux }

// ProbeInside refuses.
func ProbeInside(string) error { return errLinux }

// Find reports that no node runs here.
func Find(string) (int, bool) { return 0, false }

// Start refuses.
func Start(string, Options) (Node, error) { return Node{}, errLinux }

// Init refuses.
func Init(string) error { return errLinux }

// Stop refuses.
func Stop(string, ...string) (bool, error) { return false, errLinux }

// Import refuses.
func (Node) Import(context.Context, ...string) error { return errLinux }

// Listening refuses.
func (Node) Listening(context.Context) error { return errLinux }

// Ready refuses.
func (Node) Ready(context.Context, *log.Logger) error { return errLinux }
