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
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// validity of all certificates. A node lives for hours, a forgotten one for
// weeks.
const validity = 365 * 24 * time.Hour

// pair is a certificate and its key, both in PEM.
type pair struct{ certificate, key []byte }

// authority signs all of a node's certificates.
type authority struct {
	pair
	signer *x509.Certificate
	secret *ecdsa.PrivateKey
}

// identity is somebody to certify: as a client by its name and group, as a
// server under its hosts and addresses.
type identity struct {
	file, name, group string
	hosts             []string
	addresses         []net.IP
}

func newAuthority() (authority, error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, fmt.Errorf("create the node's certificate authority: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "memcached-node-ca"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(validity),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	pair, signer, err := sign(template, template, secret, secret)
	if err != nil {
		return authority{}, fmt.Errorf("create the node's certificate authority: %w", err)
	}
	return authority{pair: pair, signer: signer, secret: secret}, nil
}

// certify issues a certificate.
func (a authority) certify(id identity) (pair, error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, fmt.Errorf("create a key for %s: %w", id.name, err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return pair{}, fmt.Errorf("create a certificate for %s: %w", id.name, err)
	}
	subject := pkix.Name{CommonName: id.name}
	if id.group != "" {
		subject.Organization = []string{id.group}
	}
	issued, _, err := sign(&x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:     id.hosts,
		IPAddresses:  id.addresses,
	}, a.signer, secret, a.secret)
	if err != nil {
		return pair{}, fmt.Errorf("create a certificate for %s: %w", id.name, err)
	}
	return issued, nil
}

func sign(template, parent *x509.Certificate, owner, signer *ecdsa.PrivateKey) (pair, *x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, owner.Public(), signer)
	if err != nil {
		return pair{}, nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return pair{}, nil, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(owner)
	if err != nil {
		return pair{}, nil, err
	}
	return pair{
		certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
	}, certificate, nil
}
