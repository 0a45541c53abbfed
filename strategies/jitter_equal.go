package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var equal = JitterKind{
	Kind: spec.Kind{
		ID:      "equal",
		Name:    "Equal",
		Formula: "U[s/2, s]",
		Advice:  "Half fixed, half random: nobody retries at once, and the herd still disperses within a few retries.",
	},
	New: func(spec.Args) func(n, s, prev int64) (lo, hi int64) {
		return func(_, s, _ int64) (lo, hi int64) { return s - s/2, s }
	},
}
