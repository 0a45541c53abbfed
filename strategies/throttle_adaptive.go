package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// adaptive is client-side throttling of Google's "Site Reliability Engineering", chapter 21, "Handling Overload".
var adaptive = ThrottleKind{
	Kind: spec.Kind{
		ID:      "adaptive",
		Name:    "Adaptive",
		Formula: "p = max(0, (requests − k·accepts) / (requests + 1))",
		Advice:  "Needs no threshold; a process that makes few requests hardly learns anything.",
		Params: []spec.Param{
			{
				Key: "k", Type: spec.Number, Label: "Attempts per one accepted", Min: 1, Max: 100, Start: 2.0,
				Help: "Nothing is dropped while there are no more than so many; lower drops sooner.",
			},
			{
				Key: "window", Type: spec.Duration, Label: "Over the last", Min: float64(time.Millisecond), Max: spec.MaxDuration, Default: 2 * time.Minute,
				Help: "For how long attempts and what was accepted count, in 60 steps.",
			},
		},
	},
	New: func(a spec.Args) *Throttle {
		return &Throttle{K: a.Number("k"), Slot: int64(a.Duration("window")) / throttleSlots}
	},
}
