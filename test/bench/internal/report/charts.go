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

package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/example/memcached-operator/test/bench/internal/arm"
	"github.com/example/memcached-operator/test/bench/internal/result"
)

const (
	width, height = 16 * vg.Centimeter, 8 * vg.Centimeter
	barWidth      = 14

	// margin is left and right of bars, headroom above for the legend, and stretch
	// at the right for the last number of an axis.
	margin, headroom, stretch = 0.6, 1.3, 1.1
)

// chartsOf are the charts by the name of their file.
var chartsOf = map[string]func(*result.Results, string) error{
	"requests": requestsChart, "ratios": ratiosChart, "growth": growthChart, "memory": memoryChart,
}

// bar is a place on the axis of a bar chart.
type bar struct {
	key   string
	n     int
	label string
}

// requestsChart shows what each phase asks for one resource.
func requestsChart(r *result.Results, path string) error {
	bars := []bar{{result.CreateRequests, 1, "create"}, {result.ScaleRequests, 1, "scale"}, {result.DeleteRequests, 1, "delete"}}
	return barChart("Requests per resource", bars, r.Arms(), path, func(b bar, name string) float64 {
		return result.Median(r.Values(b.key, name, b.n))
	})
}

// ratiosChart shows times as ratios to the floor.
func ratiosChart(r *result.Results, path string) error {
	var bars []bar
	for _, shown := range []bar{
		{key: result.LatencyP50, label: "latency p50"}, {key: result.LatencyP99, label: "latency p99"},
		{key: result.Throughput, label: "throughput"}, {key: result.LifeCPU, label: "CPU"},
	} {
		for _, n := range r.Sizes(shown.key) {
			bars = append(bars, bar{shown.key, n, fmt.Sprintf("%s, %d", shown.label, n)})
		}
	}
	return barChart("Ratio to the floor", bars, r.Arms(), path, func(b bar, name string) float64 {
		return result.Median(result.Ratios(r.Values(b.key, name, b.n), r.Values(b.key, arm.Null, b.n)))
	})
}

func barChart(title string, bars []bar, arms []string, path string, value func(bar, string) float64) error {
	chart := newPlot(title)
	labels := make([]string, len(bars))
	for i, name := range arms {
		heights := make(plotter.Values, len(bars))
		for j, b := range bars {
			heights[j], labels[j] = value(b, name), b.label
		}
		drawn, err := plotter.NewBarChart(heights, vg.Points(barWidth))
		if err != nil {
			return fmt.Errorf("arm %s: %w", name, err)
		}
		drawn.Color, drawn.LineStyle.Width = plotutil.Color(i), 0
		drawn.Offset = vg.Points(barWidth * (float64(i) - float64(len(arms)-1)/2))
		chart.Add(drawn)
		chart.Legend.Add(name, drawn)
	}
	chart.NominalX(labels...)
	chart.X.Min, chart.X.Max = -margin, float64(len(bars))-1+margin
	chart.Y.Min, chart.Y.Max = 0, chart.Y.Max*headroom
	return chart.Save(width, height, path)
}

// growthChart shows CPU time over the number of resources, both logarithmic: a
// straight line that rises by one decade for each is linear growth.
func growthChart(r *result.Results, path string) error {
	chart := newPlot("CPU time to create, relative to the floor's first")
	chart.X.Label.Text = "resources"
	chart.X.Scale, chart.Y.Scale = plot.LogScale{}, plot.LogScale{}
	chart.X.Tick.Marker, chart.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	base := points(r, result.CreateCPU, arm.Null, 1) // not above 0 is below what can be measured
	if len(base) == 0 {
		return fmt.Errorf("the floor has no %s", result.CreateCPU)
	}
	for i, name := range r.Arms() {
		if err := addLine(chart, name, points(r, result.CreateCPU, name, base[0].Y), plotutil.Color(i)); err != nil {
			return err
		}
	}
	chart.X.Max, chart.Y.Max = chart.X.Max*stretch, chart.Y.Max*headroom
	return chart.Save(width, height, path)
}

// memoryChart shows memory over the number of resources.
func memoryChart(r *result.Results, path string) error {
	chart := newPlot("Memory, MiB")
	chart.X.Label.Text, chart.Y.Min = "resources", 0
	for i, name := range r.Arms() {
		if err := addLine(chart, name+", resident", points(r, result.Memory, name, 1), plotutil.Color(i)); err != nil {
			return err
		}
	}
	if err := addLine(chart, arm.Operator+", live heap", points(r, result.Heap, arm.Operator, 1), plotutil.Color(len(r.Arms()))); err != nil {
		return err
	}
	chart.X.Max, chart.Y.Max = chart.X.Max*stretch, chart.Y.Max*headroom
	return chart.Save(width, height, path)
}

// points returns a metric's medians, divided by unit. What is not above 0 is
// less than could be measured, and has no logarithm.
func points(r *result.Results, key, name string, unit float64) plotter.XYs {
	var all plotter.XYs
	for _, n := range r.Sizes(key) {
		if median := result.Median(r.Values(key, name, n)); median > 0 {
			all = append(all, plotter.XY{X: float64(n), Y: median / unit})
		}
	}
	return all
}

func addLine(chart *plot.Plot, name string, of plotter.XYs, shade color.Color) error {
	if len(of) == 0 {
		return nil // the arm was not measured there
	}
	line, dots, err := plotter.NewLinePoints(of)
	if err != nil {
		return fmt.Errorf("arm %s: %w", name, err)
	}
	line.Color, dots.Color = shade, shade
	chart.Add(line, dots)
	chart.Legend.Add(name, line, dots)
	return nil
}

func newPlot(title string) *plot.Plot {
	chart := plot.New()
	chart.Title.Text = title
	chart.BackgroundColor = color.White
	chart.Legend.Top, chart.Legend.Left = true, true
	chart.Add(plotter.NewGrid())
	return chart
}
