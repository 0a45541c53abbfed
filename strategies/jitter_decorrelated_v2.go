package strategies

import (
	"math"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// decorrelatedV2 is what Polly draws for doubling waits (DecorrelatedJitterBackoffV2, a formula by George Polevoy), and what
// cockatiel draws unless it is told otherwise. There it is f(t) = factor^t·tanh(√4t)·base/1.4 at t = n − 1 + U; between s(n) and
// s(n+1) that growth is the schedule's, whichever it is.
var decorrelatedV2 = JitterKind{
	Kind: spec.Kind{
		ID:      "decorrelatedV2",
		Name:    "Decorrelated V2",
		Formula: "min(cap, T(n, Uₙ) − T(n−1, Uₙ₋₁)), T(n, u) = s(n)·(s(n+1)/s(n))ᵘ·tanh(2·√(n−1+u))/1.4",
		Advice:  "Draws the moment of each retry instead of the wait, so that all moments are as likely; meant for an exponential schedule. On one that does not grow its waits die away.",
	},
	Moment: func(spec.Args) func(n, s, next int64, u float64) float64 {
		return func(n, s, next int64, u float64) float64 {
			if s == 0 {
				return 0
			}
			return float64(s) * math.Pow(float64(next)/float64(s), u) * math.Tanh(2*math.Sqrt(float64(n-1)+u)) / 1.4
		}
	},
}
