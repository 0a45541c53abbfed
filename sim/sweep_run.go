package sim

// Running a sweep: point after point, each by the engine as any scenario, so that all policies and all points meet the
// same random numbers.

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// SweepResult is what a sweep gives. It is a pure function of the sweep.
type SweepResult struct {
	Sweep  *Sweep       `json:"sweep"`
	Engine EngineStats  `json:"engine"`
	Axes   []SweptAxis  `json:"axes"`
	Points []SweepPoint `json:"points"` // the last axis varies fastest
}

// SweepPoint is one scenario of a sweep.
type SweepPoint struct {
	Index   int           `json:"index"`
	At      []spec.Amount `json:"at"`      // the axes' values
	Results []SweepFigure `json:"results"` // one a policy, in the scenario's order; none before it has been run
}

// SweepFigure is what is kept of one policy at one point.
type SweepFigure struct {
	Policy  string  `json:"policy"` // id
	Metrics Metrics `json:"metrics"`
}

// SweepProgress says how far a sweep is.
type SweepProgress struct {
	Done, Total int         // points
	Share       float64     // of the estimated work, 0 to 1
	Axes        []SweptAxis // as they are run
	Point       *SweepPoint // the one that was finished; nil at the start
}

// Sweep runs every point of a sweep and returns the figures, a pure function of it. It calls report, if
// that is not nil, when it starts and after each point, from several goroutines but never two at once; points may be
// finished out of order.
// Its errors are the sweep's faults, *TooCostlyError for all points together, or ctx's.
func (r Runner) Sweep(ctx context.Context, s *Sweep, report func(SweepProgress)) (*SweepResult, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	plan, err := s.plan(ctx)
	if err != nil {
		return nil, err
	}
	estimate := plan.cost()
	if r.MaxEvents > 0 && estimate > r.MaxEvents {
		return nil, &TooCostlyError{Estimate: estimate, Limit: r.MaxEvents}
	}
	if report == nil {
		report = func(SweepProgress) {}
	}
	whole := &meter{limit: r.MaxEvents}
	points := &sweepRun{runner: Runner{figures: true, whole: whole}, sweep: s, plan: plan, report: report}
	report(SweepProgress{Total: len(plan.points), Axes: plan.axes})
	points.all(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case whole.stop.Load():
		return nil, &TooCostlyError{whole.used.Load(), r.MaxEvents, true}
	case points.err != nil:
		return nil, points.err
	}
	return &SweepResult{Sweep: s, Engine: EngineStats{whole.used.Load()}, Axes: plan.axes, Points: plan.points}, nil
}

// sweepRun is a sweep under way.
type sweepRun struct {
	runner Runner
	sweep  *Sweep
	plan   *sweepPlan
	report func(SweepProgress)

	next atomic.Int64
	mu   sync.Mutex
	done int
	cost float64 // of the points done
	err  error   // the first
}

// all runs the points. A point uses every core if it has enough replications; only if it has not, others run beside it.
func (r *sweepRun) all(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	jobs := len(r.sweep.Scenario.Policies) * r.sweep.Scenario.Replications
	beside := (runtime.GOMAXPROCS(0) + jobs - 1) / jobs
	var wg sync.WaitGroup
	for range min(beside, len(r.plan.points)) {
		wg.Go(func() {
			for i := r.next.Add(1) - 1; int(i) < len(r.plan.points) && ctx.Err() == nil; i = r.next.Add(1) - 1 {
				if err := r.point(ctx, int(i)); err != nil {
					r.fail(err)
					stop()
				}
			}
		})
	}
	wg.Wait()
}

func (r *sweepRun) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// point runs one and reports it.
func (r *sweepRun) point(ctx context.Context, i int) (err error) {
	defer func() { // here nobody else could recover from it
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	result, err := r.runner.Run(ctx, r.plan.scenarios[i], nil)
	if err != nil {
		return err
	}
	point := &r.plan.points[i]
	for k := range result.Results {
		p := &result.Results[k]
		point.Results = append(point.Results, SweepFigure{p.Policy.ID, kept(p.Metrics, r.sweep.Metrics)})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.cost += r.plan.costs[i]
	r.report(SweepProgress{r.done, len(r.plan.points), r.cost / max(1, float64(r.plan.cost())), r.plan.axes, point})
	return nil
}

// kept picks the metrics to keep.
func kept(all Metrics, names []string) Metrics {
	list := make(Metrics, 0, len(names))
	for _, name := range names {
		list = append(list, NamedMetric{name, all.Get(name)})
	}
	return list
}
