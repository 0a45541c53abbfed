package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var fibonacci = ScheduleKind{
	Kind: spec.Kind{
		ID:      "fibonacci",
		Name:    "Fibonacci",
		Formula: "base·F(n), F = 1, 1, 2, 3, 5, …",
		Advice:  "An exponential of factor 1.62 with a slower start.",
		Params:  []spec.Param{baseParam},
	},
	New: func(a spec.Args) func(int64) int64 {
		base := int64(a.Duration("base"))
		return func(n int64) int64 {
			f, next := int64(1), int64(1)
			for ; n > 1 && f < Saturated; n-- { // F(91) is the first beyond Saturated
				f, next = next, add(f, next)
			}
			return mul(base, f)
		}
	},
}
