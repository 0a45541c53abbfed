package strategies

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// wait is a policy of a schedule and a jitter.
func wait(schedule, jitter spec.Choice, cap time.Duration, capAfterJitter bool) Policy {
	return Policy{Schedule: schedule, Jitter: jitter, Cap: cap, CapAfterJitter: capAfterJitter}
}

var (
	decorrelated3 = choice("decorrelated", "multiplier", 3.0)
	base100ms     = choice("constant", "base", 100*time.Millisecond)
	doubling100ms = choice("exponential", "base", 100*time.Millisecond, "factor", 2.0)
	tenSeconds    = choice("constant", "base", 10*time.Second)
)

// waits are policies of every jitter, with the cap before and after.
var waits = []Policy{
	wait(doubling100ms, choice("none"), 10*time.Second, false),
	wait(doubling100ms, choice("percentage", "fraction", 0.1), 10*time.Second, false),
	wait(doubling100ms, choice("percentage", "fraction", 0.5), 2*time.Second, true),
	wait(doubling100ms, choice("additive", "max", 3*time.Second), 5*time.Second, true),
	wait(choice("offsetPolynomial", "base", 15*time.Second, "step", time.Second, "power", 4.0), choice("growing", "max", 10*time.Second), 0, false),
	wait(doubling100ms, choice("laterPercentage", "fraction", 0.2), time.Second, true),
	wait(choice("fibonacci", "base", time.Second), choice("additive", "max", time.Second), 0, false),
	wait(doubling100ms, choice("full"), 2*time.Second, false),
	wait(choice("polynomial", "base", time.Second, "power", 1.5), choice("equal"), 0, false),
	wait(choice("list", "delays", []time.Duration{5e9, 1e9, 25e9}), choice("range", "low", 0.8, "high", 1.2), 20*time.Second, true),
	wait(choice("linear", "base", time.Second, "step", time.Second), choice("range", "low", 1.0, "high", 2.0), 8*time.Second, false),
	wait(base100ms, decorrelated3, 10*time.Second, false),
	wait(doubling100ms, decorrelated3, 10*time.Second, false),
	wait(base100ms, choice("decorrelated", "multiplier", 1.5), time.Second, false),
	wait(choice("list", "delays", []time.Duration{5e9, 1e9, 0, 3e9}), choice("decorrelated", "multiplier", 10.0), 20*time.Second, false),
	wait(base100ms, decorrelated3, 0, false),
	wait(doubling100ms, choice("decorrelatedV2"), 0, false),
	wait(doubling100ms, choice("decorrelatedV2"), 3*time.Second, false),
	wait(choice("linear", "base", time.Second, "step", time.Second), choice("decorrelatedV2"), 700*time.Millisecond, false),
}

func approx(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, tolerance)
	}
}

