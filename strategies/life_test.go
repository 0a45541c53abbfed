package strategies_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

func life(t *testing.T, text string, failure time.Duration, attempts int, outages ...float64) strategies.Life {
	t.Helper()
	p, err := strategies.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Life(t.Context(), failure, attempts, outages)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// irwinHall is the distribution function of the sum of n independent uniform numbers.
func irwinHall(n int, x float64) float64 {
	sum, binomial, factorial := 0.0, 1.0, 1.0
	for k := 0; k <= n && float64(k) < x; k++ {
		sum += binomial * math.Pow(x-float64(k), float64(n))
		binomial *= -float64(n-k) / float64(k+1)
	}
	for k := 2; k <= n; k++ {
		factorial *= float64(k)
	}
	return min(sum/factorial, 1)
}

// With full jitter on a constant second and no time to fail, attempt k is made at the sum of k − 1 uniform numbers.
func TestLifeIsIrwinHall(t *testing.T) {
	var outages []float64
	for i := range 50 {
		outages = append(outages, float64(i)*0.1)
	}
	const attempts = 5
	l := life(t, "constant,base=1s,jitter=full,maxAttempts=5", 0, 10, outages...)
	if len(l.Attempts) != attempts {
		t.Fatalf("%d attempts", len(l.Attempts))
	}
	for _, s := range l.Survival {
		if want := 1 - irwinHall(attempts-1, s.Outage); math.Abs(s.Survives-want) > 1e-4 {
			t.Errorf("survives %v s with %v, want %v", s.Outage, s.Survives, want)
		}
		want := 1 - irwinHall(attempts-1, s.Outage)
		if s.Outage > 0 {
			want++ // attempt 1
		}
		for n := 1; n < attempts; n++ {
			want += irwinHall(n, s.Outage)
		}
		if math.Abs(s.Attempts-want) > 1e-4 {
			t.Errorf("%v attempts in %v s, want %v", s.Attempts, s.Outage, want)
		}
	}
	if at := l.Attempts[2].At; math.Abs(at.P50-1) > 1e-4 || math.Abs(at.P5-math.Sqrt(0.1)) > 1e-4 || at.Max != 2 || math.Abs(at.Mean-1) > 1e-9 {
		t.Errorf("the third attempt is made at %+v", at) // the sum of two has a triangular law
	}
}

// Attempts 1, 2, 3 and 4 are made at 0, 1.1, 3.2 and 7.3 s: after waits of 1, 2 and 4 s and failures of 0.1 s.
func TestLifeWithoutChance(t *testing.T) {
	for _, c := range []struct {
		policy             string
		outage             float64
		survives, attempts float64
	}{
		{"exponential,base=1s,maxAttempts=4", 0, 1, 1},
		{"exponential,base=1s,maxAttempts=4", 1.1, 1, 2},
		{"exponential,base=1s,maxAttempts=4", 1.2, 1, 3},
		{"exponential,base=1s,maxAttempts=4", 7.3, 1, 4},
		{"exponential,base=1s,maxAttempts=4", 7.31, 0, 4},
		{"exponential,base=1s,deadline=3200ms", 3.2, 1, 3}, // equality is allowed
		{"exponential,base=1s,deadline=3200ms", 3.3, 0, 3},
		{"exponential,base=1s,deadline=3199ms", 3.0, 0, 2},
		{"exponential,base=1s,deadline=3199ms", 1.0, 1, 2},
		{"exponential,base=1s,maxAttempts=1", 0.001, 0, 1},
		{"exponential,base=1s,cap=10s", 3600, 1, 1 + 4 + math.Ceil((3600-7.3-8.1)/10.1)},
	} {
		l := life(t, c.policy, 100*time.Millisecond, 0, c.outage)
		if got := l.Survival[0]; got.Survives != c.survives || math.Abs(got.Attempts-c.attempts) > 1e-9 {
			t.Errorf("%s: an outage of %v s is survived with %v after %v attempts, want %v and %v", c.policy, c.outage, got.Survives, got.Attempts, c.survives, c.attempts)
		}
	}
}

// Every probability is held against 10^6 draws, whose standard error is at most 0.0005.
func TestLifeAgainstDraws(t *testing.T) {
	for _, c := range []struct {
		policy    string
		tolerance float64
	}{
		{"exponential,base=100ms,cap=10s,jitter=full,maxAttempts=8", 0.0025},
		{"exponential,base=100ms,cap=1s,jitter=equal,deadline=4s", 0.0025},
		{"exponential,base=200ms,cap=1s,capAfterJitter=true,jitter=percentage,fraction=0.5,deadline=5s", 0.0025},
		{"exponential,base=200ms,cap=1s,capAfterJitter=true,jitter=range,low=0.5,high=3,maxAttempts=9,deadline=7s", 0.0025},
		{"list,delays=1s/0s/500ms,jitter=additive,max=300ms,maxAttempts=6,deadline=3s", 0.0025},
		{"exponential,base=100ms,maxAttempts=6,deadline=2s", 0.0025},
		{"constant,base=100ms,cap=2s,jitter=decorrelated,maxAttempts=8", 0.0115},
		{"constant,base=100ms,cap=2s,jitter=decorrelated,deadline=12s", 0.0115},
		{"exponential,base=100ms,jitter=decorrelated,maxAttempts=7", 0.0115},
		{"exponential,base=1s,factor=1,cap=3s,jitter=decorrelated,multiplier=1.5,maxAttempts=20", 0.0115},
		{"constant,base=100ms,cap=5s,jitter=compounding,low=1.6,high=2.4,maxAttempts=9", 0.0115},
		{"constant,base=100ms,cap=5s,jitter=compounding,low=0.5,high=3,deadline=9s", 0.0115},
		{"constant,base=1s,cap=5s,jitter=compounding,low=2,high=2,maxAttempts=5", 0.0115},
		{"exponential,base=200ms,jitter=decorrelatedV2,maxAttempts=6", 0.0115},
		{"exponential,base=200ms,cap=2s,jitter=decorrelatedV2,deadline=9s", 0.0115},
	} {
		const failure = 30 * time.Millisecond
		p, err := strategies.ParseText(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		var outages []float64
		for x := 0.05; x < 70; x *= 1.3 {
			outages = append(outages, x)
		}
		got := life(t, c.policy, failure, 100, outages...)
		want := drawLives(p, failure, outages)
		for i, s := range got.Survival {
			w := want.Survival[i]
			if math.Abs(s.Survives-w.Survives) > c.tolerance || math.Abs(s.Attempts-w.Attempts) > 4*c.tolerance*math.Max(1, w.Attempts/4) {
				t.Errorf("%s: an outage of %.3g s is survived with %.4f after %.4f attempts, drawn %.4f and %.4f", c.policy, s.Outage, s.Survives, s.Attempts, w.Survives, w.Attempts)
			}
		}
		for i, row := range got.Attempts {
			if w := want.Attempts[i]; math.Abs(row.Made-w.Made) > c.tolerance {
				t.Errorf("%s: attempt %d is made with %.4f, drawn %.4f", c.policy, i+1, row.Made, w.Made)
			}
		}
	}
}

func drawLives(p strategies.Policy, failure time.Duration, outages []float64) strategies.Life {
	const paths = 1_000_000
	compiled, source := p.Compile(), rand.NewPCG(7, 7)
	l := strategies.Life{Survival: make([]strategies.Survival, len(outages)), Attempts: make([]strategies.AttemptRow, 300)}
	for range paths {
		at, prev, k := int64(0), compiled.First(), int64(1)
		i := 0
		for i < len(outages) {
			l.Attempts[k-1].Made += 1.0 / paths
			for ; i < len(outages) && float64(at) >= outages[i]*1e9; i++ {
				l.Survival[i].Survives += 1.0 / paths
				l.Survival[i].Attempts += float64(k) / paths
			}
			u := source.Uint64()
			d := compiled.Draw(k, prev, u)
			next := at + int64(failure) + d
			if k == p.MaxAttempts || p.Deadline > 0 && next > int64(p.Deadline) {
				break
			}
			at, prev = next, compiled.Keep(d, u)
			k++
		}
		for ; i < len(outages); i++ {
			l.Survival[i].Attempts += float64(k) / paths
		}
	}
	return l
}

func TestLifeIsBounded(t *testing.T) {
	l := life(t, "constant,base=1ms", 0, 3, 1, 9, 11, 3600)
	if l.Cut != 10_000 || len(l.Survival) != 2 || math.Abs(l.Survival[1].Attempts-9001) > 1e-6 {
		t.Errorf("10^4 attempts reach to %+v", l)
	}
	l = life(t, "immediate", 0, 3, 1, 2) // no time passes
	if l.Cut != 10_000 || len(l.Survival) != 0 || len(l.Attempts) != 3 {
		t.Errorf("at once for ever: %+v", l)
	}
	l = life(t, "constant,base=168h,jitter=decorrelated,multiplier=10", 168*time.Hour, 100, 1, 1e6)
	if len(l.Attempts) != 100 || l.Survival[1].Survives != 1 {
		t.Errorf("the longest waits: %+v", l.Survival)
	}
	l = life(t, "constant,base=1ms,cap=2ms,jitter=decorrelated", 0, 3, 1, 3600)
	if l.Cut != 2000 || len(l.Survival) != 1 || l.Survival[0].Survives < 0.999 {
		t.Errorf("2000 dependent attempts reach to %+v", l)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, _ := strategies.ParseText("constant,base=1ms,jitter=full")
	if _, err := p.Life(ctx, 0, 10, []float64{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it says %v", err)
	}
}

func BenchmarkLife(b *testing.B) {
	var outages []float64
	for i := range 241 {
		outages = append(outages, float64(i)*0.5)
	}
	for name, text := range map[string]string{
		"full":         "exponential,base=100ms,cap=10s,jitter=full",
		"decorrelated": "constant,base=100ms,cap=10s,jitter=decorrelated",
		"deadline":     "exponential,base=100ms,cap=10s,jitter=full,deadline=2m",
		"many":         "constant,base=10ms,jitter=full,maxAttempts=10000",
	} {
		p, _ := strategies.ParseText(text)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Life(context.Background(), 40*time.Millisecond, 20, outages); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
