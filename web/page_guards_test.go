package web

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

// Guards are added with what they start with, changed field by field, and removed; the address has them.
func TestGuardsInTheEditor(t *testing.T) {
	const bare = "p=exponential,base=100ms&edit=exponential"
	const budgeted = "p=exponential,base=100ms,budget.kind=grpc,budget.maxTokens=20,budget.tokenRatio=0.1&edit=exponential"
	for _, c := range []struct {
		from string
		form url.Values
		want string
	}{
		{bare, url.Values{"do": {"guard:breaker"}}, "exponential,base=100ms,breaker.failures=5"},
		{bare, url.Values{"do": {"guard:budget"}}, "exponential,base=100ms,budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.1"},
		{bare, url.Values{"do": {"guard:throttle"}}, "exponential,base=100ms,throttle.k=2"},
		{budgeted, url.Values{"edit.budget.kind": {"ratio"}}, "exponential,base=100ms,budget.kind=ratio,budget.ratio=0.1,budget.burst=10"},
		{budgeted, url.Values{"edit.budget.maxTokens": {"30"}}, "exponential,base=100ms,budget.kind=grpc,budget.maxTokens=30,budget.tokenRatio=0.1"},
		{budgeted, url.Values{"do": {"unguard:budget"}}, "exponential,base=100ms"},
		{budgeted, url.Values{"do": {"unguard:breaker"}}, "exponential,base=100ms,budget.kind=grpc,budget.maxTokens=20,budget.tokenRatio=0.1"},
	} {
		st := edited(t, c.from, c.form)
		if got := textIn(st.scenario.Policies[st.place(st.editing)]); got != c.want {
			t.Errorf("%s with %v gives %s, want %s", c.from, c.form, got, c.want)
		}
		if _, again, _ := strings.Cut(st.address, "p="); !strings.HasPrefix(again, c.want) {
			t.Errorf("the address is %s, want p=%s", st.address, c.want)
		}
	}
}

// What cannot be done with a guard is said.
func TestGuardFaultsInTheEditor(t *testing.T) {
	st, err := parseState(url.Values{"p": {"constant,base=1s,breaker.failures=5"}, "edit": {"constant"}})
	must(t, err)
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"edit.breaker.failures": {"0"}}, "/edit/breaker/failures: failures must be at least 1, not 0"},
		{url.Values{"do": {"guard:hedge"}}, `there is no guard "hedge"`},
		{url.Values{"do": {"unguard:schedule"}}, `there is no guard "schedule"`},
		{url.Values{"do": {"edit:", "guard:breaker"}}, `there is no policy "" on the page`},
	} {
		if _, err := st.edit(c.form); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.form, err, c.want)
		}
	}
}

// Throughput and goodput stand beside the load, each a curve of its own, and breakers open and tokens left of the policies
// that have such guards; they agree with the run.
func TestTimelineCharts(t *testing.T) {
	path, err := url.Parse(guardsPath)
	must(t, err)
	st, err := parseState(path.Query())
	must(t, err)
	r, err := sim.Run(t.Context(), st.scenario, nil)
	must(t, err)
	all := rank(r)
	charts := timelineCharts(r, all)
	if len(charts) != 3 || charts[0].ID != "goodput" || charts[1].ID != "breakers" || charts[2].ID != "tokens" {
		t.Fatalf("%d charts", len(charts))
	}
	wide := loadsOf(r)
	lines, _ := drawnSeries(t, charts[0].Option)
	for _, s := range all {
		for curve, counts := range map[string][]int64{": throughput": s.Run.Served, ": goodput": s.Run.Succeeded} {
			sum, want := 0.0, 0.0
			for _, p := range lines[nameOf(s)+curve] {
				sum += p[1] * wide.bin * float64(wide.per)
			}
			for _, n := range counts {
				want += float64(n)
			}
			if want == 0 && s.position == 0 || math.Abs(sum-want) > 1e-3*want+float64(wide.per) {
				t.Errorf("%s%s adds up to %v, want %v", nameOf(s), curve, sum, want)
			}
			if end := lines[nameOf(s)+curve]; end[len(end)-1][0] < wide.end-wide.bin*float64(wide.per) {
				t.Errorf("%s%s ends at %v s, others at %v s", nameOf(s), curve, end[len(end)-1][0], wide.end)
			}
		}
	}
	charts = charts[1:]
	for i, want := range [][]string{{"All guards", "With a breaker"}, {"All guards"}} {
		lines, _ := drawnSeries(t, charts[i].Option)
		if got := slices.Sorted(maps.Keys(lines)); !slices.Equal(got, want) {
			t.Errorf("%s shows %v, want %v", charts[i].ID, got, want)
		}
	}
	for _, s := range all {
		if nameOf(s) == "With a breaker" {
			lines, _ := drawnSeries(t, charts[0].Option)
			most := 0.0
			for _, p := range lines[nameOf(s)] {
				most = max(most, p[1])
			}
			if most != round(slices.Max(s.Run.BreakersOpen)) || most != 10 {
				t.Errorf("%v breakers open at most, %v in the chart; there are 10", slices.Max(s.Run.BreakersOpen), most)
			}
		}
	}
	if bare := timelineCharts(r, all[:1]); len(bare) != 1 {
		t.Errorf("%s has charts of guards", nameOf(all[0]))
	}
}
