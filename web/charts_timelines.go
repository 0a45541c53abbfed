package web

import (
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// The charts beside the load, of the first run: what the server completes and what of that is of use, how many circuit
// breakers are open, and what is left in retry budgets.

// timeline is what such a chart shows of each policy that has it.
type timeline struct {
	id, title, axis, note string
	curves                []track
}

// track is one line of a policy.
type track struct {
	name   string                              // after the policy's; "": it is the only one
	width  float32                             // of the line
	values func(s standing, l loads) []float64 // a bin; nil: the policy has none
}

var timelines = []timeline{
	{"goodput", "Throughput and goodput over time", "Requests (1/s)",
		"Of the first run. Thin: throughput, services that the server completed, for whomever. Thick: goodput, successes that the clients under test took. What lies between was work for clients that no longer waited, or for others.",
		[]track{
			{"throughput", 1, func(s standing, l loads) []float64 { return perBin(s.Run.Served, l) }},
			{"goodput", 2.5, func(s standing, l loads) []float64 { return perBin(s.Run.Succeeded, l) }},
		}},
	{"breakers", "Circuit breakers open over time", "Breakers open", "Of the first run: how many processes let nothing through.",
		[]track{{"", 2.5, func(s standing, _ loads) []float64 { return s.Run.BreakersOpen }}}},
	{"tokens", "Retry budgets over time", "Tokens left", "Of the first run: what a process has left, on average.",
		[]track{{"", 2.5, func(s standing, _ loads) []float64 { return s.Run.Tokens }}}},
}

// perBin makes rates of counts. A run that is over goes on with 0, as long as the others take.
func perBin(counts []int64, l loads) []float64 {
	rates := make([]float64, max(len(counts), int(math.Round(l.end/l.bin))))
	for i, n := range counts {
		rates[i] = float64(n) / l.bin
	}
	return rates
}

// timelineCharts are those that any of the policies has something for.
func timelineCharts(r *sim.Result, shown []standing) (all []templates.Chart) {
	l := loadsOf(r)
	for _, x := range timelines {
		having := slices.DeleteFunc(slices.Clone(shown), func(s standing) bool { return x.curves[0].values(s, l) == nil })
		if len(having) > 0 {
			all = append(all, x.chart(r, l, having))
		}
	}
	return all
}

func (x timeline) chart(r *sim.Result, l loads, shown []standing) templates.Chart {
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Time since the start (s)", Min: 0, Max: round(l.end)}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: x.axis, Min: 0}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: "@over time"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	for i, s := range shown {
		for k, c := range x.curves {
			options := []charts.SeriesOpts{series(func(line *charts.SingleSeries) {
				line.Name, line.LineStyle.Width = c.called(s), c.width
			})}
			if i == 0 && k == 0 {
				options = append(options, outages(r.Scenario)...)
			}
			addLine(line, s, c.points(l, s), options...)
		}
	}
	out := chart(x.id, x.title, line.JSON())
	out.Wide, out.Note, out.Table = true, x.note, x.table(l, shown)
	return out
}

// called is the curve's name.
func (c track) called(s standing) string {
	if c.name == "" {
		return nameOf(s)
	}
	return nameOf(s) + ": " + c.name
}

// points are averages over so many bins that they are not too many, in the middle of their time.
func (c track) points(l loads, s standing) [][2]float64 {
	values := c.values(s, l)
	points := [][2]float64{}
	for from := 0; from < len(values); from += l.per {
		span := values[from:min(from+l.per, len(values))]
		points = append(points, [2]float64{round((float64(from) + float64(len(span))/2) * l.bin), round(average(span))})
	}
	return points
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// table holds the averages over stretches of time.
func (x timeline) table(l loads, shown []standing) templates.Table {
	t := templates.Table{Caption: x.title + ", in the first run: averages over each stretch of time", Head: []string{"Time"}}
	for _, s := range shown {
		for _, c := range x.curves {
			t.Head = append(t.Head, c.called(s))
		}
	}
	step := step125(l.end / 15)
	for from := 0.0; from < l.end-1e-9; from += step {
		row := []string{brief(from) + "–" + brief(from+step) + nbsp + "s"}
		for _, s := range shown {
			for _, c := range x.curves {
				row = append(row, c.over(l, s, from, from+step))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// over is the average over a stretch of time, "" once all is over.
func (c track) over(l loads, s standing, from, to float64) string {
	values := c.values(s, l)
	first := min(len(values), int(math.Round(from/l.bin)))
	last := min(len(values), max(first, int(math.Round(to/l.bin))))
	if first == last {
		return ""
	}
	return brief(average(values[first:last]))
}
