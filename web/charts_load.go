package web

import (
	"fmt"
	"math"
	"time"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// The chart of the load: what arrived at the server a second, bin by bin, in the first run, over a band that holds four
// of five runs. One policy over the other, on the same axis of time, which can be zoomed into.

// loads are what the chart shows.
type loads struct {
	bin float64 // seconds
	per int     // bins a point; each shows the highest of them, so that no peak is lost
	end float64 // seconds
}

func loadsOf(r *sim.Result) loads {
	l := loads{bin: r.Scenario.Bin.Seconds(), end: newStrips(r).end}
	l.per = max(1, (int(math.Ceil(l.end/l.bin))+maxPoints-1)/maxPoints)
	return l
}

func loadChart(r *sim.Result, shown []standing) templates.Chart {
	l := loadsOf(r)
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: "@load"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithDataZoomOpts(opts.DataZoom{Type: "slider", Start: l.start(shown)}, opts.DataZoom{Type: "inside", Start: l.start(shown)}),
	)
	line.XAxisList, line.YAxisList = nil, nil
	for i, s := range shown {
		x := opts.XAxis{Type: "value", Min: 0, Max: round(l.end), GridIndex: i}
		if i == len(shown)-1 {
			x.Name = "Time since the start (s)"
		}
		line.XAxisList = append(line.XAxisList, x)
		line.YAxisList = append(line.YAxisList, opts.YAxis{Type: "value", Name: "Attempts (1/s)", Min: 0, GridIndex: i})
		addBand(line, s, i, l.spread(s.Series.ArrivalsP10, math.Min), l.spread(s.Series.ArrivalsP90, math.Max), steps)
		addLine(line, s, l.run(s), append([]charts.SeriesOpts{
			charts.WithLineChartOpts(opts.LineChart{XAxisIndex: i, YAxisIndex: i}), steps,
			charts.WithLineStyleOpts(opts.LineStyle{Color: colour(s.mark), Width: 2.5, Type: "solid"}), // a dash would hide spikes
			charts.WithMarkAreaData(downs(s)...),
		}, l.lines(r.Scenario, s)...)...)
	}
	out := chart("load", "Load on the server over time", line.JSON())
	out.Wide, out.Zooms, out.Table = true, true, l.table(shown)
	out.Note = fmt.Sprintf("Line: attempts that arrived in the first run, bin by bin (%s). Band: 10 to 90"+nbsp+"%% of %s. ",
		span(r.Scenario.Bin*time.Duration(l.per)), plural(float64(r.Scenario.Replications), "run", "runs"))
	if l.start(shown) > 0 {
		out.Note += "It starts at recovery; the buttons, or the handles below, show the rest. "
	}
	out.Note += fmt.Sprintf("Peak: the most in any %s after recovery, mean of the runs, as in the rows above.", span(r.Scenario.PeakWindow))
	return out
}

var steps = series(func(s *charts.SingleSeries) { s.Step = "end" })

// run is the first run's load, at the start of each point's time.
func (l loads) run(s standing) [][2]float64 {
	counts := make([]float64, len(s.Run.Arrivals))
	for i, n := range s.Run.Arrivals {
		counts[i] = float64(n)
	}
	return l.spread(counts, math.Max)
}

// spread makes points of a value a bin.
func (l loads) spread(counts []float64, of func(a, b float64) float64) [][2]float64 {
	points := [][2]float64{}
	for from := 0; from < len(counts); from += l.per {
		v := counts[from]
		for _, n := range counts[from:min(from+l.per, len(counts))] {
			v = of(v, n)
		}
		points = append(points, [2]float64{round(float64(from) * l.bin), round(v / l.bin)})
	}
	end := float64(len(counts)) * l.bin
	points = append(points, [2]float64{round(end), 0}) // a step holds to the next point
	if end < l.end {
		points = append(points, [2]float64{round(l.end), 0})
	}
	return points
}

// start is where the view starts, in per cent: at recovery, for what is turned away before that does no harm and would
// dwarf the rest; at 0 where the run does not get there.
func (l loads) start(shown []standing) float32 {
	for _, d := range shown[0].Run.Down {
		if d.Why == "outage" && d.To < l.end {
			return float32(math.Floor(1000*d.To/l.end) / 10)
		}
	}
	return 0
}

// lines are thin ones across: the capacity, and the peak of the policy's row.
func (l loads) lines(sc *sim.Scenario, s standing) []charts.SeriesOpts {
	var lines []opts.MarkLineNameYAxisItem
	if capacity, ok := sc.Throughput(); ok {
		lines = append(lines, opts.MarkLineNameYAxisItem{Name: "capacity " + brief(capacity) + "/s", YAxis: round(capacity)})
	}
	if peak := s.Metrics.Get("recoveryPeak").Mean; peak != nil && *peak > 0 {
		lines = append(lines, opts.MarkLineNameYAxisItem{Name: "peak " + brief(*peak) + "/s", YAxis: round(*peak)})
	}
	if lines == nil {
		return nil
	}
	return []charts.SeriesOpts{charts.WithMarkLineNameYAxisItemOpts(lines...)}
}

// downs shades the times when the server was down in the first run.
func downs(s standing) [][]opts.MarkAreaData {
	areas := [][]opts.MarkAreaData{}
	for _, d := range s.Run.Down {
		areas = append(areas, []opts.MarkAreaData{{XAxis: round(d.From)}, {XAxis: round(d.To)}})
	}
	return areas
}

// table holds the load by stretches of time: the highest bin of the first run, and of the band. Its last row is the peak.
func (l loads) table(shown []standing) templates.Table {
	t := templates.Table{Caption: "Attempts a second: in each stretch of time the highest bin of the first run, and the highest that 10 and 90 % of the runs stay below", Head: []string{"Time"}}
	for _, s := range shown {
		t.Head = append(t.Head, nameOf(s)+": first run", "10"+nbsp+"%", "90"+nbsp+"%")
	}
	step := step125(l.end / 15)
	for from := 0.0; from < l.end-1e-9; from += step {
		t.Rows = append(t.Rows, l.row(shown, brief(from)+"–"+brief(from+step)+nbsp+"s", from, from+step))
	}
	t.Rows = append(t.Rows, l.row(shown, "All of it", 0, math.Inf(1)))
	peaks := []string{"Peak after recovery"}
	for _, s := range shown {
		peak := noValue
		if m := s.Metrics.Get("recoveryPeak").Mean; m != nil {
			peak = brief(*m)
		}
		peaks = append(peaks, peak, "", "")
	}
	t.Rows = append(t.Rows, peaks)
	return t
}

func (l loads) row(shown []standing, head string, from, to float64) []string {
	row := []string{head}
	most := func(points [][2]float64) string {
		v := 0.0
		for _, p := range points {
			if p[0] >= from-1e-9 && p[0] < to-1e-9 {
				v = max(v, p[1])
			}
		}
		return brief(v)
	}
	for _, s := range shown {
		row = append(row, most(l.run(s)), most(l.spread(s.Series.ArrivalsP10, math.Min)), most(l.spread(s.Series.ArrivalsP90, math.Max)))
	}
	return row
}
