package web

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// made is a result made by hand: for each policy its metrics as mean ± half width.
type made struct {
	name                              string
	policy                            string             // as text; empty: a constant wait
	more                              map[string]float64 // further metrics, without intervals
	success, crashes, third           float64            // NaN: does not exist
	successHalf, crashHalf, thirdHalf float64
}

func (m made) metric(mean, half float64) sim.Metric {
	if math.IsNaN(mean) {
		return sim.Metric{}
	}
	return sim.Metric{Mean: new(mean), Low: new(mean - half), High: new(mean + half)}
}

// resultOf makes a result of 1000 requests under workload kind; third is within.p99 or goodput.
func resultOf(kind string, crashes bool, policies ...made) *sim.Result {
	sc := sim.Default()
	sc.Clients.Workload.Kind = kind
	if !crashes {
		sc.Server.Crash = nil
	}
	r := &sim.Result{Scenario: sc}
	third := criteria(kind)[2].metric
	for _, p := range policies {
		policy, err := strategies.ParseText(cmp.Or(p.policy, "constant,base=1s"))
		if err != nil {
			panic(err)
		}
		policy.ID, policy.Name = p.name, p.name
		r.Results = append(r.Results, sim.PolicyResult{
			Policy: policy,
			Metrics: sim.Metrics{
				{Name: "requests", Metric: p.metric(1000, 0)},
				{Name: "succeeded", Metric: p.metric(1000*p.success, 1000*p.successHalf)},
				{Name: "successRate", Metric: p.metric(p.success, p.successHalf)},
				{Name: "crashes", Metric: p.metric(p.crashes, p.crashHalf)},
				{Name: third, Metric: p.metric(p.third, p.thirdHalf)},
			},
		})
		metrics := &r.Results[len(r.Results)-1].Metrics
		for name, mean := range p.more {
			*metrics = append(*metrics, sim.NamedMetric{Name: name, Metric: p.metric(mean, 0)})
		}
	}
	return r
}

func TestRank(t *testing.T) {
	never := math.NaN()
	for _, c := range []struct {
		what     string
		workload string
		policies []made
		want     string
	}{
		{"more served is better", sim.Burst, []made{{name: "a", success: 0.5, third: never}, {name: "b", success: 0.6, third: never}}, "1 b, 2 a"},
		{"whatever the crashes and times", sim.Burst, []made{{name: "a", success: 1, crashes: 9, third: 90}, {name: "b", success: 0.9, third: never}}, "1 a, 2 b"},
		{"fewer crashes decide among those level", sim.Burst, []made{{name: "a", success: 1, crashes: 2, third: 10}, {name: "b", success: 1, crashes: 1, third: 20}}, "1 b, 2 a"},
		{"then the sooner", sim.Burst, []made{{name: "a", success: 1, third: 20}, {name: "b", success: 1, third: 10}}, "1 b, 2 a"},
		{"or the more a second", sim.Open, []made{{name: "a", success: 1, third: 20}, {name: "b", success: 1, third: 10}}, "1 a, 2 b"},
		{"never is worst", sim.Burst, []made{{name: "a", success: 0.98, third: never}, {name: "b", success: 0.98, third: 10}}, "1 b, 2 a"},
		{"intervals that touch tie", sim.Burst, []made{{name: "a", success: 1, third: 10, thirdHalf: 1}, {name: "b", success: 1, third: 12, thirdHalf: 1}}, "1= a, 1= b"},
		{"and those that do not, do not", sim.Burst, []made{{name: "a", success: 1, third: 10, thirdHalf: 1}, {name: "b", success: 1, third: 12.01, thirdHalf: 1}}, "1 a, 2 b"},
		{"a tie of the share leaves it to the crashes", sim.Burst, []made{{name: "a", success: 0.95, successHalf: 0.04, crashes: 1, third: never}, {name: "b", success: 0.9, successHalf: 0.04, third: never}}, "1 b, 2 a"},
		{"ties are with the best, not along a chain", sim.Burst, []made{
			{name: "a", success: 0.9, successHalf: 0.03, third: never}, {name: "b", success: 0.85, successHalf: 0.03, third: never}, {name: "c", success: 0.8, successHalf: 0.03, third: never},
		}, "1= a, 1= b, 3 c"},
		{"ties keep the scenario's order", sim.Burst, []made{{name: "b", success: 1, third: 10}, {name: "a", success: 1, third: 10}}, "1= b, 1= a"},
	} {
		var got []string
		for _, s := range rank(resultOf(c.workload, true, c.policies...)) {
			got = append(got, s.Rank()+" "+nameOf(s))
		}
		if list := strings.Join(got, ", "); list != c.want {
			t.Errorf("%s: %s, want %s", c.what, list, c.want)
		}
	}
}

