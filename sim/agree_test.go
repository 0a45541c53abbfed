package sim

// The engine against the reference simulator: everything that a run reports, on random scenarios.

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/sim/simtest"
)

// TestAgreesWithReference holds the engine to the reference, to the last attempt of every replication.
func TestAgreesWithReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := randomScenario(t)
		if rapid.IntRange(0, 2).Draw(t, "turn") > 0 {
			return // the reference takes its time: a third of the scenarios will do
		}
		agree(t, s)
	})
}

// TestPresetsAgreeWithReference does the same for scenarios that are meant.
func TestPresetsAgreeWithReference(t *testing.T) {
	t.Parallel()
	simtest.PlainRunOnly(t)
	for _, p := range Presets() {
		t.Run(p.ID, func(t *testing.T) {
			s := p.Scenario
			s.Replications = 1
			// The reference takes its time, and variations of a preset are no other rules.
			if p.file != "" {
				s.Horizon /= 4
			}
			s.Clients.Count = min(s.Clients.Count, 2000)
			for len(s.Policies) > 1 && Estimate(s) > 200_000 {
				s.Policies = s.Policies[:len(s.Policies)-1]
			}
			agree(t, s)
		})
	}
}

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// agree compares the engine's whole result with the reference's. Counts, times and traces must be the same; averages
// and other quotients to 9 digits.
func agree(t tester, s *Scenario) {
	t.Helper()
	result := runAll(t, s)
	var events int64
	for i, got := range result.Results {
		var runs []*reference
		var series []refSeries
		for k := range s.Replications {
			r := newReference(s, i, k).run()
			runs, series = append(runs, r), append(series, r.series())
			for _, g := range r.groups { // those not sent too
				events += int64(len(g.attempts))
			}
			events += int64(len(r.served))
		}
		c := comparison{t, s, got.Policy.ID}
		c.bounds(runs)
		c.metrics(got.Metrics, runs)
		c.firstRun(got.Run, runs[0], series[0])
		c.meanSeries(got.Series, series)
		c.guards("series", got.Series.Guards, runs, mostActive(series))
		c.trace(got.Trace, runs[0])
		c.delays(got.Delays, runs)
	}
	if events != result.Engine.Events {
		t.Errorf("%d events, reference has %d", result.Engine.Events, events)
	}
}

// comparison compares one policy's results.
type comparison struct {
	tester
	s      *Scenario
	policy string
}

func (c comparison) value(what string, got, want float64) {
	c.Helper()
	if math.IsNaN(want) && math.IsNaN(got) {
		return
	}
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		c.Errorf("%s: %s is %v, reference has %v", c.policy, what, got, want)
	}
}

func (c comparison) values(what string, got, want []float64) {
	c.Helper()
	if len(got) != len(want) {
		c.Errorf("%s: %s has %d values, reference has %d", c.policy, what, len(got), len(want))
		return
	}
	for i := range got {
		c.value(fmt.Sprintf("%s[%d]", what, i), got[i], want[i])
	}
}

func (c comparison) metrics(got Metrics, runs []*reference) {
	for k, r := range runs {
		want := r.values()
		for _, m := range got {
			value := math.NaN()
			if v := m.Values[k]; v != nil {
				value = *v
			}
			expected, ok := want[m.Name]
			if !ok {
				c.Errorf("%s: no metric of the model: %s", c.policy, m.Name)
			}
			c.value(fmt.Sprintf("%s in replication %d", m.Name, k), value, expected)
			delete(want, m.Name)
		}
		for name := range want {
			c.Errorf("%s: metric %s is missing", c.policy, name)
		}
	}
}

func (c comparison) firstRun(got FirstRun, r *reference, want refSeries) {
	active := want.active()
	for _, x := range []struct {
		name string
		got  []float64
	}{
		{"arrivals", floats(got.Arrivals)}, {"served", floats(got.Served)}, {"succeeded", floats(got.Succeeded)},
		{"refused", floats(got.Refused)}, {"timedOut", floats(got.TimedOut)},
		{"queue", got.Queue}, {"inService", got.InService}, {"waiting", got.Waiting},
	} {
		c.values("run."+x.name, x.got, want[x.name][:active])
	}
	c.guards("run", got.Guards, []*reference{r}, active)
	c.down("server", got.Down, r.spans, r.horizon)
	for i, nd := range got.Nodes {
		want, name := r.nodes[i], fmt.Sprintf("run.nodes[%d]", i)
		for _, x := range []struct {
			name string
			got  []int64
			want []int64
		}{{".arrivals", nd.Arrivals, want.arrivals}, {".served", nd.Served, want.served}, {".refused", nd.Refused, want.refused}} {
			perBin := r.perBin(x.want)
			c.values(name+x.name, floats(x.got), perBin[:len(x.got)])
			c.values(name+x.name+" afterwards", make([]float64, len(perBin)-len(x.got)), perBin[len(x.got):])
		}
		c.down(name, nd.Down, want.spans, r.horizon)
	}
}

