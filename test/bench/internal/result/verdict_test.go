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

package result

import "testing"

func TestGoalsAreMissedWhereTheyShouldBe(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		key        string
		own, floor []float64
		met        bool
	}{
		"one request above the floor":          {CreateRequests, []float64{5}, []float64{4}, true},
		"two requests above the floor":         {CreateRequests, []float64{6}, []float64{4}, false},
		"half a request too many on average":   {CreateRequests, []float64{5.5}, []float64{4}, false},
		"no write while idle":                  {IdleWrites, []float64{0}, []float64{0}, true},
		"one write while idle":                 {IdleWrites, []float64{1}, []float64{0}, false},
		"a resync that did not happen":         {ResyncRuns, []float64{0}, nil, false},
		"as fast as the floor":                 {Throughput, []float64{50, 90}, []float64{50, 90}, true},
		"half as fast in most rounds":          {Throughput, []float64{50, 20, 25}, []float64{50, 40, 50}, false},
		"slow in a round that was slow anyway": {LatencyP50, []float64{11, 110, 12}, []float64{10, 100, 11}, true},
		"superlinear growth":                   {CPUExponent, []float64{1.06}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Results{}
			for arm, values := range map[string][]float64{"own": tc.own, "floor": tc.floor} {
				for i, value := range values {
					r.Samples = append(r.Samples, Sample{Key: tc.key, Arm: arm, N: 100, Round: i + 1, Value: value})
				}
			}
			got := r.Verdicts("own", "floor")
			if len(got) != 1 || got[0].Met != tc.met {
				t.Errorf("got %v, want one verdict, met: %v", got, tc.met)
			}
		})
	}
}

func TestOnlyGrowthIsGrantedAMargin(t *testing.T) {
	t.Parallel()
	growth := Verdict{Metric: Find(CPUExponent), Own: 1.1}
	if !growth.OnBusyMachine().Met {
		t.Error("growth of 1.1 was missed in spite of the margin")
	}
	growth.Own = 1.2
	if growth.OnBusyMachine().Met {
		t.Error("growth of 1.2 was met")
	}
	writes := Verdict{Metric: Find(IdleWrites), Own: 0.05}
	if writes.OnBusyMachine().Met {
		t.Error("a write now and then was met")
	}
}
