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

package resources

import (
	"strconv"

	cachev1alpha1 "github.com/example/memcached-operator/api/v1alpha1"
)

// itemMemory is the memory for items, in MiB, that one node offers.
const itemMemory = 64

// command is memcached's argument list. Each value is an argument of its own:
// memcached reads "-m=64" as zero, which 1.4 takes for "no limit" and 1.6
// refuses to start with. UDP stays off, because it amplifies traffic.
func command(mc *cachev1alpha1.Memcached) []string {
	return []string{
		"memcached",
		"-m", strconv.Itoa(itemMemory),
		"-o", "modern",
		"-p", strconv.Itoa(int(mc.Spec.ContainerPort)),
		"-U", "0",
		"-v",
	}
}
