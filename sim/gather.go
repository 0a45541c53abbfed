package sim

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// What the replications of a policy come to: their sums, and at last its result.

// policyRun gathers the replications of one policy. All that it adds up are integers, so that their order is of no
// consequence.
type policyRun struct {
	policy      *strategies.Policy
	groups      []groupSpec
	bucketWidth int64
	processes   int  // of the clients under test
	tokenShift  uint // coarseness of their budgets
	result      PolicyResult

	mu       sync.Mutex
	left     int // replications still to come
	measured []measurements
	arrivals [][]int64 // by replication
	sums     finishedSeries
	first    finishedSeries
	scale    uint
	observed observedDelays
}

// groupSpec is what a group of clients is made from, for each replication.
type groupSpec struct {
	count      int
	perProcess int
	workload   Workload
	policy     *strategies.Policy
	compiled   *strategies.Compiled
	think      distribution // closed
}

func newGroupSpec(count, perProcess int, w Workload, p *strategies.Policy, c *strategies.Compiled) groupSpec {
	spec := groupSpec{count: count, perProcess: perProcess, workload: w, policy: p, compiled: c}
	if w.Kind == Closed {
		spec.think = compileDistribution(w.Think).tabulate()
	}
	return spec
}

func newPolicyRun(s *Scenario, policy *strategies.Policy) *policyRun {
	c := &s.Clients
	compiled := policy.Compile()
	p := &policyRun{policy: policy, groups: []groupSpec{newGroupSpec(c.Count, c.ClientsPerProcess, c.Workload, policy, compiled)},
		bucketWidth: s.bucketWidth(policy, compiled), left: s.Replications,
		measured: make([]measurements, s.Replications), arrivals: make([][]int64, s.Replications)}
	p.processes = processes(c.Count, c.ClientsPerProcess)
	if b := policy.NewBudget(); b != nil {
		p.tokenShift = coarseness(b, p.processes, s.Replications)
	}
	for _, o := range c.Others {
		own, ownCompiled := policy, compiled
		if o.Policy != nil {
			own, ownCompiled = o.Policy, o.Policy.Compile()
		}
		p.groups = append(p.groups, newGroupSpec(o.Count, c.ClientsPerProcess, o.Workload, own, ownCompiled))
	}
	p.resetObserved(&p.observed)
	return p
}

func (p *policyRun) resetObserved(o *observedDelays) {
	for n := range o {
		lo, hi := p.groups[0].compiled.Bounds(int64(n) + 1)
		o[n].reset(lo, hi, int64(p.policy.Cap))
	}
}

// add adds a replication and reports whether it was the last.
func (p *policyRun) add(e *engine, k int, m measurements) bool {
	series := e.series.finish()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.measured[k] = m
	p.arrivals[k] = series.counts[countArrivals]
	p.scale = e.series.scale
	for n := range p.observed {
		p.observed[n].merge(&e.observed[n])
	}
	p.sums.add(series)
	if k == 0 {
		p.first = series
		p.result.Run.Down = listSpans(e.server.spans, e.horizon)
		p.result.Run.Nodes = e.server.nodeRuns(e.horizon)
		if e.trace != nil {
			p.result.Trace = e.trace.trace()
		}
	}
	p.left--
	return p.left == 0
}

// add adds up series of different lengths.
func (f *finishedSeries) add(o finishedSeries) {
	for i := range f.counts {
		f.counts[i] = addTo(f.counts[i], o.counts[i])
	}
	for i := range f.levels {
		f.levels[i] = addTo(f.levels[i], o.levels[i])
	}
}

func addTo[T int64 | uint64](sum, x []T) []T {
	sum = append(sum, make([]T, max(0, len(x)-len(sum)))...)
	for i, v := range x {
		sum[i] += v
	}
	return sum
}

// finish makes the policy's result when all its replications are in.
func (p *policyRun) finish(ctx context.Context, r *run) {
	s := r.scenario
	res := &p.result
	res.Policy = *p.policy
	var warnings []string
	res.Metrics, warnings = summarize(p.measured, r.Values)
	if r.figures {
		return
	}
	res.Warnings = slices.Concat(r.warnings, p.policy.Warnings(), s.idleGuards(p.policy), pendingWarning(res.Metrics), res.cutShort(), warnings)
	width := s.Bin.Seconds()
	res.Run = FirstRun{BinSeconds: width, Down: res.Run.Down, Nodes: res.Run.Nodes,
		Arrivals: p.first.counts[countArrivals], Served: p.first.counts[countServed], Succeeded: p.first.counts[countSucceeded],
		Refused: p.first.counts[countRefused], TimedOut: p.first.counts[countTimedOut],
		Queue: p.average(s, p.first, levelQueue, 1), InService: p.average(s, p.first, levelInService, 1), Waiting: p.average(s, p.first, levelWaiting, 1),
		Guards: p.guards(s, p.first, 1)}
	n := s.Replications
	res.Series = MeanSeries{BinSeconds: width,
		Arrivals: perReplication(p.sums.counts[countArrivals], n), Served: perReplication(p.sums.counts[countServed], n),
		Succeeded: perReplication(p.sums.counts[countSucceeded], n), Refused: perReplication(p.sums.counts[countRefused], n),
		TimedOut: perReplication(p.sums.counts[countTimedOut], n),
		Queue:    p.average(s, p.sums, levelQueue, n), InService: p.average(s, p.sums, levelInService, n), Waiting: p.average(s, p.sums, levelWaiting, n),
		Guards: p.guards(s, p.sums, n)}
	res.Series.ArrivalsP10, res.Series.ArrivalsP90 = p.percentiles(len(p.sums.counts[countArrivals]))
	res.Delays = p.delays(ctx, r.SampleP95)
	p.measured, p.arrivals, p.sums, p.first = nil, nil, finishedSeries{}, finishedSeries{}
}

