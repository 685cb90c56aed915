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
	"fmt"
	"hash/fnv"
	"net/netip"
)

// slots is how many nodes one machine has names and addresses for: slot n owns
// the link memcached-n and the network 10.(100+n).0.0/16.
const slots = 100

// slotsFor lists all slots, beginning with the one that the clone's path
// suggests: the same clone gets the same addresses unless they are taken.
func slotsFor(state string) []int {
	first := int(digest(state) % slots)
	order := make([]int, slots)
	for i := range order {
		order[i] = (first + i) % slots
	}
	return order
}

// inSlot describes a node whose state is kept in the folder.
func inSlot(state string, slot int) Node {
	at := func(third, fourth byte) netip.Addr {
		return netip.AddrFrom4([4]byte{10, byte(100 + slot), third, fourth})
	}
	return Node{
		State:       state,
		Cgroup:      cgroupFor(state),
		Link:        fmt.Sprintf("memcached-%d", slot),
		HostAddress: at(255, 1),
		Address:     at(255, 2),
		Pods:        netip.PrefixFrom(at(0, 0), 24),
		Services:    netip.PrefixFrom(at(64, 0), 18),
	}
}

// Network is the range that holds all of the node's addresses.
func (n Node) Network() netip.Prefix {
	return netip.PrefixFrom(n.Pods.Addr(), 16)
}

// cgroupFor names the node's cgroup. It depends on the path alone, so that
// the folders are found again when nothing else is left of a node.
func cgroupFor(state string) string {
	return fmt.Sprintf("memcached-node-%08x", digest(state))
}

func digest(s string) uint32 {
	sum := fnv.New32a()
	sum.Write([]byte(s)) // never fails
	return sum.Sum32()
}
