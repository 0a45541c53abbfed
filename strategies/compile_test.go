package strategies

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

func anyWait(t *rapid.T, schedule ScheduleKind, jitter JitterKind) Policy {
	return Policy{
		Schedule:       spec.Choice{Kind: schedule.ID, Args: spectest.Args(t, schedule.Kind, spectest.Durations)},
		Jitter:         spec.Choice{Kind: jitter.ID, Args: spectest.Args(t, jitter.Kind, spectest.Durations)},
		Cap:            spectest.Durations.Draw(t, "cap"),
		CapAfterJitter: rapid.Bool().Draw(t, "capAfterJitter"),
	}
}

// everyKind runs a property for every schedule with every jitter.
func everyKind(t *testing.T, property func(*rapid.T, Policy)) {
	for _, schedule := range Schedules {
		for _, jitter := range Jitters {
			t.Run(schedule.ID+"/"+jitter.ID, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { property(t, anyWait(t, schedule, jitter)) })
			})
		}
	}
}

var farRetries = []int64{1, 2, 3, 63, 64, 1100, maxTable, maxTable + 1, 1e6, MaxRetry}

// At any retry, any draw of any policy lies within its bounds, the bounds within [0, Saturated], the schedule within
// the cap unless it grows past it; and without feedback the bounds are reached.
func TestEverythingSaturates(t *testing.T) {
	everyKind(t, func(t *rapid.T, p Policy) {
		c := p.Compile()
		for _, n := range farRetries {
			s := c.Scheduled(n)
			if limit := c.limit; s < 0 || s > limit {
				t.Fatalf("retry %d is scheduled after %d ns, want 0 to %d", n, s, limit)
			}
			lo, hi := c.Bounds(n)
			if lo < 0 || hi < lo || hi > c.Clamp() || c.Clamp() > Saturated {
				t.Fatalf("retry %d has bounds %d and %d ns, clamp %d", n, lo, hi, c.Clamp())
			}
			prev := c.First()
			if n > 1 {
				prevLo, prevHi := c.Bounds(n - 1)
				prev = rapid.Int64Range(prevLo, prevHi).Draw(t, "prev")
			}
			for _, u := range []uint64{0, rapid.Uint64().Draw(t, "u"), math.MaxUint64} {
				d := c.Draw(n, prev, u)
				if d < lo || d > hi {
					t.Fatalf("retry %d after %d ns draws %d ns, outside of its bounds %d and %d", n, prev, d, lo, hi)
				}
				if !c.Feedback() && (u == 0 && d != lo || u == math.MaxUint64 && d != hi) {
					t.Fatalf("retry %d draws %d ns for u = %d, with bounds %d and %d", n, d, u, lo, hi)
				}
			}
		}
	})
}

// The tables say what the functions say: Draw agrees with Windows bit for bit, and the last row repeats.
func TestTablesAgreeWithFormulas(t *testing.T) {
	everyKind(t, func(t *rapid.T, p Policy) {
		c := p.Compile()
		windows := c.Windows()
		if (windows == nil) != c.Feedback() || len(windows) > maxTable {
			t.Fatalf("%d windows, feedback %v", len(windows), c.Feedback())
		}
		u := rapid.Uint64().Draw(t, "u")
		for _, n := range farRetries {
			if s := min(c.limit, c.schedule(n)); s != c.Scheduled(n) {
				t.Fatalf("retry %d: the table has %d ns, the schedule %d", n, c.Scheduled(n), s)
			}
			if c.Feedback() {
				continue
			}
			lo, hi := c.jitter(n, c.Scheduled(n), 0)
			if got := c.Draw(n, 0, u); got != min(Window{lo, hi - lo}.Draw(u), c.Clamp()) {
				t.Fatalf("retry %d draws %d ns, the window is %d to %d", n, got, lo, hi)
			}
			if n > maxTable && len(windows) == maxTable {
				continue
			}
			if w := windows[min(n, int64(len(windows)))-1]; w != (Window{lo, hi - lo}) {
				t.Fatalf("retry %d has window %v in the table, %d to %d by its formula", n, w, lo, hi)
			}
		}
	})
}

