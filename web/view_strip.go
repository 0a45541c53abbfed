package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file draws the load strips: what reached the server in the first run, bin by bin, as SVG paths. All strips share
// both axes. The vertical one is the load as a multiple of capacity on a square-root scale, since a herd is twenty times
// what the server can bear and what matters is whether it is above or below 1. It ends at the highest load that meets
// the server while it is up: what is turned away while it is down does it no harm. Higher columns are cut, and say so.

const (
	maxColumns = 400 // of a strip; more bins than that share columns, each showing its highest bin
	spanCount  = 12  // of the strips' table, at most
)

// strips are the axes that all strips share.
type strips struct {
	end   float64 // of the time axis, seconds
	bin   float64 // seconds
	per   int     // bins a column
	unit  float64 // load that counts as 1, a second: the capacity, or 1 if there is none
	top   float64 // the highest load, in units
	whole bool    // unit is the capacity
}

func newStrips(r *sim.Result) strips {
	a := strips{bin: r.Scenario.Bin.Seconds(), unit: 1}
	if capacity, ok := r.Scenario.Throughput(); ok && capacity > 0 {
		a.unit, a.whole, a.top = capacity, true, 1
	}
	bins := 1
	for i := range r.Results {
		run := &r.Results[i].Run
		bins = max(bins, len(run.Arrivals))
		for _, span := range run.Down {
			a.end = max(a.end, min(span.To, r.Scenario.Horizon.Seconds()))
		}
		for j := range run.Arrivals {
			if isUp(run, float64(j)*a.bin) {
				a.top = max(a.top, a.load(run, j))
			}
		}
	}
	a.end = max(a.end, float64(bins)*a.bin)
	a.per = (int(math.Ceil(a.end/a.bin)) + maxColumns - 1) / maxColumns
	return a
}

// load is a bin's, in units: of what arrived or of what was answered, whichever is higher.
func (a strips) load(run *sim.FirstRun, bin int) float64 {
	return float64(max(run.Arrivals[bin], run.Served[bin]+turnedAway(run, bin))) / a.bin / a.unit
}

func isUp(run *sim.FirstRun, at float64) bool {
	return !slices.ContainsFunc(run.Down, func(d sim.Span) bool { return d.From <= at && at < d.To })
}

// turnedAway is how many attempts the server refused, or the client gave up on, in a bin.
func turnedAway(run *sim.FirstRun, bin int) int64 { return run.Refused[bin] + run.TimedOut[bin] }

func (a strips) columns() int { return int(math.Ceil(a.end / a.bin / float64(a.per))) }

// x is a time's place, as a percentage of the width.
func (a strips) x(seconds float64) float64 {
	return 100 * seconds / (float64(a.columns()*a.per) * a.bin)
}

// y is a load's place, 0 at the top and 100 at the bottom; the load is in units.
func (a strips) y(load float64) float64 {
	if a.top == 0 {
		return 100
	}
	return 100 - 98*math.Sqrt(min(load/a.top, 1)) // two hundredths of room for the line at the top
}

func (a strips) strip(p *sim.PolicyResult) templates.Strip {
	run := &p.Run
	served := a.path(len(run.Served), func(i int) int64 { return run.Served[i] })
	all := a.path(len(run.Served), func(i int) int64 { return run.Served[i] + turnedAway(run, i) })
	arrivals := a.path(len(run.Arrivals), func(i int) int64 { return run.Arrivals[i] })
	s := templates.Strip{
		Columns: a.columns(), Served: closed(served), Refused: closed(all), Arrivals: arrivals,
		Title: a.inWords(p), Cut: a.cut(run),
	}
	for _, d := range run.Down {
		to := min(d.To, a.end)
		if d.From < to {
			s.Down = append(s.Down, templates.Span{
				X: place(a.x(d.From)), Width: place(a.x(to) - a.x(d.From)),
				Title: "Down: " + d.Why + ", " + brief(d.From) + " to " + brief(d.To) + nbsp + "s",
			})
		}
	}
	return s
}

// cut labels the highest of the columns that do not fit with its load.
func (a strips) cut(run *sim.FirstRun) templates.Tick {
	highest, at := 0.0, 0
	for i := range run.Arrivals {
		if load := a.load(run, i); load > highest {
			highest, at = load, i
		}
	}
	if highest <= a.top*1.02 {
		return templates.Tick{}
	}
	return templates.Tick{At: place(a.x(float64(at+1) * a.bin)), Label: "↑" + a.multiple(highest)}
}

// multiple writes a load: "3.5×" of the capacity, or so many a second.
func (a strips) multiple(load float64) string {
	if a.whole {
		return multiple(load)
	}
	return brief(load) + "/s"
}

