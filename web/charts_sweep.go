package web

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/stampede-sim/stampede/templates"
)

// This file makes the charts of a sweep, as charts.go does the others: a line a policy over one parameter, a heat map a
// policy over two. The last number of each datum is its point, which a click opens.

// sweepChart shows the measure over one parameter: the policies to look at first strongly, with the intervals, the
// others thin.
func sweepChart(v *whatIfView) templates.Chart {
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Name: v.axisTitle(0), Data: v.axisTexts(0)}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: v.measure.axis, Min: 0, Max: v.measure.top()}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item", Formatter: "@point"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	for i, place := range v.order() {
		mark := v.state.marks[v.sc.Policies[place].ID]
		style := opts.LineStyle{Color: colour(mark), Width: 1.25, Type: dashes[dash(mark)].chart}
		symbol := 5
		if i < len(v.charted) {
			style.Width, symbol = 2.5, 8
		}
		line.AddSeries(v.name(place), v.linePoints(place),
			charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(true), Symbol: "circle", SymbolSize: symbol}),
			charts.WithLineStyleOpts(style), charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(mark)}))
	}
	custom := charts.NewCustom()
	for _, place := range v.charted {
		custom.AddSeries(v.name(place)+", interval", v.whiskers(place),
			charts.WithCustomChartOpts(opts.CustomChart{RenderItem: types.FuncStr("@whisker")}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(v.state.marks[v.sc.Policies[place].ID])}),
			charts.WithEncodeOpts(opts.Encode{X: 0, Y: []int{1, 2}}))
	}
	line.MultiSeries = append(line.MultiSeries, custom.MultiSeries...)
	out := chart("sweep", v.measure.label+" against "+lower(v.labels[0]), line.JSON())
	out.Wide, out.Points, out.Note = true, true, v.note()
	if v.anyBeyond() {
		out.Note += " " + beyond
	}
	return out
}

// linePoints ends with the last point that has a value, where the line's label is.
func (v *whatIfView) linePoints(place int) []opts.LineData {
	points := make([]opts.LineData, len(v.points))
	last := 0
	for i := range v.points {
		m, _ := v.figure(i, place)
		points[i] = opts.LineData{Name: v.tip(i, place), Value: []any{i, v.measure.scaled(m.Mean), i}}
		if m.Mean != nil {
			last = i + 1
		}
	}
	return points[:last]
}

func (v *whatIfView) whiskers(place int) []opts.CustomData {
	var data []opts.CustomData
	for i := range v.points {
		if m, ok := v.figure(i, place); ok && m.Low != nil && m.High != nil {
			data = append(data, opts.CustomData{Value: []any{i, v.measure.scaled(m.Low), v.measure.scaled(m.High), i}})
		}
	}
	return data
}

// anyBeyond reports whether an interval that is drawn reaches beyond what is possible.
func (v *whatIfView) anyBeyond() bool {
	for _, place := range v.charted {
		for i := range v.points {
			m, ok := v.figure(i, place)
			if ok && m.Low != nil && (*m.Low < 0 || v.measure.most > 0 && *m.High*v.measure.scale > v.measure.most) {
				return true
			}
		}
	}
	return false
}

// tip is what is said of a policy at a point, when that is pointed at.
func (v *whatIfView) tip(point, place int) string {
	text := v.name(place)
	for i, at := range v.at(point) {
		text += "\n" + v.labels[i] + ": " + at
	}
	m, ok := v.figure(point, place)
	if !ok {
		return text + "\nnot finished yet"
	}
	text += "\n" + v.measure.label + ": " + v.measure.text(m)
	if interval := v.measure.interval(m); interval != "" {
		text += " (" + interval + ")"
	}
	return text
}

// heatChart shows the measure over two parameters for one policy, on one scale of colour for all.
func heatChart(v *whatIfView, place int) templates.Chart {
	custom := charts.NewCustom()
	custom.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Name: v.axisTitle(0), Data: v.axisTexts(0)}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Name: v.axisTitle(1), Data: v.axisTexts(1)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item", Formatter: "@point"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	most := v.mostShown()
	cells := make([]opts.CustomData, len(v.points))
	for i := range v.points {
		at, text, strength := v.indices(i), "", any(nil)
		if m, ok := v.figure(i, place); ok {
			text = v.measure.short(m)
			if x, ok := v.measure.scaled(m.Mean).(float64); ok && most > 0 {
				strength = round(x / most)
			}
		}
		cells[i] = opts.CustomData{Name: v.tip(i, place), Value: []any{at[0], at[1], strength, text, i}}
	}
	kind := map[bool]string{true: "good", false: "bad"}[v.measure.good]
	custom.AddSeries(v.name(place), cells,
		charts.WithCustomChartOpts(opts.CustomChart{RenderItem: types.FuncStr("@heat " + kind)}),
		charts.WithEncodeOpts(opts.Encode{X: 0, Y: 1}))
	out := chart(fmt.Sprintf("heat-%d", place), v.name(place), custom.JSON())
	out.Points = true
	out.Note = v.measure.axis + ": the more, the stronger the colour."
	return out
}

// mostShown is the largest number in the heat maps, on the measure's scale.
func (v *whatIfView) mostShown() float64 {
	most := v.measure.most
	for i := range v.points {
		for place := range v.sc.Policies {
			m, _ := v.figure(i, place)
			if x, ok := v.measure.scaled(m.Mean).(float64); ok {
				most = max(most, x)
			}
		}
	}
	return most
}
