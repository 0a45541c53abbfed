package web

import (
	"math"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the four figures of a row that a policy is judged by.

// columns are what the figures of all rows have in common.
type columns struct {
	telling
	time     unit      // of the times to serve 99 %
	baseline *standing // whom the others are compared with; nil: nobody
}

func columnsOf(r *sim.Result) columns {
	c := columns{telling: tellingOf(r.Scenario)}
	var times []sim.Metric
	for i := range r.Results {
		times = append(times, r.Results[i].Metrics.Get("within.p99"))
	}
	c.time = unitFor(times...)
	return c
}

// figures are those of one row: share served, crashes, the time for 99 % or successes a second, and attempts.
func (c columns) figures(s standing) []templates.Figure {
	return []templates.Figure{c.served(s), c.crashed(s), c.judged(s), c.attempts(s)}
}

func (c columns) served(s standing) templates.Figure {
	f := c.figure(s, "Served", measure{"successRate", unit{"%", 100}, 1})
	f.Value, f.Note = percent(s.Metrics.Get("successRate")), "all "+c.who
	if left := unservedCount(s.Metrics); left != "" {
		f.Bad, f.Note = true, left+nbsp+"unserved"
	}
	return f
}

func (c columns) crashed(s standing) templates.Figure {
	f := c.figure(s, "Crashes", measure{"crashes", unit{"", 1}, math.Inf(1)})
	if crashCount(s) > 0 {
		f.Bad, f.Note = true, seconds(meanOf(s, "downtime"))+" down"
	}
	return f
}

func (c columns) judged(s standing) templates.Figure {
	if c.who != "clients" {
		return c.figure(s, "Served a second", measure{"goodput", unit{"", 1}, math.Inf(1)})
	}
	f := c.figure(s, "99"+nbsp+"% within", measure{"within.p99", c.time, math.Inf(1)})
	half := s.Metrics.Get("within.p50")
	if half.Mean != nil {
		f.Note = "half in " + timed(half)
	}
	if f.Value == noValue {
		f.Value, f.Unit, f.Bad = "never", "", true
		if half.Mean == nil {
			f.Note = "not even half"
		}
	}
	return f
}

func (c columns) attempts(s standing) templates.Figure {
	f := c.figure(s, "Attempts each", measure{"amplification", unit{"", 1}, math.Inf(1)})
	if peak := meanOf(s, "recoveryPeak"); peak > 0 {
		f.Note = "peak " + brief(peak) + "/s"
	}
	if stopped := s.Metrics.Get("notSent"); meanOf(s, "notSent") > 0 {
		f.Note += ", " + mean(stopped, 1) + " not sent"
		f.Note = strings.TrimPrefix(f.Note, ", ")
	}
	return f
}

// measure is a metric and how it is written: in a unit, and never beyond a most.
type measure struct {
	metric string
	unit   unit
	most   float64 // unscaled
}

// figure is a metric with its interval or, beside a baseline, its difference to that one's.
func (c columns) figure(s standing, label string, m measure) templates.Figure {
	x := s.Metrics.Get(m.metric)
	f := templates.Figure{Label: label, Value: mean(x, m.unit.scale), Unit: m.unit.name}
	if c.baseline == nil {
		f.Interval = interval(x, m.unit.scale, 0, m.most*m.unit.scale)
	} else {
		f.Difference = c.difference(s, m)
	}
	return f
}

func orZero(x *float64) *float64 {
	if x == nil {
		return new(float64)
	}
	return x
}
