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
	compounding,
}

// JitterKind is a kind of jitter: from the scheduled delay to the window from which the delay is drawn uniformly.
type JitterKind struct {
	spec.Kind

	// New returns the jitter with these parameters: from the number of a retry, 1 to 2^31, its scheduled delay s and the
	// delay drawn last, prev, to the shortest and the longest delay, 0 ≤ lo ≤ hi ≤ Saturated, in nanoseconds.
	New func(spec.Args) func(n, s, prev int64) (lo, hi int64)

	// Feedback says that the window depends on prev. It must not fall when prev rises. Delays so drawn are always
	// clamped to the cap, before they are fed back.
	Feedback bool
}
