package web

import (
	"math"

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
	switch half := halfWidth(d); {
	case d.Low == nil:
		return &templates.Difference{Value: signed(d, scale), Unit: name, When: "in one run"}
	case *d.Low == 0 && *d.High == 0:
		return &templates.Difference{Value: "the same", When: "in every run"}
	case half <= rounding*math.Abs(*d.Mean):
		return &templates.Difference{Value: signed(sim.Metric{Mean: d.Mean}, scale), Unit: name, When: "in every run"}
	case *d.Low <= 0 && *d.High >= 0:
		return &templates.Difference{Value: "cannot be told apart", Level: true}
	default:
		n := max(decimals(d, scale), significant(half*scale, 1))
		return &templates.Difference{Value: signed(d, scale) + nbsp + "±" + nbsp + numeral(half*scale, n), Unit: name}
	}
}

// halfWidth is that of a difference's interval, 0 if there is none.
func halfWidth(d sim.Metric) float64 {
	if d.Low == nil {
		return 0
	}
	return (*d.High - *d.Low) / 2
}

// signed writes a difference with its sign.
func signed(d sim.Metric, scale float64) string {
	text := mean(d, scale)
	if halfWidth(d) == 0 {
		text = brief(*d.Mean * scale)
	}
	if *d.Mean > 0 {
		return "+" + text
	}
	return text
}

// compare marks the row of the baseline, and offers every row as one.
func (c columns) compare(row *templates.Row, s standing) {
	row.Baseline = c.baseline != nil && c.baseline.position == s.position
	row.BaselineDo = "baseline:" + s.Policy.ID
	if row.Baseline {
		row.BaselineDo = "baseline:"
	}
}