// Closed forms, worked out by hand for a scheduled delay of 10 s.
func TestDelayLaws(t *testing.T) {
	sqrt12 := math.Sqrt(12)
	for _, test := range []struct {
		policy Policy
		want   Quantiles
	}{
		{wait(tenSeconds, choice("none"), 0, false),
			Quantiles{Min: 10, P5: 10, P25: 10, P50: 10, Mean: 10, P75: 10, P95: 10, Max: 10}},
		{wait(tenSeconds, choice("none"), 4*time.Second, false),
			Quantiles{Min: 4, P5: 4, P25: 4, P50: 4, Mean: 4, P75: 4, P95: 4, Max: 4, AtCap: 1}},
		{wait(tenSeconds, choice("full"), 10*time.Second, true),
			Quantiles{Max: 10, P5: 0.5, P25: 2.5, P50: 5, Mean: 5, P75: 7.5, P95: 9.5, SD: 10 / sqrt12}},
		{wait(tenSeconds, choice("equal"), 0, false),
			Quantiles{Min: 5, P5: 5.25, P25: 6.25, P50: 7.5, Mean: 7.5, P75: 8.75, P95: 9.75, Max: 10, SD: 5 / sqrt12}},
		{wait(tenSeconds, choice("percentage", "fraction", 0.1), 10*time.Second, false), // may exceed its cap
			Quantiles{Min: 9, P5: 9.1, P25: 9.5, P50: 10, Mean: 10, P75: 10.5, P95: 10.9, Max: 11, SD: 2 / sqrt12}},
		// Half of U[9, 11] is clamped to 10: the shortfall has mean 1/4 and mean square 1/6.
		{wait(tenSeconds, choice("percentage", "fraction", 0.1), 10*time.Second, true),
			Quantiles{Min: 9, P5: 9.1, P25: 9.5, P50: 10, Mean: 9.75, P75: 10, P95: 10, Max: 10, SD: math.Sqrt(1./6 - 1./16), AtCap: 0.5}},
		// All of U[10, 12] is.
		{wait(tenSeconds, choice("additive", "max", 2*time.Second), 10*time.Second, true),
			Quantiles{Min: 10, P5: 10, P25: 10, P50: 10, Mean: 10, P75: 10, P95: 10, Max: 10, AtCap: 1}},
		// A quarter of U[8, 16] is clamped to 14: the shortfall has mean 9/4 and mean square 9.
		{wait(tenSeconds, choice("range", "low", 0.8, "high", 1.6), 14*time.Second, true),
			Quantiles{Min: 8, P5: 8.4, P25: 10, P50: 12, Mean: 11.75, P75: 14, P95: 14, Max: 14, SD: math.Sqrt(9 - 81./16), AtCap: 0.25}},
		// Before the first retry prev is s(1), so decorrelated jitter draws from U[10, 30].
		{wait(tenSeconds, decorrelated3, 0, false),
			Quantiles{Min: 10, P5: 11, P25: 15, P50: 20, Mean: 20, P75: 25, P95: 29, Max: 30, SD: 20 / sqrt12}},
	} {
		got := test.policy.Compile().Delays(1)[0].Exact
		compare(t, fmt.Sprintf("%v, cap %v", test.policy.Jitter, test.policy.Cap), got, test.want)
	}
}

// compare allows for the nanosecond to which bounds are rounded, and for the nodes of a numerical law.
func compare(t *testing.T, name string, got, want Quantiles) {
	t.Helper()
	g, w := values(got), values(want)
	for i, what := range []string{"min", "p5", "p25", "p50", "mean", "p75", "p95", "max", "sd", "atCap"} {
		tolerance := 1e-9
		if what == "sd" {
			tolerance = 1e-4
		}
		approx(t, name+": "+what, g[i], w[i], tolerance)
	}
}

func values(q Quantiles) []float64 {
	return []float64{q.Min, q.P5, q.P25, q.P50, q.Mean, q.P75, q.P95, q.Max, q.SD, q.AtCap}
}

// Published steady states of decorrelated jitter on a constant base: the share of delays exactly at the cap, and their
// mean over the cap. The figures are given to 1 in 10^4.
func TestDecorrelatedSteadyState(t *testing.T) {
	for _, test := range []struct {
		ratio       time.Duration // cap over base
		atCap, mean float64
	}{{100, 0.3148, 0.5272}, {60, 0.3388, 0.5620}, {10, 0.4833, 0.7366}} {
		cap := test.ratio * 100 * time.Millisecond
		rows := wait(base100ms, decorrelated3, cap, false).Compile().Delays(1000)
		for _, row := range []DelayRow{rows[99], rows[999]} {
			name := fmt.Sprintf("cap/base %d, retry %d: ", test.ratio, row.Retry)
			approx(t, name+"share at the cap", row.Exact.AtCap, test.atCap, 1.3e-4)
			approx(t, name+"mean over cap", row.Exact.Mean/cap.Seconds(), test.mean, 1.3e-4)
		}
	}
}

