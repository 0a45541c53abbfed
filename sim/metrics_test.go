package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// TestOrderStatistics compares with sorting, for few times and many, spread out and alike.
func TestOrderStatistics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 2, 100, 4096, 4097, 20_000}).Draw(t, "n")
		most := rapid.Int64Range(1, math.MaxInt64).Draw(t, "most") >> rapid.IntRange(0, 62).Draw(t, "shift")
		skew := rapid.IntRange(1, 4).Draw(t, "skew")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		times := make([]int64, n)
		for i := range times {
			times[i] = int64(float64(most) * math.Pow(r.Float64(), float64(skew)*float64(skew)))
		}
		ranks := []int{-1, n, 0, n - 1, n / 2, n / 2}
		for range 4 {
			ranks = append(ranks, r.IntN(n+1))
		}
		sorted := slices.Sorted(slices.Values(times))
		for i, got := range orderStatistics(times, ranks) {
			want := int64(0)
			if rank := ranks[i]; rank >= 0 && rank < n {
				want = sorted[rank]
			}
			if got != want {
				t.Errorf("rank %d of %d is %d, want %d", ranks[i], n, got, want)
			}
		}
	})
}

// TestQuantiles has values of R 4: quantile(c(1, 2, 3, 4, 10), p) and quantile(c(0.5, 2), p), whose default is type 7.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct{ p, five, two float64 }{
		{0, 1, 0.5}, {0.1, 1.4, 0.65}, {0.25, 2, 0.875}, {0.5, 3, 1.25}, {0.9, 7.6, 1.85}, {0.99, 9.76, 1.985}, {1, 10, 2},
	} {
		five, two := type7([]float64{1, 2, 3, 4, 10}, c.p), type7([]float64{0.5, 2}, c.p)
		if math.Abs(five-c.five) > 1e-12 || math.Abs(two-c.two) > 1e-12 {
			t.Errorf("quantiles %v are %v and %v, want %v and %v", c.p, five, two, c.five, c.two)
		}
	}
}

// TestCompletion gives ten clients, of whom one worker serves one every 10 ms, their quantiles: of the successes 10, 20,
// … ms by type 7, and of all requests by rank.
func TestCompletion(t *testing.T) {
	server := `"workers": 1, "serviceTime": {"kind": "constant", "mean": "10ms"}, "queue": %d`
	document := `{"horizon": "1s", "clients": {"count": 10, "workload": {"kind": "burst"}}, "server": {` + server + `},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "maxAttempts": 1}]}`
	wantMetrics(t, small(t, fmt.Sprintf(document, 9)), map[string]any{
		"completion.mean": 0.055, "completion.p50": 0.055, "completion.p90": 0.091, "completion.p99": 0.0991, "completion.max": 0.1,
		"within.p50": 0.05, "within.p90": 0.09, "within.p99": 0.1, "drain": 0.1, "settle": 0.0, "goodput": 100.0, "idle": 0.0,
	})
	wantMetrics(t, small(t, fmt.Sprintf(document, 4)), map[string]any{ // five are turned away
		"successRate": 0.5, "completion.mean": 0.03, "completion.p50": 0.03, "completion.p90": 0.046, "completion.max": 0.05,
		"within.p50": 0.05, "within.p90": nil, "within.p99": nil, "drain": 0.05, "goodput": 100.0, "refused": 5.0, "peakLoad": 10.0, "overshoot": 0.1,
	})
}

// TestAfterRecovery: what is measured from the end of the first outage.
func TestAfterRecovery(t *testing.T) {
	document := `{"horizon": "1s", "bin": "10ms", "clients": {"count": 2, "workload": {"kind": "burst"}},
		"network": {"latency": {"kind": "constant", "mean": "1ms"}}, "server": {"outages": [{"start": "0s", "end": %q}]},
		"policies": [{"schedule": {"kind": "constant", "base": "98ms"}, "maxAttempts": %d}]}`
	wantMetrics(t, small(t, fmt.Sprintf(document, "150ms", 0)), map[string]any{ // arrive at 1, 101 and 201 ms
		"drain": 0.052, "settle": 0.0, "peakLoad": 6.0, "recoveryPeak": 2.0, "downtime": 0.15, "goodput": 2 / 0.202, "dispersion": nil})
	wantMetrics(t, small(t, fmt.Sprintf(document, "300ms", 2)), map[string]any{ // all fail before it recovers
		"drain": 0.0, "settle": 0.0, "recoveryPeak": 0.0, "failed.attempts": 2.0, "goodput": 0.0, "completion.mean": nil})
	wantMetrics(t, small(t, fmt.Sprintf(document, "1s", 0)), map[string]any{ // never recovers
		"drain": nil, "settle": nil, "recoveryPeak": nil, "overshoot": nil, "pending": 2.0, "downtime": 1.0})
}

