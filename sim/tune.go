package sim

// Tuning turns the question round: not what a policy does to an outage, but which policies meet what is demanded of
// them. This file holds the demands; tune_grid.go the policies that are tried, tune_run.go the search.

import (
	"fmt"
	"math"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Tune is what a policy has to bring about, and for whom. It is met by a policy with which at least 99 % of all requests
// are served within LongestWait, with at most MostAttempts attempts each, and the server is not knocked over again.
type Tune struct {
	Seed         uint64
	Replications int
	Clients      int           // lose the server at once
	Capacity     float64       // what it can serve a second for them
	Outage       time.Duration // it is down, from their first attempts on
	RoundTrip    time.Duration // from an attempt to its answer, the median
	LongestWait  time.Duration // from a request's first attempt to its success
	MostAttempts int           // 0: any number
}

// The demands of a Tune that can be given up one by one, by their keys.
const (
	DemandWait     = "longestWait"
	DemandAttempts = "mostAttempts"
	DemandClients  = "clients"
	DemandCapacity = "capacity"
	DemandOutage   = "outage"
)

// longestTuned is the longest outage and wait that there is a policy for.
const longestTuned = float64(24 * time.Hour)

// Fields declares what a tune is made of.
func (t *Tune) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: DemandClients, Label: "Clients", Min: 1, Max: 1e6, Default: 1000,
			Help: "All of them lose the server at once.",
		}, &t.Clients),
		spec.Value(spec.Param{
			Key: DemandCapacity, Label: "It can serve", Unit: "a second", Above: true, Max: 1e6, Default: 200,
			Help: "What is left for these clients: the headroom beside other traffic.",
		}, &t.Capacity),
		spec.Value(spec.Param{
			Key: DemandOutage, Label: "How long it is down", Above: true, Max: longestTuned, Default: 10 * time.Second,
			Help: "From the first attempts on.",
		}, &t.Outage),
		spec.Value(spec.Param{
			Key: "roundTrip", Label: "Round trip", Min: 1e3, Max: float64(time.Minute), Default: 40 * time.Millisecond,
			Help: "From an attempt to its answer.",
		}, &t.RoundTrip),
		spec.Value(spec.Param{
			Key: DemandWait, Label: "Longest acceptable wait", Above: true, Max: longestTuned, Default: 30 * time.Second,
			Help: "99 % of all requests are to be served within it, counted from their first attempt.",
		}, &t.LongestWait),
		spec.Value(spec.Param{
			Key: DemandAttempts, Label: "Most attempts", Max: 1e6, Default: 15,
			Help: "Of one request, the first included; 0 for any number.",
		}, &t.MostAttempts),
		spec.Value(spec.Param{
			Key: "replications", Label: "Repetitions", Min: 2, Max: 50, Default: 10,
			Help: "Runs of each policy that comes close, each with other random numbers.",
		}, &t.Replications),
		spec.Value(spec.Param{
			Key: "seed", Label: "Seed", Default: 1,
			Help: "Everything random follows from it: the same seed gives the same result.",
		}, &t.Seed),
	}
}

// ParseTune reads a tune from JSON. It returns a *spec.SyntaxError if data is not JSON, else all spec.Faults.
func ParseTune(data []byte) (*Tune, error) {
	t := new(Tune)
	if err := spec.DecodeJSON(t, data); err != nil {
		return nil, err
	}
	return t, nil
}

// Validate returns all spec.Faults of a tune, as an error.
func (t *Tune) Validate() error { return spec.Check(t) }

// MarshalJSON writes the canonical form: every default written out.
func (t *Tune) MarshalJSON() ([]byte, error) { return spec.EncodeJSON(t) }

// UnmarshalJSON is ParseTune.
func (t *Tune) UnmarshalJSON(data []byte) error {
	parsed, err := ParseTune(data)
	if err == nil {
		*t = *parsed
	}
	return err
}

// TuneSchema describes the documents that ParseTune reads, as JSON Schema 2020-12.
func TuneSchema() map[string]any { return spec.Schema(&Tune{}, "Tune") }

// Rules refuses a herd that the server is not done with in a day.
func (t *Tune) Rules(report func(at, detail string)) {
	if seconds := float64(t.Clients) / t.Capacity; seconds*1e9 > longestTuned {
		report("/capacity", fmt.Sprintf("capacity must serve all %d clients within 24h, not %s a second", t.Clients, spec.Format(t.Capacity)))
	}
}

// Needed is how long the server takes to serve all clients once: the rule of thumb is that their waits by the end of the
// outage should differ by as much.
func (t *Tune) Needed() time.Duration {
	return time.Duration(float64(t.Clients) / t.Capacity * 1e9)
}

// Scenario is what policies are tried in: the opening scenario's server and network, of this size.
func (t *Tune) Scenario() *Scenario { return t.scenario(t.Clients) }

// scenario has so many clients, and the server in proportion.
func (t *Tune) scenario(clients int) *Scenario {
	s := Default()
	capacity := t.Capacity * float64(clients) / float64(t.Clients)
	s.Name = "" // it says of how many clients
	s.Seed, s.Replications, s.Bin = t.Seed, t.Replications, 0
	s.Clients.Count = clients
	s.Network.Latency = spec.Choice{Kind: "lognormal", Args: spec.Args{"median": t.RoundTrip / 2, "sigma": s.Network.Latency.Args["sigma"]}}
	s.SetOutage(t.Outage)
	s.Server.Outages[0].EndSpread = t.Outage / 10 // so that no policy owes its figures to the moment of recovery
	s.SetCapacity(capacity)
	// Workers are whole, so how long a service takes makes the capacity what was asked for.
	service := time.Duration(math.Round(float64(s.Server.Workers) / capacity * 1e9))
	s.Server.ServiceTime = spec.Choice{Kind: "exponential", Args: spec.Args{"mean": service}}
	s.Horizon = t.horizon()
	s.Complete()
	return s
}

// horizon leaves time for a second herd and a crash. It does not depend on what is demanded.
func (t *Tune) horizon() time.Duration {
	whole := 10 * time.Second
	span := 2*t.Outage + 4*t.Needed() + time.Minute
	return min((span+whole-1)/whole*whole, time.Duration(spec.MaxDuration))
}