// The second delay of decorrelated jitter on a constant base b without cap, by hand: the first is U[b, 3b], so that
// P(d(2) > x) = ∫ (3p − x)/(3p − b) dp/2b over max(b, x/3) < p < 3b; its mean is (b + 3·2b)/2.
func TestSecondDecorrelatedDelay(t *testing.T) {
	exact := wait(choice("constant", "base", time.Second), decorrelated3, 0, false).Compile().Delays(2)[1].Exact
	beyond := func(x float64) float64 { // b = 1
		from := max(1, x/3)
		return (3 - from - (x-1)/3*math.Log(8/(3*from-1))) / 2
	}
	for _, q := range []struct{ p, x float64 }{{0.05, exact.P5}, {0.25, exact.P25}, {0.5, exact.P50}, {0.75, exact.P75}, {0.95, exact.P95}} {
		approx(t, fmt.Sprintf("P(delay ≤ %v)", q.x), 1-beyond(q.x), q.p, 1e-5)
	}
	approx(t, "mean", exact.Mean, 3.5, 2e-5)
	approx(t, "max", exact.Max, 9, 0)
}

// The sum of n full-jittered delays of 1 s is Irwin–Hall: P(S > x) = Σ (−1)^k C(n,k) (n−x−k)^n / n! over k < n−x.
func TestCumulativeWaitIsIrwinHall(t *testing.T) {
	rows := wait(choice("constant", "base", time.Second), choice("full"), 0, false).Compile().Delays(20)
	approx(t, "p95 of one", *rows[0].Cumulative.P95, 0.95, 1e-9)
	approx(t, "p95 of two", *rows[1].Cumulative.P95, 2-math.Sqrt(2*0.05), 1e-6)
	approx(t, "p95 of three", *rows[2].Cumulative.P95, 3-math.Cbrt(6*0.05), 1e-6)
	for i, row := range rows {
		n := float64(i + 1)
		short := n - *row.Cumulative.P95
		beyond, binomial := 0.0, 1.0
		for k := 0.0; k < short; k++ {
			beyond += binomial * math.Pow(short-k, n)
			binomial *= -(n - k) / (k + 1)
		}
		approx(t, fmt.Sprintf("P(S > p95) of %v", n), beyond/math.Gamma(n+1), 0.05, 1e-6)
		approx(t, "mean", row.Cumulative.Mean, n/2, 1e-9)
		approx(t, "max", row.Cumulative.Max, n, 1e-9)
		approx(t, "min", row.Cumulative.Min, 0, 0)
	}
}

// The same for windows that double, U[0, 1], U[0, 2], U[0, 4] …: with w the windows' widths,
// P(S > x) = Σ (−1)^|A| (Σw − x − Σ_A w)^n / (n!·Πw) over the sets A of windows for which that is positive.
func TestCumulativeWaitOfDoublingWindows(t *testing.T) {
	rows := wait(choice("exponential", "base", time.Second, "factor", 2.0), choice("full"), 0, false).Compile().Delays(8)
	volume := 1.0
	for i, row := range rows {
		n := i + 1
		volume *= float64(n) * math.Exp2(float64(i))
		short := row.Cumulative.Max - *row.Cumulative.P95
		beyond := 0.0
		for set := range 1 << n { // the sum of a set's windows is its number
			if left := short - float64(set); left > 0 {
				sign := 1.0
				for bits := set; bits != 0; bits &= bits - 1 {
					sign = -sign
				}
				beyond += sign * math.Pow(left, float64(n))
			}
		}
		approx(t, fmt.Sprintf("P(S > p95) of %d", n), beyond/volume, 0.05, 1e-5)
	}
}

// A sum of delays that are certain is certain.
func TestCumulativeWaitWithoutJitter(t *testing.T) {
	rows := wait(doubling100ms, choice("none"), 10*time.Second, false).Compile().Delays(8)
	for i, want := range []float64{0.1, 0.3, 0.7, 1.5, 3.1, 6.3, 12.7, 22.7} {
		c := rows[i].Cumulative
		for _, got := range []float64{c.Min, c.Mean, *c.P95, c.Max} {
			approx(t, fmt.Sprintf("wait up to retry %d", i+1), got, want, 1e-9)
		}
	}
}

// A nanosecond of jitter on waits of years is less than a float tells apart: they are as good as certain.
func TestCumulativeWaitOfNextToNoJitter(t *testing.T) {
	const first, step = 54131220996, 7 * 24 * 3600e9 // ns
	rows := wait(choice("linear", "base", time.Duration(first), "step", time.Duration(step)), choice("additive", "max", time.Nanosecond), 0, false).Compile().Delays(200)
	for i, row := range rows {
		n := float64(i + 1)
		want := (n*first + step*n*(n-1)/2) / 1e9
		c := row.Cumulative
		for _, got := range []float64{c.Min, c.Mean, *c.P95, c.Max} {
			approx(t, fmt.Sprintf("wait up to retry %d", i+1), got, want, 1e-9*want)
		}
	}
}

