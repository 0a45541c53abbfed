package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// compounding is what kafkajs and client-go's flowcontrol do: the wait grows from the last one as drawn, so that what
// chance did to one it does to all that follow. Of the schedule only the first delay matters.
var compounding = JitterKind{
	Kind: spec.Kind{
		ID:      "compounding",
		Name:    "Compounding",
		Formula: "min(cap, U[low·prev, high·prev])",
		Advice:  "Clients drift apart further with every retry, until all of them have reached the cap and meet there.",
		Params: []spec.Param{
			{
				Key: "low", Type: spec.Number, Label: "From, times", Max: 10, Start: 1.6,
				Help: "The shortest wait, as a multiple of the last.",
			},
			{
				Key: "high", Type: spec.Number, Label: "To, times", Max: 10, Start: 2.4, AtLeast: "low",
				Help: "The longest wait, as a multiple of the last.",
			},
		},
	},
	New: func(a spec.Args) func(n, s, prev int64) (lo, hi int64) {
		low, high := a.Number("low"), a.Number("high")
		return func(_, _, prev int64) (lo, hi int64) { return scale(prev, low), scale(prev, high) }
	},
	Feedback: true,
}
