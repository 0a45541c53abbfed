// Package sim simulates clients that retry against a recovering server: the scenario, the engine that runs it, and the
// figures that come out.
package sim

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stampede-sim/stampede/strategies"
)

// Progress is told, from several goroutines but never two at once, how many of the replications are done.
type Progress func(done, total int)

// Runner runs scenarios. The zero value has no limit.
// It runs on as many cores as GOMAXPROCS allows; the result does not depend on how many those are.
type Runner struct {
	MaxEvents int64 // refuse a scenario that is estimated to cost more, or does; 0: no limit
	Values    bool  // keep each metric's value of every replication
	Trace     int   // trace so many clients of the first replication
	SampleP95 bool  // draw the 95th percentiles of cumulative waits that have no closed form; some 10 ms each

	general bool // make an event of every arrival: slower, and the same result
}

// TooCostlyError is what Run returns for a scenario over the runner's limit.
type TooCostlyError struct {
	Estimate, Limit int64 // events
}

func (e *TooCostlyError) Error() string {
	return fmt.Sprintf("the scenario would cost about %d events; at most %d are allowed", e.Estimate, e.Limit)
}

// Run simulates every policy of the scenario and returns the result, a pure function of the scenario.
// Its errors are the scenario's faults, *TooCostlyError, or ctx's.
func Run(ctx context.Context, s *Scenario, progress Progress) (*Result, error) {
	return Runner{}.Run(ctx, s, progress)
}

// Run is as the function Run, within the runner's limits.
func (r Runner) Run(ctx context.Context, s *Scenario, progress Progress) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	estimate := Estimate(s)
	if r.MaxEvents > 0 && estimate > r.MaxEvents {
		return nil, &TooCostlyError{estimate, r.MaxEvents}
	}
	meter := &meter{limit: r.MaxEvents}
	defer context.AfterFunc(ctx, func() { meter.stop.Store(true) })()

	run := &run{Runner: r, scenario: s, meter: meter, progress: progress, warnings: s.Warnings()}
	for i := range s.Policies {
		run.policies = append(run.policies, newPolicyRun(s, &s.Policies[i]))
	}
	run.all(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if meter.stop.Load() {
		return nil, &TooCostlyError{max(meter.used.Load(), estimate), r.MaxEvents}
	}
	result := &Result{Scenario: s, Engine: EngineStats{Events: meter.used.Load()}}
	for _, p := range run.policies {
		result.Results = append(result.Results, p.result)
	}
	return result, nil
}

// meter counts what a run costs, and stops it.
type meter struct {
	limit int64 // 0: none
	used  atomic.Int64
	stop  atomic.Bool
}

// spend adds to the cost and reports whether the run may go on.
func (m *meter) spend(events int64) bool {
	if used := m.used.Add(events); m.limit > 0 && used > m.limit {
		m.stop.Store(true)
	}
	return !m.stop.Load()
}

// run is a scenario under way: a list of jobs, each one replication of one policy.
type run struct {
	Runner
	scenario *Scenario
	meter    *meter
	warnings []string
	policies []*policyRun

	next     atomic.Int64
	mu       sync.Mutex
	done     int
	panicked any
	progress Progress
}

// engines keeps the memory of engines between runs: touching fresh memory costs as much as the work.
var engines = sync.Pool{New: func() any { return new(engine) }}

func (r *run) all(ctx context.Context) {
	jobs := len(r.policies) * r.scenario.Replications
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), jobs) {
		wg.Go(func() {
			defer r.catch()
			e := engines.Get().(*engine)
			for {
				job := int(r.next.Add(1)) - 1
				if job >= jobs || r.meter.stop.Load() {
					engines.Put(e)
					return
				}
				r.replication(ctx, e, r.policies[job/r.scenario.Replications], job%r.scenario.Replications)
			}
		})
	}
	wg.Wait()
	if r.panicked != nil {
		panic(r.panicked) // where the caller can recover from it
	}
}

// catch stops the run when one of its goroutines panics.
func (r *run) catch() {
	if p := recover(); p != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
		r.meter.stop.Store(true)
	}
}

