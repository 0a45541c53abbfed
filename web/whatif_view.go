package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file shows a sweep: in sentences, as charts and as a table of every point, which links to the point's scenario.

// sweepMeasure is a figure that a sweep can show.
type sweepMeasure struct {
	id, label string
	axis      string // of the chart, with the unit
	metric    string
	scale     float64
	unit      string  // after a number in text
	most      float64 // what it cannot exceed; 0: anything
	good      bool    // more is better
	never     string  // what it is where it does not exist
	fits      func(sc *sim.Scenario) bool
}

func always(*sim.Scenario) bool { return true }

func isBurst(sc *sim.Scenario) bool { return sc.Clients.Workload.Kind == sim.Burst }

var sweepMeasures = []sweepMeasure{
	{"served", "Served", "Served (%)", "successRate", 100, nbsp + "%", 100, true, noValue, always},
	{"crashes", "Crashes", "Crashes", "crashes", 1, "", 0, false, noValue, func(sc *sim.Scenario) bool { return sc.Server.Crash != nil }},
	{"within", "99" + nbsp + "% served within", "99 % served within (s)", "within.p99", 1, nbsp + "s", 0, false, "never", isBurst},
	{"last", "Last one served after", "Last one served after (s)", "completion.max", 1, nbsp + "s", 0, false, "never", isBurst},
	{"goodput", "Served a second", "Served a second", "goodput", 1, "", 0, true, noValue, func(sc *sim.Scenario) bool { return !isBurst(sc) }},
	{"attempts", "Attempts each", "Attempts each", "amplification", 1, "", 0, false, noValue, always},
	{"recovered", "Runs that recovered", "Runs that recovered (%)", sim.Recovered, 100, nbsp + "%", 100, true, noValue, always},
}

func measureIDs() (ids []string) {
	for _, m := range sweepMeasures {
		ids = append(ids, m.id)
	}
	return ids
}

// measured are the metrics that the measures need. They are all kept, so that another measure of the same sweep costs
// nothing.
func measured() []string {
	return slices.DeleteFunc(slices.Clone(sim.SweepMetrics()), func(name string) bool {
		return !slices.ContainsFunc(sweepMeasures, func(m sweepMeasure) bool { return m.metric == name })
	})
}

// measureOf is the measure that is shown: the first that fits if the address names none that does. Under contention
// everyone is served, so that it is time that counts.
func (w whatIf) measureOf(sc *sim.Scenario) sweepMeasure {
	want := w.measure
	if want == "" && sc.Server.Kind == sim.OCC {
		want = "last"
	}
	for _, m := range sweepMeasures {
		if m.id == want && m.fits(sc) {
			return m
		}
	}
	return sweepMeasures[0]
}

// text writes a metric as the measure does.
func (m sweepMeasure) text(x sim.Metric) string {
	switch {
	case x.Mean == nil:
		return m.never
	case m.most == 100:
		return percent(x) + m.unit
	}
	return mean(x, m.scale) + m.unit
}

// short is text without the unit, for cells.
func (m sweepMeasure) short(x sim.Metric) string { return strings.TrimSuffix(m.text(x), m.unit) }

func (m sweepMeasure) interval(x sim.Metric) string {
	most := math.Inf(1)
	if m.most > 0 {
		most = m.most
	}
	return interval(x, m.scale, 0, most)
}

// whatIfView is a sweep about to be shown.
type whatIfView struct {
	state   state
	sc      *sim.Scenario
	measure sweepMeasure
	axes    []sim.SweptAxis
	labels  []string // of the axes, with units
	points  []sim.SweepPoint
	charted []int // places of the policies to look at first
}

// whatIfResults shows the points that there are.
func (s state) whatIfResults(axes []sim.SweptAxis, points []sim.SweepPoint) *templates.WhatIfResults {
	v := &whatIfView{state: s, sc: s.scenario, measure: s.whatIf.measureOf(s.scenario), axes: axes, points: points}
	for _, a := range axes {
		c, _ := choose(s.scenario, a.Parameter)
		v.labels = append(v.labels, c.label)
	}
	v.charted = v.chartedPlaces()
	r := &templates.WhatIfResults{Says: v.says(), Table: v.table(), Note: v.note(), Downloads: s.whatIfDownloads()}
	if len(axes) == 1 {
		r.Charts = []templates.Chart{sweepChart(v)}
		for _, place := range v.order() {
			r.Key = append(r.Key, templates.Marked{Mark: markOf(s.marks[v.sc.Policies[place].ID]), Name: v.name(place)})
		}
	} else {
		for _, place := range v.order() {
			r.Charts = append(r.Charts, heatChart(v, place))
		}
	}
	return r
}

