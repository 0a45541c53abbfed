package sim

// What holds in every run, whatever the scenario.

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// TestMain lets every property hold for 1000 random scenarios, 50 of them with -short (where rapid takes a fifth), and
// for the same ones each time, so that a change and not chance decides whether tests pass. The command line may say
// otherwise: -rapid.checks, and -rapid.seed=0 for new scenarios.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	checks := "1000"
	if testing.Short() {
		checks = "250"
	}
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.seed": "1"} {
		if !given[name] {
			flag.Set(name, value)
		}
	}
	os.Exit(m.Run())
}

func randomScenario(t *rapid.T) *Scenario {
	document := simtest.Scenario(t, spec.Kinds(Distributions))
	s, err := ParseScenario(document)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", document)
	return s
}

// runAll runs a scenario with every replication's values and a trace of everybody.
func runAll(t tester, s *Scenario) *Result {
	t.Helper()
	result, err := Runner{Values: true, Trace: s.Clients.Count, Nodes: true, traceAll: true}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestProperties runs random scenarios and holds their results to what must be so.
func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := randomScenario(t)
		result := runAll(t, s)
		notTooLow(t, s, result)
		for _, r := range result.Results {
			p := property{t, s, r}
			p.conservation()
			p.order()
			p.sums()
			p.bounds()
			p.serverTrace()
			p.causes()
			p.guards()
			p.nothingServedWhileDown()
			p.nodes()
			p.admitted()
		}
	})
}

// property is what the checks of one policy's result need.
type property struct {
	t *rapid.T
	s *Scenario
	r PolicyResult
}

func (p property) errorf(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(p.r.Policy.ID+": "+format, args...)
}

// value returns a metric in a replication, NaN if it does not exist.
func (p property) value(name string, k int) float64 {
	if v := p.r.Metrics.Get(name).Values[k]; v != nil {
		return *v
	}
	return math.NaN()
}

// conservation: no request and no attempt is lost or made up.
func (p property) conservation() {
	for k := range p.s.Replications {
		v := func(name string) float64 { return p.value(name, k) }
		ended := v("succeeded")
		for _, reason := range reasonNames {
			ended += v("failed." + reason)
		}
		if v("requests") != ended+v("pending") || v("pending") < 0 {
			p.errorf("%v requests, of which %v ended and %v are pending", v("requests"), ended, v("pending"))
		}
		inFlight := v("attempts") - v("succeeded") - v("refused") - v("timedOut")
		if inFlight < 0 || inFlight > v("pending") {
			p.errorf("%v attempts in flight for %v pending requests", inFlight, v("pending"))
		}
		refused := 0.0
		for _, class := range strategies.ClassNames() {
			if class != "timeout" {
				refused += v("refused." + class)
			}
		}
		if refused != v("refused") {
			p.errorf("%v refused, but %v by class", v("refused"), refused)
		}
	}
}

// order: percentiles rise, and a mean is that of its values and lies within its interval.
func (p property) order() {
	rising := func(what string, values ...float64) {
		values = slices.DeleteFunc(values, math.IsNaN)
		for i := 1; i < len(values); i++ {
			if values[i] < values[i-1]-1e-9*math.Abs(values[i]) {
				p.errorf("%s: %v", what, values)
			}
		}
	}
	for k := range p.s.Replications {
		v := func(name string) float64 { return p.value(name, k) }
		rising("completion", 0, v("completion.p50"), v("completion.p90"), v("completion.p99"), v("completion.max"))
		rising("within", 0, v("within.p50"), v("within.p90"), v("within.p99"), v("completion.max"))
		rising("peaks", v("recoveryPeak"), v("peakLoad"))
	}
	for _, m := range p.r.Metrics {
		sum, n := 0.0, 0.0
		for _, v := range m.Values {
			if v != nil {
				sum, n = sum+*v, n+1
			}
		}
		if (m.Mean == nil) != (n == 0) || m.Mean != nil && math.Abs(*m.Mean-sum/n) > 1e-9*math.Abs(*m.Mean) {
			p.errorf("%s: the mean of %d values is %s, want %v", m.Name, len(m.Values), show(m.Mean), sum/n)
		}
		if m.Low != nil {
			rising(m.Name, *m.Low, *m.Mean, *m.High)
		}
	}
	for _, d := range p.r.Delays {
		if q := d.Observed; q != nil {
			rising("observed delays", d.Exact.Min-1e-9, q.Min, q.P5, q.P25, q.P50, q.P75, q.P95, q.Max, d.Exact.Max+1e-9)
			rising("observed mean", q.Min, q.Mean, q.Max)
		}
	}
	for i := range p.r.Series.Arrivals {
		rising("arrivals", p.r.Series.ArrivalsP10[i], p.r.Series.ArrivalsP90[i])
	}
}

