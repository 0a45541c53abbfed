package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// Searches for policies that meet demands: the only way from a tune to what it finds, for the API and the page alike, and
// the API's endpoint.

const (
	tuneBytes  = 4 << 20  // about how much memory finished searches may take
	sizeOfTune = 48 << 10 // about as much as one holds

	mostTuneReports = 4096 // some 50 rounds of up to 900 policies, a report for each 24 of them
)

// tuneWatch is who waits for a search.
type tuneWatch = watch[sim.TuneProgress]

// tune returns what a search finds, which callers share and must not change. Its errors are those of sim.Runner.Tune,
// errBusy, and ctx's cause.
func (s *simulator) tune(ctx context.Context, t *sim.Tune, watch tuneWatch) (*sim.TuneResult, error) {
	return runAtLength(ctx, s, t, &s.tunes, watch, mostTuneReports, func(report func(sim.TuneProgress)) (*sim.TuneResult, error) {
		return sim.Runner{MaxEvents: s.maxEvents}.Tune(ctx, t, report)
	})
}

// tuneAnswer is a search's result with where to look at it.
type tuneAnswer struct {
	*sim.TuneResult
	Found   []tunedAnswer `json:"found"`
	Nearest []tunedAnswer `json:"nearest,omitempty"`
	Compare string        `json:"compare,omitempty"` // address of the compare page with all of these policies
}

// tunedAnswer is a policy with the address of the compare page that has it in the scenario of the search.
type tunedAnswer struct {
	sim.TunedPolicy
	Compare string `json:"compare"`
}

func answerTo(r *sim.TuneResult) tuneAnswer {
	a := tuneAnswer{TuneResult: r, Found: []tunedAnswer{}}
	for _, p := range r.Found {
		a.Found = append(a.Found, tunedAnswer{p, compareIn(r.Scenario, p.Policy)})
	}
	for _, p := range r.Nearest {
		a.Nearest = append(a.Nearest, tunedAnswer{p, compareIn(r.Scenario, p.Policy)})
	}
	if len(r.Scenario.Policies) > 0 {
		a.Compare = compareIn(r.Scenario, r.Scenario.Policies...)
	}
	return a
}

// compareIn is the address of the compare page with policies in a scenario.
func compareIn(scenario *sim.Scenario, policies ...strategies.Policy) string {
	sc := *scenario
	sc.Policies = policies
	return address(encode(state{scenario: &sc, marks: markPolicies(nil, policies)}.query()))
}

// postTune searches for policies that do what the body demands.
func (s *Server) postTune(w http.ResponseWriter, r *http.Request) {
	body, query, err := readRequest(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	t, err := sim.ParseTune(body)
	if err := allFaults(err, unknownParams(query)); err != nil {
		s.fail(w, r, err)
		return
	}
	if wantsEvents(r) {
		s.streamTune(w, r, t)
		return
	}
	start := time.Now()
	result, err := s.tune(r.Context(), t, tuneWatch{})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Server-Timing", fmt.Sprintf("sim;dur=%.1f", time.Since(start).Seconds()*1000))
	s.sendJSON(w, r, answerTo(result))
}

// streamTune sends server-sent events: progress, each policy as it is found, then result or error. An error that comes
// before the first event is an ordinary answer with its own status.
func (s *Server) streamTune(w http.ResponseWriter, r *http.Request, t *sim.Tune) {
	e := &eventStream{w: w, control: http.NewResponseController(w)}
	done, total := 0, 0
	result, err := s.tune(r.Context(), t, tuneWatch{
		progress: func(p sim.TuneProgress) {
			done, total = p.Done, p.Total
			e.progress(done, total)
			if p.Found != nil {
				e.send("event: found\ndata: %s\n", asJSON(tunedAnswer{*p.Found, compareIn(t.Scenario(), p.Found.Policy)}))
			}
		},
		idle: func() { e.progress(done, total) },
	})
	if err != nil {
		s.finish(e, r, total, nil, err)
		return
	}
	s.finish(e, r, total, answerTo(result), nil)
}
