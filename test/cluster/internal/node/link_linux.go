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
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
)

// innerLink is the node's end of its link to the host.
const innerLink = "eth0"

// claim takes the first free slot for the process namespace led by pid: it
// creates the link from the host into it. Link names are unique, so creating
// one is also what keeps two nodes from taking the same slot.
func claim(state string, pid int) (Node, error) {
	for _, slot := range slotsFor(state) {
		n := inSlot(state, slot)
		routed, err := isRouted(n.Network())
		if err != nil {
			return Node{}, err
		}
		if routed {
			continue
		}
		veth := &netlink.Veth{
			LinkAttrs:     netlink.LinkAttrs{Name: n.Link},
			PeerName:      innerLink,
			PeerNamespace: netlink.NsPid(pid),
		}
		switch err := netlink.LinkAdd(veth); {
		case errors.Is(err, os.ErrExist):
			continue
		case err != nil:
			return Node{}, fmt.Errorf("create the link %s (does the kernel have veth devices?): %w", n.Link, err)
		}
		return n, n.connect()
	}
	return Node{}, errors.New("no addresses are free for a node: all of 10.100.0.0 to 10.199.255.255 is routed (ip route) or taken by other nodes (ip link)")
}

// isRouted tells whether the host already has a way to any part of a range.
func isRouted(network netip.Prefix) (bool, error) {
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return false, fmt.Errorf("list the host's routes: %w", err)
	}
	for _, route := range routes {
		if route.Dst == nil {
			continue
		}
		ones, _ := route.Dst.Mask.Size()
		address, ok := netip.AddrFromSlice(route.Dst.IP.To4())
		if ok && ones > 0 && netip.PrefixFrom(address, ones).Overlaps(network) {
			return true, nil
		}
	}
	return false, nil
}

// connect sets up the host's end: its address, and the way to pods and
// services. The alias tells a curious administrator whose link it is.
func (n Node) connect() error {
	link, err := netlink.LinkByName(n.Link)
	if err != nil {
		return fmt.Errorf("find the link %s: %w", n.Link, err)
	}
	if err := netlink.LinkSetAlias(link, n.State); err != nil {
		return fmt.Errorf("name the owner of the link %s: %w", n.Link, err)
	}
	if err := raise(link, n.HostAddress); err != nil {
		return err
	}
	for _, destination := range []netip.Prefix{n.Pods, n.Services} {
		route := &netlink.Route{LinkIndex: link.Attrs().Index, Dst: ipNet(destination), Gw: n.Address.AsSlice()}
		if err := netlink.RouteAdd(route); err != nil {
			return fmt.Errorf("add a route to %s: %w", destination, err)
		}
	}
	return nil
}

// raise gives one end of the link its address.
func raise(link netlink.Link, address netip.Addr) error {
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipNet(netip.PrefixFrom(address, 30))}); err != nil {
		return fmt.Errorf("give %s the address %s: %w", link.Attrs().Name, address, err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("start %s: %w", link.Attrs().Name, err)
	}
	return nil
}

// ownLink finds the host's end of a node's link by its alias.
func ownLink(state string) (netlink.Link, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list the host's links: %w", err)
	}
	for _, link := range links {
		if link.Attrs().Alias == state {
			return link, nil
		}
	}
	return nil, nil
}

func ipNet(prefix netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), 32)}
}
