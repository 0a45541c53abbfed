package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// This file is the only way from a scenario to a result, for the API and the page alike. Callers who ask for the same
// thing share one run, a run needs one of a fixed number of slots, and results are kept in a bounded cache.

// progressEvery is how often a waiting caller is told how far its run is.
const progressEvery = 50 * time.Millisecond

var (
	errBusy = errors.New("every simulation slot is taken; try again in a second")

	// ErrShutdown is the cause to cancel the base context of an http.Server with, so that those who wait for a
	// result are told why there is none.
	ErrShutdown = errors.New("the server is shutting down")
)

// options say what a result carries beyond the figures.
type options struct {
	values  bool // each metric's value of every replication
	trace   int  // so many clients traced
	nodes   bool // what each node saw
	sampled bool // percentiles of cumulative waits that have to be drawn: too slow for a page that follows a slider

	// progress, if not nil, is called on the caller's own goroutine every progressEvery while the run goes on, whether
	// or not there is any. Until the run has a slot, total is 0.
	progress sim.Progress
}

// key identifies what a run gives: the canonical scenario and the options that change its result.
type key [sha256.Size]byte

func keyOf(sc *sim.Scenario, o options) (key, error) {
	doc, err := json.Marshal(sc)
	if err != nil {
		return key{}, fmt.Errorf("canonical scenario: %w", err)
	}
	return sha256.Sum256(fmt.Appendf(doc, "values=%t,trace=%d,nodes=%t,sampled=%t", o.values, o.trace, o.nodes, o.sampled)), nil
}

// simulator runs scenarios.
type simulator struct {
	run       func(context.Context, sim.Runner, *sim.Scenario, sim.Progress) (*sim.Result, error)
	maxEvents int64
	slots     chan struct{} // one element a slot taken
	slotWait  time.Duration // how long a run waits for a slot

	mu      sync.Mutex
	cache   cache[*sim.Result]
	flights map[key]*flight
	sweeps  cache[*sim.SweepResult]
	tunes   cache[*sim.TuneResult]
}

// flight is one run and those who wait for it.
type flight struct {
	waiting int                // guarded by simulator.mu
	cancel  context.CancelFunc // called when the last one stops waiting

	runs, total atomic.Int64 // progress

	done   chan struct{} // closed once result and err are set
	result *sim.Result
	err    error
}

// simulate returns the result of a scenario, which callers share and must not change. It returns when ctx ends; the
// run itself ends once nobody waits for it. Its errors are those of sim.Run, errBusy, and ctx's cause.
func (s *simulator) simulate(ctx context.Context, sc *sim.Scenario, o options) (*sim.Result, error) {
	k, err := keyOf(sc, o)
	if err != nil {
		return nil, err
	}
	f := s.board(k, sc, o)
	defer s.leave(k, f)
	return f.await(ctx, o.progress)
}

// has reports whether the result of a scenario is in the cache.
func (s *simulator) has(sc *sim.Scenario, o options) bool {
	k, err := keyOf(sc, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	return err == nil && s.cache.get(k) != nil
}

// board returns the flight for k: one that is under way, one that has landed in the cache, or a new one.
func (s *simulator) board(k key, sc *sim.Scenario, o options) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flights[k]
	if f == nil {
		f = &flight{done: make(chan struct{}), cancel: func() {}}
		if f.result = s.cache.get(k); f.result != nil {
			close(f.done)
			return f
		}
		var ctx context.Context
		ctx, f.cancel = context.WithCancel(context.Background())
		s.flights[k] = f
		go s.fly(ctx, k, f, sc, o)
	}
	f.waiting++
	return f
}

// leave ends a flight that nobody waits for any more. Whoever asks for the same thing later starts anew.
func (s *simulator) leave(k key, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting <= 0 {
		f.cancel()
		s.forget(k, f)
	}
}

func (s *simulator) forget(k key, f *flight) {
	if s.flights[k] == f {
		delete(s.flights, k)
	}
}

func (s *simulator) fly(ctx context.Context, k key, f *flight, sc *sim.Scenario, o options) {
	f.result, f.err = s.runInSlot(ctx, f, sc, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(k, f)
	if f.err == nil {
		s.cache.add(k, f.result)
	}
	close(f.done)
}

func (s *simulator) runInSlot(ctx context.Context, f *flight, sc *sim.Scenario, o options) (_ *sim.Result, err error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	f.total.Store(int64(len(sc.Policies) * sc.Replications))
	defer func() { // not on a handler's goroutine: a panic here would end the process
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	runner := sim.Runner{MaxEvents: s.maxEvents, Values: o.values, Trace: o.trace, Nodes: o.nodes, SampleP95: o.sampled}
	return s.run(ctx, runner, sc, func(done, total int) {
		f.runs.Store(int64(done))
		f.total.Store(int64(total))
	})
}

// acquire takes a slot and returns what gives it back. A client that replaces its own older request finds the slot of
// that one free within milliseconds, hence the short wait before errBusy.
func (s *simulator) acquire(ctx context.Context) (release func(), err error) {
	release = func() { <-s.slots }
	select {
	case s.slots <- struct{}{}:
		return release, nil
	default:
	}
	timer := time.NewTimer(s.slotWait)
	defer timer.Stop()
	select {
	case s.slots <- struct{}{}:
		return release, nil
	case <-timer.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (f *flight) await(ctx context.Context, progress sim.Progress) (*sim.Result, error) {
	var tick <-chan time.Time
	if progress != nil {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-f.done:
			return f.result, f.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick:
			progress(int(f.runs.Load()), int(f.total.Load()))
		}
	}
}
