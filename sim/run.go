// Package sim simulates clients that retry against a recovering server: the scenario, the engine that runs it, and the
// figures that come out.
package sim

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Progress is told, from several goroutines but never two at once, how many of the replications are done.
type Progress func(done, total int)

// Runner runs scenarios. The zero value has no limit.
// It runs on as many cores as GOMAXPROCS allows; the result does not depend on how many those are.
type Runner struct {
	MaxEvents int64 // refuse a scenario that is estimated to cost more, or does; 0: no limit
	Values    bool  // keep each metric's value of every replication
	Trace     int   // trace so many clients of the first replication
	Nodes     bool  // keep what each node saw in the first replication, of the first maxListedNodes
	SampleP95 bool  // draw the 95th percentiles of cumulative waits that have no closed form; some 10 ms each

	figures  bool   // metrics alone: no series, no delays
	whole    *meter // of the sweep that this run belongs to
	general  bool   // make an event of every arrival: slower, and the same result
	traceAll bool   // trace every attempt of those clients, however many
}

// TooCostlyError is what Run returns for a scenario over the runner's limit.
type TooCostlyError struct {
	Estimate, Limit int64 // events
	Stopped         bool  // it was stopped over the limit: Estimate is what it had cost by then, all of it costs more
}

func (e *TooCostlyError) Error() string {
	return fmt.Sprintf("this would cost %s %d events; at most %d are allowed", e.About(), e.Estimate, e.Limit)
}

// About says what the estimate is of the cost: "about" or "more than" it.
func (e *TooCostlyError) About() string {
	if e.Stopped {
		return "more than"
	}
	return "about"
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
		return nil, &TooCostlyError{Estimate: estimate, Limit: r.MaxEvents}
	}
	meter := &meter{limit: r.MaxEvents, whole: r.whole}
	defer context.AfterFunc(ctx, func() { meter.stop.Store(true) })()

	run := &run{Runner: r, scenario: s, meter: meter, progress: progress, warnings: s.Warnings()}
	run.latency = compileDistribution(s.Network.Latency).tabulate()
	if s.Server.Kind != OCC {
		run.service = compileDistribution(s.Server.ServiceTime).tabulate()
	}
	for i := range s.Policies {
		run.policies = append(run.policies, newPolicyRun(s, &s.Policies[i]))
	}
	run.all(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if meter.stop.Load() {
		return nil, &TooCostlyError{meter.used.Load(), r.MaxEvents, true}
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
	whole *meter // of what the run is a part of; nil: it stands alone
}

// spend adds to the cost, and stops the run if that is too much.
func (m *meter) spend(events int64) {
	if used := m.used.Add(events); m.limit > 0 && used > m.limit {
		m.stop.Store(true)
	}
	if m.whole != nil {
		if m.whole.spend(events); m.whole.stop.Load() {
			m.stop.Store(true)
		}
	}
}

// run is a scenario under way: a list of jobs, each one replication of one policy.
type run struct {
	Runner
	scenario *Scenario
	meter    *meter
	warnings []string
	latency  distribution
	service  distribution // of a server that serves
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
	if e.stopped() {
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
