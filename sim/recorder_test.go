package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDivider divides what lies around multiples of the width, and anything.
func TestDivider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(1, maxTime).Draw(t, "limit")
		width := rapid.OneOf(rapid.Int64Range(1, limit), rapid.Map(rapid.IntRange(0, 49), func(shift int) int64 { return 1 << shift })).Draw(t, "width")
		d := newDivider(width, limit)
		multiple := width * rapid.Int64Range(0, limit/width).Draw(t, "multiple")
		for _, x := range []int64{multiple - 1, multiple, multiple + 1, limit, rapid.Int64Range(0, limit).Draw(t, "x")} {
			if x >= 0 && x <= limit && d.of(x) != x/width {
				t.Errorf("%d / %d is %d, want %d", x, width, d.of(x), x/width)
			}
		}
	})
}

// TestPeakWindows: a peak window of 100 ms slides by 1 ms.
func TestPeakWindows(t *testing.T) {
	for _, c := range []struct {
		name      string
		recovery  int64 // all times in microseconds
		times     []int64
		all, rest int64
	}{
		{"half-open", 0, []int64{0, 99_999, 100_000}, 2, 2},
		{"slides off the grid of whole windows", 0, []int64{50_000, 99_000, 149_999}, 3, 3},
		{"by whole steps", 0, []int64{50_500, 99_000, 150_200}, 2, 2},
		{"recovery within a step splits it", 50_500, []int64{50_000, 50_499, 50_500, 50_900, 150_100}, 4, 2},
		{"a window over recovery counts what comes after", 1_000_000, []int64{950_000, 960_000, 970_000, 1_000_000, 1_040_000}, 5, 2},
		{"nothing", 0, nil, 0, 0},
		{"long after", 0, []int64{1, 2, 50_000_000}, 2, 2},
	} {
		var p peakRecorder
		p.reset(100e6, 100e9, c.recovery*1e3)
		for _, t := range c.times {
			p.meet(t * 1e3)
		}
		if all, rest := p.finish(); all != c.all || rest != c.rest {
			t.Errorf("%s: %d, after recovery %d; want %d and %d", c.name, all, rest, c.all, c.rest)
		}
	}
}

// TestPeaksMetEarly: it makes no difference which arrivals are met ahead of their time.
func TestPeaksMetEarly(t *testing.T) {
	var early, ordered peakRecorder // used again and again, as an engine's are
	rapid.Check(t, func(t *rapid.T) {
		horizon := rapid.Int64Range(1e6, 20e9).Draw(t, "horizon")
		window := rapid.Int64Range(1e6, 2e9).Draw(t, "window")
		recovery := rapid.Int64Range(0, horizon+1).Draw(t, "recovery")
		early.reset(window, horizon, recovery)
		ordered.reset(window, horizon, recovery)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		cluster := rapid.Int64Range(1, horizon).Draw(t, "cluster")
		times := make([]int64, rapid.IntRange(0, 500).Draw(t, "arrivals"))
		for i := range times {
			times[i] = r.Int64N(horizon)
			if r.IntN(2) == 0 {
				times[i] = min(horizon-1, recovery+r.Int64N(cluster))
			}
		}
		slices.Sort(times)
		met := make([]bool, len(times)) // early
		for i, at := range times {
			for range 2 {
				if j := i + r.IntN(len(times)-i); !met[j] && r.IntN(2) == 0 {
					early.meetEarly(times[j])
					met[j] = true
				}
			}
			if !met[i] {
				early.meet(at)
			}
			ordered.meet(at)
		}
		gotAll, gotRest := early.finish()
		if all, rest := ordered.finish(); gotAll != all || gotRest != rest {
			t.Errorf("%d, after recovery %d; met in order %d and %d", gotAll, gotRest, all, rest)
		}
	})
}
