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
	_ "unsafe" // for go:linkname

	. "github.com/onsi/ginkgo/v2"

	_ "github.com/operator-framework/operator-lib/conditions"
	_ "github.com/operator-framework/operator-lib/leader"
)

// operator-lib reads the namespace from a file that only pods have, at a path
// that tests cannot choose. These are its variables for its own tests.

//go:linkname conditionsNamespace github.com/operator-framework/operator-lib/conditions.readNamespace
var conditionsNamespace func() (string, error)

//go:linkname leaderNamespace github.com/operator-framework/operator-lib/leader.readNamespace
var leaderNamespace func() (string, error)

// runInPodOf lets operator-lib believe, until the test ends, that it runs in a
// pod of that namespace.
func runInPodOf(namespace string) {
	beforeConditions, beforeLeader := conditionsNamespace, leaderNamespace
	read := func() (string, error) { return namespace, nil }
	conditionsNamespace, leaderNamespace = read, read
	DeferCleanup(func() { conditionsNamespace, leaderNamespace = beforeConditions, beforeLeader })
}
