package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var within = JitterKind{
	Kind: spec.Kind{
		ID:      "range",
		Name:    "Range",
		Formula: "U[low·s, high·s]",
		Advice:  "For libraries that multiply the wait by a random number, such as 0.8 to 1.2 or 1 to 2.",
		Params: []spec.Param{
			{
				Key: "low", Type: spec.Number, Label: "From, times", Max: 10, Start: 0.5,
				Help: "The shortest wait, as a multiple of the scheduled one.",
			},
			{
				Key: "high", Type: spec.Number, Label: "To, times", Max: 10, Start: 1.5, AtLeast: "low",
				Help: "The longest wait, as a multiple of the scheduled one.",
			},
		},
	},
	New: func(a spec.Args) func(n, s, prev int64) (lo, hi int64) {
		low, high := a.Number("low"), a.Number("high")
		return func(_, s, _ int64) (lo, hi int64) { return scale(s, low), scale(s, high) }
	},
}
