package web

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the large charts: ECharts options as data, each with a table of the same numbers. What cannot be
// data — formatters, the drawing of a box — is named "@name" and looked up by the script that draws; a colour is named
// by its CSS variable, so that it follows the theme.

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

// progressChart shows how many have been served by a time (burst), or how many are served a second.
func progressChart(r *sim.Result, shown []standing) templates.Chart {
	c := progressOf(r)
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Time since the start (s)", Max: c.end}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: c.axis, Min: 0, Max: c.top}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: "@over time"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	for i, s := range shown {
		options := []charts.SeriesOpts{
			charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false)}),
			charts.WithLineStyleOpts(opts.LineStyle{Color: colour(s.mark), Width: 2.5, Type: dashes[dash(s.mark)].chart}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(s.mark)}),
		}
		if i == 0 {
			options = append(options, outages(r.Scenario)...)
		}
		line.AddSeries(nameOf(s), c.points(s), options...)
	}
	out := chart("progress", c.title, line.JSON())
	out.Wide = true
	out.Note = c.note
	out.Table = c.table(shown)
	return out
}

// progress is what the chart over time shows.
type progress struct {
	title, axis, note string
	caption           string
	end               float64 // seconds
	top               any     // of the vertical axis; nil: as needed
	bin               float64 // seconds
	series            func(s standing) []float64
}

func progressOf(r *sim.Result) progress {
	end := newStrips(r).end
	step := step125(end / 12)
	c := progress{bin: r.Scenario.Bin.Seconds(), end: math.Ceil(end/step-1e-9) * step}
	if r.Scenario.Clients.Workload.Kind == sim.Burst {
		c.title, c.axis, c.top = "Share of all clients served over time", "Clients served (%)", 100
		c.caption = "Clients served by each time, in per cent"
		c.series = func(s standing) []float64 {
			requests := s.Metrics.Get("requests").Mean
			if requests == nil || *requests == 0 {
				return nil
			}
			return cumulate(s.Series.Succeeded, 100 / *requests)
		}
	} else {
		c.title, c.axis = "Requests served a second over time", "Requests served (1/s)"
		c.caption = "Requests served a second around each time"
		c.series = func(s standing) []float64 { return scale(s.Series.Succeeded, 1/c.bin) }
	}
	c.note = "Mean over " + plural(float64(r.Scenario.Replications), "run", "runs") + "; planned outages are shaded."
	return c
}

func cumulate(xs []float64, factor float64) []float64 {
	sums, sum := make([]float64, len(xs)), 0.0
	for i, x := range xs {
		sum += x
		sums[i] = min(sum*factor, 100)
	}
	return sums
}

func scale(xs []float64, factor float64) []float64 {
	scaled := make([]float64, len(xs))
	for i, x := range xs {
		scaled[i] = x * factor
	}
	return scaled
}

// points are a policy's values at the ends of bins; a line that ended early is drawn on to the axis's end.
func (c progress) points(s standing) []opts.LineData {
	values := c.series(s)
	every := max(1, (len(values)+maxPoints-1)/maxPoints)
	points := []opts.LineData{{Value: []float64{0, 0}}}
	for i := 0; i < len(values); i += every {
		at := min(i+every, len(values)) - 1
		points = append(points, opts.LineData{Value: []float64{round(float64(at+1) * c.bin), round(values[at])}})
	}
	if end := float64(len(values)) * c.bin; end < c.end {
		last := 0.0
		if c.top != nil && len(values) > 0 {
			last = values[len(values)-1]
		}
		points = append(points, opts.LineData{Value: []float64{c.end, round(last)}})
	}
	return points
}

