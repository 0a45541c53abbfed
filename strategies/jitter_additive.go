package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

var additive = JitterKind{
	Kind: spec.Kind{
		ID:      "additive",
		Name:    "Additive",
		Formula: "s + U[0, max]",
		Advice:  "Spreads every retry by the same amount: enough for short waits, next to nothing for long ones.",
		Params: []spec.Param{{
			Key: "max", Type: spec.Duration, Label: "At most longer by", Max: spec.MaxDuration, Start: time.Second,
			Help: "The most that is added to a wait.",
		}},
	},
	New: func(a spec.Args) func(n, s, prev int64) (lo, hi int64) {
		most := int64(a.Duration("max"))
		return func(_, s, _ int64) (lo, hi int64) { return s, add(s, most) }
	},
}
