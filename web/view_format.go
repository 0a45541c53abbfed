package web

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// This file turns numbers into text: three significant digits, fewer where the interval does not support them.

const (
	thinSpace = "\u202f" // between thousands; does not break
	nbsp      = "\u00a0" // between a number and its unit
	minus     = "\u2212"
	noValue   = "–"
)

// numeral writes x with so many decimals, thousands set apart.
func numeral(x float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	whole, fraction, hasFraction := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && len(whole) > 4; i -= 3 {
		whole = whole[:i] + thinSpace + whole[i:]
	}
	if hasFraction {
		whole += "." + fraction
	}
	if x < 0 && strings.Trim(s, "0.") != "" {
		return minus + whole
	}
	return whole
}

// significant is how many decimals show x with so many significant digits: at least 0, at most 6.
func significant(x float64, digits int) int {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	// The exponent that x has once it is rounded: 9.996 is 10.0.
	s := strconv.FormatFloat(math.Abs(x), 'e', digits-1, 64)
	exponent, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return min(max(digits-1-exponent, 0), 6)
}

// brief writes a number that stands on its own with at most three significant digits, without trailing zeros.
func brief(x float64) string {
	s := numeral(x, significant(x, 3))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// count writes a number of things, in full if it is whole.
func count(x float64) string {
	if x == math.Trunc(x) {
		return numeral(x, 0)
	}
	return brief(x)
}

// decimals is how many a metric's mean supports: three significant digits, but none beyond the first digit of the
// interval's half width; beyond the second where the first is 1.
func decimals(m sim.Metric, scale float64) int {
	mean := *m.Mean * scale
	d := significant(mean, 3)
	if m.Low == nil || m.High == nil {
		if mean == math.Trunc(mean) {
			return 0
		}
		return d
	}
	if half := (*m.High - *m.Low) / 2 * scale; half > 0 {
		return min(d, significant(half/2, 1))
	}
	if mean == math.Trunc(mean) {
		return 0 // every replication gave this whole number
	}
	return d
}

// mean writes a metric's mean, scaled.
func mean(m sim.Metric, scale float64) string {
	if m.Mean == nil {
		return noValue
	}
	text := numeral(*m.Mean*scale, decimals(m, scale))
	if *m.Mean != 0 && strings.Trim(text, "0."+minus) == "" {
		return brief(*m.Mean * scale) // some, however uncertain, is not none
	}
	return text
}

// interval writes a metric's 95 % interval, scaled, within [least, most]; "" if there is none.
func interval(m sim.Metric, scale, least, most float64) string {
	if m.Low == nil || m.High == nil {
		return ""
	}
	low, high := max(*m.Low*scale, least), min(*m.High*scale, most)
	if low == high {
		return "in every run"
	}
	d := min(decimals(m, scale)+1, significant((high-low)/2, 2))
	return numeral(low, d) + " to " + numeral(high, d)
}

// percent writes a share as a percentage. Only what is exactly 0 or 1 is written as 0 or 100.
func percent(m sim.Metric) string {
	if m.Mean == nil {
		return noValue
	}
	return nearly(*m.Mean, decimals(m, 100))
}

func nearly(share float64, decimals int) string {
	switch s := numeral(share*100, decimals); {
	case share > 0 && strings.Trim(s, "0.") == "":
		if share < 0.0001 {
			return "<0.01"
		}
		return numeral(share*100, 2)
	case share < 1 && strings.HasPrefix(s, "100"):
		if share > 0.9999 {
			return ">99.99"
		}
		return numeral(math.Floor(share*1e4)/100, 2)
	default:
		return s
	}
}

// unit is one that times are written in.
type unit struct {
	name  string
	scale float64 // so many are a second
}

// unitOf is the unit that fits a time of so many seconds.
func unitOf(seconds float64) unit {
	switch s := math.Abs(seconds); {
	case s == 0:
		return unit{"s", 1}
	case s < 0.9995:
		return unit{"ms", 1e3}
	case s < 120:
		return unit{"s", 1}
	case s < 2*3600:
		return unit{"min", 1.0 / 60}
	default:
		return unit{"h", 1.0 / 3600}
	}
}

// unitFor is one unit for all of some metrics of seconds, so that they can be compared: it fits the longest. A row of
// figures goes on in seconds for longer than a sentence would.
func unitFor(all ...sim.Metric) unit {
	longest := 0.0
	for _, m := range all {
		longest = max(longest, *orZero(m.Mean))
	}
	if longest >= 120 && longest < 600 {
		return unit{"s", 1}
	}
	return unitOf(longest)
}

// timed writes a metric of seconds with its unit.
func timed(m sim.Metric) string {
	if m.Mean == nil {
		return noValue
	}
	u := unitFor(m)
	return mean(m, u.scale) + nbsp + u.name
}

// seconds writes a time that stands on its own, with its unit: "250 ms", "10 s", "2.5 min".
func seconds(s float64) string {
	u := unitOf(s)
	return brief(s*u.scale) + nbsp + u.name
}

// span writes a duration.
func span(d time.Duration) string { return seconds(d.Seconds()) }

// plural writes a number of things.
func plural(n float64, one, many string) string {
	if n == 1 {
		return "1" + nbsp + one
	}
	return count(n) + nbsp + many
}

// joined joins names as a sentence does.
func joined(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
