package sim_test

import (
	"math"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

func metricOf(values ...float64) sim.Metric {
	var m sim.Metric
	for _, v := range values {
		if math.IsNaN(v) {
			m.Values = append(m.Values, nil)
			continue
		}
		m.Values = append(m.Values, &v)
	}
	return m
}

func TestDifference(t *testing.T) {
	never := math.NaN()
	for _, c := range []struct {
		what            string
		a, b            sim.Metric
		mean, low, high float64 // NaN: does not exist
	}{
		// 2, 3 and 1: mean 2, standard deviation 1; Student's t is 4.302653 at 0.975 with two degrees of freedom.
		{"three", metricOf(3, 5, 7), metricOf(1, 2, 6), 2, 2 - 4.302652729911/math.Sqrt(3), 2 + 4.302652729911/math.Sqrt(3)},
		{"what both have in common cancels out", metricOf(101, 901, 11), metricOf(100, 900, 10), 1, 1, 1},
		{"equal", metricOf(1, 2), metricOf(1, 2), 0, 0, 0},
		{"only where both exist", metricOf(3, never, 5, 7), metricOf(1, 5, never, 6), 1.5, 1.5 - 12.706204736175*0.5, 1.5 + 12.706204736175*0.5},
		{"one replication has no interval", metricOf(3), metricOf(1), 2, never, never},
		{"never both", metricOf(3, never), metricOf(never, 1), never, never, never},
		{"without values", sim.Metric{}, metricOf(1), never, never, never},
	} {
		d := sim.Difference(c.a, c.b)
		for _, x := range []struct {
			what string
			got  *float64
			want float64
		}{{"mean", d.Mean, c.mean}, {"low", d.Low, c.low}, {"high", d.High, c.high}} {
			if x.got == nil && !math.IsNaN(x.want) || x.got != nil && !(math.Abs(*x.got-x.want) < 1e-9) {
				t.Errorf("%s: the %s is %v, want %v", c.what, x.what, x.got, x.want)
			}
		}
	}
}