// sums: what the first run's bins count is what its metrics count.
func (p property) sums() {
	run := &p.r.Run
	total := func(x []int64) (sum float64) {
		for _, n := range x {
			sum += float64(n)
		}
		return sum
	}
	for name, bins := range map[string][]int64{"succeeded": run.Succeeded, "refused": run.Refused, "timedOut": run.TimedOut} {
		if got, want := total(bins), p.value(name, 0); got != want {
			p.errorf("%s: %v in bins, %v in all", name, got, want)
		}
	}
	arrived := 0.0
	for _, t := range p.r.Trace.ArrivedSeconds {
		if t != nil {
			arrived++
		}
	}
	if len(p.s.Clients.Others) == 0 && arrived != total(run.Arrivals) {
		p.errorf("%v arrivals in bins, %v in the trace", total(run.Arrivals), arrived)
	}
	notSent := 0
	for _, outcome := range p.r.Trace.Outcome {
		if outcome == "notSent" {
			notSent++
		}
	}
	if float64(notSent) != p.value("notSent", 0) || float64(len(p.r.Trace.Attempt)-notSent) != p.value("attempts", 0) {
		p.errorf("%v attempts and %v not sent, %d and %d in the trace",
			p.value("attempts", 0), p.value("notSent", 0), len(p.r.Trace.Attempt)-notSent, notSent)
	}
}

// serverTrace: the changes of what the server is at integrate to the series, and every attempt in service is among them.
func (p property) serverTrace() {
	log, run, horizon := p.r.Trace.Server, &p.r.Run, p.s.Horizon.Seconds()
	if p.s.Server.Kind == OCC {
		return
	}
	for name, c := range map[string]struct {
		level []int
		bins  []float64
	}{"inService": {log.InService, run.InService}, "queue": {log.Queue, run.Queue}} {
		sums := make([]float64, len(c.bins)+1)
		for i, at := range log.AtSeconds {
			until := horizon
			if i+1 < len(log.AtSeconds) {
				until = log.AtSeconds[i+1]
			}
			for bin := int(at / run.BinSeconds); bin < len(c.bins) && c.level[i] != 0; bin++ {
				from, to := max(at, float64(bin)*run.BinSeconds), min(until, float64(bin+1)*run.BinSeconds)
				if from >= until {
					break
				}
				sums[bin] += float64(c.level[i]) * max(0, to-from)
			}
		}
		for bin, mean := range c.bins {
			width := min(horizon, float64(bin+1)*run.BinSeconds) - float64(bin)*run.BinSeconds
			if got := sums[bin] / width; math.Abs(got-mean) > 1e-6*(1+mean) {
				p.errorf("%s in bin %d is %v by the trace, %v in the series", name, bin, got, mean)
				return
			}
		}
	}
	for i, busy := range log.Busy {
		if busy < log.InService[i] || p.s.Server.Workers > 0 && busy > p.s.Server.Workers*p.s.Server.Nodes.Count {
			p.errorf("%d workers are busy with %d in service", busy, log.InService[i])
		}
	}
}

// bounds: no more in service than there are workers, no more in the queue than there are places.
func (p property) bounds() {
	for i := range p.r.Run.Queue {
		const slack = 1 + 1e-9
		nodes := p.s.Server.Nodes.Count
		if n := p.r.Run.InService[i]; n < 0 || p.s.Server.Workers > 0 && n > float64(p.s.Server.Workers*nodes)*slack {
			p.errorf("%v in service in bin %d, with %d times %d workers", n, i, nodes, p.s.Server.Workers)
		}
		if n := p.r.Run.Queue[i]; n < 0 || n > float64(p.s.Server.Queue*nodes)*slack {
			p.errorf("%v in the queue in bin %d, of %d times %d places", n, i, nodes, p.s.Server.Queue)
		}
		if n := p.r.Run.Waiting[i]; n < 0 || n > p.value("requests", 0)*slack {
			p.errorf("%v waiting in bin %d, of %v requests", n, i, p.value("requests", 0))
		}
	}
}

