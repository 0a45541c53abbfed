package web

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/templates"
)

// drawnSeries are the lines of a chart that have a name, and what is marked across them.
func drawnSeries(t *testing.T, option string) (lines map[string][][2]float64, across map[string][]string) {
	t.Helper()
	var o struct {
		Series []struct {
			Name     string
			Data     json.RawMessage
			MarkLine struct{ Data []json.RawMessage }
		}
	}
	must(t, json.Unmarshal([]byte(option), &o))
	lines, across = map[string][][2]float64{}, map[string][]string{}
	for _, s := range o.Series {
		if s.Name == "" {
			continue
		}
		var points [][2]float64
		must(t, json.Unmarshal(s.Data, &points))
		lines[s.Name] = points
		for _, mark := range s.MarkLine.Data {
			var named struct{ Name string }
			if json.Unmarshal(mark, &named) == nil {
				across[s.Name] = append(across[s.Name], named.Name)
			}
		}
	}
	return lines, across
}

// The largest value in the chart is the largest of the run however many bins share a point, the table's last rows say the
// same, and the line across at the peak says what the policy's row says.
func TestLoadChartKeepsThePeak(t *testing.T) {
	sc := sim.Default()
	sc.Replications = 2
	sc.Bin /= 10 // 2400 bins, more than points
	r, err := sim.Run(t.Context(), sc, nil)
	must(t, err)
	all := rank(r)
	shown := charted(all, nil)
	c, rows := loadChart(r, shown), results(r, stateFor(r)).Rows
	lines, across := drawnSeries(t, c.Option)
	highestRow, peakRow := c.Table.Rows[len(c.Table.Rows)-2], c.Table.Rows[len(c.Table.Rows)-1]
	for i, s := range shown {
		want := float64(slices.Max(s.Run.Arrivals)) / sc.Bin.Seconds()
		got := 0.0
		for _, p := range lines[nameOf(s)] {
			got = max(got, p[1])
		}
		if got != round(want) || len(lines[nameOf(s)]) > maxPoints+2 {
			t.Errorf("%s: the highest of %d points is %v, of the bins %v", nameOf(s), len(lines[nameOf(s)]), got, want)
		}
		if highestRow[1+3*i] != brief(want) {
			t.Errorf("%s: the table says %s, the bins %s", nameOf(s), highestRow[1+3*i], brief(want))
		}
		peak := brief(*s.Metrics.Get("recoveryPeak").Mean)
		if !slices.Contains(across[nameOf(s)], "peak "+peak+"/s") || peakRow[1+3*i] != peak {
			t.Errorf("%s: the peak is %s, across it says %v, in the table %s", nameOf(s), peak, across[nameOf(s)], peakRow[1+3*i])
		}
		if note := rows[slices.IndexFunc(rows, func(row templates.Row) bool { return row.ID == s.Policy.ID })].Figures[3].Note; note != "peak "+peak+"/s" {
			t.Errorf("%s: the row says %q", nameOf(s), note)
		}
	}
}

// The view starts at recovery, and where there is none it shows the whole run.
func TestLoadChartShowsSomething(t *testing.T) {
	for horizon, want := range map[time.Duration]bool{3 * time.Second: false, time.Minute: true} {
		sc := sim.Default()
		sc.Replications, sc.Horizon = 1, horizon
		r, err := sim.Run(t.Context(), sc, nil)
		must(t, err)
		shown := rank(r)[:1]
		c := loadChart(r, shown)
		if start := loadsOf(r).start(shown); (start > 0) != want || start > 50 || strings.Contains(c.Note, "starts at recovery") != want {
			t.Errorf("of %v it shows what comes after %v %%, and says: %s", horizon, start, c.Note)
		}
	}
}

// The marks of a burst that is created at once are the metrics of its row; a policy that never gets there has none.
func TestServedChartMarksShares(t *testing.T) {
	sc := sim.Default()
	sc.Replications = 2
	r, err := sim.Run(t.Context(), sc, nil)
	must(t, err)
	c := progressOf(r)
	for _, s := range rank(r) {
		marks := c.marks(s)
		if p99 := s.Metrics.Get("within.p99").Mean; *s.Metrics.Get("successRate").Mean == 1 {
			if len(marks) != 3 || marks[2] != [2]float64{round(*p99), 99} {
				t.Errorf("%s is marked at %v, 99 %% within %v", nameOf(s), marks, *p99)
			}
		} else if len(marks) > 0 && marks[len(marks)-1][1] > 100**s.Metrics.Get("successRate").Mean {
			t.Errorf("%s is marked at %v", nameOf(s), marks)
		}
		last := c.points(s)[len(c.points(s))-1][1]
		if gap := c.gap(s, c.points(s)); (len(gap) > 0) != (last < 100) {
			t.Errorf("%s ends at %v %%, with %d gaps", nameOf(s), last, len(gap))
		}
	}
}

