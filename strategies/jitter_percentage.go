package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var percentage = JitterKind{
	Kind: spec.Kind{
		ID:      "percentage",
		Name:    "Percentage",
		Formula: "U[s·(1−fraction), s·(1+fraction)]",
		Advice:  "Keeps the average wait, but spreads the first retries little: a herd needs several rounds to disperse.",
		Params: []spec.Param{{
			Key: "fraction", Type: spec.Number, Label: "Give or take", Max: 1, Default: 0.1,
			Help: "How far a wait may stray to either side, as a fraction of it.",
		}},
	},
	New: func(a spec.Args) func(n, s, prev int64) (lo, hi int64) {
		fraction := a.Number("fraction")
		return func(_, s, _ int64) (lo, hi int64) {
			stray := scale(s, fraction)
			return s - stray, add(s, stray)
		}
	},
}
