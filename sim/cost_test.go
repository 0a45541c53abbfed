package sim

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// notTooLow: where a scenario is over by its horizon, it costs at most five times its estimate. That does not hold where a
// mean is made by draws so rare that a run does not see them.
func notTooLow(t *rapid.T, s *Scenario, result *Result) {
	t.Helper()
	for _, p := range result.Results {
		if *p.Metrics.Get("pending").Mean > 0 {
			return
		}
	}
	const few = 1000
	if estimate := Estimate(s); result.Engine.Events > 5*estimate+few && !s.heavyTailed() {
		t.Errorf("estimate %d of %d events", estimate, result.Engine.Events)
	}
}

// heavyTailed reports whether a duration's mean is more than three times its median.
func (s *Scenario) heavyTailed() bool {
	choices := []*Workload{&s.Clients.Workload}
	for i := range s.Clients.Others {
		choices = append(choices, &s.Clients.Others[i].Workload)
	}
	heavy := func(d distribution) bool { return d.Mean() > 3*float64(d.Draw(1<<63)) }
	for _, w := range choices {
		if w.Kind == Closed && heavy(compileDistribution(w.Think)) {
			return true
		}
	}
	return heavy(compileDistribution(s.Network.Latency)) || s.Server.Kind == Capacity && heavy(compileDistribution(s.Server.ServiceTime))
}

// Replications in which next to nothing happens take time too, the more of it the more bins there are.
func TestEstimateCountsReplications(t *testing.T) {
	t.Parallel()
	s := herd(1)
	s.Policies[0].MaxAttempts = 1
	s.Horizon, s.Bin = 10_000*time.Second, time.Second
	s.Replications = 1000
	// An attempt and its service, and 300 + 10 000 / 2 for the replication.
	if got, want := Estimate(s), int64(1000*(2+5300)); got != want {
		t.Errorf("estimate %d, want %d", got, want)
	}
}
