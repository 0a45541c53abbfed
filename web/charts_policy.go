package web

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the charts of one policy: boxes of its delays and of the moments of its attempts, and curves over the
// length of an outage.

const boxesNote = "Line: least to most; box: 5 to 95" + nbsp + "% and, darker, 25 to 75" + nbsp + "%; bar: median."

// waitsChart shows what is waited before each retry.
func waitsChart(rows []strategies.DelayRow) templates.Chart {
	names, boxes := make([]string, len(rows)), make([]opts.CustomData, len(rows))
	for i, row := range rows {
		e := row.Exact
		names[i] = fmt.Sprint(row.Retry)
		boxes[i] = box(i, e.Min, e.P5, e.P25, e.P50, e.P75, e.P95, e.Max, e.AtCap)
	}
	return boxChart("waits", "Wait before each retry", "Wait (s)", "Retry", "@delay", names, boxes)
}

// momentsChart shows when each attempt is made.
func momentsChart(rows []strategies.AttemptRow) templates.Chart {
	names, boxes := make([]string, len(rows)), make([]opts.CustomData, len(rows))
	for i, row := range rows {
		at := row.At
		names[i] = fmt.Sprint(row.Attempt)
		boxes[i] = box(i, at.Min, at.P5, at.P25, at.P50, at.P75, at.P95, at.Max)
	}
	return boxChart("moments", "When each attempt is made", "Time since the first attempt (s)", "Attempt", "@moment", names, boxes)
}

func boxChart(id, title, axis, what, tip string, names []string, boxes []opts.CustomData) templates.Chart {
	custom := charts.NewCustom()
	custom.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: axis, Min: 0}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Name: what, Data: names, Inverse: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item", Formatter: types.FuncStr(tip)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	custom.AddSeries("exact", boxes,
		charts.WithCustomChartOpts(opts.CustomChart{RenderItem: "@box exact"}),
		charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(policyMark)}),
		charts.WithEncodeOpts(opts.Encode{X: []int{1, 2, 3, 4, 5, 6, 7}, Y: 0}),
	)
	out := chart(id, title, custom.JSON())
	out.Note = boxesNote
	return out
}

// policyMark is the colour of a policy that stands alone.
const policyMark = 5

// survivalChart shows the probability that an outage is outlived against its length.
func survivalChart(s *study) templates.Chart {
	out := curve(s, "survival", "Outlives an outage", "Probability (%)", 100, func(x strategies.Survival) float64 { return 100 * x.Survives })
	out.Note = "Probability that an attempt is made once an outage is over that began with the first. " + s.footnote()
	out.Table = s.curveTable("Probability of outliving an outage, by its length", "Outlived (%)", func(x strategies.Survival) string { return nearly(x.Survives, 1) })
	return out
}

// attemptsChart shows the expected number of attempts against the length of an outage.
func attemptsChart(s *study) templates.Chart {
	out := curve(s, "attempts", "Attempts it takes", "Attempts, on average", nil, func(x strategies.Survival) float64 { return x.Attempts })
	out.Note = "How many attempts a request makes on average, the one that succeeds included: the load of each client on a server that is down."
	out.Table = s.curveTable("Attempts a request makes, by the length of the outage", "Attempts", func(x strategies.Survival) string { return brief(x.Attempts) })
	return out
}

func curve(s *study, id, title, axis string, top any, value func(strategies.Survival) float64) templates.Chart {
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Length of the outage (s)", Min: 0, Max: s.axisEnd()}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: axis, Min: 0, Max: top}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: "@over time"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	points := make([]opts.LineData, len(s.life.Survival))
	for i, x := range s.life.Survival {
		points[i] = opts.LineData{Value: []float64{x.Outage, round(value(x))}}
	}
	options := []charts.SeriesOpts{
		charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false)}),
		charts.WithLineStyleOpts(opts.LineStyle{Color: colour(policyMark), Width: 2.5, Type: "solid"}),
		charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(policyMark)}),
	}
	if s.outage > 0 {
		options = append(options, charts.WithMarkAreaData([]opts.MarkAreaData{{Name: "down for " + length(s.outage), XAxis: 0}, {XAxis: s.outage.Seconds()}}))
	}
	line.AddSeries(title, points, options...)
	return chart(id, title, line.JSON())
}
