package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// This file is the only way from a sweep to its figures, for the API and the page alike, and the API's endpoint. A sweep
// takes one simulation slot for all of its points. Finished ones are kept for a while, so that another look at the same
// figures costs nothing.

// sweepBytes is about how much memory finished sweeps may take.
const sweepBytes = 32 << 20

// sizeOfSweep is about how many bytes a sweep's figures hold.
func sizeOfSweep(r *sim.SweepResult) int64 { return sizeOfPoints(r.Sweep, len(r.Points)) }

func sizeOfPoints(s *sim.Sweep, points int) int64 {
	return 1024 + int64(points)*(128+int64(len(s.Scenario.Policies))*(64+int64(len(s.Metrics))*80))
}

// mostPoints is how many points a sweep has, or more: values that rounding makes equal are one.
func mostPoints(s *sim.Sweep) int {
	points := 1
	for _, a := range s.Axes {
		if a.Scale == sim.Listed {
			points *= len(a.Values)
		} else {
			points *= a.Steps
		}
	}
	return points
}

// sweepWatch is who waits for a sweep. Both functions are called on the waiting goroutine.
type sweepWatch struct {
	progress func(sim.SweepProgress)
	idle     func() // every progressEvery; nil: never
}

// sweep returns a sweep's figures, which callers share and must not change. It returns when ctx ends, and so does the
// run. Its errors are those of sim.Runner.Sweep, errBusy, and ctx's cause.
func (s *simulator) sweep(ctx context.Context, sweep *sim.Sweep, watch sweepWatch) (*sim.SweepResult, error) {
	document, err := json.Marshal(sweep)
	if err != nil {
		return nil, fmt.Errorf("canonical sweep: %w", err)
	}
	k := key(sha256.Sum256(document))
	if kept := s.keptSweep(k); kept != nil {
		return kept, nil
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	result, err := s.watch(ctx, sweep, watch, release)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, cause
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sweeps.add(k, result)
	}
	return result, err
}

func (s *simulator) keptSweep(k key) *sim.SweepResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sweeps.get(k)
}

// watch runs a sweep, tells how it goes, and calls ended as soon as it has ended. Those who watch may be slow, and the run
// does not wait for them: there is room for all that it can say.
func (s *simulator) watch(ctx context.Context, sweep *sim.Sweep, watch sweepWatch, ended func()) (result *sim.SweepResult, err error) {
	news := make(chan sim.SweepProgress, 1+mostPoints(sweep))
	go func() {
		defer close(news)
		defer ended()
		defer func() { // not on a handler's goroutine: a panic here would end the process
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		result, err = sim.Runner{MaxEvents: s.maxEvents}.Sweep(ctx, sweep, func(p sim.SweepProgress) { news <- p })
	}()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case p, more := <-news:
			if !more {
				return result, err
			}
			if watch.progress != nil {
				watch.progress(p)
			}
		case <-ticker.C:
			if watch.idle != nil {
				watch.idle()
			}
		}
	}
}

// sweepToSend is sweep for figures that are sent whole, or as they come. Its caller calls leave when they have been.
func (s *Server) sweepToSend(ctx context.Context, sweep *sim.Sweep, watch sweepWatch) (_ *sim.SweepResult, leave func(), err error) {
	leave, err = s.room.enter(sizeOfPoints(sweep, mostPoints(sweep)))
	if err != nil {
		return nil, nil, err
	}
	result, err := s.sweep(ctx, sweep, watch)
	if err != nil {
		leave()
		return nil, nil, err
	}
	return result, leave, nil
}

// postSweep runs the sweep in the body.
func (s *Server) postSweep(w http.ResponseWriter, r *http.Request) {
	body, query, err := readRequest(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	sweep, err := sim.ParseSweep(body)
	if err := allFaults(err, unknownParams(query)); err != nil {
		s.fail(w, r, err)
		return
	}
	if wantsEvents(r) {
		s.streamSweep(w, r, sweep)
		return
	}
	start := time.Now()
	result, leave, err := s.sweepToSend(r.Context(), sweep, sweepWatch{})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	w.Header().Set("Server-Timing", fmt.Sprintf("sim;dur=%.1f", time.Since(start).Seconds()*1000))
	s.sendJSON(w, r, result)
}

// streamSweep sends server-sent events: progress, each point as it is finished, then result or error. An error that
// comes before the first event is an ordinary answer with its own status.
func (s *Server) streamSweep(w http.ResponseWriter, r *http.Request, sweep *sim.Sweep) {
	e := &eventStream{w: w, control: http.NewResponseController(w)}
	done, total := 0, 0
	result, leave, err := s.sweepToSend(r.Context(), sweep, sweepWatch{
		progress: func(p sim.SweepProgress) {
			done, total = p.Done, p.Total
			e.progress(done, total)
			if p.Point != nil {
				e.send("event: point\ndata: %s\n", asJSON(p.Point))
			}
		},
		idle: func() { e.progress(done, total) },
	})
	if err == nil {
		defer leave()
	}
	s.finish(e, r, total, result, err)
}
