package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var full = JitterKind{
	Kind: spec.Kind{
		ID:      "full",
		Name:    "Full",
		Formula: "U[0, s]",
		Advice:  "Disperses a herd as widely as the wait allows, with half the wait on average; some clients retry almost at once.",
	},
	New: func(spec.Args) func(n, s, prev int64) (lo, hi int64) {
		return func(_, s, _ int64) (lo, hi int64) { return 0, s }
	},
}
