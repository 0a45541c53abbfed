package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// growing is what Sidekiq adds to its waits.
var growing = JitterKind{
	Kind: spec.Kind{
		ID:      "growing",
		Name:    "Growing",
		Formula: "s + U[0, max·n]",
		Advice:  "Spreads each retry further than the one before, by the same amount: enough for a herd that comes back again and again.",
		Params: []spec.Param{{
			Key: "max", Type: spec.Duration, Label: "Each time longer by up to", Max: spec.MaxDuration, Start: time.Second,
			Help: "The most that is added to the first wait; twice as much to the second, and so on.",
		}},
	},
	New: func(a spec.Args) func(n, s, prev int64) (lo, hi int64) {
		most := int64(a.Duration("max"))
		return func(n, s, _ int64) (lo, hi int64) { return s, add(s, mul(most, n)) }
	},
}
