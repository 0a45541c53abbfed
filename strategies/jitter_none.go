package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var none = JitterKind{
	Kind: spec.Kind{
		ID:      "none",
		Name:    "None",
		Formula: "s",
		Advice:  "Clients that failed together come back together, every time: the herd never disperses.",
	},
	New: func(spec.Args) func(n, s, prev int64) (lo, hi int64) {
		return func(_, s, _ int64) (lo, hi int64) { return s, s }
	},
}