// replication runs one and adds it to its policy's results.
func (r *run) replication(ctx context.Context, e *engine, p *policyRun, k int) {
	recovery := e.prepare(r, p, k)
	e.run()
	if e.stopped {
		r.meter.stop.Store(true)
		return
	}
	if p.add(e, k, e.measure(r.scenario, recovery)) {
		p.finish(ctx, r)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.progress != nil {
		r.progress(r.done, len(r.policies)*r.scenario.Replications)
	}
}

// policyRun gathers the replications of one policy. All that it adds up are integers, so that their order is of no
// consequence.
type policyRun struct {
	policy      *strategies.Policy
	groups      []groupSpec
	bucketWidth int64
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
	count    int
	workload Workload
	policy   *strategies.Policy
	compiled *strategies.Compiled
}

func newPolicyRun(s *Scenario, policy *strategies.Policy) *policyRun {
	c := &s.Clients
	compiled := policy.Compile()
	p := &policyRun{policy: policy, groups: []groupSpec{{c.Count, c.Workload, policy, compiled}},
		bucketWidth: s.bucketWidth(policy, compiled), left: s.Replications,
		measured: make([]measurements, s.Replications), arrivals: make([][]int64, s.Replications)}
	for _, o := range c.Others {
		spec := groupSpec{o.Count, o.Workload, policy, compiled}
		if o.Policy != nil {
			spec.policy, spec.compiled = o.Policy, o.Policy.Compile()
		}
		p.groups = append(p.groups, spec)
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
		p.result.Run.Down = e.server.downSpans(e.horizon)
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
	res.Warnings = slices.Concat(r.warnings, p.policy.Warnings(), pendingWarning(res.Metrics), warnings)
	width := s.Bin.Seconds()
	down := res.Run.Down
	res.Run = FirstRun{BinSeconds: width, Down: down,
		Arrivals: p.first.counts[countArrivals], Served: p.first.counts[countServed], Succeeded: p.first.counts[countSucceeded],
		Refused: p.first.counts[countRefused], TimedOut: p.first.counts[countTimedOut],
		Queue: p.average(s, p.first, levelQueue, 1), InService: p.average(s, p.first, levelInService, 1), Waiting: p.average(s, p.first, levelWaiting, 1)}
	n := s.Replications
	res.Series = MeanSeries{BinSeconds: width,
		Arrivals: perReplication(p.sums.counts[countArrivals], n), Served: perReplication(p.sums.counts[countServed], n),
		Succeeded: perReplication(p.sums.counts[countSucceeded], n), Refused: perReplication(p.sums.counts[countRefused], n),
		TimedOut: perReplication(p.sums.counts[countTimedOut], n),
		Queue:    p.average(s, p.sums, levelQueue, n), InService: p.average(s, p.sums, levelInService, n), Waiting: p.average(s, p.sums, levelWaiting, n)}
	res.Series.ArrivalsP10, res.Series.ArrivalsP90 = p.percentiles(len(p.sums.counts[countArrivals]))
	res.Delays = p.delays(ctx, r.SampleP95)
	p.measured, p.arrivals, p.sums, p.first = nil, nil, finishedSeries{}, finishedSeries{}
}

func pendingWarning(m Metrics) []string {
	pending, requests := m.Get("pending").Mean, m.Get("requests").Mean
	if pending == nil || *pending == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%.4g of %.4g requests were still pending at the horizon", *pending, *requests)}
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

// quantiles reads a histogram, as if draws were spread evenly within its cells.
func (r *observedRow) quantiles() *strategies.Quantiles {
	at := func(p float64) float64 {
		rank := p * float64(r.count)
		before := 0.0
		for i, n := range r.cells {
			if n > 0 && before+float64(n) >= rank {
				t := float64(r.lo) + (float64(i)+(rank-before)/float64(n))*r.width
				return min(max(t, float64(r.min)), float64(r.max)) / 1e9
			}
			before += float64(n)
		}
		return seconds(r.max)
	}
	mean := (float64(r.sumHi)*0x1p64 + float64(r.sumLo)) / float64(r.count) / 1e9
	return &strategies.Quantiles{Count: r.count, Min: seconds(r.min), P5: at(0.05), P25: at(0.25), P50: at(0.5),
		Mean: mean, P75: at(0.75), P95: at(0.95), Max: seconds(r.max), SD: r.deviation(mean),
		AtCap: float64(r.atCap) / float64(r.count)}
}

// deviation is the standard deviation about the mean, from the cells' middles.
func (r *observedRow) deviation(mean float64) float64 {
	var sum float64
	width := r.width / 1e9
	for i, n := range r.cells {
		if n > 0 {
			d := seconds(r.lo) + (float64(i)+0.5)*width - mean
			sum += float64(n) * d * d
		}
	}
	if r.min == r.max {
		return 0
	}
	return math.Sqrt(sum / float64(r.count))
}

// prepare readies the engine for replication k of a policy, and returns when the server recovers.
func (e *engine) prepare(r *run, p *policyRun, k int) (recovery int64) {
	s := r.scenario
	e.stream = newStream(s.Seed, k)
	e.horizon = int64(s.Horizon)
	e.latency = compileDistribution(s.Network.Latency)
	e.fixed = -1
	if t, ok := e.latency.Constant(); ok {
		e.fixed = min(t, maxTime)
	}
	e.hops, e.back = 1, drawHop2
	if s.Server.Kind == OCC {
		e.hops, e.back = 3, drawHop4
	}
	e.meter, e.credit, e.events, e.stopped = r.meter, creditBlock, 0, r.meter.stop.Load()
	e.prepareGroups(p.groups)
	recovery = e.server.prepare(&s.Server, e.stream)
	e.calendar.reset(p.bucketWidth)
	e.series.reset(int64(s.Bin), e.horizon)
	e.peaks.reset(int64(s.PeakWindow), e.horizon, recovery)
	e.follow = !r.general && e.peaks.canMeetEarly()
	p.resetObserved(&e.observed)
	e.trace = nil
	if k == 0 && r.Trace > 0 {
		g := e.groups[0]
		e.trace = &tracer{clients: int64(r.Trace), client: func(number uint64) int64 { return e.client(g, number) }, place: map[tracedKey]int{}}
	}
	for _, g := range e.groups {
		g.walks = e.mayWalk(g)
	}
	return recovery
}

// prepareGroups makes the groups of clients anew, in the memory of the old one's completions where that is large.
func (e *engine) prepareGroups(specs []groupSpec) {
	var completions []int64
	if len(e.groups) > 0 {
		completions = e.groups[0].completions[:0]
	}
	e.groups = e.groups[:0]
	for i, spec := range specs {
		e.groups = append(e.groups, newGroup(i, spec))
	}
	if first := e.groups[0]; first.workload.Kind == Burst {
		completions = slices.Grow(completions, first.count)
	}
	e.groups[0].completions = completions
}

// prepare readies the server, draws when its outages end, and returns when the first does; 0 if there is none.
func (s *server) prepare(conf *Server, draws stream) (recovery int64) {
	*s = server{conf: conf, occ: conf.Kind == OCC, hints: conf.RetryAfter.Kind, workers: conf.Workers, queueLimit: conf.Queue, lifo: conf.Discipline == LIFO,
		patience: int64(conf.MaxQueueWait), refusal: int64(conf.RefusalCost), mayCrash: conf.Crash != nil,
		limit: newLimiter(conf.RateLimit), warm: newWarmup(conf.Warmup), crashRate: newRecentArrivals(conf.Crash),
		outages: s.outages[:0], busy: jobHeap{jobs: s.busy.jobs[:0]}, waiting: queue{ring: s.waiting.ring}, spans: s.spans[:0]}
	s.due = never
	if s.occ {
		return 0
	}
	s.service = compileDistribution(conf.ServiceTime)
	work, constant := s.service.Constant()
	s.instant = conf.Workers == 0 && constant && work == 0
	for i, o := range conf.Outages {
		end := int64(o.End)
		if o.EndSpread > 0 {
			end += below(at(draws.of(uint64(i)), 0, drawOutageEnd), int64(o.EndSpread))
		}
		s.outages = append(s.outages, span{from: int64(o.Start), to: end, hang: o.Mode == Hang})
	}
	if len(s.outages) > 0 {
		recovery = s.outages[0].to
	}
	s.plan()
	return recovery
}

// downSpans returns when the server was down, up to the horizon.
func (s *server) downSpans(horizon int64) []Span {
	spans := []Span{}
	for _, d := range s.spans {
		why := "outage"
		if d.crash {
			why = "crash"
		}
		spans = append(spans, Span{seconds(d.from), seconds(min(d.to, horizon)), why})
	}
	return spans
}
