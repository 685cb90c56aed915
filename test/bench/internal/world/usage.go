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

package world

import (
	"errors"
	"fmt"
	"os"

	"github.com/prometheus/procfs"
)

// CPU returns the time that the API server has spent on processors, in seconds:
// what the arms, the load and the stub cost it.
func (*World) CPU() (float64, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return 0, fmt.Errorf("look for the API server's process: %w", err)
	}
	for _, process := range all {
		stat, err := process.Stat()
		if err == nil && stat.PPID == os.Getpid() && stat.Comm == "kube-apiserver" {
			return stat.CPUTime(), nil
		}
	}
	return 0, errors.New("the API server's process is not there: it has ended by itself")
}
