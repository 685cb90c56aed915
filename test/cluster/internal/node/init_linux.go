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
	"encoding/json"
	"fmt"
	"os"

	"github.com/vishvananda/netlink"
)

// Init is the life of the node's init process. It only ever returns an error:
// that it could not start the node, or that a part of the node has ended.
func Init(state string) error {
	if os.Getpid() != 1 {
		return fmt.Errorf("%s is for the node itself: use up", InitVerb)
	}
	var n Node
	if err := json.NewDecoder(os.Stdin).Decode(&n); err != nil {
		return fmt.Errorf("nobody gave the node its addresses: %w", err)
	}
	if err := isolate(state); err != nil {
		return err
	}
	if err := n.join(); err != nil {
		return err
	}
	return n.run()
}

// join connects the node to the host.
func (n Node) join() error {
	loopback, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find the loopback device: %w", err)
	}
	if err := netlink.LinkSetUp(loopback); err != nil {
		return fmt.Errorf("start the loopback device: %w", err)
	}
	link, err := netlink.LinkByName(innerLink)
	if err != nil {
		return fmt.Errorf("find the link to the host: %w", err)
	}
	if err := raise(link, n.Address); err != nil {
		return err
	}
	if err := netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Gw: n.HostAddress.AsSlice()}); err != nil {
		return fmt.Errorf("add the route to the host: %w", err)
	}
	return tune()
}

// tune sets what differs from a fresh network namespace. Nodes forward packets
// between pods. And connections of processes that are no more keep the network,
// and with it the link to the host, alive while they try to say goodbye to pods
// that are no more either: minutes by default, two seconds with one attempt.
func tune() error {
	for name, value := range map[string]string{"ip_forward": "1", "tcp_orphan_retries": "1"} {
		if err := os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0o644); err != nil {
			return fmt.Errorf("set %s of the node's network: %w", name, err)
		}
	}
	return nil
}

// run starts the node's processes, each as soon as what it cannot do without
// is there, and then watches over them.
func (n Node) run() error {
	s := newSupervisor(inside + "/log")
	for _, p := range []process{etcd(), containerd(), n.apiServer()} {
		if err := s.start(p); err != nil {
			return err
		}
	}
	if err := s.until(containerdListens); err != nil {
		return err
	}
	if err := s.start(n.kubelet()); err != nil {
		return err
	}
	// The controller manager gives up on an API server that is slow to start.
	api, err := newAPI(fmt.Sprintf("https://127.0.0.1:%d", apiPort), inside)
	if err != nil {
		return err
	}
	if err := s.until(api.ready); err != nil {
		return err
	}
	for _, p := range []process{controllerManager(), scheduler(), n.proxy()} {
		if err := s.start(p); err != nil {
			return err
		}
	}
	return <-s.ended
}

func containerdListens() bool {
	_, err := os.Stat("/run/containerd/containerd.sock")
	return err == nil
}
