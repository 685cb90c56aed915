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

import "fmt"

// process is one of the node's long-running commands.
type process struct {
	name string
	args []string
}

func pki(name string) string { return inside + "/pki/" + name }

func config(name string) string { return inside + "/node/" + name }

func etcd() process {
	return process{"etcd", []string{
		"--data-dir=" + config("etcd"),
		"--unsafe-no-fsync", // nobody restores a test node
	}}
}

func containerd() process {
	return process{"containerd", []string{"--config=" + config("containerd.toml")}}
}

func (n Node) apiServer() process {
	return process{"kube-apiserver", []string{
		"--etcd-servers=http://127.0.0.1:2379",
		fmt.Sprintf("--secure-port=%d", apiPort),
		"--advertise-address=" + n.Address.String(),
		"--service-cluster-ip-range=" + n.Services.String(),
		"--tls-cert-file=" + pki("kube-apiserver.crt"),
		"--tls-private-key-file=" + pki("kube-apiserver.key"),
		"--client-ca-file=" + pki("ca.crt"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + pki("service-accounts.crt"),
		"--service-account-signing-key-file=" + pki("service-accounts.key"),
		"--authorization-mode=Node,RBAC",
		// The second one is not on by default, but it is on OpenShift: whoever
		// sets a blocking owner reference must be allowed to set finalizers.
		"--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement",
		"--allow-privileged=true",
		"--kubelet-client-certificate=" + pki("admin.crt"),
		"--kubelet-client-key=" + pki("admin.key"),
		"--kubelet-certificate-authority=" + pki("ca.crt"),
		"--kubelet-preferred-address-types=InternalIP",
		"--requestheader-client-ca-file=" + pki("ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + pki("front-proxy.crt"),
		"--proxy-client-key-file=" + pki("front-proxy.key"),
		"--enable-aggregator-routing=true",
		"--audit-policy-file=" + config("audit.yaml"),
		"--audit-log-path=" + inside + "/log/audit.log",
	}}
}

func controllerManager() process {
	return process{"kube-controller-manager", []string{
		"--kubeconfig=" + config("kube-controller-manager.kubeconfig"),
		"--use-service-account-credentials",
		"--service-account-private-key-file=" + pki("service-accounts.key"),
		"--root-ca-file=" + pki("ca.crt"),
		"--cluster-signing-cert-file=" + pki("ca.crt"),
		"--cluster-signing-key-file=" + pki("ca.key"),
		"--leader-elect=false",
		"--flex-volume-plugin-dir=" + config("volume-plugins"),
		// The default of 20 requests a second is what many caches at once
		// would be measured by.
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}}
}

func scheduler() process {
	return process{"kube-scheduler", []string{
		"--kubeconfig=" + config("kube-scheduler.kubeconfig"),
		"--leader-elect=false",
	}}
}

func (n Node) kubelet() process {
	return process{"kubelet", []string{
		"--config=" + config("kubelet.yaml"),
		"--kubeconfig=" + config("kubelet.kubeconfig"),
		"--hostname-override=" + Name,
		"--node-ip=" + n.Address.String(),
		"--root-dir=" + config("kubelet"),
		"--cert-dir=" + config("kubelet-certificates"),
	}}
}

func (n Node) proxy() process {
	return process{"kube-proxy", []string{
		"--kubeconfig=" + config("kube-proxy.kubeconfig"),
		"--hostname-override=" + Name,
		"--proxy-mode=iptables",
		"--cluster-cidr=" + n.Pods.String(),
		"--oom-score-adj=0",
		// The size of the connection table is the host's: leave it alone.
		"--conntrack-max-per-core=0",
		"--conntrack-min=0",
	}}
}
