//go:build !linux

package node

import (
	"context"
	"errors"
	"io"
)

// The node is a matter of Linux' namespaces. On other systems this program
// still builds the commands that tests against an API server need.

// InitVerb is the argument that makes this program a node's init process.
const InitVerb = "init"

var errLinux = errors.New("a Kubernetes node needs Linux")

// Images names the images that the node itself needs.
type Images struct{ Pause, CoreDNS string }

// Find reports that no node runs here.
func Find(string) (int, bool) { return 0, false }

// Start refuses.
func Start(string, Images) (Node, error) { return Node{}, errLinux }

// Init refuses.
func Init(string) error { return errLinux }

// Stop refuses.
func Stop(string, ...string) (bool, error) { return false, errLinux }

// Import refuses.
func (Node) Import(context.Context, ...string) error { return errLinux }

// Listening refuses.
func (Node) Listening(context.Context) error { return errLinux }

// Ready refuses.
func (Node) Ready(context.Context, io.Writer) error { return errLinux }
