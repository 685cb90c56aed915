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
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// api asks a node's API server how it is.
type api struct {
	server string
	client *http.Client
}

// newAPI trusts the authority of the node whose state is kept in the folder.
func newAPI(server, state string) (*api, error) {
	file := filepath.Join(state, "pki", "ca.crt")
	ca, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the node's certificate authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, errors.New("no certificate in " + file)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	return &api{server: server, client: &http.Client{Transport: transport, Timeout: 5 * time.Second}}, nil
}

func (a *api) ready() bool {
	response, err := a.client.Get(a.server + "/readyz")
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}
