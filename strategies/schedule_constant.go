package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var constant = ScheduleKind{
	Kind: spec.Kind{
		ID:      "constant",
		Name:    "Constant",
		Formula: "base",
		Advice:  "Recovers soon after the server does, but never eases off: choose the wait so that all clients together stay below what the server can take.",
		Params:  []spec.Param{baseParam},
	},
	New: func(a spec.Args) func(int64) int64 {
		base := int64(a.Duration("base"))
		return func(int64) int64 { return base }
	},
}
