package sim

// A sweep asks what if: it runs one scenario with one or two of its parameters varied, and keeps a few figures of each
// point.

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Bounds of a sweep.
const (
	MaxSteps     = 101 // values on the axis of a sweep over one parameter
	MaxGridSteps = 21  // on each of two axes
)

// Sweep is a scenario and what of it varies. ParseSweep fills in the defaults.
type Sweep struct {
	Scenario Scenario
	Axes     []Axis   // one or two; of two, the second varies faster
	Metrics  []string // the figures to keep, of SweepMetrics
}

// The scales of an axis.
const (
	Linear = "linear" // equal steps
	Log    = "log"    // equal ratios
	Listed = "list"   // the values as given
)

// Axis is a parameter of the scenario and the values that it takes.
type Axis struct {
	Scale     string
	Parameter string // a path that Scenario.Set takes
	From, To  spec.Amount
	Steps     int           // how many values, From and To among them
	Values    []spec.Amount // of Listed
}

// Fields declares what a sweep is made of.
func (s *Sweep) Fields() []spec.Field {
	return []spec.Field{
		spec.Nested(spec.Param{Key: "scenario", Label: "Scenario", Help: "What is simulated at each point, but for what varies."}, &s.Scenario),
		spec.Several(spec.Param{
			Key: "axes", Label: "What varies", Min: 1, Max: 2,
			Help: fmt.Sprintf("One parameter with at most %d values, or two with at most %d each.", MaxSteps, MaxGridSteps),
		}, &s.Axes),
		spec.Value(spec.Param{
			Key: "metrics", Type: spec.Options, Label: "Figures", Options: SweepMetrics(),
			Default: []string{"successRate", Recovered, "amplification", "within.p99", "crashes", "goodput"},
			Help:    "What is kept of each point.",
		}, sweepMetrics{&s.Metrics}),
	}
}

// sweepMetrics is a list of names.
type sweepMetrics struct{ names *[]string }

func (m sweepMetrics) Get() any  { return *m.names }
func (m sweepMetrics) Set(v any) { *m.names = v.([]string) }

// Fields declares what an axis is made of.
func (a *Axis) Fields() []spec.Field {
	amount := func(key, label string, v *spec.Amount) spec.Field {
		return spec.Value(spec.Param{Key: key, Label: label, Help: "A number, or a duration where the parameter is one."}, v).For(Linear, Log)
	}
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "scale", Label: "Scale", Default: Linear, Options: []string{Linear, Log, Listed},
			Names: []string{"equal steps", "equal ratios", "listed values"},
		}, &a.Scale),
		spec.Value(spec.Param{
			Key: "parameter", Label: "Parameter", Max: 200,
			Help: "A path of the scenario such as clients.count; policies.cap of all policies that have it, policies.0.cap of one; outage, the length of the first; capacity, served a second.",
		}, &a.Parameter),
		amount("from", "From", &a.From),
		amount("to", "To", &a.To),
		spec.Value(spec.Param{Key: "steps", Label: "Values", Min: 2, Max: MaxSteps, Default: 8, Help: "How many, the ends included."}, &a.Steps).For(Linear, Log),
		spec.Value(spec.Param{Key: "values", Label: "Values", Min: 1, Max: MaxSteps}, &a.Values).For(Listed),
	}
}

// ParseSweep reads a sweep from JSON. It returns a *spec.SyntaxError if data is not JSON, else all spec.Faults.
func ParseSweep(data []byte) (*Sweep, error) {
	s := new(Sweep)
	if err := spec.DecodeJSON(s, data); err != nil {
		return nil, err
	}
	return s, nil
}

// Validate returns all spec.Faults of a sweep, as an error.
func (s *Sweep) Validate() error { return spec.Check(s) }

// MarshalJSON writes the canonical form: every default written out.
func (s *Sweep) MarshalJSON() ([]byte, error) { return spec.EncodeJSON(s) }

// UnmarshalJSON is ParseSweep.
func (s *Sweep) UnmarshalJSON(data []byte) error {
	parsed, err := ParseSweep(data)
	if err == nil {
		*s = *parsed
	}
	return err
}

// SweepSchema describes the documents that ParseSweep reads, as JSON Schema 2020-12.
func SweepSchema() map[string]any { return spec.Schema(&Sweep{}, "Sweep") }

// Text returns the axis in one line, as in a query: the parameter, then what is not a default. ParseAxis gives it
// again.
func (a *Axis) Text() string {
	parts := []string{a.Parameter}
	for _, item := range spec.Items(a) {
		if !item.Default && item.Path != "parameter" {
			parts = append(parts, item.Path+"="+item.Text)
		}
	}
	return strings.Join(parts, ",")
}

// ParseAxis reads an axis from its line, such as "clients.count,from=500,to=4000". It returns all spec.Faults.
func ParseAxis(line string) (Axis, error) {
	name, rest, more := strings.Cut(line, ",")
	texts := spec.Texts{"parameter": name}
	var faults spec.Collector
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ",")
		key, value, ok := strings.Cut(part, "=")
		if _, twice := texts[key]; twice || !ok || strings.Contains(key, ".") {
			faults.Addf("", "an axis is a parameter and pairs such as from=500, each once, not %.60q", part)
			continue
		}
		texts[key] = value
	}
	var a Axis
	faults.Merge("", spec.DecodeTexts(&a, texts, nil))
	return a, faults.Err()
}

// SweepMetrics are the names of what a sweep can keep: those of every result.
var SweepMetrics = sync.OnceValue(func() []string {
	smallest, err := ParseScenario([]byte(`{"replications": 1, "clients": {"count": 1}, "policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 1}]}`))
	if err != nil {
		panic(err)
	}
	result, err := Run(context.Background(), smallest, nil)
	if err != nil {
		panic(err)
	}
	var names []string
	for _, m := range result.Results[0].Metrics {
		names = append(names, m.Name)
	}
	return names
})