// causes: an attempt leaves before it arrives before it is answered, and a retry leaves no sooner after its failure
// than the shortest delay.
func (p property) causes() {
	t := p.r.Trace
	compiled := p.r.Policy.Compile()
	const slack = 1e-9
	type key struct {
		client  int
		attempt int64
	}
	failed := map[key]float64{} // when each client last saw its attempt of that number fail
	for i, left := range t.LeftSeconds {
		arrived, seen := t.ArrivedSeconds[i], t.SeenSeconds[i]
		if arrived != nil && *arrived < left || seen != nil && *seen < left {
			p.errorf("attempt %d left at %v, arrived at %s, was seen at %s", t.Attempt[i], left, show(arrived), show(seen))
		}
		if t.Outcome[i] != "timeout" && t.Outcome[i] != "notSent" && seen != nil && (arrived == nil || *seen < *arrived) {
			p.errorf("attempt %d arrived at %s and was answered at %v", t.Attempt[i], show(arrived), *seen)
		}
		if p.s.Clients.Workload.Kind == Open {
			continue // a client can have several requests at a time
		}
		if n := t.Attempt[i] - 1; n > 0 {
			shortest, _ := compiled.Bounds(n)
			if p.r.Policy.RetryAfter == strategies.FloorJitter || p.r.Policy.RetryAfter == strategies.ClampHint {
				shortest = 0
			}
			if cause, ok := failed[key{t.Client[i], n}]; !ok || left < cause+seconds(shortest)-slack {
				p.errorf("attempt %d left at %v, after a failure at %v", n+1, left, cause)
			}
		}
		if seen != nil {
			failed[key{t.Client[i], t.Attempt[i]}] = *seen
		}
	}
}

// guards: nothing is stopped or refused that no guard can have stopped or refused, and no budget holds less than nothing
// or more than its most.
func (p property) guards() {
	policy := p.r.Policy
	for k := range p.s.Replications {
		v := func(name string) float64 { return p.value(name, k) }
		for name, possible := range map[string]bool{
			"notSent":          policy.Breaker.Kind != "" || policy.Throttle.Kind != "",
			"failed.breaker":   policy.Breaker.Kind != "" && !policy.NewBreaker().Wait,
			"failed.throttled": policy.Throttle.Kind != "",
			"failed.budget":    policy.Budget.Kind != "",
		} {
			if v(name) != 0 && !possible {
				p.errorf("%s is %v", name, v(name))
			}
		}
	}
	processes := float64(processes(p.s.Clients.Count, p.s.Clients.ClientsPerProcess))
	for i, n := range p.r.Run.BreakersOpen {
		if n < 0 || n > processes*(1+1e-9) {
			p.errorf("%v of %v breakers open in bin %d", n, processes, i)
		}
	}
	if b := policy.NewBudget(); b != nil {
		most := float64(b.Most) / strategies.Token * (1 + 1e-9)
		for i, n := range append(p.r.Run.Tokens, p.r.Series.Tokens...) {
			if n < 0 || n > most {
				p.errorf("%v tokens left in bin %d, of at most %v", n, i, most)
			}
		}
	}
}

// nothingServedWhileDown: no attempt that arrives while the server is down succeeds, and bins of being down are empty. (One
// that begins with it need not be: services of that instant end first.)
func (p property) nothingServedWhileDown() {
	const slack = 1e-9 // seconds; the edges of bins are rounded
	t, run := p.r.Trace, &p.r.Run
	for _, down := range run.Down {
		for i, arrived := range t.ArrivedSeconds {
			if t.Outcome[i] == "ok" && *arrived >= down.From && *arrived < down.To && down.Why == "outage" {
				p.errorf("an attempt that arrived at %v was served, although down from %v to %v", *arrived, down.From, down.To)
			}
		}
		for i := range run.Served {
			from, to := float64(i)*run.BinSeconds, float64(i+1)*run.BinSeconds
			if down.From < from-slack && to <= down.To && (run.Served[i] > 0 || run.InService[i] > 0 || run.Queue[i] > 0) {
				p.errorf("work from %v to %v, although down from %v to %v", from, to, down.From, down.To)
			}
		}
	}
}

