package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/templates"
)

func valued(values ...float64) sim.Metric {
	var m sim.Metric
	for _, v := range values {
		m.Values = append(m.Values, &v)
	}
	return m
}

func TestDifferencesInWords(t *testing.T) {
	times := measure{"within.p99", unit{"s", 1}, 1e9}
	for _, c := range []struct {
		what    string
		measure measure
		a, b    sim.Metric
		want    templates.Difference
	}{
		// 2 ± 4.303·1/√3 = 2 ± 2.48 holds 0; 12 ± 2.48 does not.
		{"the interval holds 0", times, valued(3, 5, 7), valued(1, 2, 6), templates.Difference{Value: "cannot be told apart", Level: true}},
		{"more", times, valued(13, 15, 17), valued(1, 2, 6), templates.Difference{Value: "+12" + nbsp + "±" + nbsp + "2", Unit: "s"}},
		{"less", times, valued(1, 2, 6), valued(13, 15, 17), templates.Difference{Value: "−12" + nbsp + "±" + nbsp + "2", Unit: "s"}},
		{"the interval ends at 0", times, valued(2, 0), valued(0, 0), templates.Difference{Value: "cannot be told apart", Level: true}},
		{"the same", times, valued(4, 9), valued(4, 9), templates.Difference{Value: "the same", When: "in every run"}},
		{"as much more each time", times, valued(5, 10), valued(4, 9), templates.Difference{Value: "+1", Unit: "s", When: "in every run"}},
		{"in milliseconds", measure{"within.p99", unit{"ms", 1000}, 1e9}, valued(0.005, 0.010), valued(0.004, 0.009), templates.Difference{Value: "+1", Unit: "ms", When: "in every run"}},
		{"shares differ by points", measure{"successRate", unit{"%", 100}, 1}, valued(0.5, 0.5), valued(1, 1), templates.Difference{Value: "−50", Unit: "points", When: "in every run"}},
		{"one run", times, valued(5), valued(4), templates.Difference{Value: "+1", Unit: "s", When: "in one run"}},
	} {
		of := func(position int, m sim.Metric) standing {
			return standing{position: position, PolicyResult: &sim.PolicyResult{Metrics: sim.Metrics{{Name: c.measure.metric, Metric: m}}}}
		}
		a, b := of(0, c.a), of(1, c.b)
		if got := (columns{baseline: &b}).difference(a, c.measure); got == nil || *got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
		if (columns{baseline: &b}).difference(b, c.measure) != nil || (columns{}).difference(a, c.measure) != nil {
			t.Errorf("%s: a difference without two policies", c.what)
		}
	}
}

// The page compares run by run: the differences on it are those of the values.
func TestBaselineOnThePage(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	w := get(s, "baseline=exponential-full", false)
	page := plainSpaces.Replace(w.Body.String())
	sc := sim.Default()
	r, err := sim.Runner{Values: true}.Run(t.Context(), sc, nil)
	must(t, err)
	d := sim.Difference(r.Results[3].Metrics.Get("within.p99"), r.Results[4].Metrics.Get("within.p99"))
	want := fmt.Sprintf("+%.2f ± %.2f<span class=\"unseen\"> s", *d.Mean, (*d.High-*d.Low)/2)
	if *d.Low <= 0 {
		t.Fatal("the two cannot be told apart; take others for this test")
	}
	_, row, _ := strings.Cut(page, `id="policy-exponential-equal"`)
	row, _, _ = strings.Cut(row, `<div class="policy`)
	if !strings.Contains(row, want) {
		t.Errorf("the row lacks %s", want)
	}
	if !strings.Contains(page, `class="policy mark-5 shown baseline"`) || strings.Contains(get(s, "", false).Body.String(), ` baseline"`) {
		t.Error("the page does not say what it compares with, or says so of nothing")
	}
}

func TestWhatRowsShowIsInTheAddress(t *testing.T) {
	for _, c := range []struct {
		from, do, want string
	}{
		{"", "baseline:decorrelated", "baseline=decorrelated"},
		{"baseline=decorrelated", "baseline:", ""},
		{"baseline=decorrelated", "baseline:exponential", "baseline=exponential"},
		{"", "open:decorrelated", "open=decorrelated"},
		{"open=decorrelated", "open:", ""},
		{"baseline=decorrelated&open=decorrelated", "baseline:decorrelated", "baseline=decorrelated&open=decorrelated"},
	} {
		if st := edited(t, c.from, url.Values{"do": {c.do}}); st.address != c.want {
			t.Errorf("%s from %q leads to %q, want %q", c.do, c.from, st.address, c.want)
		}
	}
	if st := edited(t, "baseline=decorrelated&open=decorrelated", url.Values{"do": {"remove:decorrelated"}}); st.baseline != "" || st.opened != "" {
		t.Errorf("a policy that has gone is compared with: %s", st.address)
	}
	if _, err := parseState(url.Values{"baseline": {"nobody"}}); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("a baseline that is none is no fault: %v", err)
	}
}

// Every metric that a result can have is among all figures, under a name in plain words.
func TestAllFiguresAreAll(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, preset := range sim.Presets() {
		sc := preset.Scenario
		sc.Replications, sc.Policies = 2, sc.Policies[:1]
		sc.Clients.Count = min(sc.Clients.Count, 1000)
		r, err := sim.Run(t.Context(), sc, nil)
		must(t, err)
		said := 0
		st := state{scenario: sc, opened: sc.Policies[0].ID}
		all := results(r, st).Rows[0].All
		if all == nil {
			t.Fatalf("%s: the row does not unfold", preset.ID)
		}
		for _, g := range all.Groups {
			for _, d := range g.Rows {
				said++
				if d.Label == "" || d.Value == "" {
					t.Errorf("%s: a figure without name or value: %+v", preset.ID, d)
				}
			}
		}
		if n := len(r.Results[0].Metrics); said != n {
			t.Errorf("%s: %d figures of %d metrics", preset.ID, said, n)
		}
		for _, m := range r.Results[0].Metrics {
			known := slices.ContainsFunc(metricGroups, func(g metricGroup) bool {
				return slices.ContainsFunc(g.metrics, func(k metricKind) bool { return k.metric == m.Name })
			})
			if !known && !strings.HasPrefix(m.Name, "others.") {
				t.Errorf("%s has no name", m.Name)
			}
		}
		if results(r, state{scenario: sc}).Rows[0].All != nil {
			t.Error("all figures go over the wire when nobody asked")
		}
	}
}

// One column has one unit, so that its figures can be compared.
func TestColumnHasOneUnit(t *testing.T) {
	r := resultOf(sim.Burst, true, made{name: "A", success: 1, third: 0.4}, made{name: "B", success: 1, third: 84.5}, made{name: "C", success: 1, third: 121})
	var got []string
	for _, s := range rank(r) {
		f := columnsOf(r).judged(s)
		got = append(got, f.Value+" "+f.Unit)
	}
	if want := "0.400 s, 84.5 s, 121 s"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if f := columnsOf(resultOf(sim.Burst, true, made{name: "A", success: 1, third: 0.4})).time; f.name != "ms" {
		t.Errorf("400 ms are written in %s", f.name)
	}
}
