package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var linear = ScheduleKind{
	Kind: spec.Kind{
		ID:      "linear",
		Name:    "Linear",
		Formula: "base + step·(n−1)",
		Advice:  "Eases off gently; good for short disturbances, too eager for long ones.",
		Params: []spec.Param{
			baseParam,
			{
				Key: "step", Type: spec.Duration, Label: "Longer by", Max: spec.MaxDuration, DefaultOf: "base",
				Help: "What each further retry waits longer than the one before; the first wait unless said otherwise.",
			},
		},
	},
	New: func(a spec.Args) func(int64) int64 {
		base, step := int64(a.Duration("base")), int64(a.Duration("step"))
		return func(n int64) int64 { return add(base, mul(step, n-1)) }
	},
}
