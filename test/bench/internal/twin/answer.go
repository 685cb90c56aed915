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

package twin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Answer is what a twin tells of itself for each line that it reads. A line that
// is not empty names a file, into which a heap profile is written as well.
type Answer struct {
	// Heap is the live heap after garbage collection, in bytes.
	Heap uint64 `json:"heap"`
	// Reconciles is how many runs of Reconcile have ended.
	Reconciles float64 `json:"reconciles"`
	// Error tells why a profile could not be written.
	Error string `json:"error,omitempty"`
}

func answerAll(questions io.Reader, answers io.Writer) {
	encoder := json.NewEncoder(answers)
	for lines := bufio.NewScanner(questions); lines.Scan(); {
		// What the first collection finalizes, the second one frees.
		runtime.GC()
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		answer := Answer{Heap: memory.HeapAlloc, Reconciles: reconciles()}
		if path := strings.TrimSpace(lines.Text()); path != "" {
			if err := profile(path); err != nil {
				answer.Error = err.Error()
			}
		}
		if encoder.Encode(answer) != nil {
			return // nobody listens any more
		}
	}
}

func profile(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a heap profile: %w", err)
	}
	defer func() { _ = file.Close() }()
	return pprof.Lookup("heap").WriteTo(file, 0)
}

// reconciles sums controller-runtime's own counter over all results.
func reconciles() float64 {
	families, err := metrics.Registry.Gather()
	if err != nil {
		return 0
	}
	var sum float64
	for _, family := range families {
		if family.GetName() != "controller_runtime_reconcile_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			sum += metric.GetCounter().GetValue()
		}
	}
	return sum
}
