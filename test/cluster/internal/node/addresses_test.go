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
	"net/netip"
	"slices"
	"testing"
)

func TestEverySlotIsTriedOnce(t *testing.T) {
	t.Parallel()
	got := slotsFor("/home/somebody/memcached-operator/.cluster")
	slices.Sort(got)
	for i, slot := range got {
		if i != slot {
			t.Fatalf("slot %d is missing or doubled in %v", i, got)
		}
	}
	if len(got) != slots {
		t.Errorf("got %d slots, want %d", len(got), slots)
	}
}

func TestNodesOfDifferentSlotsShareNothing(t *testing.T) {
	t.Parallel()
	links := map[string]bool{}
	for slot := range slots {
		n := inSlot("/state", slot)
		if links[n.Link] || len(n.Link) > 15 { // what the kernel allows
			t.Errorf("link name %q is doubled or too long", n.Link)
		}
		links[n.Link] = true
		for other := range slot {
			if n.Network().Overlaps(inSlot("/state", other).Network()) {
				t.Errorf("slots %d and %d share addresses", slot, other)
			}
		}
	}
}

func TestNodeKeepsToItsNetwork(t *testing.T) {
	t.Parallel()
	for slot := range slots {
		n := inSlot("/state", slot)
		for _, address := range []netip.Addr{n.HostAddress, n.Address, n.Pods.Addr(), n.Services.Addr(), n.API(), n.DNS()} {
			if !n.Network().Contains(address) {
				t.Errorf("slot %d: %s is outside %s", slot, address, n.Network())
			}
		}
		if n.Pods.Overlaps(n.Services) || n.Services.Contains(n.Address) || n.Pods.Contains(n.Address) {
			t.Errorf("slot %d: pods %s, services %s and the link %s overlap", slot, n.Pods, n.Services, n.Address)
		}
		if !n.Services.Contains(n.DNS()) || !n.Services.Contains(n.API()) {
			t.Errorf("slot %d: the cluster's own Services %s and %s are outside %s", slot, n.API(), n.DNS(), n.Services)
		}
	}
}
