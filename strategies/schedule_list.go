package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

var list = ScheduleKind{
	Kind: spec.Kind{
		ID:      "list",
		Name:    "List",
		Formula: "the n-th of delays; the last one repeats",
		Advice:  "For waits that were agreed on or measured, such as webhooks after 5 s, 5 min, 1 h.",
		Params: []spec.Param{{
			Key: "delays", Type: spec.Durations, Label: "Waits", Max: spec.MaxDuration,
			Start: []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second, 10 * time.Second},
			Help:  "What to wait before each retry, in order.",
		}},
	},
	New: func(a spec.Args) func(int64) int64 {
		delays := a.Durations("delays")
		return func(n int64) int64 { return int64(delays[min(n, int64(len(delays)))-1]) }
	},
	Settles: func(a spec.Args) int64 { return int64(len(a.Durations("delays"))) },
}