// nodes: none loses an attempt, answers more than it was sent, or serves while it is down; and all together are the server.
func (p property) nodes() {
	run := &p.r.Run
	if n := p.s.Server.Nodes.Count; len(run.Nodes) != n && n > 1 {
		p.errorf("%d of %d nodes listed", len(run.Nodes), n)
	}
	sum := func(counts func(NodeRun) []int64, upTo int) (n int64) {
		for _, nd := range run.Nodes {
			for _, v := range counts(nd)[:upTo] {
				n += v
			}
		}
		return n
	}
	arrivals := func(nd NodeRun) []int64 { return nd.Arrivals }
	served := func(nd NodeRun) []int64 { return nd.Served }
	for number, nd := range run.Nodes {
		most := int64(math.MaxInt64)
		if p.s.Server.Workers > 0 {
			most = int64(p.s.Server.Workers + p.s.Server.Queue)
		}
		held := int64(0)
		for i := range nd.Arrivals {
			if held += nd.Arrivals[i] - nd.Served[i] - nd.Refused[i]; held < 0 || held > most {
				p.errorf("node %d holds %d attempts after bin %d, and has room for %d", number, held, i, most)
			}
			for _, down := range nd.Down {
				const slack = 1e-9
				from, to := float64(i)*run.BinSeconds, float64(i+1)*run.BinSeconds
				if down.From < from-slack && to <= down.To && nd.Arrivals[i]+nd.Served[i]+nd.Refused[i] > 0 {
					p.errorf("node %d works from %v to %v, although down from %v to %v", number, from, to, down.From, down.To)
				}
			}
		}
	}
	if len(run.Nodes) == 0 {
		return
	}
	for i := range run.Served {
		if i < len(run.Nodes[0].Served) && sum(served, i+1)-sum(served, i) != run.Served[i] {
			p.errorf("the nodes serve %d in bin %d, the server %d", sum(served, i+1)-sum(served, i), i, run.Served[i])
		}
		if i < len(run.Nodes[0].Served) && sum(arrivals, i+1)-sum(arrivals, i) > run.Arrivals[i] {
			p.errorf("%d arrive at nodes in bin %d, at the server %d", sum(arrivals, i+1)-sum(arrivals, i), i, run.Arrivals[i])
		}
	}
}

// admitted: the rate limit lets through no more than it says, in any of its windows, or in any span of time by which its
// bucket can fill.
func (p property) admitted() {
	limit := p.s.Server.RateLimit
	if limit == nil || p.s.Server.Kind == OCC {
		return
	}
	var times []float64
	for i, arrived := range p.r.Trace.ArrivedSeconds {
		switch p.r.Trace.Outcome[i] {
		case "ok", "overloaded", "transient", "permanent":
			times = append(times, *arrived)
		}
	}
	slices.Sort(times)
	counts := map[int64]int64{}
	for i, t := range times {
		if limit.Kind == FixedWindow {
			window := int64(math.Round(t*1e9)) / int64(limit.Window)
			if counts[window]++; counts[window] > limit.Limit {
				p.errorf("%d admitted in window %d, with a limit of %d", counts[window], window, limit.Limit)
			}
			continue
		}
		for j := range i {
			if n, most := i-j+1, float64(limit.Burst)+limit.Rate*(t-times[j]); float64(n) > most+1e-6 {
				p.errorf("%d admitted from %v to %v, at a rate of %v and a burst of %d", n, times[j], t, limit.Rate, limit.Burst)
			}
		}
	}
}

// TestFastPathIsGeneralPath compares results byte by byte: clients followed through outages, or an event for every arrival.
func TestFastPathIsGeneralPath(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := randomScenario(t)
		trace := rapid.SampledFrom([]int{0, 0, 500}).Draw(t, "trace")
		fast := runBytes(t, Runner{Values: true, Trace: trace}, s)
		general := runBytes(t, Runner{Values: true, Trace: trace, general: true}, s)
		if !bytes.Equal(fast, general) {
			t.Errorf("fast:\n%s\ngeneral:\n%s", fast, general)
		}
	})
}

func runBytes(t tester, r Runner, s *Scenario) []byte {
	t.Helper()
	result, err := r.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
