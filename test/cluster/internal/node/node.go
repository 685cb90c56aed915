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

// Package node runs a whole Kubernetes node in namespaces of its own.
//
// Its init process is this program again, in new process, mount and network
// namespaces. Everything the node does to the machine hangs on that one
// process: when it ends, however it ends, the kernel kills the node's other
// processes and takes back its mounts, its network and its link to the host.
// Only emptied cgroup folders stay, for Stop to remove.
//
// Reading order: addresses.go (what a node is called), start_linux.go (the
// host's side), init_linux.go (the inside), processes.go (what it runs),
// stop_linux.go.
package node

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
)

const (
	// Name is what the node is called in its own cluster.
	Name = "local"
	// inside is where the node's processes see the project's .cluster folder:
	// a short path, because a socket's may have 107 bytes, and always the same.
	inside = "/run/cluster"
	// apiPort is where the API server listens.
	apiPort = 6443
)

// Node describes a node. It is kept in node.json for those who need the
// addresses.
type Node struct {
	// State is the absolute path of the project's .cluster folder.
	State string `json:"state"`
	// Cgroup is the folder below every cgroup hierarchy that the node owns.
	Cgroup string `json:"cgroup"`
	// Link is the name of the host's end of the link to the node.
	Link string `json:"link"`
	// HostAddress is where the node reaches the host.
	HostAddress netip.Addr `json:"hostAddress"`
	// Address is where the host reaches the node.
	Address netip.Addr `json:"address"`
	// Pods and Services are the ranges that the host has routes to.
	Pods     netip.Prefix `json:"pods"`
	Services netip.Prefix `json:"services"`
	// Snapshotter is how containerd keeps images: overlayfs where it can.
	Snapshotter string `json:"snapshotter"`
	// Pause and CoreDNS are the images that the node itself needs.
	Pause   string `json:"pause"`
	CoreDNS string `json:"coreDNS"`
}

// Inside is for the configuration templates.
func (Node) Inside() string { return inside }

// Server is the API server's URL.
func (n Node) Server() string { return fmt.Sprintf("https://%s:%d", n.Address, apiPort) }

// API is the address of the kubernetes Service.
func (n Node) API() netip.Addr { return n.Services.Addr().Next() }

// DNS is the address of the DNS Service.
func (n Node) DNS() netip.Addr {
	address := n.Services.Addr().As4()
	address[3] = 10
	return netip.AddrFrom4(address)
}

func (n Node) path(elem ...string) string {
	return filepath.Join(append([]string{n.State}, elem...)...)
}

// recordName is the file below .cluster that describes the running node.
const recordName = "node.json"

// Load reads the description of the node whose state is kept in the folder.
func Load(state string) (Node, error) {
	content, err := os.ReadFile(filepath.Join(state, recordName))
	if err != nil {
		return Node{}, fmt.Errorf("read the node's description: %w", err)
	}
	var n Node
	if err := json.Unmarshal(content, &n); err != nil {
		return Node{}, fmt.Errorf("read the node's description in %s: %w", filepath.Join(state, recordName), err)
	}
	return n, nil
}

func (n Node) save() error {
	content, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return fmt.Errorf("describe the node: %w", err)
	}
	if err := os.WriteFile(n.path(recordName), append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("describe the node: %w", err)
	}
	return nil
}