// The lines of both policies are there at every time that can be pointed at: one that ended keeps what it served, and
// serves nothing more.
func TestServedChartGoesOn(t *testing.T) {
	sc := sim.Default()
	sc.Replications = 2
	r, err := sim.Run(t.Context(), sc, nil)
	must(t, err)
	c, all := progressOf(r), rank(r)
	first := c.points(all[0])
	for _, s := range all {
		points := c.points(s)
		if !slices.EqualFunc(points, first, func(a, b [2]float64) bool { return a[0] == b[0] }) {
			t.Errorf("%s has %d points, not at the times of the first one's %d", nameOf(s), len(points), len(first))
		}
		end, served := points[len(points)-1], 100**s.Metrics.Get("successRate").Mean
		if end[0] != c.end || math.Abs(end[1]-served) > 1e-3 {
			t.Errorf("%s ends at %v; the chart ends at %v s, it served %v %%", nameOf(s), end, c.end, served)
		}
	}
	for name, c := range map[string]struct {
		progress
		want float64
	}{"share": {progress{top: 100}, 7}, "rate": {progress{}, 0}} {
		if got := c.value([]float64{5, 7}, 3); got != c.want {
			t.Errorf("a %s is %v a bin after its end, not %v", name, got, c.want)
		}
	}
}

func TestCrossing(t *testing.T) {
	points := [][2]float64{{0, 0}, {10, 0}, {12, 80}, {20, 80}}
	if at, ok := crossing(points, 50); !ok || at != 11.25 {
		t.Errorf("50 is reached at %v, %t; want 11.25", at, ok)
	}
	if at, ok := crossing(points, 90); ok {
		t.Errorf("90 is reached at %v", at)
	}
}

// Policies that never served 99 % stand beyond the others, in a column of their own.
func TestWorkChartHoldsEveryPolicy(t *testing.T) {
	simtest.PlainRunOnly(t)
	sc := sim.Default()
	sc.Replications = 2
	r, err := sim.Run(t.Context(), sc, nil)
	must(t, err)
	all := rank(r)
	c := workChart(r, all)
	lines, _ := drawnSeries(t, c.Option)
	latest, never := 0.0, []float64{}
	for _, s := range all {
		points := lines[nameOf(s)]
		if len(points) != 1 || points[0][1] != round(*s.Metrics.Get("amplification").Mean) {
			t.Errorf("%s is at %v", nameOf(s), points)
			continue
		}
		if p99 := s.Metrics.Get("within.p99").Mean; p99 == nil {
			never = append(never, points[0][0])
		} else if latest = max(latest, points[0][0]); points[0][0] != round(*p99) {
			t.Errorf("%s is at %v, 99 %% within %v", nameOf(s), points, *p99)
		}
	}
	if len(never) != 4 || slices.Min(never) <= latest {
		t.Errorf("those that never served 99 %% are at %v, the last that did at %v", never, latest)
	}
	if len(c.Table.Rows) != len(all) || len(c.Key) != len(all) {
		t.Errorf("%d rows and %d keys for %d policies", len(c.Table.Rows), len(c.Key), len(all))
	}
	var option struct {
		Series []struct {
			Type string
			Data [][]float64
		}
	}
	must(t, json.Unmarshal([]byte(c.Option), &option))
	least := 0.0
	for _, s := range option.Series {
		if s.Type == "custom" {
			least = min(least, slices.Min(s.Data[0]))
		}
	}
	if least >= 0 || !strings.Contains(c.Note, beyond) { // an interval of two runs is wide
		t.Errorf("the least that a cross reaches down to is %v; the note: %s", least, c.Note)
	}
	if sc.Replications = 20; true {
		r, err := sim.Run(t.Context(), sc, nil)
		must(t, err)
		if c := workChart(r, rank(r)); strings.Contains(c.Note, beyond) {
			t.Errorf("where no interval reaches below 0 the note is: %s", c.Note)
		}
	}
}
