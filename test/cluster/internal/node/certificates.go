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
	"encoding/base64"
	"net"
)

// clients are those of the node's processes that talk to the API server with
// a kubeconfig of their own.
var clients = []identity{
	{file: "kube-controller-manager", name: "system:kube-controller-manager"},
	{file: "kube-scheduler", name: "system:kube-scheduler"},
	{file: "kube-proxy", name: "system:kube-proxy"},
	{file: "kubelet", name: "system:node:" + Name, group: "system:nodes"},
	{file: "admin", name: "admin", group: "system:masters"},
}

// certify writes the certificates and kubeconfigs of everybody on the node.
func (n Node) certify(a authority) error {
	if err := n.keep("ca", a.pair); err != nil {
		return err
	}
	address := net.IP(n.Address.AsSlice())
	servers := []identity{
		{
			file: "kube-apiserver", name: "kube-apiserver",
			hosts:     []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
			addresses: []net.IP{net.IPv4(127, 0, 0, 1), n.API().AsSlice(), address},
		},
		{file: "front-proxy", name: "front-proxy-client"},
		{file: "service-accounts", name: "service-accounts"},
	}
	for _, id := range append(servers, clients...) {
		if id.file == "kubelet" { // a client of the API server, and a server to it
			id.hosts, id.addresses = []string{Name}, []net.IP{address}
		}
		issued, err := a.certify(id)
		if err != nil {
			return err
		}
		if err := n.keep(id.file, issued); err != nil {
			return err
		}
		if err := n.kubeconfig(id.file, a.certificate, issued); err != nil {
			return err
		}
	}
	return nil
}

func (n Node) keep(name string, p pair) error {
	if err := write(n.path("pki", name+".crt"), 0o644, p.certificate); err != nil {
		return err
	}
	return write(n.path("pki", name+".key"), 0o600, p.key)
}

// kubeconfig writes a client's kubeconfig. It holds the certificates instead
// of naming files, so that it works inside the node, outside, and as a copy.
func (n Node) kubeconfig(user string, ca []byte, p pair) error {
	file := n.path("node", user+".kubeconfig")
	if user == "admin" {
		file = n.path("kubeconfig")
	}
	encode := base64.StdEncoding.EncodeToString
	return render(file, 0o600, "kubeconfig", map[string]string{
		"User":        user,
		"Server":      n.Server(),
		"CA":          encode(ca),
		"Certificate": encode(p.certificate),
		"Key":         encode(p.key),
	})
}