// Every figure of the table against clients that draw, 10^6 where the law is integrated numerically: a quantile may be off by 0.1 % of the longest delay plus
// 4.5 standard errors of the share of draws below it, a mean and a share by 4.5 standard errors.
func TestDelaysMatchDraws(t *testing.T) {
	const retries, sigmas = 8, 4.5
	for _, p := range waits {
		t.Run(fmt.Sprint(p.Schedule.Kind, p.Jitter.Kind, p.Cap), func(t *testing.T) {
			t.Parallel()
			c := p.Compile()
			clients := 200_000
			if c.Feedback() && c.moment == nil {
				clients = 1_000_000
			}
			rows := c.Delays(retries)
			if err := c.SampleP95(context.Background(), rows); err != nil {
				t.Fatal(err)
			}
			kept, delays, sums := make([]int64, clients), make([]int64, clients), make([]float64, clients)
			for i := range kept {
				kept[i] = c.First()
			}
			source := rand.NewPCG(2026, 11)
			for _, row := range rows {
				for i, prev := range kept {
					u := source.Uint64()
					delays[i] = c.Draw(row.Retry, prev, u)
					kept[i] = c.Keep(delays[i], u)
					sums[i] += float64(delays[i])
				}
				name := fmt.Sprintf("retry %d", row.Retry)
				matchDelays(t, name, delays, c.cap, row.Exact, sigmas)
				matchQuantile(t, name+": cumulative p95", sums, *row.Cumulative.P95*1e9, 0.95, row.Cumulative.Max*1e9, sigmas)
			}
		})
	}
}

func matchDelays(t *testing.T, name string, delays []int64, cap int64, exact Quantiles, sigmas float64) {
	n := float64(len(delays))
	var sum, squares, atCap float64
	for _, d := range delays {
		sum += float64(d)
		squares += (float64(d)/1e9 - exact.Mean) * (float64(d)/1e9 - exact.Mean)
		if d == cap {
			atCap++
		}
	}
	approx(t, name+": share at the cap", atCap/n, exact.AtCap, 1e-4+sigmas*math.Sqrt(exact.AtCap*(1-exact.AtCap)/n))
	approx(t, name+": mean", sum/1e9/n, exact.Mean, 1e-4*exact.Max+sigmas*exact.SD/math.Sqrt(n))
	approx(t, name+": sd", math.Sqrt(squares/n), exact.SD, 2e-3*exact.SD+1e-3*exact.Max)
	for _, q := range []struct{ p, x float64 }{{0.05, exact.P5}, {0.25, exact.P25}, {0.5, exact.P50}, {0.75, exact.P75}, {0.95, exact.P95}} {
		matchQuantile(t, fmt.Sprintf("%s: p%v", name, q.p*100), delays, q.x*1e9, q.p, exact.Max*1e9, sigmas)
	}
}

// matchQuantile checks that the share of values below x brackets p.
func matchQuantile[T int64 | float64](t *testing.T, name string, sample []T, x, p, longest, sigmas float64) {
	t.Helper()
	slack := 1e-3 * longest
	below, upTo := 0, 0
	for _, v := range sample {
		if float64(v) < x-slack {
			below++
		}
		if float64(v) <= x+slack {
			upTo++
		}
	}
	n := float64(len(sample))
	tolerance := sigmas * math.Sqrt(p*(1-p)/n)
	if float64(below)/n > p+tolerance || float64(upTo)/n < p-tolerance {
		t.Errorf("%s is %v: a share of %v of the draws is below, %v up to it", name, x/1e9, float64(below)/n, float64(upTo)/n)
	}
}

