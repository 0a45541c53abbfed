package strategies

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// choice picks a kind with its arguments, given as key, value, key, value.
func choice(kind string, keyValues ...any) spec.Choice {
	args := spec.Args{}
	for i := 0; i < len(keyValues); i += 2 {
		args[keyValues[i].(string)] = keyValues[i+1]
	}
	return spec.Choice{Kind: kind, Args: args}
}

// plain is a policy that waits exactly what the schedule says, at most cap.
func plain(schedule spec.Choice, cap time.Duration) Policy {
	return Policy{Schedule: schedule, Jitter: choice("none"), Cap: cap}
}

func TestScheduledDelays(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		schedule spec.Choice
		cap      time.Duration
		want     []time.Duration
	}{
		{choice("immediate"), 0, []time.Duration{0, 0, 0}},
		{choice("constant", "base", s), 0, []time.Duration{s, s, s}},
		{choice("constant", "base", 10*s), 3 * s, []time.Duration{3 * s, 3 * s}},
		{choice("linear", "base", s, "step", s), 0, []time.Duration{s, 2 * s, 3 * s, 4 * s}},
		{choice("linear", "base", s, "step", 250*time.Millisecond), 2 * s, []time.Duration{s, 1250e6, 1500e6, 1750e6, 2 * s, 2 * s}},
		{choice("exponential", "base", 100*time.Millisecond, "factor", 2.0), 10 * s,
			[]time.Duration{100e6, 200e6, 400e6, 800e6, 1600e6, 3200e6, 6400e6, 10 * s, 10 * s}},
		{choice("exponential", "base", 500*time.Millisecond, "factor", 1.5), 0,
			[]time.Duration{500e6, 750e6, 1125e6, 1687500000, 2531250000, 3796875000}},
		// gRPC's connection backoff: 1 s, 1.6, 120 s.
		{choice("exponential", "base", s, "factor", 1.6), 120 * s, []time.Duration{1e9, 1.6e9, 2.56e9, 4.096e9, 6.5536e9,
			10.48576e9, 16.777216e9, 26843545600, 42949672960, 68719476736, 109951162778, 120e9}},
		{choice("exponential", "base", s, "factor", 1.0), 0, []time.Duration{s, s, s}},
		{choice("polynomial", "base", s, "power", 2.0), 0, []time.Duration{s, 4 * s, 9 * s, 16 * s}},
		{choice("polynomial", "base", s, "power", 0.5), 0, []time.Duration{s, 1414213562, 1732050808, 2 * s}},
		{choice("polynomial", "base", s, "power", 0.0), 0, []time.Duration{s, s}},
		// Sidekiq's (n−1)⁴ + 15, in seconds.
		{choice("offsetPolynomial", "base", 15*s, "step", s, "power", 4.0), 0, []time.Duration{15 * s, 16 * s, 31 * s, 96 * s, 271 * s, 640 * s}},
		{choice("offsetPolynomial", "base", s, "step", 2*s, "power", 0.5), 4 * s, []time.Duration{s, 3 * s, 3828427125, 4 * s}},
		{choice("fibonacci", "base", s), 0, []time.Duration{s, s, 2 * s, 3 * s, 5 * s, 8 * s, 13 * s}},
		{choice("list", "delays", []time.Duration{5 * s, s, 25 * s}), 20 * s, []time.Duration{5 * s, s, 20 * s, 20 * s}},
	} {
		c := plain(test.schedule, test.cap).Compile()
		for i, want := range test.want {
			if got := c.Scheduled(int64(i) + 1); got != int64(want) {
				t.Errorf("%v, cap %v: retry %d after %v, want %v", test.schedule, test.cap, i+1, time.Duration(got), want)
			}
		}
	}
}

