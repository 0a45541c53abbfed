package web

import (
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// The chart of what has been served over time.

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
		points := c.points(s)
		options := c.gap(s, points)
		if i == 0 {
			options = append(options, outages(r.Scenario)...)
			options = append(options, c.levels()...)
		}
		addLine(line, s, points, options...)
	}
	for _, s := range shown {
		if marks := c.marks(s); len(marks) > 0 {
			addMarks(&line.RectChart, s, marks)
		}
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
	together          bool    // all requests are created at 0
	asked             float64 // requests a second of an open workload
	series            func(s standing) []float64
}

func progressOf(r *sim.Result) progress {
	end := newStrips(r).end
	step := step125(end / 12)
	c := progress{bin: r.Scenario.Bin.Seconds(), end: math.Ceil(end/step-1e-9) * step}
	if r.Scenario.Clients.Workload.Kind == sim.Burst {
		c.title, c.axis, c.top = "Share of all clients served over time", "Clients served (%)", 100
		c.caption = "Clients served by each time, in per cent"
		c.together = r.Scenario.Clients.Workload.Spread == 0
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
		c.asked = r.Scenario.Clients.Workload.Rate
		c.series = func(s standing) []float64 { return scale(s.Series.Succeeded, 1/c.bin) }
	}
	c.note = "Mean over " + plural(float64(r.Scenario.Replications), "run", "runs") + "; planned outages are shaded."
	if c.top != nil {
		c.note += " Points mark 50, 90 and 99" + nbsp + "%; what is missing at the end was never served."
	}
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

// points are a policy's values at the ends of bins, for all policies at the same times: a line that ended early is drawn
// on to the axis's end.
func (c progress) points(s standing) [][2]float64 {
	values := c.series(s)
	bins := int(math.Ceil(c.end/c.bin - 1e-9))
	every := max(1, (bins+maxPoints-1)/maxPoints)
	points := [][2]float64{{0, 0}}
	for i := 0; i < bins; i += every {
		at := min(i+every, bins)
		points = append(points, [2]float64{round(min(float64(at)*c.bin, c.end)), round(c.value(values, at))})
	}
	return points
}

// value is what a line shows at the end of so many bins: what was served stays served; nothing more is once all has ended.
func (c progress) value(values []float64, bins int) float64 {
	switch {
	case len(values) == 0 || bins < 1 || c.top == nil && bins > len(values):
		return 0
	default:
		return values[min(bins, len(values))-1]
	}
}

// shares are the heights, in per cent, at which a burst is judged.
var shares = []struct {
	percent float64
	metric  string
}{{50, "within.p50"}, {90, "within.p90"}, {99, "within.p99"}}

// levels are thin lines: at the shares of a burst, or where all that is asked for is served.
func (c progress) levels() []charts.SeriesOpts {
	var lines []opts.MarkLineNameYAxisItem
	if c.top != nil {
		for _, share := range shares {
			lines = append(lines, opts.MarkLineNameYAxisItem{Name: brief(share.percent) + nbsp + "%", YAxis: share.percent})
		}
	} else if c.asked > 0 {
		lines = append(lines, opts.MarkLineNameYAxisItem{Name: "asked for: " + brief(c.asked) + "/s", YAxis: round(c.asked)})
	}
	return []charts.SeriesOpts{charts.WithMarkLineNameYAxisItemOpts(lines...)}
}

// marks are the points at which a policy had served 50, 90 and 99 % of a burst: the metrics, where they count from the
// same time as the axis; where requests were created over a while, the line's own.
func (c progress) marks(s standing) [][2]float64 {
	if c.top == nil {
		return nil
	}
	var marks [][2]float64
	points := c.points(s)
	for _, share := range shares {
		at, ok := crossing(points, share.percent)
		if within := s.Metrics.Get(share.metric).Mean; ok && c.together && within != nil {
			at = *within
		}
		if ok {
			marks = append(marks, [2]float64{round(at), share.percent})
		}
	}
	return marks
}

// crossing is where a rising line reaches a height.
func crossing(points [][2]float64, height float64) (at float64, ok bool) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if b[1] >= height && b[1] > a[1] {
			return a[0] + (b[0]-a[0])*(height-a[1])/(b[1]-a[1]), true
		}
	}
	return 0, false
}

// gap is what a policy leaves unserved of a burst: from its line's end up to 100 %.
func (c progress) gap(s standing, points [][2]float64) []charts.SeriesOpts {
	last := points[len(points)-1]
	if c.top == nil || last[1] >= 100 {
		return nil
	}
	return []charts.SeriesOpts{charts.WithMarkLineNameCoordItemOpts(opts.MarkLineNameCoordItem{
		Name: nearly(1-last[1]/100, 1) + nbsp + "% not served", Coordinate0: []any{last[0], last[1]}, Coordinate1: []any{last[0], 100},
	})}
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
	value := c.value(c.series(s), int(math.Round(time/c.bin)))
	if c.top == nil {
		return brief(value)
	}
	return nearly(value/100, 1)
}