func pendingWarning(m Metrics) []string {
	pending, requests := m.Get("pending").Mean, m.Get("requests").Mean
	if pending == nil || *pending == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s requests were still pending at the horizon", tenths(*pending), tenths(*requests))}
}

// tenths prints a mean count.
func tenths(x float64) string { return spec.Format(math.Round(10*x) / 10) }

// cutShort warns of lists that have no room for more.
func (p *PolicyResult) cutShort() []string {
	var warnings []string
	if len(p.Run.Down) == maxDownSpans {
		warnings = append(warnings, fmt.Sprintf("only the first %d times that the server was down in the first run are listed", maxDownSpans))
	}
	if len(p.Run.Nodes) == maxListedNodes {
		warnings = append(warnings, fmt.Sprintf("only the first %d nodes are listed", maxListedNodes))
	}
	if p.Trace != nil && p.Trace.Cut() {
		warnings = append(warnings, fmt.Sprintf("only the first %d attempts are traced", maxTraced))
	}
	return warnings
}

func perReplication(sums []int64, n int) []float64 {
	means := make([]float64, len(sums))
	for i, v := range sums {
		means[i] = float64(v) / float64(n)
	}
	return means
}

// average turns the integrals of a level, summed over n replications, into its average over each bin's time.
func (p *policyRun) average(s *Scenario, f finishedSeries, level, n int) []float64 {
	averages := make([]float64, len(f.levels[level]))
	for i, v := range f.levels[level] {
		from := int64(i) * int64(s.Bin)
		width := (min(from+int64(s.Bin), int64(s.Horizon)) - from) >> p.scale
		averages[i] = float64(v) / float64(width) / float64(n)
	}
	return averages
}

// guards returns the series that are there with guards only.
func (p *policyRun) guards(s *Scenario, f finishedSeries, n int) (g Guards) {
	for i := levelOpen; i < numLevelSeries; i++ {
		f.levels[i] = f.levels[i][:min(len(f.counts[countArrivals]), len(f.levels[i]))]
	}
	if p.policy.Breaker.Kind != "" {
		g.BreakersOpen = p.average(s, f, levelOpen, n)
	}
	if p.policy.Budget.Kind != "" {
		g.Tokens = p.average(s, f, levelTokens, n)
		for i := range g.Tokens {
			g.Tokens[i] *= float64(int64(1)<<p.tokenShift) / 1000 / float64(p.processes)
		}
	}
	return g
}

// percentiles returns the 10th and the 90th percentile of arrivals over the replications, bin by bin, R's type 7.
func (p *policyRun) percentiles(bins int) (p10, p90 []float64) {
	p10, p90 = make([]float64, bins), make([]float64, bins)
	x := make([]float64, len(p.arrivals))
	for i := range bins {
		for k, arrivals := range p.arrivals {
			x[k] = 0
			if i < len(arrivals) {
				x[k] = float64(arrivals[i])
			}
		}
		slices.Sort(x)
		p10[i], p90[i] = type7(x, 0.1), type7(x, 0.9)
	}
	return p10, p90
}

// type7 returns a quantile of sorted values as R's type 7 does: linear between those around (n−1)·p.
func type7(sorted []float64, p float64) float64 {
	h := float64(len(sorted)-1) * p
	lo := int(h)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (h-float64(lo))*(sorted[hi]-sorted[lo])
}

// delays puts what was drawn beside the exact distributions.
func (p *policyRun) delays(ctx context.Context, sample bool) []DelayRow {
	rows := make([]DelayRow, 0, observedRows)
	compiled := p.groups[0].compiled
	exactRows := compiled.Delays(observedRows)
	if sample {
		_ = compiled.SampleP95(ctx, exactRows) // it fails with ctx, and then so does the run
	}
	for i, exact := range exactRows {
		row := DelayRow{DelayRow: exact}
		if o := &p.observed[i]; o.count > 0 {
			row.Observed = o.quantiles()
		}
		rows = append(rows, row)
	}
	return rows
}

// listSpans lists times of being down, up to the horizon.
func listSpans(down []span, horizon int64) []Span {
	spans := []Span{}
	for _, d := range down {
		why := "outage"
		if d.crash {
			why = "crash"
		}
		spans = append(spans, Span{seconds(d.from), seconds(min(d.to, horizon)), why})
	}
	return spans
}