// Delays that were drawn follow their law: Kolmogorov–Smirnov at a level of 10^-6, for which 10^5 draws may stray from
// it by 0.0085. A window 2 % too wide strays by 0.02.
func TestDrawsFollowTheirWindow(t *testing.T) {
	const draws = 100_000
	for _, jitter := range []spec.Choice{
		choice("percentage", "fraction", 0.5), choice("additive", "max", 3*time.Second), choice("full"), choice("equal"),
		choice("range", "low", 0.5, "high", 2.0), decorrelated3,
	} {
		c := wait(tenSeconds, jitter, 0, false).Compile()
		lo, hi := c.Bounds(1)
		source := rand.NewPCG(7, 7)
		sample := make([]float64, draws)
		for i := range sample {
			sample[i] = float64(c.Draw(1, c.First(), source.Uint64())-lo) / float64(hi-lo)
		}
		slices.Sort(sample)
		stray := 0.0
		for i, u := range sample {
			stray = max(stray, math.Abs(u-(float64(i)+0.5)/draws))
		}
		if stray > 0.0085 {
			t.Errorf("%v: draws stray from their window by %.4f", jitter, stray)
		}
	}
}

// What Polly and cockatiel draw, computed as their sources do: next = factor^t·tanh(√4t) at t = attempt + random, less that of
// before, times 1/1.4 and the first delay. Polly's comment gives 850, 1455, 3060 ms as an example of a delay of 1 s.
func TestDecorrelatedV2EqualsItsSources(t *testing.T) {
	source := rand.NewPCG(3, 3)
	for _, test := range []struct {
		factor float64
		cap    time.Duration
	}{{2, 0}, {2, 30 * time.Second}, {3, 0}, {1.5, 4 * time.Second}} {
		const initial = 128e6
		c := wait(choice("exponential", "base", time.Duration(initial), "factor", test.factor), choice("decorrelatedV2"), test.cap, false).Compile()
		for range 100 {
			kept, prev, waited := c.First(), 0.0, int64(0)
			for attempt := range 10 {
				u := source.Uint64()
				tt := float64(attempt) + float64(u>>11)/(1<<53)
				next := math.Pow(test.factor, tt) * math.Tanh(math.Sqrt(4*tt))
				want := (next - prev) * (1 / 1.4) * initial
				if test.cap > 0 {
					want = math.Min(want, float64(test.cap))
				}
				d := c.Draw(int64(attempt)+1, kept, u)
				if math.Abs(float64(d)-want) > 1+1e-9*want {
					t.Fatalf("factor %v, cap %v: retry %d waits %d ns, its source %.1f", test.factor, test.cap, attempt+1, d, want)
				}
				kept, prev, waited = c.Keep(d, u), next, waited+d
				if moment := next / 1.4 * initial; test.cap == 0 && math.Abs(float64(waited)-moment) > 10+1e-9*moment {
					t.Fatalf("factor %v: %d ns waited before retry %d, the moment is %.1f", test.factor, waited, attempt+1, moment)
				}
			}
		}
	}
}

// The first delay is f(U), so that its quantiles are f(p); so are those of every sum until a wait can reach the cap. The second is
// f(1 + U) − f(V), whose law is one integral: here by 10^6 squares.
func TestDecorrelatedV2Laws(t *testing.T) {
	f := func(t float64) float64 { return math.Exp2(t) * math.Tanh(2*math.Sqrt(t)) / 1.4 }
	rows := wait(choice("exponential", "base", time.Second, "factor", 2.0), choice("decorrelatedV2"), 10*time.Second, false).Compile().Delays(6)
	first := rows[0].Exact
	for _, q := range []struct{ p, x float64 }{{0, first.Min}, {0.05, first.P5}, {0.25, first.P25}, {0.5, first.P50}, {0.75, first.P75}, {0.95, first.P95}, {1, first.Max}} {
		approx(t, fmt.Sprintf("first delay at %v", q.p), q.x, f(q.p), 5e-4)
	}
	for i, row := range rows {
		n := float64(i)
		if can := f(n+1) - f(max(0, n-1)); (row.Cumulative.P95 != nil) != (can <= 10) {
			t.Errorf("retry %d can wait %.3f s of 10 s: cumulative p95 %v", i+1, can, row.Cumulative.P95)
		} else if can <= 10 {
			for _, q := range []struct{ p, x float64 }{{0, row.Cumulative.Min}, {0.95, *row.Cumulative.P95}, {1, row.Cumulative.Max}} {
				approx(t, fmt.Sprintf("sum of %d at %v", i+1, q.p), q.x, f(n+q.p), 1e-8)
			}
		}
	}
	const grid = 1000
	second, below, mean := rows[1].Exact, [3]float64{}, 0.0
	for i := range grid {
		for j := range grid {
			d := f(1+(float64(i)+0.5)/grid) - f((float64(j)+0.5)/grid)
			mean += d / (grid * grid)
			for k, x := range []float64{second.P5, second.P50, second.P95} {
				if d < x {
					below[k] += 1.0 / (grid * grid)
				}
			}
		}
	}
	for k, p := range []float64{0.05, 0.5, 0.95} {
		approx(t, "share below the second delay's quantile", below[k], p, 1e-3)
	}
	approx(t, "mean of the second delay", second.Mean, mean, 2e-4)
}

