package conformance

// Libraries at their defaults beside their presets. Each runs as it comes, its timers and all, but time passes by itself; its
// attempts fail until the test has seen enough.

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// library is a real one, to be compared with the preset of the same id.
type library struct {
	preset, module, version string
	slack                   func(retry int) time.Duration // by how much it rounds at most
	draws                   int                           // before each retry; 0: as many as usual
	sample                  sampler
}

// sampler runs a library so many times and returns its waits, of each run up to that number of attempts, which fail so.
type sampler func(t *testing.T, class strategies.Class, attempts, runs int) [][]time.Duration

const (
	draws = 100_000 // before each retry, usually
	many  = 300     // attempts after which a library counts as one without a limit, unless its waits grow for ever
)

// manyOf is many, or as many as there are waits of all in all a century: the clock has no more than three.
func manyOf(p strategies.Policy) int {
	c, left := p.Compile(), int64(100*365*24*time.Hour)
	for n := range many {
		if _, longest := c.Bounds(int64(n) + 1); longest > left {
			return n + 1
		} else {
			left -= longest
		}
	}
	return many
}

// always is a library's that rounds all waits alike.
func always(slack time.Duration) func(int) time.Duration {
	return func(int) time.Duration { return slack }
}

func compare(t *testing.T, l library) {
	preset := preset(t, l.preset)
	waits := compareWaits(t, preset.Policy, l)
	limits := compareLimits(t, preset.Policy, l)
	classes := compareClasses(t, preset.Policy, l)
	record(t, preset, l.module, l.version, waits, limits, classes)
}

// compareLimits lets everything fail: the library gives up when the policy says.
func compareLimits(t *testing.T, p strategies.Policy, l library) (check string) {
	many := manyOf(p)
	waits := l.sample(t, retried(p), many, 1)[0]
	attempts, last := len(waits)+1, time.Duration(0)
	for _, w := range waits {
		last += w
	}
	switch {
	case p.Deadline > 0:
		if _, longest := p.Compile().Bounds(int64(attempts)); last > p.Deadline || last+time.Duration(longest) <= p.Deadline {
			t.Errorf("last attempt after %v, of a deadline of %v", last, p.Deadline)
		}
		return fmt.Sprintf("starts no wait that would end after %v", p.Deadline)
	case p.MaxAttempts > 0:
		if attempts != int(p.MaxAttempts) {
			t.Errorf("%d attempts, want %d", attempts, p.MaxAttempts)
		}
		return fmt.Sprintf("%d attempts", attempts)
	}
	if attempts != many {
		t.Errorf("gave up after %d attempts, want no limit", attempts)
	}
	return fmt.Sprintf("no limit within %d attempts", many)
}

// retried is a class that a policy retries.
func retried(p strategies.Policy) strategies.Class {
	return strategies.Class(bits.TrailingZeros8(uint8(p.RetryOn)))
}

// compareClasses lets attempts fail in every way: the library retries what the policy does.
func compareClasses(t *testing.T, p strategies.Policy, l library) (check string) {
	for class := range strategies.Class(strategies.NumClasses) {
		retries := len(l.sample(t, class, 2, 1)[0]) > 0
		if retries != p.RetryOn.Has(class) {
			t.Errorf("retries what is %v: %v", class, retries)
		}
	}
	return "which failures are retried"
}

// compareWaits compares a library's waits with the policy's. None may lie outside its bounds by more than the library rounds.
// Where they are random, they are compared with as many draws of ours by a Kolmogorov–Smirnov test of two samples.
func compareWaits(t *testing.T, p strategies.Policy, l library) (check string) {
	n, runs := lookedAt(p), cmp.Or(l.draws, draws)
	random := isRandom(p, n)
	if !random {
		runs = 3
	}
	theirs := byRetry(t, l.sample(t, retried(p), n+1, runs), n)
	compareBounds(t, p, theirs, l.slack)
	if !random {
		return fmt.Sprintf("the waits before retries 1 to %d", n)
	}
	ours := drawOurs(p, n, runs)
	for i := range n {
		if d, most := distance(ours[i], theirs[i], l.slack(i+1)), critical(runs); d > most {
			t.Errorf("retry %d: the distributions differ by %.4f, allowed %.4f", i+1, d, most)
		}
	}
	return fmt.Sprintf("the waits before retries 1 to %d, %d draws each", n, runs)
}

// lookedAt is how many retries are compared: those of a library that gives up within ten, else two at the cap, else ten, and
// none that the deadline can keep from being made.
func lookedAt(p strategies.Policy) int {
	n, c := 10, p.Compile()
	for p.Cap > 0 && n < 30 && c.Scheduled(int64(n)-1) < int64(p.Cap) {
		n++
	}
	if p.MaxAttempts > 0 {
		n = min(n, int(p.MaxAttempts)-1)
	}
	if p.Deadline > 0 {
		n = min(n, within(c, p.Deadline))
	}
	return n
}

// within is how many retries are made in that time whatever is drawn.
func within(c *strategies.Compiled, left time.Duration) (n int) {
	for {
		_, longest := c.Bounds(int64(n) + 1)
		if left -= time.Duration(longest); left < 0 {
			return n
		}
		n++
	}
}

// byRetry turns waits by run, of n retries each, into waits by retry.
func byRetry(t *testing.T, runs [][]time.Duration, n int) [][]time.Duration {
	waits := make([][]time.Duration, n)
	for _, run := range runs {
		if len(run) != n {
			t.Fatalf("%d retries, want %d", len(run), n)
		}
		for i, w := range run {
			waits[i] = append(waits[i], w)
		}
	}
	return waits
}

func isRandom(p strategies.Policy, n int) bool {
	c := p.Compile()
	for i := range n {
		if lo, hi := c.Bounds(int64(i) + 1); lo != hi {
			return true
		}
	}
	return false
}

func compareBounds(t *testing.T, p strategies.Policy, waits [][]time.Duration, slack func(retry int) time.Duration) {
	c := p.Compile()
	for i := range waits {
		lo, hi := c.Bounds(int64(i) + 1)
		for _, w := range waits[i] {
			if w < time.Duration(lo)-slack(i+1) || w > time.Duration(hi)+slack(i+1) {
				t.Errorf("retry %d waits %v, its preset %v to %v", i+1, w, time.Duration(lo), time.Duration(hi))
				break
			}
		}
	}
}

// drawOurs draws the waits of a policy by retry.
func drawOurs(p strategies.Policy, n, paths int) [][]time.Duration {
	c, source := p.Compile(), rand.NewPCG(1, 1)
	waits := make([][]time.Duration, n)
	for range paths {
		prev := c.First()
		for i := range n {
			u := source.Uint64()
			d := c.Draw(int64(i)+1, prev, u)
			waits[i], prev = append(waits[i], time.Duration(d)), c.Keep(d, u)
		}
	}
	return waits
}