// chartedPlaces are those in the charts above, or else the two that are most often among the best: they show where the
// answer changes.
func (v *whatIfView) chartedPlaces() (places []int) {
	led := make([]int, len(v.sc.Policies)) // points
	for point := range v.points {
		if best, share := v.best(point); share != "few" {
			for _, place := range best {
				led[place]++
			}
		}
	}
	for i, p := range v.sc.Policies {
		if slices.Contains(v.state.shown, p.ID) || len(v.state.shown) == 0 {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return led[b] - led[a] })
	return places[:min(len(places), maxShown)]
}

// order is the policies' order in charts: those to look at first, then the others.
func (v *whatIfView) order() []int {
	places := slices.Clone(v.charted)
	for i := range v.sc.Policies {
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	return places
}

func (v *whatIfView) name(place int) string { return title(v.sc.Policies[place]) }

// figure is a policy's figure at a point, if that is finished.
func (v *whatIfView) figure(point, place int) (sim.Metric, bool) {
	p := v.points[point]
	if p.Results == nil {
		return sim.Metric{}, false
	}
	return p.Results[place].Metrics.Get(v.measure.metric), true
}

// at says which values a point has: "2000 clients".
func (v *whatIfView) at(point int) []string {
	indices := v.indices(point)
	texts := make([]string, len(indices))
	for i, k := range indices {
		texts[i] = amountText(v.axes[i].Values[k])
	}
	return texts
}

// indices are the places of a point on the axes.
func (v *whatIfView) indices(point int) []int {
	if len(v.axes) == 1 {
		return []int{point}
	}
	n := len(v.axes[1].Values)
	return []int{point / n, point % n}
}

// link is the address of a point's scenario, with the same sweep below it.
func (v *whatIfView) link(point int) string {
	st := v.state
	sc := st.scenario
	for i, k := range v.indices(point) {
		changed, err := sc.Set(v.axes[i].Parameter, string(v.axes[i].Values[k]))
		if err != nil {
			return address(v.state.address) // a rounded capacity may not be one that can be set
		}
		sc = changed
	}
	st.scenario = sc
	st.whatIf.axes = st.whatIf.axesOf(v.state.scenario)
	return address(encode(st.query()))
}

// table has a row for each point.
func (v *whatIfView) table() templates.WhatIfTable {
	t := templates.WhatIfTable{
		Caption: v.measure.label + " at each point, with 95 % intervals. Each row leads to its scenario",
		Head:    []string{strings.Join(v.labels, "; ")},
	}
	for _, place := range v.order() {
		t.Head = append(t.Head, v.name(place))
	}
	for point := range v.points {
		row := templates.WhatIfRow{Point: strconv.Itoa(point), Name: strings.Join(v.at(point), "; "), Href: v.link(point)}
		for _, place := range v.order() {
			cell := templates.WhatIfCell{Text: "…"}
			if m, ok := v.figure(point, place); ok {
				cell = templates.WhatIfCell{Text: v.measure.text(m), Interval: v.measure.interval(m)}
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (v *whatIfView) note() string {
	runs := v.state.sweep().Scenario.Replications
	if runs == 1 {
		return "One run of each point, so there are no intervals."
	}
	if v.measure.metric == sim.Recovered {
		note := fmt.Sprintf("The share of %d runs of each point that recovered: 95 %% of what was asked for in the last quarter was served (of a burst, 99 %% of all).", runs)
		if runs < surelyRuns {
			note += fmt.Sprintf(" So few runs say little of a share: %d say more.", surelyRuns)
		}
		return note
	}
	return fmt.Sprintf("Means of %d runs of each point; bars are 95 %% intervals.", runs)
}

// says tells where the best policy changes along the axis of a sweep over one parameter.
func (v *whatIfView) says() []string {
	if len(v.axes) > 1 {
		return nil
	}
	var said []string
	for from := 0; from < len(v.points); {
		best, share := v.best(from)
		if best == nil {
			return said // not finished
		}
		to := from + 1
		for ; to < len(v.points); to++ {
			other, s := v.best(to)
			if !slices.Equal(other, best) || (s == "few") != (share == "few") {
				break
			}
			if s != share { // all at some of the points only
				share = ""
			}
		}
		said = append(said, v.span(from, to-1)+", "+v.lead(best, share)+".")
		from = to
	}
	if len(said) > 4 {
		return []string{fmt.Sprintf("Who is best changes %d times along the way.", len(said)-1)}
	}
	return said
}

// best are the places of the policies that are level at the top at a point, and what share they serve: all of
// them all, some or, of less than half, few.
func (v *whatIfView) best(point int) (places []int, share string) {
	if v.points[point].Results == nil {
		return nil, ""
	}
	all := make([]standing, len(v.sc.Policies))
	for i, f := range v.points[point].Results {
		all[i] = standing{PolicyResult: &sim.PolicyResult{Policy: v.sc.Policies[i], Metrics: f.Metrics}, position: i}
	}
	order(all, criteria(v.sc.Clients.Workload.Kind), 1)
	share = "all"
	for _, s := range all {
		if s.rank == 1 {
			places = append(places, s.position)
			if served(s) < 1 {
				share = ""
			}
		}
	}
	slices.Sort(places)
	if served(all[0]) < 0.5 {
		share = "few"
	}
	return places, share
}

// span names some points in a row.
func (v *whatIfView) span(from, to int) string {
	values := v.axes[0].Values
	first, last := amountText(values[from]), amountText(values[to])
	switch {
	case from == to:
		return "At " + first
	case to == len(values)-1:
		return "From " + first + " on"
	case from == 0:
		return "Up to " + last
	}
	return "From " + first + " to " + last
}

func (v *whatIfView) lead(best []int, share string) string {
	if share == "few" {
		return "no policy serves even half"
	}
	var names []string
	for _, place := range best {
		names = append(names, "“"+v.name(place)+"”")
	}
	if len(names) > 3 {
		names = append(names[:2], fmt.Sprintf("%d others", len(best)-2))
	}
	verb := map[bool]string{true: " is ahead", false: " are level at the top"}[len(best) == 1]
	if share == "all" {
		verb += map[bool]string{true: ", and serves all", false: ", and serve all"}[len(best) == 1]
	}
	return joined(names) + verb
}

// whatIfDownloads link to the figures as documents.
func (s state) whatIfDownloads() []templates.Download {
	query := s.query()
	for _, key := range pageKeys {
		if key != "sweep" && key != "runs" {
			query.Del(key)
		}
	}
	link := func(file, label, title string) templates.Download {
		d := templates.Download{Kind: "sweep", Href: apiPrefix + "/export/" + file, Label: label, Title: title}
		if len(query) > 0 {
			d.Href += "?" + encode(query)
		}
		return d
	}
	return []templates.Download{
		link("sweep.csv", "Table (CSV)", "Every point and policy with all figures of the sweep and their intervals"),
		link("sweep.json", "Sweep (JSON)", "The same as a document"),
	}
}

// shares of a percentage scale run to 100.
func (m sweepMeasure) top() any {
	if m.most == 0 {
		return nil
	}
	return m.most
}

// scaled is a number on the measure's scale, for a chart; nil where there is none.
func (m sweepMeasure) scaled(x *float64) any {
	if x == nil {
		return nil
	}
	return round(*x * m.scale)
}

// amount is a parameter's unit in an axis title.
func (v *whatIfView) axisTitle(i int) string {
	if u := v.axes[i].Unit; u != "" && !strings.Contains(v.labels[i], "second") {
		return v.labels[i] + " (" + u + ")"
	}
	return v.labels[i]
}

func (v *whatIfView) axisTexts(i int) []string {
	texts := make([]string, len(v.axes[i].Values))
	for k, a := range v.axes[i].Values {
		texts[k] = amountText(spec.Amount(a))
	}
	return texts
}