// TestDispersion: 36/(2·9·1) by hand; and 1 for a Poisson sequence of 200 000, to within 4 times the estimator's relative
// standard deviation of about √(3/m) (J. von Neumann, Distribution of the ratio of the mean square successive difference
// to the variance, 1941).
func TestDispersion(t *testing.T) {
	if got := dispersion([]int64{0, 2, 0, 2, 0, 2, 0, 2, 0, 2}); got != 2 {
		t.Errorf("%v, want 2", got)
	}
	if got := dispersion(make([]int64, 9)); !math.IsNaN(got) {
		t.Errorf("%v of nine bins", got)
	}
	const m = 200_000
	poisson := distuv.Poisson{Lambda: 50, Src: rand.NewPCG(1, 1)}
	x := make([]int64, m)
	for i := range x {
		x[i] = int64(poisson.Rand())
	}
	if got := dispersion(x); math.Abs(got-1) > 4*math.Sqrt(3./m) {
		t.Errorf("%v, want 1", got)
	}
}

// TestInterval has 95 % intervals by Student's t: 1, 2, 3 have the mean 2 and t(2) = 4.302653 standard errors of 1/√3.
func TestInterval(t *testing.T) {
	mean, low, high := interval([]float64{1, 2, 3})
	half := 4.30265272974946 / math.Sqrt(3)
	if *mean != 2 || math.Abs(*low-(2-half)) > 1e-9 || math.Abs(*high-(2+half)) > 1e-9 {
		t.Errorf("%v, %v, %v", *mean, *low, *high)
	}
	if mean, low, high := interval([]float64{7}); *mean != 7 || low != nil || high != nil {
		t.Errorf("one value: %v, %v, %v", *mean, low, high)
	}
	if mean, low, high := interval(nil); mean != nil || low != nil || high != nil {
		t.Errorf("no value: %v, %v, %v", mean, low, high)
	}
}

// TestRecoveredEdge: of a burst exactly 99 % must be served; of other traffic 95 % of what is created in the last
// quarter, whatever came before.
func TestRecoveredEdge(t *testing.T) {
	for _, c := range []struct {
		kind             string
		requests, served int64
		offered, carried int64
		want             float64
	}{
		{Burst, 200, 198, 0, 0, 1}, {Burst, 200, 197, 100, 100, 0}, {Burst, 0, 0, 0, 0, math.NaN()}, // its one client comes after the end
		{Open, 1000, 300, 100, 95, 1}, {Open, 1000, 300, 100, 94, 0}, {Closed, 1000, 999, 0, 0, math.NaN()},
	} {
		g := &group{workload: Workload{Kind: c.kind}, tally: tally{requests: c.requests, completions: make([]int64, c.served), offered: c.offered, carried: c.carried}}
		if got := g.recovered(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// One a second from 0 to 39 s, served at once but for those of the last 10 s, or of 29 s to 30 s alone.
	document := `{"horizon": "40s", "clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant", "mean": "1s"}}},
		"server": {"outages": [{"start": %q, "end": %q}]}, "policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 1}]}`
	wantMetrics(t, small(t, fmt.Sprintf(document, "29500ms", "41s")), map[string]any{"recovered": 0.0})
	wantMetrics(t, small(t, fmt.Sprintf(document, "3s", "30s")), map[string]any{"recovered": 1.0})
	wantMetrics(t, small(t, fmt.Sprintf(document, "3s", "30001ms")), map[string]any{"recovered": 0.0}) // 9 of 10
}

// TestMissingInSomeReplications: a metric's mean is over the replications in which it exists, and says so.
func TestMissingInSomeReplications(t *testing.T) {
	metrics, warnings := summarize([]measurements{{{"x", 1}}, {{"x", math.NaN()}}, {{"x", 3}}}, true)
	m := metrics.Get("x")
	if *m.Mean != 2 || len(m.Values) != 3 || m.Values[1] != nil || len(warnings) != 1 {
		t.Errorf("%+v, %q", m, warnings)
	}
}
