package strategies

import (
	"math"

	"github.com/stampede-sim/stampede/strategies/spec"
)

var polynomial = ScheduleKind{
	Kind: spec.Kind{
		ID:      "polynomial",
		Name:    "Polynomial",
		Formula: "base·n^power",
		Advice:  "Between linear and exponential; for jobs that may be retried for days, where doubling would soon wait too long.",
		Params: []spec.Param{
			baseParam,
			{
				Key: "power", Type: spec.Number, Label: "Power", Min: 0, Max: 10, Default: 2.0,
				Help: "How steeply the waits grow: 1 is linear, 2 quadratic.",
			},
		},
	},
	New: func(a spec.Args) func(int64) int64 {
		base, power := int64(a.Duration("base")), a.Number("power")
		if whole := int64(power); float64(whole) == power {
			return func(n int64) int64 { return timesPower(base, n, whole) }
		}
		return func(n int64) int64 { return nanoseconds(float64(base) * math.Pow(float64(n), power)) }
	},
}
