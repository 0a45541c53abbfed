package strategies

import (
	"math"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// maxOutcomes is how many outcomes a breaker can look back on: a bit each, for every process.
const maxOutcomes = 1000

// failureRatio trips as resilience4j's count-based sliding window does: once as many calls have been recorded as the
// window holds, when the failure rate is equal or greater than the threshold.
var failureRatio = BreakerKind{
	Kind: spec.Kind{
		ID:      "ratio",
		Name:    "Share of failures",
		Formula: "opens when failures / window ≥ ratio, over the last `window` attempts",
		Advice:  "Sees a server that fails half of the time; needs as many attempts as its window before it sees anything.",
		Params: breakerParams(
			spec.Param{
				Key: "window", Type: spec.Integer, Label: "Of the last", Min: 1, Max: maxOutcomes, Start: int64(20), Unit: "attempts",
				Help: "How many outcomes of a process are looked back on; before there are as many, it stays closed.",
			},
			spec.Param{
				Key: "ratio", Type: spec.Number, Label: "Share that fails", Min: 0.001, Max: 1, Start: 0.5,
				Help: "The share of failures among them that opens it.",
			}),
	},
	New: func(a spec.Args) *Breaker {
		b := newBreaker(a)
		b.Window = int(a.Integer("window"))
		b.Failures = max(1, int(math.Ceil(a.Number("ratio")*float64(b.Window)-1e-9)))
		return b
	},
}