// down compares times of being down.
func (c comparison) down(what string, got []Span, spans []refSpan, horizon int64) {
	c.Helper()
	if len(got) != len(spans) {
		c.Errorf("%s: %s down %v, reference has %v", c.policy, what, got, spans)
		return
	}
	for i, d := range spans {
		if want := (Span{refSeconds(d.from), refSeconds(min(d.to, horizon)), d.why}); got[i] != want {
			c.Errorf("%s: %s down %v, reference has %v", c.policy, what, got[i], want)
		}
	}
}

func floats(x []int64) []float64 {
	f := make([]float64, len(x))
	for i, v := range x {
		f[i] = float64(v)
	}
	return f
}

func mostActive(runs []refSeries) (active int) {
	for _, r := range runs {
		active = max(active, r.active())
	}
	return active
}

func (c comparison) meanSeries(got MeanSeries, runs []refSeries) {
	active := mostActive(runs)
	over := func(name string, f func(sorted []float64) float64) []float64 {
		means := make([]float64, active)
		for i := range means {
			var x []float64
			for _, r := range runs {
				x = append(x, r[name][i])
			}
			slices.Sort(x)
			means[i] = f(x)
		}
		return means
	}
	mean := func(x []float64) float64 { return stat.Mean(x, nil) }
	c.values("series.arrivals", got.Arrivals, over("arrivals", mean))
	c.values("series.arrivalsP10", got.ArrivalsP10, over("arrivals", func(x []float64) float64 { return linear(x, 10) }))
	c.values("series.arrivalsP90", got.ArrivalsP90, over("arrivals", func(x []float64) float64 { return linear(x, 90) }))
	c.values("series.served", got.Served, over("served", mean))
	c.values("series.succeeded", got.Succeeded, over("succeeded", mean))
	c.values("series.refused", got.Refused, over("refused", mean))
	c.values("series.timedOut", got.TimedOut, over("timedOut", mean))
	c.values("series.queue", got.Queue, over("queue", mean))
	c.values("series.inService", got.InService, over("inService", mean))
	c.values("series.waiting", got.Waiting, over("waiting", mean))
}

// guards compares the series of the guards that the policy has, averaged over runs.
func (c comparison) guards(what string, got Guards, runs []*reference, active int) {
	opens, tokens := make([]float64, active), make([]float64, active)
	for _, r := range runs {
		theirs, left := r.guardSeries()
		for i := range active {
			opens[i] += theirs[i] / float64(len(runs))
			tokens[i] += left[i] / float64(len(runs))
		}
	}
	p := runs[0].groups[0].policy
	if p.Breaker.Kind == "" {
		opens = nil
	}
	if p.Budget.Kind == "" {
		tokens = nil
	}
	c.values(what+".breakersOpen", got.BreakersOpen, opens)
	if b := p.NewBudget(); b != nil { // where there are very many tokens, the engine does not count every thousandth
		n := len(runs[0].groups[0].processes)
		grain := float64(int64(1)<<coarseness(b, n, c.s.Replications)) / 1000 / float64(n)
		for i := range got.Tokens {
			if i < len(tokens) && math.Abs(got.Tokens[i]-tokens[i]) <= grain {
				got.Tokens[i] = tokens[i]
			}
		}
	}
	c.values(what+".tokens", got.Tokens, tokens)
}

func (c comparison) trace(got *Trace, r *reference) {
	want := r.traced()
	if len(got.Attempt) != len(want) {
		c.Errorf("%s: trace of %d attempts, reference has %d", c.policy, len(got.Attempt), len(want))
		return
	}
	for i, a := range want {
		have := fmt.Sprint(got.Client[i], got.Attempt[i], got.LeftSeconds[i], got.Node[i], show(got.ArrivedSeconds[i]), show(got.StartedSeconds[i]),
			show(got.AnsweredSeconds[i]), show(got.SeenSeconds[i]), got.Outcome[i], got.Failed[i])
		if want := fmt.Sprint(r.client(a.request), a.n, refSeconds(a.left), a.node, showTime(a.arrived), showTime(a.started),
			showTime(a.answered), showTime(a.seen), a.outcome, a.failedWith()); have != want {
			c.Errorf("%s: trace[%d] is %s, reference has %s", c.policy, i, have, want)
			return
		}
	}
}

