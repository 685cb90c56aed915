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

package olm

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"

	"k8s.io/client-go/rest"
)

// traffic is what a manager asks of the API server about one resource.
type traffic struct {
	resource string

	// before, if set, is called ahead of each request, which fails with what
	// it returns. count is how many requests of that method came before.
	before func(method string, count int) error

	mutex  sync.Mutex
	counts map[string]int
}

// of returns config, with its traffic about the resource going through t.
func (t *traffic) of(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(request *http.Request) (*http.Response, error) {
			if err := t.see(request); err != nil {
				return nil, err
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

func (t *traffic) see(request *http.Request) error {
	defer GinkgoRecover() // before may assert
	if !strings.Contains(request.URL.Path, "/"+t.resource) {
		return nil
	}
	t.mutex.Lock()
	count := t.counts[request.Method]
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[request.Method]++
	t.mutex.Unlock()
	if t.before == nil {
		return nil
	}
	if err := t.before(request.Method, count); err != nil {
		return fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err)
	}
	return nil
}

// count is how many requests of these methods there were.
func (t *traffic) count(methods ...string) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var sum int
	for _, method := range methods {
		sum += t.counts[method]
	}
	return sum
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
