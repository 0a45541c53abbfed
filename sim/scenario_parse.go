package sim

// Scenarios as documents: read, checked, completed, written.

import (
	"fmt"
	"math"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// ParseScenario reads a scenario from JSON and completes it. It returns a *spec.SyntaxError if data is not JSON, else
// all spec.Faults.
func ParseScenario(data []byte) (*Scenario, error) {
	s := new(Scenario)
	if err := spec.DecodeJSON(s, data); err != nil {
		return nil, err
	}
	return s, nil
}

// Validate returns all spec.Faults of a scenario, as an error. What ParseScenario and ParseQuery return is valid;
// a scenario made in Go must have a value for every field, and Complete gives it those that follow from others.
func (s *Scenario) Validate() error { return spec.Check(s) }

// MarshalJSON writes the canonical form: every default written out.
func (s *Scenario) MarshalJSON() ([]byte, error) { return spec.EncodeJSON(s) }

// UnmarshalJSON is ParseScenario.
func (s *Scenario) UnmarshalJSON(data []byte) error {
	parsed, err := ParseScenario(data)
	if err == nil {
		*s = *parsed
	}
	return err
}

// ScenarioSchema describes the documents that ParseScenario reads, as JSON Schema 2020-12.
func ScenarioSchema() map[string]any { return spec.Schema(&Scenario{}, "Scenario") }

// Complete fills in what a scenario may leave out and what depends on other fields: the bin, and ids for the policies
// that have none. Such an id names the kinds of schedule and jitter, such as "exponential-full", with a number after
// it where that is taken.
func (s *Scenario) Complete() {
	if s.Bin == 0 {
		s.Bin = defaultBin(s.Horizon)
	}
	taken := map[string]bool{}
	for _, p := range s.Policies {
		taken[p.ID] = true
	}
	for i := range s.Policies {
		if p := &s.Policies[i]; p.ID == "" {
			p.ID = unused(p.Kinds(), taken)
			taken[p.ID] = true
		}
	}
}

// defaultBin returns the smallest of 1, 2, 5, 10, … nanoseconds that divides the horizon into at most 400 bins.
func defaultBin(horizon time.Duration) time.Duration {
	for decade := time.Duration(1); ; decade *= 10 {
		for _, digit := range []time.Duration{1, 2, 5} {
			if bin := digit * decade; 400*bin >= horizon {
				return bin
			}
		}
	}
}

// unused returns id, or id with the first number after it that is not taken.
func unused(id string, taken map[string]bool) string {
	numbered := id
	for n := 2; taken[numbered]; n++ {
		numbered = fmt.Sprintf("%s-%d", id, n)
	}
	return numbered
}

// Capacity returns how many attempts the server can serve per second: the smaller of all nodes' workers / mean service
// time and the rate limit. It has none, and ok is false, if neither limits it.
func (s *Scenario) Capacity() (perSecond float64, ok bool) {
	return s.serves(float64(s.Server.Workers))
}

// Throughput returns how many requests the server can serve per second at the most: its capacity, but for what a slowdown
// takes of that. It is false if nothing limits the server.
func (s *Scenario) Throughput() (perSecond float64, ok bool) {
	workers, slower := float64(s.Server.Workers), s.Server.Slowdown
	if slower == 0 {
		return s.serves(workers)
	}
	if workers == 0 {
		workers = math.Inf(1)
	}
	// With n under way each takes 1 + slower·(n − 1) times as long, so that they are as good as 1 / (slower + (1 − slower) / n),
	// which grows with n or, if slower exceeds 1, falls.
	return s.serves(max(1, 1/(slower+(1-slower)/workers)))
}

// serves is how many requests a second a server can serve with so many workers at each node, 0: any number.
func (s *Scenario) serves(workers float64) (perSecond float64, ok bool) {
	if s.Server.Kind == OCC {
		return 0, false
	}
	if service := compileDistribution(s.Server.ServiceTime); workers > 0 && service.Mean() > 0 {
		perSecond, ok = workers*float64(s.Server.Nodes.Count)/(service.Mean()/1e9), true
	}
	if limit := s.Server.RateLimit; limit != nil && (!ok || limit.perSecond() < perSecond) {
		perSecond, ok = limit.perSecond(), true
	}
	return perSecond, ok
}

// Places returns how many attempts can wait, at all nodes together.
func (s *Server) Places() int { return s.Queue * s.Nodes.Count }

func (r *RateLimit) perSecond() float64 {
	if r.Kind == TokenBucket {
		return r.Rate
	}
	return float64(r.Limit) / r.Window.Seconds()
}
