package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

var immediate = ScheduleKind{
	Kind: spec.Kind{
		ID:      "immediate",
		Name:    "At once",
		Formula: "0",
		Advice:  "Only for the rare failure that has nothing to do with load: against a server that is down, every client hammers it as fast as it can.",
	},
	New: func(spec.Args) func(int64) int64 {
		return func(int64) int64 { return 0 }
	},
}
