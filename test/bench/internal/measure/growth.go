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

package measure

import "github.com/example/memcached-operator/test/bench/internal/result"

// fewest is from how many resources on growth is looked at: with fewer, time is
// that of the answers that one resource waits for.
const fewest = 100

// growth notes how time and memory grow with the number of resources. Time is
// that of the lifecycles' creations; of memory, what there is without any
// resource is taken off.
func (b *Bench) growth() {
	for _, a := range b.arms {
		b.exponent(a, result.TimeExponent, result.CreateTime, 0)
		b.exponent(a, result.CPUExponent, result.CreateCPU, 0)
		for _, grown := range []struct{ values, slope, exponent string }{
			{result.Memory, result.MemoryPerCR, result.MemoryExponent},
			{result.Heap, result.HeapPerCR, result.HeapExponent},
		} {
			empty := b.Results.Values(grown.values, a.Name, 0)
			if len(empty) == 0 {
				continue
			}
			b.exponent(a, grown.exponent, grown.values, empty[0])
			n, values := b.points(a, grown.values, 0)
			b.note(grown.slope, a, int(n[len(n)-1]), 1, result.Slope(n, values)*1024)
		}
	}
}

func (b *Bench) exponent(a *Arm, key, of string, without float64) {
	n, values := b.points(a, of, fewest)
	for i := range values {
		values[i] -= without
	}
	if len(n) >= 2 {
		b.note(key, a, int(n[len(n)-1]), 1, result.Exponent(n, values))
	}
}

// points returns the medians of a metric for each number of resources from
// least on, ascending.
func (b *Bench) points(a *Arm, key string, least int) (n, values []float64) {
	for _, size := range b.Results.Sizes(key) {
		if measured := b.Results.Values(key, a.Name, size); size >= least && len(measured) > 0 {
			n, values = append(n, float64(size)), append(values, result.Median(measured))
		}
	}
	return n, values
}
