package web

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// The files charts*.go make the large charts: ECharts options as data, each with a table of the same numbers. What cannot
// be data — formatters, the drawing of a box — is named "@name" and looked up by the script that draws; a colour is named
// by its CSS variable, so that it follows the theme. Here is what all charts share.

const maxPoints = 500 // of a line

// chart is a title and an option, which the script completes with what all charts share.
func chart(id, title string, option map[string]any) templates.Chart {
	// The option holds strings, bools and finite numbers only: marshalling it cannot fail.
	data, err := json.Marshal(option)
	if err != nil {
		panic(fmt.Sprintf("chart %s: %v", id, err))
	}
	return templates.Chart{ID: id, Title: title, Option: string(data)}
}

// addLine adds a policy's line, in its colour and dash, through points of two numbers.
func addLine(line *charts.Line, s standing, points [][2]float64, more ...charts.SeriesOpts) {
	addSeries(line, nameOf(s), points, append([]charts.SeriesOpts{
		charts.WithLineStyleOpts(opts.LineStyle{Color: colour(s.mark), Width: 2.5, Type: dashes[dash(s.mark)].chart}),
		charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(s.mark)}),
	}, more...)...)
}

func addSeries(line *charts.Line, name string, points [][2]float64, more ...charts.SeriesOpts) {
	line.AddSeries(name, nil, more...)
	line.MultiSeries[len(line.MultiSeries)-1].Data = points // not an object a point
}

// addBand adds a pale area in a policy's colour between two lines through the same places. The script knows its two
// halves by their stack.
func addBand(line *charts.Line, s standing, axis int, low, high [][2]float64, more ...charts.SeriesOpts) {
	spread := make([][2]float64, len(low))
	for i := range low {
		spread[i] = [2]float64{low[i][0], round(high[i][1] - low[i][1])}
	}
	for _, half := range [][][2]float64{low, spread} {
		addSeries(line, "", half, append([]charts.SeriesOpts{
			charts.WithLineChartOpts(opts.LineChart{XAxisIndex: axis, YAxisIndex: axis, Stack: s.Policy.ID}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(s.mark)}),
		}, more...)...)
	}
}

// series is an option of go-echarts that sets what it has no option for.
func series(set func(s *charts.SingleSeries)) charts.SeriesOpts { return set }

// round keeps what a chart can show: six significant digits.
func round(x float64) float64 {
	if x == 0 {
		return 0
	}
	p := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*p) / p
}

// outages shades the planned outages behind a series.
func outages(sc *sim.Scenario) []charts.SeriesOpts {
	var areas [][]opts.MarkAreaData
	for _, o := range sc.Server.Outages {
		areas = append(areas, []opts.MarkAreaData{{Name: "down", XAxis: o.Start.Seconds()}, {XAxis: o.End.Seconds()}})
	}
	if areas == nil {
		return nil
	}
	return []charts.SeriesOpts{charts.WithMarkAreaData(areas...)}
}
