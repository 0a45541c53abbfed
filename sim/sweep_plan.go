package sim

// A sweep's points: which values its axes take, and the scenario at each.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// SweptAxis is an axis as it was run.
type SweptAxis struct {
	Parameter string        `json:"parameter"`
	Label     string        `json:"label"` // what the parameter is called
	Unit      string        `json:"unit,omitempty"`
	Values    []spec.Amount `json:"values"` // as the scenarios have them: what rounding makes equal is there once

	texts []string // what Set is given for each
}

// Rules reports axes that cannot be.
func (s *Sweep) Rules(report func(at, detail string)) {
	for i := range s.Axes {
		at := fmt.Sprintf("/axes/%d", i)
		if i > 0 && s.Axes[i].Parameter == s.Axes[0].Parameter {
			report(at+"/parameter", fmt.Sprintf("parameter must differ from that of the other axis, not %.60q twice", s.Axes[0].Parameter))
			return
		}
		s.axis(&s.Axes[i], func(below, detail string) { report(at+below, detail) })
	}
}

// axis finds the values of one axis in the sweep's scenario. What it reports makes the axis unfit to run.
func (s *Sweep) axis(a *Axis, report func(at, detail string)) SweptAxis {
	p, ok := s.Scenario.Parameter(a.Parameter)
	if !ok {
		report("/parameter", fmt.Sprintf("parameter must be a number or a duration that the scenario has, such as %s, not %.60q", s.suchAs(), a.Parameter))
		return SweptAxis{}
	}
	swept := SweptAxis{Parameter: a.Parameter, Label: p.Param.Label, Unit: p.Param.Unit}
	amounts, fault := a.amounts(p, report)
	if fault {
		return swept
	}
	if most := s.mostSteps(); len(amounts) > most {
		at := map[bool]string{true: "values", false: "steps"}[a.Scale == Listed]
		report("/"+at, fmt.Sprintf("%s must be at most %d on each of two axes, not %d", at, most, len(amounts)))
		return swept
	}
	for i, amount := range amounts {
		changed, err := s.Scenario.Set(a.Parameter, string(amount))
		if err != nil {
			report(a.place(i, len(amounts)), fmt.Sprintf("%s cannot be %s: %s", a.Parameter, amount, reason(err)))
			return swept
		}
		if now, ok := changed.Parameter(a.Parameter); ok && !slices.Contains(swept.Values, spec.Amount(now.Value)) {
			swept.Values = append(swept.Values, spec.Amount(now.Value))
			swept.texts = append(swept.texts, string(amount))
		}
	}
	return swept
}

// reason is the first thing that is wrong.
func reason(err error) string {
	if faults, ok := errors.AsType[spec.Faults](err); ok {
		return faults[0].Detail
	}
	return err.Error()
}

// Possible returns the axis as it is if the scenario can have all of its values, or else one that lists those that it
// can have.
func (s *Scenario) Possible(a Axis) Axis {
	p, _ := s.Parameter(a.Parameter)
	amounts, _ := a.amounts(p, func(string, string) {})
	list := slices.DeleteFunc(slices.Clone(amounts), func(amount spec.Amount) bool {
		_, err := s.Set(a.Parameter, string(amount))
		return err != nil
	})
	if len(list) == len(amounts) || len(list) == 0 {
		return a
	}
	return Axis{Scale: Listed, Parameter: a.Parameter, Values: list}
}

func (s *Sweep) mostSteps() int {
	if len(s.Axes) > 1 {
		return MaxGridSteps
	}
	return MaxSteps
}

// suchAs names some parameters.
func (s *Sweep) suchAs() string {
	names := ""
	for _, want := range []string{"clients.count", OutageLength, CapacityRate, "policies.cap"} {
		if _, ok := s.Scenario.Parameter(want); ok {
			names += want + ", "
		}
	}
	return names + "policies.maxAttempts"
}

// place points to what gives the value with an index.
func (a *Axis) place(index, of int) string {
	switch {
	case a.Scale == Listed:
		return fmt.Sprintf("/values/%d", index)
	case index == of-1:
		return "/to"
	}
	return "/from"
}