func TestRankOfOneRunHasNoTiesButEqualMeans(t *testing.T) {
	r := resultOf(sim.Burst, true, made{name: "a", success: 1, third: 10}, made{name: "b", success: 1, third: 10.1})
	for i := range r.Results {
		for j := range r.Results[i].Metrics {
			m := &r.Results[i].Metrics[j]
			m.Low, m.High = nil, nil
		}
	}
	all := rank(r)
	if all[0].Rank() != "1" || nameOf(all[0]) != "a" {
		t.Errorf("rank %s: %s", all[0].Rank(), nameOf(all[0]))
	}
}

func TestNumbers(t *testing.T) {
	metric := func(mean, low, high float64) sim.Metric { return sim.Metric{Mean: &mean, Low: &low, High: &high} }
	for _, c := range []struct{ what, got, want string }{
		{"three digits", mean(metric(19.5632, 19.562, 19.564), 1), "19.6"},
		{"what the interval supports", mean(metric(19.5632, 16, 23), 1), "20"},
		{"one more where that is 1", mean(metric(1.952, 1.85, 2.05), 1), "1.95"},
		{"whole in every run", mean(metric(10, 10, 10), 1), "10"},
		{"thousands", mean(metric(94360, 94300, 94420), 1), "94" + thinSpace + "360"},
		{"four digits stay together", mean(metric(9436, 9416, 9456), 1), "9436"},
		{"one run", mean(sim.Metric{Mean: new(1.23456)}, 1), "1.23"},
		{"one run, whole", mean(sim.Metric{Mean: new(7.0)}, 1), "7"},
		{"some is not none", mean(metric(0.45, -5, 6), 1), "0.45"},
		{"none", mean(sim.Metric{}, 1), "–"},
		{"interval", interval(metric(19.5632, 19.43, 19.69), 1, 0, math.Inf(1)), "19.43 to 19.69"},
		{"interval of equals", interval(metric(10, 10, 10), 1, 0, math.Inf(1)), "in every run"},
		{"no interval", interval(sim.Metric{Mean: new(1.0)}, 1, 0, 1), ""},
		{"an interval ends where the figure does", interval(metric(0.12, -0.04, 0.28), 1, 0, math.Inf(1)), "0.00 to 0.28"},
		{"all", percent(metric(1, 1, 1)), "100"},
		{"nearly all", percent(metric(0.9996, 0.999, 1)), "99.96"},
		{"all but a few", percent(metric(0.99999, 0.9999, 1)), ">99.99"},
		{"hardly any", percent(metric(0.0004, 0, 0.001)), "0.04"},
		{"next to none", percent(metric(0.00001, 0, 0.001)), "<0.01"},
		{"none at all", percent(metric(0, 0, 0)), "0"},
		{"seconds", seconds(19.56), "19.6" + nbsp + "s"},
		{"minutes", seconds(150), "2.5" + nbsp + "min"},
		{"hours", seconds(2 * 3600), "2" + nbsp + "h"},
		{"just below two minutes", seconds(119), "119" + nbsp + "s"},
		{"a time with its interval", timed(metric(0.2512, 0.2502, 0.2522)), "251" + nbsp + "ms"},
		{"a time in minutes, as its interval supports", timed(metric(600, 570, 630)), "10.0" + nbsp + "min"},
		{"milliseconds", seconds(0.25), "250" + nbsp + "ms"},
		{"a second is not 1000 ms", seconds(0.9996), "1" + nbsp + "s"},
		{"no trailing zeros", brief(2.50), "2.5"},
		{"rounds up a digit", brief(9.996), "10"},
		{"minus", numeral(-1.5, 1), "−1.5"},
		{"minus nothing", numeral(-0.01, 1), "0.0"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}

func TestStripsShareTheirAxes(t *testing.T) {
	sc := sim.Default() // capacity 200 a second, bins of 250 ms: 50 a bin are 1×
	r := &sim.Result{Scenario: sc, Results: []sim.PolicyResult{
		{Policy: sc.Policies[0], Run: sim.FirstRun{
			BinSeconds: 0.25, Arrivals: []int64{1000, 0, 200, 50}, Served: []int64{0, 0, 50, 50}, Succeeded: make([]int64, 4),
			Refused: []int64{1000, 0, 150, 0}, TimedOut: make([]int64, 4), Down: []sim.Span{{From: 0, To: 0.5, Why: "outage"}},
		}},
		{Policy: sc.Policies[1], Run: sim.FirstRun{BinSeconds: 0.25, Arrivals: []int64{50}, Served: []int64{50}, Refused: []int64{0}, TimedOut: []int64{0}}},
	}}
	a := newStrips(r)
	if a.end != 1 || a.columns() != 4 || a.top != 4 {
		t.Fatalf("the time ends at %v s in %d columns, the load at %v×; want 1 s, 4, 4×: 200 in a bin while up", a.end, a.columns(), a.top)
	}
	first := a.strip(&r.Results[0])
	// 98·√(load/4) high: 0, 0, 49 and 49 of 100 served.
	if want := "M0 100h2V51h2V100H0Z"; first.Served != want {
		t.Errorf("served %s, want %s", first.Served, want)
	}
	// The first column, 20×, is cut at the top and says so; the third is 4×.
	if want := "M0 2h1V100h1V2h1V51h1V100H0Z"; first.Refused != want {
		t.Errorf("served and refused %s, want %s", first.Refused, want)
	}
	if first.Cut.Label != "↑20×" || first.Cut.At != "25%" {
		t.Errorf("cut at %s: %s", first.Cut.At, first.Cut.Label)
	}
	if d := first.Down; len(d) != 1 || d[0].X != "0%" || d[0].Width != "50%" {
		t.Errorf("down %v, want the first half", d)
	}
	if axis := a.loadAxis(); axis.Capacity != "51%" {
		t.Errorf("the line at 1 is at %s, want 51%%", axis.Capacity)
	}
	second := a.strip(&r.Results[1])
	if want := "M0 51h1V100"; second.Arrivals != want || second.Cut.Label != "" {
		t.Errorf("arrivals %s cut %v, want %s and none", second.Arrivals, second.Cut, want)
	}
}

func TestStripsKeepPeaksAndSums(t *testing.T) {
	sc := sim.Default()
	run := sim.FirstRun{}
	for i := range 4001 { // more bins than columns
		n := int64(i % 2)
		if i == 3333 {
			n = 500
		}
		run.Arrivals = append(run.Arrivals, n)
	}
	run.Served, run.Refused, run.TimedOut = run.Arrivals, make([]int64, 4001), make([]int64, 4001)
	r := &sim.Result{Scenario: sc, Results: []sim.PolicyResult{{Policy: sc.Policies[0], Run: run}}}
	a := newStrips(r)
	s := a.strip(&r.Results[0])
	if s.Columns > maxColumns || !strings.Contains(s.Arrivals, "V2h1V") {
		t.Errorf("the peak is lost in %d columns: %s", s.Columns, s.Arrivals)
	}
	sum := 0
	for _, row := range a.spanRows(&r.Results[0])[:1] {
		for _, v := range row.Values {
			n := 0
			for _, d := range v {
				if d >= '0' && d <= '9' {
					n = n*10 + int(d-'0')
				}
			}
			sum += n
		}
	}
	if sum != 2000-1+500 { // 2000 odd bins, one of which holds 500
		t.Errorf("the table sums up to %d", sum)
	}
}

func TestMarksDiffer(t *testing.T) {
	seen := map[string]int{}
	for i := range maxRows {
		m := markOf(i)
		key := strings.Join([]string{string(rune('0' + m.Colour)), m.Shape, m.Dash}, " ")
		if j, ok := seen[key]; ok {
			t.Errorf("places %d and %d look the same", j, i)
		}
		seen[key] = i
		if j := (i + colours) % maxRows; i < j && markOf(j).Colour == m.Colour && markOf(j).Shape == m.Shape {
			t.Errorf("places %d and %d differ in their dash alone", i, j)
		}
	}
}

func TestSettledRows(t *testing.T) {
	p, err := strategies.ParseText("exponential,base=100ms,cap=10s,jitter=full")
	must(t, err)
	rows := sim.PolicyResult{Policy: p}
	for _, row := range p.Compile().Delays(20) {
		rows.Delays = append(rows.Delays, sim.DelayRow{DelayRow: row, Observed: &strategies.Quantiles{Count: 1}})
	}
	// 0.1·2^(n−1) reaches 10 s at n = 8.
	if n := settled(drawn(standing{PolicyResult: &rows})); n != 8 {
		t.Errorf("settled at retry %d, want 8", n)
	}
	rows.Policy.MaxAttempts = 3
	for i := range rows.Delays {
		rows.Delays[i].Observed = nil
	}
	if n := len(drawn(standing{PolicyResult: &rows})); n != 2 {
		t.Errorf("%d rows for 3 attempts, want 2", n)
	}
}
