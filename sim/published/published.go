// Package published holds results that others published, each with the scenario that has to reproduce it: what was said,
// by whom, what a run of ours gives, and whether the two agree. All of them are run by the tests, few times each; and in
// full by `make published`, which writes what the page /published shows.
package published

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/stampede-sim/stampede/sim"
)

// Entry is something published that a scenario can reproduce.
type Entry struct {
	ID, Title   string
	Says        string // what they say, in our words
	Source, URL string
	Differs     string // where their program and their prose differ; "": they do not, or there is no program
	Lacks       string // what our model cannot express of it; "": nothing
	Figures     []Figure

	document string // the scenario, as JSON
	preset   string // or the preset that it is, to which edit is done
	edit     func(*sim.Scenario)
	runs     int  // in full
	apart    bool // each run by a seed of its own: figures are read off its first replication
	traced   int  // with the attempts of so many clients, if apart
}

// Figure is a number that was published.
type Figure struct {
	ID, What string
	Unit     string
	Relation Relation
	Value    float64
	Error    float64 // its standard error, where it is a mean
	Half     float64 // half a unit of its last digit, where it was rounded

	of func(r runs) []float64 // what each of our runs gives
}

// Relation is how ours has to lie to a figure.
type Relation int

const (
	Equal Relation = iota // within 4 standard errors, of theirs and ours
	Below
	Above
)

// Measured is what our runs gave.
type Measured struct {
	Mean   float64  `json:"mean"`
	Low    *float64 `json:"low"` // the 95 % interval by Student's t; null where all runs gave the same
	High   *float64 `json:"high"`
	Runs   int      `json:"runs"`
	Agrees bool     `json:"agrees"`
}

// Scenario is what is run, as often as in full.
func (e *Entry) Scenario() *sim.Scenario {
	s := new(sim.Scenario)
	for _, p := range sim.Presets() {
		if e.preset == p.ID {
			s = p.Scenario
		}
	}
	if e.document != "" {
		parsed, err := sim.ParseScenario([]byte(e.document))
		if err != nil {
			panic(fmt.Sprintf("published: %s: %v", e.ID, err)) // a test would have found it
		}
		s = parsed
	}
	s.Name, s.Replications = e.Title, e.runs
	if e.edit != nil {
		e.edit(s)
	}
	return s
}

// Runs is how often the entry is run in full.
func (e *Entry) Runs() int { return e.runs }

// Measure runs the entry so many times and returns what each of its figures came to.
func (e *Entry) Measure(ctx context.Context, times int) ([]Measured, error) {
	s := e.Scenario()
	var r runs
	if !e.apart {
		s.Replications = times
		result, err := sim.Runner{Values: true}.Run(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		r = runs{result}
	} else {
		s.Replications = 1
		for seed := range times {
			s.Seed = uint64(seed) + 1
			result, err := sim.Runner{Values: true, Trace: e.traced}.Run(ctx, s, nil)
			if err != nil {
				return nil, err
			}
			r = append(r, result)
		}
	}
	measured := make([]Measured, len(e.Figures))
	for i, f := range e.Figures {
		measured[i] = f.measure(f.of(r))
	}
	return measured, nil
}

// measure compares runs with the figure.
func (f Figure) measure(values []float64) Measured {
	mean, sd := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	se := sd / math.Sqrt(n)
	m := Measured{Mean: mean, Runs: len(values)}
	if se > 0 {
		half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * se
		m.Low, m.High = new(mean-half), new(mean+half)
	} else {
		se = 0 // not a number, of one run
	}
	const sigmas, rounding = 4, 1e-9
	slack := rounding * math.Max(1, math.Abs(f.Value))
	switch f.Relation {
	case Below:
		m.Agrees = mean+sigmas*se < f.Value
	case Above:
		m.Agrees = mean-sigmas*se > f.Value
	default:
		m.Agrees = math.Abs(mean-f.Value) <= sigmas*math.Hypot(se, f.Error)+f.Half+slack
	}
	return m
}

// runs are results: one with many replications, or many with one.
type runs []*sim.Result

// of returns each replication's value of a metric; what does not exist is not a number.
func (r runs) of(policy, metric string) []float64 {
	var values []float64
	for _, result := range r {
		for _, v := range find(result, policy).Metrics.Get(metric).Values {
			if v == nil {
				values = append(values, math.NaN())
			} else {
				values = append(values, *v)
			}
		}
	}
	return values
}

// each returns what a function makes of each run.
func (r runs) each(policy string, value func(sim.PolicyResult) float64) []float64 {
	var values []float64
	for _, result := range r {
		values = append(values, value(find(result, policy)))
	}
	return values
}

func find(r *sim.Result, policy string) sim.PolicyResult {
	for _, p := range r.Results {
		if p.Policy.ID == policy {
			return p
		}
	}
	panic("published: no policy " + policy)
}

// Full is the last full run.
type Full struct {
	Date    string              `json:"date"`
	Version string              `json:"version"`
	Figures map[string]Measured `json:"figures"` // by entry/figure
}

//go:embed results.json
var results []byte

// LastRun is the last full run, as committed.
var LastRun = sync.OnceValue(func() Full {
	var full Full
	if err := json.Unmarshal(results, &full); err != nil {
		panic(err)
	}
	return full
})

// Key is a figure's name in a full run.
func Key(entry, figure string) string { return entry + "/" + figure }
