package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

const ms = time.Millisecond

func choice(kind string, args ...any) spec.Choice {
	c := spec.Choice{Kind: kind, Args: spec.Args{}}
	for i := 0; i < len(args); i += 2 {
		c.Args[args[i].(string)] = args[i+1]
	}
	return c
}

// The midpoint rule over 2^16 equal strata of u integrates the quantile function: mean and standard deviation come
// out to better than 0.1 % of the mean, since what it leaves out is the tail beyond 1 − 2^−17.
func TestDistributionMoments(t *testing.T) {
	const n = 1 << 16
	for _, c := range []struct {
		name     string
		choice   spec.Choice
		mean, sd float64 // milliseconds
	}{
		{"constant", choice("constant", "mean", 20*ms), 20, 0},
		{"exponential", choice("exponential", "mean", 100*ms), 100, 100},
		{"normal", choice("normal", "mean", 100*ms, "sd", 10*ms), 100, 10},
		// Half-normal: mean sd·√(2/π), variance sd²·(1 − 2/π).
		{"half-normal", choice("normal", "mean", 0*ms, "sd", 10*ms), 10 * math.Sqrt(2/math.Pi), 10 * math.Sqrt(1-2/math.Pi)},
		// Folded at one standard deviation: E|X| = √(2/π)·e^(−1/2) + erf(1/√2) = 1.166631, E X² = 2.
		{"folded", choice("normal", "mean", 10*ms, "sd", 10*ms), 11.66631, 10 * math.Sqrt(2-1.1666309*1.1666309)},
		// mean = median·e^(σ²/2), variance = mean²·(e^(σ²) − 1).
		{"lognormal", choice("lognormal", "median", 20*ms, "sigma", 0.3), 20.92056, 20.92056 * math.Sqrt(math.Expm1(0.09))},
		{"uniform", choice("uniform", "min", 10*ms, "max", 40*ms), 25, 30 / math.Sqrt(12)},
	} {
		d := compileDistribution(c.choice)
		var sum, squares float64
		for i := range uint64(n) {
			x := float64(d.Draw(i<<48|1<<47)) / 1e6
			sum += x
			squares += x * x
		}
		mean := sum / n
		sd := math.Sqrt(max(0, squares/n-mean*mean))
		tolerance := 0.001 * c.mean
		if math.Abs(mean-c.mean) > tolerance || math.Abs(sd-c.sd) > 4*tolerance {
			t.Errorf("%s: mean %.5f sd %.5f, want %.5f and %.5f", c.name, mean, sd, c.mean, c.sd)
		}
		if math.Abs(d.Mean()/1e6-c.mean) > 1e-6*c.mean {
			t.Errorf("%s: Mean() = %.7f ms, want %.7f", c.name, d.Mean()/1e6, c.mean)
		}
	}
}

func TestDistributionQuantiles(t *testing.T) {
	const half, q975 = 1 << 63, 0xf999999999999999 // u = 0.5 and 0.975
	for _, c := range []struct {
		choice spec.Choice
		u      uint64
		want   time.Duration
	}{
		{choice("constant", "mean", 7*ms), half, 7 * ms},
		{choice("exponential", "mean", 100*ms), half, 69314718},                  // 100 ms · ln 2
		{choice("normal", "mean", 100*ms, "sd", 10*ms), half, 100 * ms},          // the median
		{choice("normal", "mean", 100*ms, "sd", 10*ms), q975, 119599640},         // 1.9599640 standard deviations
		{choice("lognormal", "median", 20*ms, "sigma", 0.3), half, 20 * ms},      // the median
		{choice("lognormal", "median", 20*ms, "sigma", 0.3), q975, 36007292},     // 20 ms · e^(0.3 · 1.9599640)
		{choice("uniform", "min", 10*ms, "max", 40*ms), half, 25 * ms},           // the middle
		{choice("uniform", "min", 10*ms, "max", 40*ms), math.MaxUint64, 40 * ms}, // the end
	} {
		d := compileDistribution(c.choice)
		if got := d.Draw(c.u); math.Abs(float64(got-int64(c.want))) > 100 {
			t.Errorf("%v: Draw(%#x) = %d ns, want %d", c.choice, c.u, got, c.want)
		}
	}
}

func TestDistributionBounds(t *testing.T) {
	week := 168 * time.Hour
	for _, c := range []struct {
		choice   spec.Choice
		min, max int64
		constant bool
	}{
		{choice("constant", "mean", 0*ms), 0, 0, true},
		{choice("constant", "mean", week), int64(week), int64(week), true},
		{choice("exponential", "mean", 0*ms), 0, 0, true},
		{choice("exponential", "mean", time.Second), 0, 36736800570, false}, // 53·ln 2 seconds
		{choice("normal", "mean", 10*ms, "sd", 0*ms), 1e7, 1e7, true},
		{choice("normal", "mean", 10*ms, "sd", 2*ms), 0, 26419072, false}, // 8.2095362 standard deviations, where the tail is 2^−53
		{choice("lognormal", "median", week, "sigma", 5.0), 0, strategies.Saturated, false},
		{choice("lognormal", "median", week, "sigma", 0.0), int64(week), int64(week), true},
		{choice("uniform", "min", 0*ms, "max", 0*ms), 0, 0, true},
		{choice("uniform", "min", 5*ms, "max", 9*ms), 5e6, 9e6, false},
	} {
		d := compileDistribution(c.choice)
		if _, constant := d.Constant(); d.min != c.min || d.max != c.max || constant != c.constant {
			t.Errorf("%v: %d to %d, constant %v; want %d to %d, %v", c.choice, d.min, d.max, constant, c.min, c.max, c.constant)
		}
		for _, u := range []uint64{0, 1, 1 << 12, 1 << 62, 1 << 63, math.MaxUint64 - 1, math.MaxUint64} {
			if x := d.Draw(u); x < d.min || x > d.max {
				t.Errorf("%v: Draw(%#x) = %d is out of bounds", c.choice, u, x)
			}
		}
	}
}

func BenchmarkDistributionDraw(b *testing.B) {
	for _, c := range []spec.Choice{
		choice("constant", "mean", 20*ms),
		choice("exponential", "mean", 20*ms),
		choice("normal", "mean", 20*ms, "sd", 2*ms),
		choice("lognormal", "median", 20*ms, "sigma", 0.3),
		choice("uniform", "min", 0*ms, "max", 20*ms),
	} {
		b.Run(c.Kind, func(b *testing.B) {
			d := compileDistribution(c)
			u := uint64(0)
			for b.Loop() {
				u += 0x9e3779b97f4a7c15
				d.Draw(u)
			}
		})
	}
}
