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

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"flag"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

// serve serves a registry until it is told to stop. Its certificate comes from
// the node's authority: operator-sdk speaks HTTPS to registries, whatever its
// flags say.
func serve(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("registry", flag.ExitOnError)
	address := flags.String("address", "127.0.0.1:5000", "where to listen")
	authority := flags.String("ca", "", "the authority's certificate `file`")
	key := flags.String("ca-key", "", "the authority's key `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ca, err := tls.LoadX509KeyPair(*authority, *key)
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(*address)
	if err != nil {
		return err
	}
	certificate, err := certify(ca, host)
	if err != nil {
		return err
	}
	server := &http.Server{
		Addr:              *address,
		Handler:           registry.New(registry.Logger(log.New(io.Discard, "", 0))),
		ReadHeaderTimeout: time.Minute,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{certificate}},
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServeTLS("", ""); ctx.Err() == nil {
		return err
	}
	return nil
}

func certify(ca tls.Certificate, host string) (tls.Certificate, error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	parent, err := x509.ParseCertificate(ca.Certificate[0])
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: "registry"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{net.ParseIP(host)},
	}
	issued, err := x509.CreateCertificate(rand.Reader, template, parent, secret.Public(), ca.PrivateKey)
	return tls.Certificate{Certificate: [][]byte{issued}, PrivateKey: secret}, err
}
