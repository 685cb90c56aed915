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

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// resamples is how often values are drawn anew for an interval, as is usual.
const resamples = 2000

// Estimate is a median and its interval of confidence.
type Estimate struct {
	// Median is of what was measured, Low and High are the 95 % interval of
	// the bootstrap's percentiles.
	Median, Low, High float64
}

// NewEstimate returns the estimate of values; all NaN if there are none. It
// draws the same each time, so that results can be shown again.
func NewEstimate(values []float64) Estimate {
	draw := rand.New(rand.NewPCG(1, uint64(len(values))))
	medians := make([]float64, resamples)
	drawn := make([]float64, len(values))
	for i := range medians {
		for j := range drawn {
			drawn[j] = values[draw.IntN(len(values))]
		}
		medians[i] = Median(drawn)
	}
	return Estimate{Median: Median(values), Low: Quantile(medians, 0.025), High: Quantile(medians, 0.975)}
}

// Ratios divides round by round: what slowed both arms of a round cancels out.
func Ratios(own, floor []float64) []float64 {
	var all []float64
	for i := range min(len(own), len(floor)) {
		all = append(all, own[i]/floor[i])
	}
	return all
}

// Median is the middle of values; NaN if there are none.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// Quantile returns the value below which that part of values lies; NaN if there
// are none.
func Quantile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	if part == 0.5 && len(sorted)%2 == 0 {
		return (sorted[len(sorted)/2-1] + sorted[len(sorted)/2]) / 2
	}
	return stat.Quantile(part, stat.Empirical, sorted, nil)
}

// Exponent returns k of the best fit of y = c × x^k; NaN with fewer than two
// points. Values of 0 or less have no logarithm and are left out.
func Exponent(x, y []float64) float64 {
	var logX, logY []float64
	for i := range x {
		if x[i] > 0 && y[i] > 0 {
			logX, logY = append(logX, math.Log(x[i])), append(logY, math.Log(y[i]))
		}
	}
	if len(logX) < 2 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(logX, logY, nil, false)
	return slope
}

// Slope returns how much y grows for each x; NaN with fewer than two points.
func Slope(x, y []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}
