package conformance

// Libraries at their defaults beside their presets. Each runs as it comes, its timers and all, in a bubble in which time
// passes by itself, and its attempts fail until the test has seen enough.

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// library is a real one, to be compared with the preset of the same id.
type library struct {
	preset string
	module string
	// run makes attempts until one of them returns nil, or the library gives up.
	run func(attempt func() error)
}

var errDown = errors.New("down")

const (
	draws   = 100_000 // before each retry
	retries = 8       // looked at, or fewer if the library gives up before
	many    = 300     // attempts after which a library counts as one without a limit
)

func TestWaits(t *testing.T) {
	for _, l := range goLibraries {
		t.Run(l.preset, func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, 1) // for the libraries that draw from crypto/rand
			preset := preset(t, l.preset)
			limits := compareLimits(t, preset.Policy, l.run)
			waits := compareWaits(t, preset.Policy, 0, func(n, paths int) [][]time.Duration { return draw(t, l.run, n, paths) })
			record(t, preset, l.module, versionOf(t, l.module), limits, waits)
		})
	}
}

// attemptsAt runs a library and returns when its attempts were made, at most so many.
func attemptsAt(run func(func() error), most int) (at []time.Duration) {
	start := time.Now()
	run(func() error {
		at = append(at, time.Since(start))
		if len(at) == most {
			return nil
		}
		return errDown
	})
	return at
}

// compareLimits lets everything fail: the library gives up when the policy says.
func compareLimits(t *testing.T, p strategies.Policy, run func(func() error)) (check string) {
	var at []time.Duration
	synctest.Test(t, func(*testing.T) { at = attemptsAt(run, many) })
	last := at[len(at)-1]
	switch limit := int(p.MaxAttempts); {
	case p.Deadline > 0:
		_, longest := p.Compile().Bounds(int64(len(at)))
		if last > p.Deadline || last+time.Duration(longest) <= p.Deadline {
			t.Errorf("last attempt after %v, of a deadline of %v", last, p.Deadline)
		}
		return fmt.Sprintf("starts no wait that would end after %v", p.Deadline)
	case limit > 0:
		if len(at) != limit {
			t.Errorf("%d attempts, want %d", len(at), limit)
		}
		return fmt.Sprintf("%d attempts", limit)
	}
	if len(at) != many {
		t.Errorf("gave up after %d attempts, want no limit", len(at))
	}
	return fmt.Sprintf("no limit within %d attempts", many)
}

// draw runs a library many times, and returns its waits by retry.
func draw(t *testing.T, run func(func() error), n, paths int) [][]time.Duration {
	waits := make([][]time.Duration, n)
	synctest.Test(t, func(t *testing.T) {
		for range paths {
			at := attemptsAt(run, n+1)
			if len(at) != n+1 {
				t.Fatalf("%d attempts, want %d", len(at), n+1)
			}
			for i := range n {
				waits[i] = append(waits[i], at[i+1]-at[i])
			}
		}
	})
	return waits
}

// compareWaits compares the waits that draw returns (of the first n retries, in so many runs) with the policy's. None may lie
// outside its bounds by more than slack and the nanosecond by which libraries round. Where they are random, they are compared
// with as many draws of ours by a Kolmogorov–Smirnov test of two samples.
func compareWaits(t *testing.T, p strategies.Policy, slack time.Duration, draw func(n, paths int) [][]time.Duration) string {
	n, paths := retries, draws
	if p.MaxAttempts > 0 {
		n = min(n, int(p.MaxAttempts)-1)
	}
	random := isRandom(p, n)
	if !random {
		paths = 3
	}
	theirs := draw(n, paths)
	compareBounds(t, p, theirs, slack+1)
	if !random {
		return fmt.Sprintf("the waits before %s, exactly", upTo(n))
	}
	ours := drawOurs(p, n, paths)
	for i := range n {
		if d, most := distance(ours[i], theirs[i]), critical(paths); d > most {
			t.Errorf("retry %d: the distributions differ by %.4f, allowed %.4f", i+1, d, most)
		}
	}
	return fmt.Sprintf("the waits before %s, %d draws each", upTo(n), paths)
}

func upTo(n int) string {
	if n == 1 {
		return "the retry"
	}
	return fmt.Sprintf("retries 1 to %d", n)
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

func compareBounds(t *testing.T, p strategies.Policy, waits [][]time.Duration, slack time.Duration) {
	c := p.Compile()
	for i := range waits {
		lo, hi := c.Bounds(int64(i) + 1)
		for _, w := range waits[i] {
			if w < time.Duration(lo)-slack || w > time.Duration(hi)+slack {
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
			prev = c.Draw(int64(i)+1, prev, source.Uint64())
			waits[i] = append(waits[i], time.Duration(prev))
		}
	}
	return waits
}