// path is the outline of a series, a step a column. Each column shows its highest bin, so that no peak is lost.
func (a strips) path(bins int, value func(bin int) int64) string {
	d := []byte("M0 ")
	last, run := "", 0
	flush := func() {
		if run > 0 {
			d = append(d, 'h')
			d = strconv.AppendInt(d, int64(run), 10)
		}
		run = 0
	}
	for from := 0; from < bins; from += a.per {
		most := int64(0)
		for i := from; i < min(from+a.per, bins); i++ {
			most = max(most, value(i))
		}
		y := short(a.y(float64(most) / a.bin / a.unit))
		if y != last {
			flush()
			if last != "" {
				d = append(d, 'V')
			}
			d = append(d, y...)
			last = y
		}
		run++
	}
	if last == "" {
		return ""
	}
	flush()
	return string(d) + "V100"
}

// closed makes an area of an outline that ends on the ground.
func closed(outline string) string {
	if outline == "" {
		return ""
	}
	return outline + "H0Z"
}

// short writes a coordinate with at most one decimal.
func short(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

// place writes a percentage.
func place(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) + "%" }

// inWords is what a strip shows, for those who do not see it.
func (a strips) inWords(p *sim.PolicyResult) string {
	peak, at := int64(0), 0
	for i, n := range p.Run.Arrivals {
		if n > peak {
			peak, at = n, i
		}
	}
	most := float64(peak) / a.bin
	said := fmt.Sprintf("%s: load over time in the first run. Most attempts at %s, %s a second", nameOf(standing{PolicyResult: p}),
		seconds(float64(at)*a.bin), brief(most))
	if a.whole {
		said += ", " + multiple(most/a.unit) + " capacity"
	}
	down := 0.0
	for _, d := range p.Run.Down {
		down += min(d.To, a.end) - min(d.From, a.end)
	}
	return said + ". Down for " + seconds(down) + " of " + seconds(a.end) + "."
}

// multiple writes a multiple: "3.5×".
func multiple(x float64) string { return brief(x) + "×" }

func (a strips) loadAxis() templates.LoadAxis {
	axis := templates.LoadAxis{Title: "Attempts a second, square-root scale"}
	if a.whole {
		axis.Title = "Load in multiples of capacity (1× is " + brief(a.unit) + " a second), square-root scale"
		axis.Capacity = place(a.y(1))
		axis.Ticks = append(axis.Ticks, templates.Tick{At: place(a.y(1)), Label: "1×"})
	}
	// One more label at the highest round load that stays clear of the line at 1.
	if round := roundDown(a.top); a.top > 0 && (!a.whole || round >= 3) {
		axis.Ticks = append(axis.Ticks, templates.Tick{At: place(a.y(round)), Label: a.multiple(round)})
	}
	return axis
}

func (a strips) timeAxis() templates.TimeAxis {
	axis := templates.TimeAxis{Title: "seconds since the start"}
	step := step125(a.end / 6)
	for i := 0; float64(i)*step <= a.end*0.97; i++ {
		axis.Ticks = append(axis.Ticks, templates.Tick{At: place(a.x(float64(i) * step)), Label: brief(float64(i) * step)})
	}
	return axis
}

// roundDown is the greatest of 1, 2, 5, 10, … that is at most x.
func roundDown(x float64) float64 {
	for _, s := range []float64{5, 2, 1} {
		if v := s * math.Pow(10, math.Floor(math.Log10(x))); v <= x {
			return v
		}
	}
	return x
}

// step125 is the smallest of 1, 2, 5, 10, … that is at least x.
func step125(x float64) float64 {
	if x <= 0 {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, s := range []float64{1, 2, 5} {
		if s*p >= x*(1-1e-9) {
			return s * p
		}
	}
	return 10 * p
}

// spans are the stretches of time that the strips' table sums up, as bins [from, to).
func (a strips) spans() [][2]int {
	bins := int(math.Ceil(a.end / a.bin))
	width := max(1, int(math.Round(step125(a.end/spanCount)/a.bin)))
	var spans [][2]int
	for from := 0; from < bins; from += width {
		spans = append(spans, [2]int{from, min(from+width, bins)})
	}
	return spans
}

// spanHead heads the spans' columns.
func (a strips) spanHead() []string {
	var head []string
	for _, s := range a.spans() {
		head = append(head, brief(float64(s[0])*a.bin)+"–"+brief(float64(s[1])*a.bin)+nbsp+"s")
	}
	return head
}

// spanRows are a strip's numbers: what came, what was served and what was refused in each span, and how long it was down.
func (a strips) spanRows(p *sim.PolicyResult) []templates.SpanRow {
	run := &p.Run
	rows := []templates.SpanRow{{What: "arrived"}, {What: "served"}, {What: "refused"}, {What: "down"}}
	for _, s := range a.spans() {
		var sums [3]float64
		for i := s[0]; i < min(s[1], len(run.Arrivals)); i++ {
			sums[0] += float64(run.Arrivals[i])
			sums[1] += float64(run.Served[i])
			sums[2] += float64(turnedAway(run, i))
		}
		for i, sum := range sums {
			rows[i].Values = append(rows[i].Values, count(sum))
		}
		from, to, down := float64(s[0])*a.bin, float64(s[1])*a.bin, 0.0
		for _, d := range run.Down {
			down += max(0, min(d.To, to)-max(d.From, from))
		}
		rows[3].Values = append(rows[3].Values, span(time.Duration(down*float64(time.Second))))
	}
	return rows
}
