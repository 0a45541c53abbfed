package strategies

import (
	"math"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// geometric is what the Azure SDK for Go calls exponential: (2^n − 1)·base, the sum of all delays that doubling
// would have given so far.
var geometric = ScheduleKind{
	Kind: spec.Kind{
		ID:      "geometric",
		Name:    "Geometric sum",
		Formula: "base·(1 + factor + … + factor^(n−1))",
		Advice:  "Grows as exponential does, but starts faster: 1, 3, 7 times the first wait where doubling has 1, 2, 4.",
		Params:  exponential.Params,
	},
	New: func(a spec.Args) func(int64) int64 {
		base, factor := int64(a.Duration("base")), a.Number("factor")
		whole := int64(factor)
		switch {
		case factor == 1:
			return func(n int64) int64 { return mul(base, n) }
		case float64(whole) == factor:
			return func(n int64) int64 { return geometricSum(base, whole, n) }
		}
		return func(n int64) int64 {
			if base == 0 {
				return 0 // not 0·∞
			}
			return nanoseconds(float64(base) * math.Expm1(float64(n)*math.Log(factor)) / (factor - 1))
		}
	},
}

// geometricSum returns a·(1 + x + … + x^(n−1)) for x > 1, saturating. It takes at most 63 steps.
func geometricSum(a, x, n int64) int64 {
	sum := int64(0)
	for ; n > 0 && a > 0 && sum < Saturated; n-- {
		sum = add(mul(sum, x), a)
	}
	return sum
}