func show(v *float64) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(*v)
}

func showTime(t int64) string {
	if t == never {
		return "null"
	}
	return fmt.Sprint(refSeconds(t))
}

// delays compares what was drawn. Quantiles come from a histogram of 1000 cells: they may be off by a cell.
func (c comparison) delays(got []DelayRow, runs []*reference) {
	p := &runs[0].groups[0].policy
	for _, row := range got {
		var drawn []float64
		atCap := 0.0
		for _, r := range runs {
			for _, d := range r.groups[0].drawn[int64(row.Retry)] {
				drawn = append(drawn, refSeconds(d))
				if p.Cap > 0 && d == int64(p.Cap) {
					atCap++
				}
			}
		}
		o := row.Observed
		if (o == nil) != (len(drawn) == 0) {
			c.Errorf("%s: delays before retry %d are %v, reference drew %d", c.policy, row.Retry, o, len(drawn))
		}
		if o == nil {
			continue
		}
		n := float64(len(drawn))
		slices.Sort(drawn)
		what := fmt.Sprintf("%s of %d delays before retry %d", "%s", len(drawn), row.Retry)
		c.value(fmt.Sprintf(what, "count"), float64(o.Count), n)
		c.value(fmt.Sprintf(what, "minimum"), o.Min, drawn[0])
		c.value(fmt.Sprintf(what, "mean"), o.Mean, stat.Mean(drawn, nil))
		c.value(fmt.Sprintf(what, "maximum"), o.Max, drawn[len(drawn)-1])
		c.value(fmt.Sprintf(what, "share at the cap"), o.AtCap, atCap/n)
		cell := (row.Exact.Max-row.Exact.Min)/1000 + 2e-9
		for _, q := range []struct{ p, got float64 }{{0.05, o.P5}, {0.25, o.P25}, {0.5, o.P50}, {0.75, o.P75}, {0.95, o.P95}} {
			below, _ := slices.BinarySearch(drawn, q.got-cell)
			upTo, _ := slices.BinarySearch(drawn, q.got+cell)
			if float64(below) > q.p*n+1e-9 || float64(upTo) < q.p*n-1e-9 {
				c.Errorf("%s: %v is not the %v-quantile of %v", fmt.Sprintf(what, c.policy), q.got, q.p, drawn)
			}
		}
		if sd := math.Sqrt(stat.PopVariance(drawn, nil)); math.Abs(o.SD-sd) > cell {
			c.Errorf("%s is %v, reference has %v", fmt.Sprintf(what, "standard deviation"), o.SD, sd)
		}
	}
}

// bounds sweeps over what the reference wrote down: the engine's averages over bins could hide an excess.
func (c comparison) bounds(runs []*reference) {
	for _, r := range runs {
		for _, nd := range r.nodes {
			if workers := c.s.Server.Workers; workers > 0 && most(nd.busyStays) > workers {
				c.Errorf("%s: %d of %d workers busy at node %d", c.policy, most(nd.busyStays), workers, nd.number)
			}
			if places := c.s.Server.Queue; most(nd.queueStays) > places {
				c.Errorf("%s: %d in a queue of %d at node %d", c.policy, most(nd.queueStays), places, nd.number)
			}
			for _, t := range nd.served {
				if slices.ContainsFunc(nd.downStays, func(d refStay) bool { return d.from < t && t < d.to }) {
					c.Errorf("%s: node %d served at %d, while down", c.policy, nd.number, t)
				}
			}
		}
	}
}

// most returns how many stays overlap at most. One that ends as another begins makes room for it.
func most(stays []refStay) (n int) {
	changes := map[int64]int{}
	for _, s := range stays {
		if s.from < s.to {
			changes[s.from]++
			changes[s.to]--
		}
	}
	times := make([]int64, 0, len(changes))
	for t := range changes {
		times = append(times, t)
	}
	slices.Sort(times)
	now := 0
	for _, t := range times {
		now += changes[t]
		n = max(n, now)
	}
	return n
}
