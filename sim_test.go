// Package stampede_test holds the simulator to results that others published and to the laws of queues, as a user would
// see them: through package sim's public functions alone.
//
// Everything random here has fixed seeds, so a test that passes once passes always. Where a mean over replications is
// compared with a figure, the tolerance is 4 standard errors: of ours, as measured over the replications, and of the
// figure where it is itself a mean; a right engine would miss that once in 16 000 draws of seeds.
package stampede_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
)

const sigmas = 4

// parse reads a scenario.
func parse(t testing.TB, format string, args ...any) *sim.Scenario {
	t.Helper()
	document := fmt.Sprintf(format, args...)
	s, err := sim.ParseScenario([]byte(document))
	if err != nil {
		t.Fatalf("%s\n%v", document, err)
	}
	return s
}

// run runs a scenario with every replication's values.
func run(t testing.TB, s *sim.Scenario) *sim.Result {
	t.Helper()
	result, err := sim.Runner{Values: true}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// preset returns one of the scenarios that come with the program.
func preset(t testing.TB, id string) *sim.Scenario {
	t.Helper()
	for _, p := range sim.Presets() {
		if p.ID == id {
			return p.Scenario
		}
	}
	t.Fatalf("no preset %q", id)
	return nil
}

// values returns a metric's value in each replication, in which it must exist.
func values(t testing.TB, r sim.PolicyResult, metric string) []float64 {
	t.Helper()
	var x []float64
	for _, v := range r.Metrics.Get(metric).Values {
		if v == nil {
			t.Fatalf("%s: %s does not exist in some replication", r.Policy.ID, metric)
		}
		x = append(x, *v)
	}
	return x
}

// meanIs compares the mean of values with a figure that is known to within a standard error; where that is 0, closely
// enough to show an error of 2 %.
func meanIs(t testing.TB, what string, values []float64, want, standardError float64) {
	t.Helper()
	mean, sd := stat.MeanStdDev(values, nil)
	ours := sd / math.Sqrt(float64(len(values)))
	tolerance := sigmas * math.Hypot(ours, standardError)
	t.Logf("%s: %.5g ± %.2g, want %.5g ± %.2g", what, mean, ours, want, standardError)
	if standardError == 0 && tolerance > 0.02*want {
		t.Errorf("%s: the tolerance of %v would miss an error of 2 %%", what, tolerance)
	}
	if !(math.Abs(mean-want) <= tolerance) {
		t.Errorf("%s is %v, want %v within %v", what, mean, want, tolerance)
	}
}

// TestContention reproduces the figures of M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog (2015),
// as the mean and its standard error of the article's own program. Those of the times are 0.4 to 1.1 %, which is the
// limit of what they can show; those of the calls are 0.06 to 0.25 %.
func TestContention(t *testing.T) {
	simtest.PlainRunOnly(t)
	type figure struct{ value, standardError float64 }
	for _, c := range []struct {
		clients, replications int
		calls, milliseconds   []figure // by policy, in the preset's order
	}{
		{1, 1000, nil, slices.Repeat([]figure{{39.99, 0.1}}, 5)},
		{10, 1000,
			[]figure{{50.85, .09}, {50.72, .09}, {42.51, .06}, {39.09, .05}, {37.67, .05}},
			[]figure{{379.8, .8}, {3432, 29}, {723, 4}, {468, 2.5}, {435, 2}}},
		{100, 500,
			[]figure{{2422.7, 2.3}, {1854.7, 4.5}, {812.7, .5}, {796.2, .5}, {998.3, 2.1}},
			[]figure{{2027, 3}, {63545, 267}, {6548, 48}, {4889, 36}, {4721, 52}}},
	} {
		s := preset(t, "contention")
		s.Clients.Count = c.clients
		s.Replications = c.replications
		for i, r := range run(t, s).Results {
			what := fmt.Sprintf("N = %d, %s: ", c.clients, r.Policy.ID)
			if c.calls != nil {
				meanIs(t, what+"calls", values(t, r, "attempts"), c.calls[i].value, c.calls[i].standardError)
			}
			drain := values(t, r, "drain")
			for k := range drain {
				drain[k] *= 1e3
			}
			meanIs(t, what+"ms until all done", drain, c.milliseconds[i].value, c.milliseconds[i].standardError)
		}
	}
}

// TestContentionAlone: one client's write takes four hops of |Normal(10 ms, 2 ms)|: 40 ms, with a standard deviation of
// 4 ms (published: 4.02). Its standard error over n values is 4/√(2n).
func TestContentionAlone(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := preset(t, "contention")
	s.Clients.Count, s.Replications, s.Policies = 1, 1000, s.Policies[:1]
	if sd, want := 1e3*stat.StdDev(values(t, run(t, s).Results[0], "drain"), nil), 4.0; math.Abs(sd-want) > sigmas*want/math.Sqrt(2*float64(s.Replications)) {
		t.Errorf("standard deviation %v ms, want %v", sd, want)
	}
}

// TestOutage reproduces a published simulation of 1000 clients that are refused for 10 s, and then accepted 200 at a time in each
// second. Without jitter it leaves nothing to chance; with full jitter one run's number of attempts has a standard
// deviation of 26. The peak is over whole seconds, as published, so it is taken from the series.
func TestOutage(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := preset(t, "outage")
	s.Replications, s.Policies = 1, s.Policies[:2]
	runs := 200
	figures := make([]map[string][]float64, len(s.Policies))
	for i := range figures {
		figures[i] = map[string][]float64{}
	}
	for seed := range runs {
		s.Seed = uint64(seed)
		for i, r := range run(t, s).Results {
			f := figures[i]
			f["attempts"] = append(f["attempts"], values(t, r, "attempts")...)
			f["p99"] = append(f["p99"], values(t, r, "completion.p99")...)
			f["peak"] = append(f["peak"], float64(slices.Max(r.Run.Arrivals[10:])))
		}
	}
	exponential, full := figures[0], figures[1]
	meanIs(t, "no jitter: attempts", exponential["attempts"], 10000, 0)
	meanIs(t, "no jitter: peak after recovery", exponential["peak"], 1000, 0)
	rounded(t, "no jitter: p99", stat.Mean(exponential["p99"], nil), 52.7, 0.05)
	meanIs(t, "full jitter: attempts", full["attempts"], 9436, 26/math.Sqrt(float64(runs)))
	meanIs(t, "full jitter: peak after recovery", full["peak"], 179, 0.5/sigmas)
	rounded(t, "full jitter: p99", stat.Mean(full["p99"], nil), 19.0, 0.05)
}

// rounded compares a value with a figure that was published rounded.
func rounded(t *testing.T, what string, got, want, half float64) {
	t.Helper()
	if !(math.Abs(got-want) <= half) {
		t.Errorf("%s is %v, want %v rounded", what, got, want)
	}
}

// TestRetriesAtOnce: attempts that fail with probability p whatever the load, retried at once up to r times, succeed with
// probability 1 − p^(r+1) and make (1 − p^(r+1))/(1 − p) attempts. M. Brooker, "Fixing retries with token buckets and
// circuit breakers" (2022), has p = 0.1 and 0.3, with no and with three retries. Requests come for 9 s of 10, so that
// all of them end.
func TestRetriesAtOnce(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, p := range []float64{0.1, 0.3} {
		s := parse(t, `{"horizon": "10s", "replications": %d, "network": {"latency": {"kind": "exponential", "mean": "10ms"}},
			"clients": {"count": 100, "workload": {"kind": "open", "rate": 0, "surges": [{"start": "0s", "end": "9s", "rate": 1000}]}},
			"server": {"errors": {"transient": %v}},
			"policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 1}, {"schedule": {"kind": "immediate"}, "maxAttempts": 4}]}`,
			50, p)
		for i, retries := range []float64{0, 3} {
			r := run(t, s).Results[i]
			all := 1 - math.Pow(p, retries+1)
			what := fmt.Sprintf("p = %v, %v retries: ", p, retries)
			meanIs(t, what+"success", values(t, r, "successRate"), all, 0)
			meanIs(t, what+"load", values(t, r, "amplification"), all/(1-p), 0)
		}
	}
}

// TestRenewalFunction: full jitter on a constant schedule w in an endless outage makes e^(t/w) − 1 retries a client by
// t ≤ w: the renewal function of the uniform distribution (W. Feller, An Introduction to Probability Theory II, XI.3).
// The number by w has the variance 0.766, from E[N²] = m(t) + 2·∫ m(t−s) dm(s).
func TestRenewalFunction(t *testing.T) {
	simtest.PlainRunOnly(t)
	const clients = 200_000
	s := parse(t, `{"horizon": "1s", "bin": "100ms", "replications": 1, "clients": {"count": %d, "workload": {"kind": "burst"}},
		"server": {"outages": [{"start": "0s", "end": "1h"}]},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "full"}}]}`, clients)
	arrivals := run(t, s).Results[0].Run.Arrivals
	sum := int64(0)
	for i, n := range arrivals {
		sum += n
		by := float64(i+1) / 10
		retries := float64(sum)/clients - 1
		if want, tolerance := math.Exp(by)-1, sigmas*math.Sqrt(0.766/clients); math.Abs(retries-want) > tolerance {
			t.Errorf("%v retries by %v w, want %v within %v", retries, by, want, tolerance)
		}
	}
	if len(arrivals) != 10 {
		t.Errorf("%d bins", len(arrivals))
	}
}

// TestDecorrelatedInTheLongRun: decorrelated jitter on a constant base with a cap C settles at a share of delays exactly
// on C and a mean delay that solve its balance equation. Each client's delays 51 to 200 in an endless outage give one
// value of either.
func TestDecorrelatedInTheLongRun(t *testing.T) {
	simtest.PlainRunOnly(t)
	const skipped, kept = 50, 150
	const clients = 240 // as many as can be traced so far
	for _, c := range []struct{ ratio, atCap, mean float64 }{{100, 0.3148, 0.5272}, {60, 0.3388, 0.5620}, {10, 0.4833, 0.7366}} {
		s := parse(t, `{"horizon": "%vs", "replications": 1, "clients": {"count": %d, "workload": {"kind": "burst"}},
			"server": {"outages": [{"start": "0s", "end": "100h"}]},
			"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "cap": "%vs", "jitter": {"kind": "decorrelated"}, "maxAttempts": %d}]}`,
			(skipped+kept)*c.ratio+1, clients, c.ratio, skipped+kept+1)
		var atCap, mean []float64
		for seed := range 20 {
			s.Seed = uint64(seed)
			result, err := sim.Runner{Trace: clients}.Run(context.Background(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, waits := range waits(result.Results[0].Trace, clients) {
				waits = waits[skipped:]
				share := 0.0
				for _, w := range waits {
					if w > c.ratio-1e-6 { // a draw so near the cap has the odds of 1 to 10^8
						share += 1 / float64(len(waits))
					}
				}
				atCap, mean = append(atCap, share), append(mean, stat.Mean(waits, nil)/c.ratio)
			}
		}
		meanIs(t, fmt.Sprintf("C/base = %v: share at the cap", c.ratio), atCap, c.atCap, 0.00005)
		meanIs(t, fmt.Sprintf("C/base = %v: mean delay/C", c.ratio), mean, c.mean, 0.00005)
	}
}

// waits returns how long each client waited before each of its retries, where answers take no time.
func waits(trace *sim.Trace, clients int) [][]float64 {
	waits, last := make([][]float64, clients), make([]float64, clients)
	for i, client := range trace.Client {
		if trace.Attempt[i] > 1 {
			waits[client] = append(waits[client], trace.LeftSeconds[i]-last[client])
		}
		last[client] = trace.LeftSeconds[i]
	}
	return waits
}

// erlangC is the probability that an arrival has to wait for one of c workers at an offered load of a < c.
func erlangC(c int, a float64) float64 {
	b := erlangB(c, a)
	return b / (1 - a/float64(c)*(1-b))
}

// erlangB is the probability that an arrival finds all c workers busy and no room to wait.
func erlangB(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b
}

const queueingDocument = `{"horizon": "%vs", "replications": %d, "clients": {"count": 1, "workload": {"kind": "open", "rate": %v}},
	"server": {"workers": %d, "serviceTime": {"kind": "exponential", "mean": "1ms"}, "queue": %d},
	"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "maxAttempts": 1}]}`

// queueing runs Poisson arrivals that do not retry at c workers with exponential service of mean 1 ms, 20 000 of them in
// each replication: so many that starting empty shifts no mean by more than a hundredth of its tolerance.
func queueing(t *testing.T, c, queue int, load float64) sim.PolicyResult {
	t.Helper()
	return run(t, parse(t, queueingDocument, 20/load, 50, 1000*load, c, queue)).Results[0]
}

// blocking is the share of attempts turned away, replication by replication.
func blocking(t *testing.T, r sim.PolicyResult) []float64 {
	x := values(t, r, "refused.overloaded")
	for i, attempts := range values(t, r, "attempts") {
		x[i] /= attempts
	}
	return x
}

// TestErlangB: with no room to wait the server blocks with the probability of Erlang's first formula.
func TestErlangB(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, c := range []struct {
		workers int
		load    float64
	}{{1, 0.5}, {5, 4}, {20, 25}} {
		meanIs(t, fmt.Sprintf("%d workers, load %v: blocking", c.workers, c.load),
			blocking(t, queueing(t, c.workers, 0, c.load)), erlangB(c.workers, c.load), 0)
	}
}

// TestFiniteQueue: M/M/1/K, K = queue + 1 places, blocks with (1 − ρ)ρ^K/(1 − ρ^(K+1)); 1/(K+1) at ρ = 1.
func TestFiniteQueue(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, c := range []struct {
		queue     int
		load, all float64
	}{
		{1, 0.8, 0.2 * math.Pow(0.8, 2) / (1 - math.Pow(0.8, 3))},
		{4, 1, 1. / 6},
		{2, 1.5, 0.5 * math.Pow(1.5, 3) / (math.Pow(1.5, 4) - 1)},
	} {
		meanIs(t, fmt.Sprintf("queue of %d, load %v: blocking", c.queue, c.load), blocking(t, queueing(t, 1, c.queue, c.load)), c.all, 0)
	}
}

// TestBalancers: nodes of one worker each and no room to wait. Whoever knows which of them is idle makes one server of them,
// which blocks with Erlang's first formula for all workers; who sends attempts anywhere splits one Poisson process into many,
// and each node blocks with the formula for one, a/(1 + a).
func TestBalancers(t *testing.T) {
	simtest.PlainRunOnly(t)
	const nodes, load = 5, 4.0
	for balancer, want := range map[string]float64{"leastInFlight": erlangB(nodes, load), "random": load / nodes / (1 + load/nodes)} {
		s := parse(t, queueingDocument, 20/load, 50, 1000*load, 1, 0)
		s.Server.Nodes = sim.Nodes{Count: nodes, Balancer: balancer}
		meanIs(t, balancer+": blocking", blocking(t, run(t, s).Results[0]), want, 0)
	}
}

// TestErlangC: with endless room an attempt waits with probability C, Erlang's second formula; those that wait do so for
// an exponential time of rate cμ − λ. So a request takes 1/μ + C/(cμ − λ) on average, and longer than t with probability
// (1 − C)·e^(−μt) + C·(r·e^(−μt) − μ·e^(−rt))/(r − μ), r = cμ − λ.
func TestErlangC(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, x := range []struct {
		workers int
		load    float64
	}{{1, 0.5}, {2, 1}, {5, 3.5}} {
		r := queueing(t, x.workers, math.MaxInt32, x.load)
		wait := erlangC(x.workers, x.load)
		rate := float64(x.workers) - x.load
		what := fmt.Sprintf("%d workers, load %v: ", x.workers, x.load)
		milliseconds := func(metric string) []float64 {
			v := values(t, r, metric)
			for i := range v {
				v[i] *= 1e3
			}
			return v
		}
		meanIs(t, what+"mean ms", milliseconds("completion.mean"), 1+wait/rate, 0)
		longer := func(ms float64) float64 {
			if rate == 1 {
				return math.Exp(-ms) * (1 + wait*ms)
			}
			return (1-wait)*math.Exp(-ms) + wait*(rate*math.Exp(-ms)-math.Exp(-rate*ms))/(rate-1)
		}
		for name, p := range map[string]float64{"p50": 0.5, "p90": 0.9} {
			meanIs(t, what+name+" ms", milliseconds("completion."+name), root(func(ms float64) float64 { return longer(ms) - (1 - p) }), 0)
		}
	}
}

// root finds where a falling function of t in [0, 1000] is zero.
func root(f func(float64) float64) float64 {
	lo, hi := 0.0, 1000.0
	for range 60 {
		if mid := (lo + hi) / 2; f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// TestOpeningScenario holds the scenario that the page opens on to what 1000 replications of it gave, as means with their
// standard errors. With 20 replications the reader sees: every second, and un-jittered exponential, crash the server over
// and over and hardly anybody is served; ±10 % takes some crashes until the herd has spread; equal and full jitter bring
// everybody through without one, decorrelated mostly; with too short a cap full jitter does not, nor with three attempts.
func TestOpeningScenario(t *testing.T) {
	simtest.PlainRunOnly(t)
	type figure struct{ value, standardError float64 }
	for i, want := range []struct {
		policy                  string
		served, crashes, within figure
	}{
		{"every-second", figure{0.0298, 0.0004}, figure{10, 0}, figure{}},
		{"exponential", figure{0.0223, 0.0002}, figure{5, 0}, figure{}},
		{"exponential-percentage", figure{1, 0}, figure{1.943, 0.007}, figure{35.39, 0.07}},
		{"exponential-equal", figure{1, 0}, figure{0, 0}, figure{20.08, 0.01}},
		{"exponential-full", figure{1, 0}, figure{0, 0}, figure{19.64, 0.01}},
		{"decorrelated", figure{1, 0}, figure{0.191, 0.013}, figure{21.64, 0.09}},
		{"full-short-cap", figure{0.3008, 0.0009}, figure{9, 0}, figure{}},
		{"full-three", figure{0, 0}, figure{0, 0}, figure{}},
	} {
		s := sim.Default()
		s.Policies = s.Policies[i : i+1]
		s.Replications = 100 // the means' standard errors are then three times those of the figures below
		r := run(t, s).Results[0]
		if r.Policy.ID != want.policy {
			t.Fatalf("policy %d is %s, want %s", i, r.Policy.ID, want.policy)
		}
		meanIs(t, want.policy+": served", values(t, r, "successRate"), want.served.value, want.served.standardError)
		meanIs(t, want.policy+": crashes", values(t, r, "crashes"), want.crashes.value, want.crashes.standardError)
		if want.within.value > 0 {
			meanIs(t, want.policy+": 99 % served within", values(t, r, "within.p99"), want.within.value, want.within.standardError)
		} else if p99 := r.Metrics.Get("within.p99").Mean; p99 != nil {
			t.Errorf("%s: 99 %% served within %v s", want.policy, *p99)
		}
	}
}

// What a run promises beyond its figures: that nothing but the scenario decides them, that it stops when told, and that
// it keeps to its limits.

// encode runs a scenario and returns each policy's result as JSON, by id.
// TestFirstNodeBack holds the opening scenario's server as five nodes of four workers and eighty places each, which come up three
// seconds apart, to what 1000 replications gave. On one machine full jitter up to 10 s crashes nothing and serves 99 % within
// 19.6 s; here the first node back meets the whole herd, and 99 % take 47 s. Twice the patience takes a quarter of the crashes.
func TestFirstNodeBack(t *testing.T) {
	simtest.PlainRunOnly(t)
	type figure struct{ value, standardError float64 }
	for policy, want := range map[string]struct{ crashes, within figure }{
		"exponential-equal": {figure{4.369, 0.031}, figure{29.233, 0.039}},
		"exponential-full":  {figure{19.235, 0.256}, figure{47.011, 0.285}},
		"full-long-cap":     {figure{4.527, 0.028}, figure{38.742, 0.046}},
	} {
		s := preset(t, "first-node-back")
		s.Horizon = 5 * time.Minute
		s.Replications = 500 // runs differ a lot: a mean time is then known to 1 %, crashes to 2 %
		at := slices.IndexFunc(s.Policies, func(p strategies.Policy) bool { return p.ID == policy })
		s.Policies = s.Policies[at : at+1]
		r := run(t, s).Results[0]
		meanIs(t, policy+": served", values(t, r, "successRate"), 1, 0)
		meanIs(t, policy+": crashes", values(t, r, "crashes"), want.crashes.value, want.crashes.standardError)
		meanIs(t, policy+": 99 % served within", values(t, r, "within.p99"), want.within.value, want.within.standardError)
	}
}
