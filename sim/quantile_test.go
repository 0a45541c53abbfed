package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// The table is as good as the function: 10^-7 is a nanosecond in 10 ms, to which draws are rounded anyway.
func TestQuantileTable(t *testing.T) {
	for _, choice := range []spec.Choice{
		{Kind: "exponential", Args: spec.Args{"mean": time.Second}},
		{Kind: "normal", Args: spec.Args{"mean": 10 * time.Millisecond, "sd": 20 * time.Millisecond}},
		{Kind: "lognormal", Args: spec.Args{"median": 20 * time.Millisecond, "sigma": 0.3}},
		{Kind: "lognormal", Args: spec.Args{"median": 20 * time.Millisecond, "sigma": 1.0}},
		{Kind: "lognormal", Args: spec.Args{"median": 20 * time.Millisecond, "sigma": 5.0}},
		{Kind: "uniform", Args: spec.Args{"min": time.Millisecond, "max": time.Second}},
	} {
		d := compileDistribution(choice).tabulate()
		exact := compileDistribution(choice)
		for i := range 1_000_003 {
			bits := uint64(i) * (math.MaxUint64 / 1_000_003)
			u := unit(bits)
			got, want := d.quantile(bits), exact.draw(u)
			if math.Abs(got-want) > 1e-7*math.Max(math.Abs(want), exact.mean) {
				t.Fatalf("%v: quantile of %v is %v, want %v", choice, u, got, want)
			}
		}
		for _, u := range []uint64{0, math.MaxUint64} {
			if d.Draw(u) != exact.Draw(u) {
				t.Errorf("%v: a draw of %d is %d, want %d", choice, u, d.Draw(u), exact.Draw(u))
			}
		}
	}
}

func BenchmarkQuantile(b *testing.B) {
	choice := spec.Choice{Kind: "lognormal", Args: spec.Args{"median": 20 * time.Millisecond, "sigma": 0.3}}
	for name, d := range map[string]distribution{"function": compileDistribution(choice), "table": compileDistribution(choice).tabulate()} {
		b.Run(name, func(b *testing.B) {
			u := uint64(0)
			for b.Loop() {
				u += golden
				d.Draw(u)
			}
		})
	}
}
