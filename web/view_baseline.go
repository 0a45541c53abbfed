package web

import (
	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file compares policies with one of them, the baseline: figure by figure, within each run, since all policies meet
// the same random numbers.

// rounding is what the difference of two times may be off by, as a share: they are decimals of a second, in binary.
const rounding = 1e-9

// difference says how a figure differs from the baseline's: nil for the baseline itself, and where one of the two does
// not exist in any run.
func (c columns) difference(s standing, m measure) *templates.Difference {
	if c.baseline == nil || s.position == c.baseline.position {
		return nil
	}
	d := sim.Difference(s.Metrics.Get(m.metric), c.baseline.Metrics.Get(m.metric))
	if d.Mean == nil {
		return nil
	}
	scale, name := m.unit.scale, m.unit.name
	if name == "%" {
		name = "points" // 90 % of 80 % is another thing
	}
	out := &templates.Difference{Value: signed(mean(d, scale), *d.Mean), Unit: name}
	switch {
	case d.Low == nil:
		out.Interval = "in one run"
	case *d.Low == 0 && *d.High == 0:
		return &templates.Difference{Value: "the same", Interval: "in every run"}
	case *d.High-*d.Low <= rounding*max(*d.High, -*d.Low):
		out.Value = signed(brief(*d.Mean*scale), *d.Mean)
		out.Interval = "in every run"
	case *d.Low <= 0 && *d.High >= 0:
		return &templates.Difference{Value: "cannot be told apart", Level: true}
	default:
		out.Interval = between(d, scale)
	}
	return out
}

// signed puts a plus before what is more.
func signed(text string, x float64) string {
	if x > 0 {
		return "+" + text
	}
	return text
}

// between writes the interval of a difference, both ends with their signs.
func between(d sim.Metric, scale float64) string {
	low, high := *d.Low*scale, *d.High*scale
	n := min(decimals(d, scale)+1, significant((high-low)/2, 2))
	return signed(numeral(low, n), low) + " to " + signed(numeral(high, n), high)
}

// compare marks the row of the baseline, and offers every row as one.
func (c columns) compare(row *templates.Row, s standing) {
	row.Baseline = c.baseline != nil && c.baseline.position == s.position
	row.BaselineDo = "baseline:" + s.Policy.ID
	if row.Baseline {
		row.BaselineDo = "baseline:"
	}
}