// With a cap, the most that waits can come to is that of the best choice of moments, the least that of the worst: 10^5 draws of
// moments on a coarse grid, with both ends, reach neither beyond it nor fall short by more than the grid.
func TestDecorrelatedV2SumsUnderACap(t *testing.T) {
	c := wait(choice("exponential", "base", time.Second, "factor", 2.0), choice("decorrelatedV2"), 2*time.Second, false).Compile()
	const retries, grid = 4, 24
	least, most := math.Inf(1), 0.0
	for code := range grid * grid * grid * grid {
		sum, before := 0.0, 0.0
		for n := range retries {
			u := float64(code%grid) / (grid - 1)
			code /= grid
			sum += math.Min(float64(c.between(int64(n)+1, before, u)), 2e9)
			before = u
		}
		least, most = math.Min(least, sum), math.Max(most, sum)
	}
	lo, hi := c.sums(retries)
	approx(t, "least", lo/1e9, least/1e9, 1e-6)
	if most > hi+1 || most < 0.97*hi {
		t.Errorf("at most %v, tried %v", hi, most)
	}
}

// Any policy's table is in order, finite and within its bounds.
func TestDelaysAreInOrder(t *testing.T) {
	everyKind(t, func(t *rapid.T, p Policy) {
		compiled := p.Compile()
		for _, row := range compiled.Delays(6) {
			q, c := row.Exact, row.Cumulative
			if !slices.IsSorted([]float64{0, q.Min, q.P5, q.P25, q.P50, q.P75, q.P95, q.Max}) || !(q.Min <= q.Mean*(1+1e-9)+1e-9 && q.Mean <= q.Max*(1+1e-9)) ||
				!(q.SD >= 0 && q.SD <= q.Max) || !(q.AtCap >= 0 && q.AtCap <= 1) {
				t.Fatalf("retry %d: %+v", row.Retry, q)
			}
			if !(c.Min <= c.Mean*(1+1e-9)+1e-9 && c.Mean <= c.Max*(1+1e-9)) || c.P95 == nil && !compiled.Feedback() ||
				c.P95 != nil && !(*c.P95 >= c.Min-1e-9 && *c.P95 <= c.Max+1e-9) {
				t.Fatalf("up to retry %d: %+v", row.Retry, c)
			}
		}
	})
}

func TestSampleP95StopsWithItsContext(t *testing.T) {
	c := wait(base100ms, decorrelated3, time.Second, false).Compile()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.SampleP95(ctx, c.Delays(1000)); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func BenchmarkDelays(b *testing.B) {
	for _, p := range []Policy{waits[5], waits[9], waits[13]} {
		for _, retries := range []int{20, 1000} {
			b.Run(fmt.Sprintf("%s/%s/cap=%v/retries=%d", p.Schedule.Kind, p.Jitter.Kind, p.Cap, retries), func(b *testing.B) {
				for b.Loop() {
					p.Compile().Delays(retries)
				}
			})
		}
	}
}

func BenchmarkSampleP95(b *testing.B) {
	c := waits[9].Compile()
	rows := c.Delays(10)
	for b.Loop() {
		if err := c.SampleP95(context.Background(), rows); err != nil {
			b.Fatal(err)
		}
	}
}
