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
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// ProbeVerb is the argument that makes this program try what a node needs.
const ProbeVerb = "probe"

// Abilities is what the kernel lets a node do.
type Abilities struct {
	// Problems says what of it is missing, in words for the person at the
	// machine.
	Problems []string
	// Snapshotter is how containerd can keep images below the state folder.
	Snapshotter string
}

// Probe tries in short-lived namespaces what the node whose state is kept in
// the folder will need. Trying takes milliseconds, and unlike a list of kernel
// options it is also right in containers.
func Probe(state string) (Abilities, error) {
	cmd := exec.Command("/proc/self/exe", ProbeVerb, state)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if errors.Is(err, os.ErrPermission) {
		return Abilities{Problems: []string{"it may not create namespaces; a container must be privileged for that"}}, nil
	}
	if err != nil {
		return Abilities{}, fmt.Errorf("try what the kernel can do: %w", err)
	}
	var found Abilities
	if err := json.Unmarshal(out, &found); err != nil {
		return Abilities{}, fmt.Errorf("try what the kernel can do: %w", err)
	}
	return found, nil
}

// ProbeInside is Probe's other half, in the namespaces.
func ProbeInside(state string) error {
	found := Abilities{Snapshotter: "overlayfs"}
	for _, trial := range []struct {
		needs string
		try   func() error
	}{
		{"it may not mount file systems", tryMounts},
		{"it has no virtual network links (veth)", tryLinks},
		{"its packet filter cannot do what Services need (nf_tables, or what iptables is set to)", tryFilter},
	} {
		if err := trial.try(); err != nil {
			found.Problems = append(found.Problems, fmt.Sprintf("%s: %v", trial.needs, err))
		}
	}
	if err := tryOverlay(state); err != nil {
		found.Snapshotter = "native" // copies instead: slower, but anywhere
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

func tryMounts() error {
	if err := mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE); err != nil {
		return err
	}
	return mount("tmpfs", "/run", "tmpfs", 0)
}

func tryLinks() error {
	return netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "one"}, PeerName: "other"})
}

// tryFilter adds a rule of the kinds that kube-proxy adds.
func tryFilter() error {
	rule := "--table nat --append POSTROUTING --match comment --comment probe --match conntrack --ctstate NEW" +
		" --match statistic --mode random --probability 0.5 --match mark --mark 0x4000/0x4000 --jump MASQUERADE"
	if out, err := exec.Command("iptables", strings.Fields(rule)...).CombinedOutput(); err != nil {
		return fmt.Errorf("iptables: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// tryOverlay fails where overlayfs cannot write: on network file systems, and
// on overlayfs itself, which is what containers usually have.
func tryOverlay(state string) error {
	scratch, err := os.MkdirTemp(state, "probe-")
	if err != nil {
		return fmt.Errorf("try overlayfs: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	part := func(name string) string { return filepath.Join(scratch, name) }
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		if err := os.Mkdir(part(name), 0o755); err != nil {
			return fmt.Errorf("try overlayfs: %w", err)
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", part("lower"), part("upper"), part("work"))
	if err := unix.Mount("overlay", part("merged"), "overlay", 0, options); err != nil {
		return fmt.Errorf("try overlayfs: %w", err)
	}
	return unix.Unmount(part("merged"), 0)
}
