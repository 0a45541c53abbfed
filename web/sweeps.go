package web

import (
	"context"
	"fmt"
	"net/http"
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

// sweepWatch is who waits for a sweep.
type sweepWatch = watch[sim.SweepProgress]

// sweep returns a sweep's figures, which callers share and must not change. It returns when ctx ends, and so does the
// run. Its errors are those of sim.Runner.Sweep, errBusy, and ctx's cause.
func (s *simulator) sweep(ctx context.Context, sweep *sim.Sweep, watch sweepWatch) (*sim.SweepResult, error) {
	return runAtLength(ctx, s, sweep, &s.sweeps, watch, 1+mostPoints(sweep), func(report func(sim.SweepProgress)) (*sim.SweepResult, error) {
		return sim.Runner{MaxEvents: s.maxEvents}.Sweep(ctx, sweep, report)
	})
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
