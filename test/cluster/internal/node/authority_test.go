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
	"crypto/x509"
	"encoding/pem"
	"net"
	"testing"
)

func TestCertificatesAreVerifiable(t *testing.T) {
	t.Parallel()
	a, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	issued, err := a.certify(identity{
		name: "system:node:local", group: "system:nodes",
		hosts: []string{"local"}, addresses: []net.IP{net.IPv4(10, 100, 255, 2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(issued.certificate)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.certificate)
	for _, host := range []string{"local", "10.100.255.2"} {
		options := x509.VerifyOptions{Roots: roots, DNSName: host, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
		if _, err := certificate.Verify(options); err != nil {
			t.Errorf("not valid for %s: %v", host, err)
		}
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: "elsewhere"}); err == nil {
		t.Error("valid for a host that it was not issued for")
	}
	if got := certificate.Subject.Organization; len(got) != 1 || got[0] != "system:nodes" {
		t.Errorf("group %q, want system:nodes", got)
	}
}
