package strategies

import (
	"math"

	"github.com/stampede-sim/stampede/strategies/spec"
)

var exponential = ScheduleKind{
	Kind: spec.Kind{
		ID:      "exponential",
		Name:    "Exponential",
		Formula: "base·factor^(n−1)",
		Advice:  "The usual choice: it finds a rate the server can bear within a few retries. Give it a cap, or the last clients come back long after the server has.",
		Params: []spec.Param{
			baseParam,
			{
				Key: "factor", Type: spec.Number, Label: "Times", Min: 1, Max: 10, Default: 2.0,
				Help: "How many times as long each further retry waits.",
			},
		},
	},
	New: func(a spec.Args) func(int64) int64 {
		base, factor := int64(a.Duration("base")), a.Number("factor")
		if whole := int64(factor); float64(whole) == factor {
			return func(n int64) int64 { return timesPower(base, whole, n-1) }
		}
		return func(n int64) int64 {
			if base == 0 {
				return 0 // not 0·∞
			}
			return nanoseconds(float64(base) * math.Pow(factor, float64(n-1)))
		}
	},
}

// timesPower returns a·x^k, saturating. It takes at most 63 steps.
func timesPower(a, x, k int64) int64 {
	if x <= 1 && k > 1 {
		k = 1
	}
	for ; k > 0 && a > 0 && a < Saturated; k-- {
		a = mul(a, x)
	}
	return a
}