// A table ends at the first row that repeats for ever.
func TestTablesAreShort(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		policy Policy
		want   int
	}{
		{plain(choice("immediate"), 0), 1},
		{plain(choice("constant", "base", s), 0), 1},
		{plain(choice("exponential", "base", 100*time.Millisecond, "factor", 2.0), 10*s), 8},
		{plain(choice("exponential", "base", s, "factor", 2.0), 0), 34}, // 10^9·2^33 > 2^62
		{plain(choice("list", "delays", []time.Duration{5 * s, s, 5 * s}), 0), 3},
		{plain(choice("linear", "base", s, "step", s), 0), maxTable},
	} {
		if got := len(test.policy.Compile().Windows()); got != test.want {
			t.Errorf("%v, cap %v: %d windows, want %d", test.policy.Schedule, test.policy.Cap, got, test.want)
		}
	}
}

// The jitters that go by the number of the retry: gRPC spares the first wait, Sidekiq adds up to ten seconds more each time.
func TestJitterByRetry(t *testing.T) {
	const s = int64(time.Second)
	for _, test := range []struct {
		jitter spec.Choice
		want   []Window
	}{
		{choice("laterPercentage", "fraction", 0.2), []Window{{s, 0}, {800e6, 400e6}, {800e6, 400e6}}},
		{choice("growing", "max", 10*time.Second), []Window{{s, 10 * s}, {s, 20 * s}, {s, 30 * s}}},
	} {
		c := Policy{Schedule: choice("constant", "base", time.Second), Jitter: test.jitter}.Compile()
		for i, want := range test.want {
			if got := c.window(int64(i)+1, 0); got != want {
				t.Errorf("%v: retry %d has window %v, want %v", test.jitter, i+1, got, want)
			}
		}
		if got, want := c.window(maxTable+1, 0), test.want[0]; test.jitter.Kind == "growing" && got != (Window{s, (maxTable + 1) * want.Span}) {
			t.Errorf("beyond the table growing jitter has window %v", got)
		}
	}
}

// The windows of the model's table of jitters, for a scheduled delay of 1 s.
func TestJitterWindows(t *testing.T) {
	const s = int64(time.Second)
	for _, test := range []struct {
		jitter spec.Choice
		lo, hi int64
	}{
		{choice("none"), s, s},
		{choice("laterPercentage", "fraction", 0.2), s, s},
		{choice("growing", "max", 250*time.Millisecond), s, 1250e6},
		{choice("percentage", "fraction", 0.1), 900e6, 1100e6},
		{choice("percentage", "fraction", 1.0), 0, 2 * s},
		{choice("additive", "max", 250*time.Millisecond), s, 1250e6},
		{choice("full"), 0, s},
		{choice("equal"), 500e6, s},
		{choice("range", "low", 0.8, "high", 1.2), 800e6, 1200e6},
		{choice("range", "low", 1.0, "high", 2.0), s, 2 * s},
		{choice("decorrelated", "multiplier", 3.0), s, 3 * s},
	} {
		p := Policy{Schedule: choice("constant", "base", time.Second), Jitter: test.jitter}
		if lo, hi := p.Compile().Bounds(1); lo != test.lo || hi != test.hi {
			t.Errorf("%v: %d to %d ns, want %d to %d", test.jitter, lo, hi, test.lo, test.hi)
		}
		p.Cap, p.CapAfterJitter = time.Second, true
		if _, hi := p.Compile().Bounds(1); hi != min(s, test.hi) {
			t.Errorf("%v clamped to 1 s: up to %d ns", test.jitter, hi)
		}
	}
}

// Decorrelated jitter as the AWS article writes it, min(cap, random_between(base, prev·3)), and as it reads on an
// exponential schedule, min(maxDelay, random·(3·prev − delay) + delay), for a random number of 0, 1/2 and almost 1.
func TestDecorrelatedFormula(t *testing.T) {
	const cap = 10 * time.Second
	for _, schedule := range []spec.Choice{
		choice("constant", "base", 100*time.Millisecond),
		choice("exponential", "base", 100*time.Millisecond, "factor", 2.0),
	} {
		c := Policy{Schedule: schedule, Jitter: choice("decorrelated", "multiplier", 3.0), Cap: cap}.Compile()
		for _, u := range []uint64{0, 1 << 63, math.MaxUint64} {
			random := float64(u) / (1 << 64)
			prev := c.First()
			for n := int64(1); n <= 20; n++ {
				delay := float64(c.Scheduled(n))
				want := math.Min(float64(cap), random*math.Max(0, 3*float64(prev)-delay)+delay)
				got := c.Draw(n, prev, u)
				if math.Abs(float64(got)-want) > 1 { // ns
					t.Fatalf("%v: retry %d waits %d ns, want %.1f", schedule, n, got, want)
				}
				prev = got
			}
		}
	}
}

