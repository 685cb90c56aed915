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

// Package result is what the benchmark measured: samples, what they mean, what
// was hoped for, and the statistics between them.
//
// Reading order: sample.go, catalogue.go (the metrics), goal.go, statistics.go.
package result

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Sample is one value, measured once.
type Sample struct {
	// Key is the metric's in the catalogue.
	Key string `json:"key"`
	// Arm is whose value it is.
	Arm string `json:"arm"`
	// N is with how many resources.
	N int `json:"n"`
	// Round counts from 1; samples of a round were taken one after another.
	Round int `json:"round"`
	// Value is in the metric's unit.
	Value float64 `json:"value"`
}

// Results are all samples of a run, and what is to be known of it.
type Results struct {
	// Cores is how many the machine had.
	Cores int `json:"cores"`
	// Rounds is how often was measured what is measured repeatedly.
	Rounds int `json:"rounds"`
	// Idle is how long each watch for writes lasted, in words.
	Idle string `json:"idle"`
	// Samples are in the order in which they were taken.
	Samples []Sample `json:"samples"`
	// Requests tells, for each arm and phase, which requests there were for one
	// resource.
	Requests map[string]map[string][]string `json:"requests"`
}

// Read reads what Write wrote.
func Read(path string) (*Results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	results := &Results{}
	if err := json.Unmarshal(text, results); err != nil {
		return nil, fmt.Errorf("read results in %s: %w", path, err)
	}
	return results, nil
}

// Write keeps the results, so that they can be shown again.
func (r *Results) Write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Values returns the samples of a metric by round.
func (r *Results) Values(key, arm string, n int) []float64 {
	var all []float64
	for _, sample := range r.Samples {
		if sample.Key == key && sample.Arm == arm && sample.N == n {
			all = append(all, sample.Value)
		}
	}
	return all
}

// Sizes returns for how many resources a metric was measured, ascending.
func (r *Results) Sizes(key string) []int {
	var all []int
	for _, sample := range r.Samples {
		if sample.Key == key {
			all = append(all, sample.N)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Arms returns the arms in the order in which they were first measured.
func (r *Results) Arms() []string {
	var all []string
	for _, sample := range r.Samples {
		if !slices.Contains(all, sample.Arm) {
			all = append(all, sample.Arm)
		}
	}
	return all
}