func (c progress) table(shown []standing) templates.Table {
	t := templates.Table{Caption: c.caption, Head: []string{"Time"}}
	for _, s := range shown {
		t.Head = append(t.Head, nameOf(s))
	}
	step := step125(c.end / 15)
	for i := 1; float64(i)*step <= c.end+1e-9; i++ {
		at := float64(i) * step
		row := []string{seconds(at)}
		for _, s := range shown {
			row = append(row, c.at(s, at))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (c progress) at(s standing, time float64) string {
	values := c.series(s)
	i := int(math.Round(time/c.bin)) - 1
	switch {
	case len(values) == 0 || i < 0:
		return "0"
	case c.top == nil && i >= len(values):
		return "0"
	case c.top == nil:
		return brief(values[i])
	default:
		return nearly(values[min(i, len(values)-1)]/100, 1)
	}
}

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

// delayChart shows what a policy waits before each retry: the exact distribution, and beside it what the runs drew.
func delayChart(s standing) templates.Chart {
	all := drawn(s)
	rows := all[:settled(all)]
	custom := charts.NewCustom()
	retries := make([]string, len(rows))
	exact, observed := make([]opts.CustomData, len(rows)), make([]opts.CustomData, len(rows))
	for i, row := range rows {
		retries[i] = fmt.Sprint(row.Retry)
		exact[i] = box(i, row.Exact.Min, row.Exact.P5, row.Exact.P25, row.Exact.P50, row.Exact.P75, row.Exact.P95, row.Exact.Max)
		if o := row.Observed; o != nil && o.Count > 0 {
			observed[i] = box(i, o.Min, o.P5, o.P25, o.P50, o.P75, o.P95, o.Max)
		} else {
			observed[i] = opts.CustomData{Value: []any{i}}
		}
	}
	if len(rows) < len(all) {
		retries[len(rows)-1] += "+"
	}
	custom.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Wait before the retry (s)", Min: 0}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Name: "Retry", Data: retries, Inverse: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item", Formatter: "@delay"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	for i, series := range []struct {
		name string
		data []opts.CustomData
	}{{"exact", exact}, {"observed", observed}} {
		custom.AddSeries(series.name, series.data,
			charts.WithCustomChartOpts(opts.CustomChart{RenderItem: types.FuncStr("@box " + series.name)}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: []string{colour(s.mark), "var(--ink-2)"}[i]}),
			charts.WithEncodeOpts(opts.Encode{X: []int{1, 2, 3, 4, 5, 6, 7}, Y: 0}),
		)
	}
	out := chart("delays-"+s.Policy.ID, "Wait before each retry: "+nameOf(s), custom.JSON())
	out.Note = "Upper box: exact. Lower, grey: drawn in the runs. Line: least to most; box: 5 to 95 % and, darker, 25 to 75 %; bar: median."
	out.Table = delayTable(s)
	return out
}

// box is a distribution as the script's box draws it: its row, then the seven numbers, in seconds.
func box(row int, quantiles ...float64) opts.CustomData {
	value := []any{row}
	for _, q := range quantiles {
		value = append(value, round(q))
	}
	return opts.CustomData{Value: value}
}

// drawn are the retries worth a row: those that happened, and the first five if there can be so many.
func drawn(s standing) []sim.DelayRow {
	last := min(5, len(s.Delays))
	if most := s.Policy.MaxAttempts; most > 0 {
		last = min(last, int(most-1))
	}
	for i, row := range s.Delays {
		if row.Observed != nil && row.Observed.Count > 0 {
			last = max(last, i+1)
		}
	}
	return s.Delays[:last]
}

// settled is how many of the rows differ from each other: from there on each has the distribution of the one before, to
// within what a chart can show.
func settled(rows []sim.DelayRow) int {
	n := len(rows)
	for ; n > 1; n-- {
		a, b := rows[n-2].Exact, rows[n-1].Exact
		near := b.Max / 200
		if math.Abs(a.P5-b.P5) > near || math.Abs(a.P50-b.P50) > near || math.Abs(a.P95-b.P95) > near || math.Abs(a.Max-b.Max) > near {
			break
		}
	}
	return n
}

func delayTable(s standing) templates.Table {
	t := templates.Table{
		Caption: nameOf(s) + ": wait before each retry in seconds, exact and as drawn, and waited in all",
		Head:    []string{"Retry", "", "Least", "5 %", "25 %", "Median", "Mean", "75 %", "95 %", "Most", "At the cap", "Drawn", "In all: mean", "95 %", "most"},
	}
	for _, row := range drawn(s) {
		e, c, p95 := row.Exact, row.Cumulative, ""
		if c.P95 != nil {
			p95 = brief(*c.P95)
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(row.Retry), "exact", brief(e.Min), brief(e.P5), brief(e.P25), brief(e.P50), brief(e.Mean),
			brief(e.P75), brief(e.P95), brief(e.Max), nearly(e.AtCap, 1) + nbsp + "%", "", brief(c.Mean), p95, brief(c.Max)})
		if o := row.Observed; o != nil && o.Count > 0 {
			t.Rows = append(t.Rows, []string{fmt.Sprint(row.Retry), "drawn", brief(o.Min), brief(o.P5), brief(o.P25), brief(o.P50), brief(o.Mean),
				brief(o.P75), brief(o.P95), brief(o.Max), nearly(o.AtCap, 1) + nbsp + "%", count(float64(o.Count)), "", "", ""})
		}
	}
	return t
}