// Where the formula has whole numbers only, every nanosecond is right, and the delay saturates exactly where the
// formula passes 2^62.
func TestSchedulesMatchBigIntegers(t *testing.T) {
	power := func(x, k int64) *big.Int { return new(big.Int).Exp(big.NewInt(x), big.NewInt(k), nil) }
	fib := func(n int64) *big.Int {
		a, b := big.NewInt(0), big.NewInt(1)
		for range n {
			a, b = b, a.Add(a, b)
		}
		return a
	}
	const base = 123456789
	for _, test := range []struct {
		schedule spec.Choice
		factor   func(n int64) *big.Int
	}{
		{choice("exponential", "factor", 2.0), func(n int64) *big.Int { return power(2, n-1) }},
		{choice("exponential", "factor", 7.0), func(n int64) *big.Int { return power(7, n-1) }},
		{choice("polynomial", "power", 3.0), func(n int64) *big.Int { return power(n, 3) }},
		{choice("polynomial", "power", 10.0), func(n int64) *big.Int { return power(n, 10) }},
		{choice("linear", "step", time.Duration(base)), func(n int64) *big.Int { return big.NewInt(n) }},
		{choice("fibonacci"), fib},
	} {
		test.schedule.Args["base"] = time.Duration(base)
		c := plain(test.schedule, 0).Compile()
		for n := int64(1); n <= 1100; n++ {
			want := test.factor(n)
			if want.Mul(want, big.NewInt(base)); want.Cmp(big.NewInt(Saturated)) > 0 {
				want.SetInt64(Saturated)
			}
			if got := c.Scheduled(n); got != want.Int64() {
				t.Fatalf("%v: retry %d after %d ns, want %d", test.schedule, n, got, want)
			}
		}
	}
}

// The rows of a pair are the same function.
func TestSchedulesAgree(t *testing.T) {
	base := 7 * time.Millisecond
	pairs := [][2]spec.Choice{
		{choice("linear", "base", base, "step", base), choice("polynomial", "base", base, "power", 1.0)},
		{choice("linear", "base", base, "step", time.Duration(0)), choice("constant", "base", base)},
		{choice("list", "delays", []time.Duration{base}), choice("constant", "base", base)},
		{choice("constant", "base", time.Duration(0)), choice("immediate")},
		{choice("exponential", "base", time.Duration(0), "factor", 9.9), choice("immediate")},
	}
	for _, pair := range pairs {
		a, b := plain(pair[0], 0).Compile(), plain(pair[1], 0).Compile()
		for _, n := range []int64{1, 2, 3, 63, 64, 1100, maxTable, maxTable + 1, MaxRetry} {
			if a.Scheduled(n) != b.Scheduled(n) {
				t.Errorf("retry %d: %v gives %d ns, %v gives %d ns", n, pair[0], a.Scheduled(n), pair[1], b.Scheduled(n))
			}
		}
	}
}

// With a fractional factor the delay is right to the nearest nanosecond up to an hour, to 4·10⁻¹⁵ of itself (float64,
// math.Pow) beyond: checked against 300-bit arithmetic.
func TestFractionalFactorRoundsToNearest(t *testing.T) {
	for _, factor := range []float64{1.1, 1.5, 1.6, 2.5, 9.99} {
		c := plain(choice("exponential", "base", 100*time.Millisecond, "factor", factor), 0).Compile()
		exact := new(big.Float).SetPrec(300).SetInt64(1e8)
		for n := int64(1); exact.Cmp(big.NewFloat(Saturated)) < 0; n++ {
			want, _ := exact.Float64()
			tolerance := 0.5 + 4e-15*want
			if want < float64(time.Hour) {
				tolerance = 0.5
			}
			if got := c.Scheduled(n); math.Abs(float64(got)-want) > tolerance {
				t.Errorf("factor %v: retry %d after %d ns, want %.2f", factor, n, got, want)
			}
			exact.Mul(exact, big.NewFloat(factor))
		}
	}
}

func BenchmarkScheduled(b *testing.B) {
	for _, n := range []int64{5, 5000} { // in the table and beyond
		b.Run(fmt.Sprintf("retry=%d", n), func(b *testing.B) {
			c := plain(choice("polynomial", "base", time.Second, "power", 0.5), 0).Compile()
			for b.Loop() {
				c.Scheduled(n)
			}
		})
	}
}
