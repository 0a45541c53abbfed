package web

import (
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// The chart of work against time: what a policy costs the server, and what it gains its clients. All policies are in it,
// each with its intervals as a cross.

func workChart(r *sim.Result, all []standing) templates.Chart {
	third := tellingOf(r.Scenario).by[2].metric
	name, note := "99 % of the clients served within (s)", "Better: to the left and down."
	if third == "goodput" {
		name, note = "Requests served (1/s)", "Better: to the right and down."
	}
	x, never := workAxis(all, third)
	x.Name = name
	scatter := charts.NewScatter()
	scatter.SetGlobalOptions(
		charts.WithXAxisOpts(x),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: "Attempts a request", Min: 0}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item", Formatter: "@work"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	var key []templates.ChartKey
	t := templates.Table{Caption: "Attempts a request, and " + name + ", with 95 % intervals", Head: []string{"Policy", "Attempts each", "95 % interval", name, "95 % interval"}}
	anyNever, anyBelow := false, false
	for _, s := range all {
		work, time := s.Metrics.Get("amplification"), s.Metrics.Get(third)
		if work.Mean == nil {
			continue
		}
		at, when := never, "never"
		left, right := never, never
		if time.Mean != nil {
			at, when = *time.Mean, mean(time, 1)
			left, right = bounds(time)
		}
		anyNever = anyNever || time.Mean == nil
		low, high := bounds(work)
		anyBelow = anyBelow || min(left, low) < 0
		addCross(scatter, s, []float64{at, *work.Mean, left, right, low, high})
		addMarks(&scatter.RectChart, s, [][2]float64{{round(at), round(*work.Mean)}})
		key = append(key, templates.ChartKey{Mark: markOf(s.mark), Name: nameOf(s)})
		t.Rows = append(t.Rows, []string{nameOf(s), mean(work, 1), interval(work, 1, 0, math.Inf(1)), when, interval(time, 1, 0, math.Inf(1))})
	}
	if anyNever {
		scatter.MultiSeries[0].MarkAreas = &opts.MarkAreas{Data: []any{[]opts.MarkAreaData{{Name: "never", XAxis: round(2*never - x.Max.(float64))}, {XAxis: x.Max}}}}
	}
	out := chart("work", "Work for the server against time for the clients", scatter.JSON())
	out.Wide, out.Table, out.Key = true, t, key
	out.Note = note + " Crosses: 95 % intervals, where they are wider than the mark."
	if anyBelow {
		out.Note += " " + beyond
	}
	return out
}

// workAxis is the horizontal axis, and where on it policies are that never served 99 %.
func workAxis(all []standing, metric string) (x opts.XAxis, never float64) {
	most, missing := 0.0, false
	for _, s := range all {
		m := s.Metrics.Get(metric)
		if m.Mean == nil {
			missing = true
			continue
		}
		_, high := bounds(m)
		most = max(most, high)
	}
	if most == 0 {
		most = 1
	}
	step := step125(most / 5)
	end := math.Ceil(most*1.05/step) * step
	x = opts.XAxis{Type: "value", Min: 0, Max: end}
	if missing { // one more step, of its own
		x.Max = end + step
	}
	return x, end + step/2
}

// beyond explains the arrows of intervals: few runs that differ much have some that hold what there cannot be.
const beyond = "An arrow: the interval reaches on, beyond what is possible; more runs make it narrower."

// addCross adds a policy's intervals. The script draws them; it is told [x, y, x from, x to, y from, y to].
func addCross(scatter *charts.Scatter, s standing, cross []float64) {
	for i := range cross {
		cross[i] = round(cross[i])
	}
	scatter.MultiSeries = append(scatter.MultiSeries, charts.SingleSeries{
		Type: types.ChartCustom, RenderItem: types.FuncStr("@cross"), Data: [][]float64{cross},
		ItemStyle: &opts.ItemStyle{Color: colour(s.mark)},
		Encode:    &opts.Encode{X: []int{0, 2, 3}, Y: []int{1, 4, 5}}, // the axes reach as far as the intervals
	})
}

// addMarks adds points in a policy's colour and shape.
func addMarks(chart *charts.RectChart, s standing, points [][2]float64) {
	chart.MultiSeries = append(chart.MultiSeries, charts.SingleSeries{
		Type: types.ChartScatter, Name: nameOf(s), Data: points,
		Symbol: "path://" + shapes[s.mark%len(shapes)], SymbolSize: 11,
		ItemStyle: &opts.ItemStyle{Color: colour(s.mark), BorderColor: "var(--casing)", BorderWidth: 0.75},
	})
}
