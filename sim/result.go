package sim

import (
	"github.com/stampede-sim/stampede/strategies"
)

// Result is what a run of a scenario gives. It is a pure function of the scenario.
type Result struct {
	Scenario *Scenario      `json:"scenario"`
	Engine   EngineStats    `json:"engine"`
	Results  []PolicyResult `json:"results"`
}

// EngineStats counts what the engine did: attempts and service completions over all policies and replications.
type EngineStats struct {
	Events int64 `json:"events"`
}

// PolicyResult is what one policy did, in the scenario's order.
type PolicyResult struct {
	Policy   strategies.Policy `json:"policy"`
	Metrics  Metrics           `json:"metrics"`
	Run      FirstRun          `json:"run"`    // the first replication
	Series   MeanSeries        `json:"series"` // over all replications
	Delays   []DelayRow        `json:"delays"`
	Trace    *Trace            `json:"trace,omitempty"`
	Warnings []string          `json:"warnings"`
}

// Metric is a mean over replications with its 95 % Student-t interval.
// A nil Mean means the value does not exist; Low and High are nil with fewer than two values.
type Metric struct {
	Mean   *float64   `json:"mean"`
	Low    *float64   `json:"low"`
	High   *float64   `json:"high"`
	Values []*float64 `json:"values,omitempty"` // one a replication, in order; only when asked for
}

// NamedMetric is a metric under its name of the model's table, such as "completion.p99".
type NamedMetric struct {
	Name string
	Metric
}

// Metrics are in the order of the model's table. In JSON they are one object.
type Metrics []NamedMetric

// Get returns the metric of that name; one without values if there is none.
func (m Metrics) Get(name string) Metric {
	for _, x := range m {
		if x.Name == name {
			return x.Metric
		}
	}
	return Metric{}
}

// Span is a time, in seconds, in which the server was down, and why: "outage" or "crash".
type Span struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Why  string  `json:"why"`
}

// FirstRun holds the series of the first replication, one value a bin up to the last active bin.
// Counts are per bin; Queue, InService and Waiting are averages over the bin's time.
type FirstRun struct {
	BinSeconds float64   `json:"binSeconds"`
	Arrivals   []int64   `json:"arrivals"`
	Served     []int64   `json:"served"`
	Succeeded  []int64   `json:"succeeded"`
	Refused    []int64   `json:"refused"`
	TimedOut   []int64   `json:"timedOut"`
	Queue      []float64 `json:"queue"`
	InService  []float64 `json:"inService"`
	Waiting    []float64 `json:"waiting"`
	Guards
	Down  []Span    `json:"down"` // times in which no node was up
	Nodes []NodeRun `json:"nodes,omitempty"`
}

// NodeRun is what one node saw in the first replication, one value a bin up to the last in which any node did anything:
// arrivals that the balancer sent it, how many it served, and how many it answered with a failure.
type NodeRun struct {
	Arrivals []int64 `json:"arrivals"`
	Served   []int64 `json:"served"`
	Refused  []int64 `json:"refused"`
	Down     []Span  `json:"down"`
}

// MeanSeries holds the series averaged over the replications, with the 10th and 90th percentile of arrivals.
type MeanSeries struct {
	BinSeconds  float64   `json:"binSeconds"`
	Arrivals    []float64 `json:"arrivals"`
	ArrivalsP10 []float64 `json:"arrivalsP10"`
	ArrivalsP90 []float64 `json:"arrivalsP90"`
	Served      []float64 `json:"served"`
	Succeeded   []float64 `json:"succeeded"`
	Refused     []float64 `json:"refused"`
	TimedOut    []float64 `json:"timedOut"`
	Queue       []float64 `json:"queue"`
	InService   []float64 `json:"inService"`
	Waiting     []float64 `json:"waiting"`
	Guards
}

// Guards are the series of the guards that the policy has: circuit breakers that are open, and the tokens left in a
// process's budget, on average over the processes and over the bin's time.
type Guards struct {
	BreakersOpen []float64 `json:"breakersOpen,omitempty"`
	Tokens       []float64 `json:"tokens,omitempty"`
}

// DelayRow is the exact distribution of one retry's delay, and what the run drew.
type DelayRow struct {
	strategies.DelayRow
	Observed *strategies.Quantiles `json:"observed,omitempty"`
}

// Trace holds the attempts of the first clients in the first replication, as columns of equal length in order of
// leaving. Request counts a client's requests from 1. ArrivedSeconds is nil for what never arrived, StartedSeconds for what
// was never in service, AnsweredSeconds for what the server was not done with by the horizon, SeenSeconds for what is
// still in flight. Node is which it was sent to, from 1, and 0 for what none got. Failed is why the request failed with that attempt, "" if it did not.
type Trace struct {
	Client          []int       `json:"client"`
	Request         []int64     `json:"request"`
	Attempt         []int64     `json:"attempt"`
	LeftSeconds     []float64   `json:"leftSeconds"`
	Node            []int       `json:"node"`
	ArrivedSeconds  []*float64  `json:"arrivedSeconds"`
	StartedSeconds  []*float64  `json:"startedSeconds"`
	AnsweredSeconds []*float64  `json:"answeredSeconds"`
	SeenSeconds     []*float64  `json:"seenSeconds"`
	Outcome         []string    `json:"outcome"`
	Failed          []string    `json:"failed"`
	Server          ServerTrace `json:"server"`
}

// ServerTrace says what the server was at, whoever's attempts they were: after each change, how many were in service and
// in the queue, and how many workers were busy, refusals included. Changes within one and the same of the stretches of
// GapSeconds from 0 on are one, at the time of the first: with a billionth of a second, only those at one instant.
type ServerTrace struct {
	GapSeconds float64      `json:"gapSeconds"`
	AtSeconds  []float64    `json:"atSeconds"`
	InService  []int        `json:"inService"`
	Queue      []int        `json:"queue"`
	Busy       []int        `json:"busy"`
	Warmups    []WarmupSpan `json:"warmups"`
}

// WarmupSpan is a time, in seconds, in which the server's speed rises linearly from Speed to 1, unless it goes down before or
// the run ends.
type WarmupSpan struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Speed float64 `json:"speed"`
}