// amounts are the values that the axis asks for.
func (a *Axis) amounts(p Parameter, report func(at, detail string)) (list []spec.Amount, fault bool) {
	value := func(key string, amount spec.Amount) float64 {
		x, problem := amount.Value(p.Param)
		if problem != "" {
			report("/"+key, key+" "+problem)
			fault = true
		}
		return x
	}
	if a.Scale == Listed {
		for i, amount := range a.Values {
			value(fmt.Sprintf("values/%d", i), amount)
		}
		return a.Values, fault
	}
	from, to := value("from", a.From), value("to", a.To)
	switch {
	case fault:
	case from >= to:
		report("/to", fmt.Sprintf("to must be more than from (%s), not %s", a.From, a.To))
		fault = true
	case a.Scale == Log && from <= 0:
		report("/from", fmt.Sprintf("from must be more than 0 on a log scale, not %s", a.From))
		fault = true
	default:
		for _, x := range a.spaced(from, to) {
			if p.Param.Type == spec.Integer {
				x = math.Round(x)
			}
			list = append(list, spec.AmountOf(p.Param, x))
		}
	}
	return list, fault
}

// spaced returns Steps values between the ends, rounded to about a hundredth of the distance between them, so that they
// read well.
func (a *Axis) spaced(from, to float64) []float64 {
	at := func(i int) float64 {
		share := float64(i) / float64(a.Steps-1)
		if a.Scale == Log {
			return from * math.Pow(to/from, share)
		}
		return from + (to-from)*share
	}
	list := make([]float64, a.Steps)
	for i := range list {
		digit := math.Pow(10, math.Floor(math.Log10((at(i+1)-at(i))/100)))
		list[i] = math.Round(at(i)/digit) * digit
		if digit < 1 { // a power of ten below 1 is none in binary
			list[i] = math.Round(at(i)*math.Round(1/digit)) / math.Round(1/digit)
		}
	}
	list[0], list[a.Steps-1] = from, to
	return list
}

// sweepPlan is everything that a sweep will run.
type sweepPlan struct {
	axes      []SweptAxis
	points    []SweepPoint // without results
	costs     []float64    // estimates, in events
	scenarios []*Scenario
}

// plan makes the points, the last axis fastest. Its error is spec.Faults, for a value may be right on its own but not beside
// another, or ctx's: a sweep of long policies takes seconds to plan.
func (s *Sweep) plan(ctx context.Context) (*sweepPlan, error) {
	p := new(sweepPlan)
	for i := range s.Axes {
		p.axes = append(p.axes, s.axis(&s.Axes[i], func(string, string) {})) // validated before
	}
	var faults spec.Collector
	p.add(ctx, &s.Scenario, nil, p.axes, &faults)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p, faults.Err()
}

// add adds the points of a scenario over the axes that are left.
func (p *sweepPlan) add(ctx context.Context, s *Scenario, at []spec.Amount, axes []SweptAxis, faults *spec.Collector) {
	if len(axes) == 0 {
		p.points = append(p.points, SweepPoint{Index: len(p.points), At: at})
		p.scenarios = append(p.scenarios, s)
		p.costs = append(p.costs, float64(Estimate(s)))
		return
	}
	for i, value := range axes[0].Values {
		if ctx.Err() != nil {
			return
		}
		changed, err := s.Set(axes[0].Parameter, axes[0].texts[i])
		if err != nil {
			faults.Addf("/axes", "%s cannot be %s where %s is %s: %s", axes[0].Parameter, value, p.axes[0].Parameter, at[0], reason(err))
			return
		}
		p.add(ctx, changed, append(slices.Clone(at), value), axes[1:], faults)
	}
}

// cost is the estimate of the whole sweep.
func (p *sweepPlan) cost() int64 {
	sum := 0.0
	for _, c := range p.costs {
		sum += c
	}
	return int64(min(sum, 1e18))
}

// Coordinate is a value as charts place it: a number, a duration in seconds.
func (a SweptAxis) Coordinate(i int) float64 {
	if d, err := time.ParseDuration(string(a.Values[i])); err == nil {
		return d.Seconds()
	}
	x, _ := spec.Amount(a.Values[i]).Value(spec.Param{Type: spec.Number, Min: -math.MaxFloat64, Max: math.MaxFloat64})
	return x
}
