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

// Package build turns the pinned modules below tools into the commands that a
// node consists of.
package build

import "path"

// Component is one line of the build: usually one command, in one case the
// handful that a module brings.
type Component struct {
	// Name is shown while it builds; a single command is also called that.
	Name string
	// Module is the folder of the module that pins it, below the project.
	Module string
	// Packages are the commands to build.
	Packages []string
	// Tags are Go build tags.
	Tags string
	// Cgo marks the one command that cannot do without C.
	Cgo bool
	// Stamped commands report Kubernetes' version.
	Stamped bool
}

// outputs are the file names that building the component leaves.
func (c Component) outputs() []string {
	if len(c.Packages) == 1 {
		return []string{c.Name}
	}
	names := make([]string, len(c.Packages))
	for i, pkg := range c.Packages {
		names[i] = path.Base(pkg)
	}
	return names
}

// Assets are what tests need that run no node.
func Assets() []Component {
	return []Component{
		{Name: "etcd", Module: "tools/etcd", Packages: []string{"go.etcd.io/etcd/server/v3"}},
		kubernetes("kube-apiserver"),
		kubernetes("kube-controller-manager"),
		kubernetes("kubectl"),
	}
}

// Node is everything that a whole node runs.
func Node() []Component {
	return append(Assets(),
		kubernetes("kube-scheduler"),
		kubernetes("kubelet"),
		kubernetes("kube-proxy"),
		containerd("containerd"),
		containerd("containerd-shim-runc-v2"),
		containerd("ctr"),
		// libseccomp is a C library, and a runtime without it would refuse the
		// RuntimeDefault seccomp profile that Pod Security asks for.
		Component{Name: "runc", Module: "tools/runc", Packages: []string{"github.com/opencontainers/runc"}, Tags: "seccomp", Cgo: true},
		Component{Name: "CNI plugins", Module: "tools/cni", Packages: []string{
			"github.com/containernetworking/plugins/plugins/ipam/host-local",
			"github.com/containernetworking/plugins/plugins/main/loopback",
			"github.com/containernetworking/plugins/plugins/main/ptp",
			"github.com/containernetworking/plugins/plugins/meta/portmap",
		}},
		Component{Name: "coredns", Module: "tools/coredns", Packages: []string{"."}},
		Component{Name: "pause", Module: "test/cluster", Packages: []string{"./pause"}},
	)
}

func kubernetes(name string) Component {
	return Component{Name: name, Module: "tools/kubernetes", Packages: []string{"k8s.io/kubernetes/cmd/" + name}, Stamped: true}
}

func containerd(name string) Component {
	return Component{
		Name:     name,
		Module:   "tools/containerd",
		Packages: []string{"github.com/containerd/containerd/v2/cmd/" + name},
		Tags:     "no_btrfs no_zfs no_devmapper no_aufs", // what would need C
	}
}
