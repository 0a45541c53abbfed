package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// Jitters is the catalogue of jitters. A new one is a file like jitter_equal.go and a line here.
var Jitters = []JitterKind{
	none,
	percentage,
	laterPercentage,
	additive,
	growing,
	full,
	equal,
	within,
	decorrelated,
	decorrelatedV2,
	compounding,
}

// JitterKind is a kind of jitter: from the scheduled delay to the window from which the delay is drawn uniformly, or to
// the moments between which the delay lies.
type JitterKind struct {
	spec.Kind

	// New returns the jitter with these parameters: from the number of a retry, 1 to 2^31, its scheduled delay s and the
	// delay drawn last, prev, to the shortest and the longest delay, 0 ≤ lo ≤ hi ≤ Saturated, in nanoseconds.
	New func(spec.Args) func(n, s, prev int64) (lo, hi int64)

	// Feedback says that the window depends on prev. It must not fall when prev rises. Delays so drawn are always
	// clamped to the cap, before they are fed back.
	Feedback bool

	// Moment is there instead of New where not delays are drawn but moments: from the number of a retry, its scheduled
	// delay and that of the next one, and a random number from 0 to 1, to when the retry is made, in nanoseconds from when
	// the first wait began. It must not fall when the random number rises, nor start before where the one before it ends.
	// A delay is the difference to the moment before; it is clamped to the cap, past which the schedule grows. A schedule
	// that falls is levelled: next ≥ s.
	Moment func(spec.Args) func(n, s, next int64, u float64) float64
}
