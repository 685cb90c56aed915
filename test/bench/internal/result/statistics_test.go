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
	"testing"
)

func TestExponentsTellHowItGrows(t *testing.T) {
	t.Parallel()
	x := []float64{100, 1000, 10000}
	for name, tc := range map[string]struct {
		grows func(float64) float64
		want  float64
	}{
		"not at all":      {func(float64) float64 { return 7 }, 0},
		"linearly":        {func(n float64) float64 { return 3 * n }, 1},
		"with the square": {func(n float64) float64 { return n * n / 5 }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var y []float64
			for _, n := range x {
				y = append(y, tc.grows(n))
			}
			if got := Exponent(x, y); math.Abs(got-tc.want) > 1e-9 {
				t.Errorf("exponent: got %g, want %g", got, tc.want)
			}
		})
	}
}

func TestExponentOfTooLittleIsUnknown(t *testing.T) {
	t.Parallel()
	if got := Exponent([]float64{100, 1000}, []float64{0, 5}); !math.IsNaN(got) {
		t.Errorf("exponent of one point: got %g, want none", got)
	}
}

func TestEstimatesHoldTheMedianWithinTheirInterval(t *testing.T) {
	t.Parallel()
	values := []float64{9, 1, 5, 3, 7}
	got := NewEstimate(values)
	if got.Median != 5 || got.Low < 1 || got.Low > 5 || got.High < 5 || got.High > 9 || got.Low == got.High {
		t.Errorf("got %+v for %v", got, values)
	}
	if again := NewEstimate(values); again != got {
		t.Errorf("the same values gave %+v, then %+v", got, again)
	}
	if values[0] != 9 {
		t.Error("the values were sorted in place, so rounds are lost")
	}
}
