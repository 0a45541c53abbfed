package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// laterPercentage is gRPC's connection backoff: its first wait has no jitter.
var laterPercentage = JitterKind{
	Kind: spec.Kind{
		ID:      "laterPercentage",
		Name:    "Percentage, later",
		Formula: "s for n = 1, then U[s·(1−fraction), s·(1+fraction)]",
		Advice:  "As percentage, but the first wait is the same for all: a herd comes back together once before it begins to disperse.",
		Params:  percentage.Params,
	},
	New: func(a spec.Args) func(n, s, prev int64) (lo, hi int64) {
		later := percentage.New(a)
		return func(n, s, prev int64) (lo, hi int64) {
			if n == 1 {
				return s, s
			}
			return later(n, s, prev)
		}
	},
}
