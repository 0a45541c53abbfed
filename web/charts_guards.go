package web

import (
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// The charts of the guards, beside the load: how many circuit breakers are open, and what is left in retry budgets, in the
// first run, of the policies that have some.

// guardKind is what a chart of guards shows.
type guardKind struct {
	id, title, axis, note string
	series                func(sim.Guards) []float64
}

var guardKinds = []guardKind{
	{"breakers", "Circuit breakers open over time", "Breakers open", "Of the first run: how many processes let nothing through.",
		func(g sim.Guards) []float64 { return g.BreakersOpen }},
	{"tokens", "Retry budgets over time", "Tokens left", "Of the first run: what a process has left, on average.",
		func(g sim.Guards) []float64 { return g.Tokens }},
}

// guardCharts are the charts of those guards that any of the policies has.
func guardCharts(r *sim.Result, shown []standing) (all []templates.Chart) {
	for _, k := range guardKinds {
		var having []standing
		for _, s := range shown {
			if k.series(s.Run.Guards) != nil {
				having = append(having, s)
			}
		}
		if len(having) > 0 {
			all = append(all, k.chart(r, having))
		}
	}
	return all
}

func (k guardKind) chart(r *sim.Result, shown []standing) templates.Chart {
	l := loadsOf(r)
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Time since the start (s)", Min: 0, Max: round(l.end)}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: k.axis, Min: 0}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: "@over time"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	for i, s := range shown {
		var options []charts.SeriesOpts
		if i == 0 {
			options = outages(r.Scenario)
		}
		addLine(line, s, k.points(l, s), options...)
	}
	out := chart(k.id, k.title, line.JSON())
	out.Wide, out.Note, out.Table = true, k.note, k.table(l, shown)
	return out
}

// points are averages over so many bins that they are not too many, in the middle of their time.
func (k guardKind) points(l loads, s standing) [][2]float64 {
	values := k.series(s.Run.Guards)
	points := [][2]float64{}
	for from := 0; from < len(values); from += l.per {
		span := values[from:min(from+l.per, len(values))]
		sum := 0.0
		for _, v := range span {
			sum += v
		}
		n := float64(len(span))
		points = append(points, [2]float64{round((float64(from) + n/2) * l.bin), round(sum / n)})
	}
	return points
}

// table holds the averages over stretches of time.
func (k guardKind) table(l loads, shown []standing) templates.Table {
	t := templates.Table{Caption: k.title + ", in the first run: averages over each stretch of time", Head: []string{"Time"}}
	for _, s := range shown {
		t.Head = append(t.Head, nameOf(s))
	}
	step := step125(l.end / 15)
	for from := 0.0; from < l.end-1e-9; from += step {
		row := []string{brief(from) + "–" + brief(from+step) + nbsp + "s"}
		for _, s := range shown {
			row = append(row, k.over(l, s, from, from+step))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// over is the average over a stretch of time, "" once all is over.
func (k guardKind) over(l loads, s standing, from, to float64) string {
	values := k.series(s.Run.Guards)
	first := min(len(values), int(math.Round(from/l.bin)))
	last := min(len(values), max(first, int(math.Round(to/l.bin))))
	if first == last {
		return ""
	}
	sum := 0.0
	for _, v := range values[first:last] {
		sum += v
	}
	return brief(sum / float64(last-first))
}