func TestDrawIsUniform(t *testing.T) {
	for _, test := range []struct {
		window Window
		u      uint64
		want   int64
	}{
		{Window{5, 0}, math.MaxUint64, 5},
		{Window{5, 1}, 1<<63 - 1, 5},
		{Window{5, 1}, 1 << 63, 6},
		{Window{0, 2}, math.MaxUint64 / 3, 0},
		{Window{0, 2}, math.MaxUint64/3 + 1, 1},
		{Window{0, Saturated}, 1 << 63, Saturated / 2},
		{Window{0, Saturated}, math.MaxUint64, Saturated},
	} {
		if got := test.window.Draw(test.u); got != test.want {
			t.Errorf("%v draws %d for u = %d, want %d", test.window, got, test.u, test.want)
		}
	}
}

func TestCompilePanicsOnUnknownKind(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); r != `spec: there is no kind "quadratic"` {
			t.Errorf("panic: %s", r)
		}
	}()
	plain(choice("quadratic"), 0).Compile()
}

func BenchmarkCompile(b *testing.B) {
	for _, p := range []Policy{
		{Schedule: choice("exponential", "base", 100*time.Millisecond, "factor", 2.0), Jitter: choice("full"), Cap: 10 * time.Second},
		{Schedule: choice("constant", "base", 100*time.Millisecond), Jitter: choice("decorrelated", "multiplier", 3.0), Cap: 10 * time.Second},
		{Schedule: choice("polynomial", "base", time.Second, "power", 1.5), Jitter: choice("full")}, // a full table
	} {
		b.Run(p.Schedule.Kind+"/"+p.Jitter.Kind, func(b *testing.B) {
			for b.Loop() {
				p.Compile()
			}
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, jitter := range []spec.Choice{choice("full"), choice("decorrelated", "multiplier", 3.0)} {
		b.Run(jitter.Kind, func(b *testing.B) {
			c := Policy{Schedule: choice("constant", "base", 100*time.Millisecond), Jitter: jitter, Cap: 10 * time.Second}.Compile()
			prev, u := c.First(), uint64(0)
			for n := int64(1); b.Loop(); n++ {
				u += 0x9e3779b97f4a7c15
				prev = c.Draw(n, prev, u)
			}
		})
	}
}

// A schedule that grows past its cap, as franz-go's: 250 ms·2^(n−1)·U[0.8, 1.2], at most 5 s. From retry 6 on every draw is
// beyond 5 s, where a schedule that is capped first still draws from 4 s. Of the fifth, 4 s·U[0.8, 1.2], none is.
func TestGrowsPastCap(t *testing.T) {
	p := parsed(t, "exponential,base=250ms,cap=5s,growsPastCap=true,jitter=percentage,fraction=0.2")
	rows := p.Compile().Delays(12)
	for n, want := range map[int]struct{ scheduled, min, max, atCap float64 }{
		1: {0.25, 0.2, 0.3, 0}, 5: {4, 3.2, 4.8, 0}, 6: {8, 5, 5, 1}, 12: {512, 5, 5, 1},
	} {
		got := rows[n-1]
		if got.Scheduled != want.scheduled || got.Exact.Min != want.min || got.Exact.Max != want.max || got.Exact.AtCap != want.atCap {
			t.Errorf("retry %d: %+v, want %+v", n, got, want)
		}
	}
	// A quarter of what is drawn from 0 to 20 s is beyond 15 s.
	if row := parsed(t, "constant,base=20s,cap=15s,growsPastCap=true,jitter=full").Compile().Delays(1)[0]; row.Exact.AtCap != 0.25 {
		t.Errorf("at the cap %v, want 0.25", row.Exact.AtCap)
	}
	for _, same := range []string{"growsPastCap=true", "growsPastCap=true,capAfterJitter=true"} {
		lo, hi := parsed(t, "polynomial,base=1s,cap=1m,jitter=equal,"+same).Compile().Bounds(MaxRetry)
		if lo != hi || lo != int64(time.Minute) {
			t.Errorf("%s: the last wait is %d to %d, want the cap", same, lo, hi)
		}
	}
}

func parsed(t *testing.T, text string) Policy {
	t.Helper()
	p, err := ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
