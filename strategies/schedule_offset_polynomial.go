package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// offsetPolynomial is what delayed_job and Sidekiq wait, with 15 s, 1 s and the fourth power.
var offsetPolynomial = ScheduleKind{
	Kind: spec.Kind{
		ID:      "offsetPolynomial",
		Name:    "Polynomial from an offset",
		Formula: "base + step·(n−1)^power",
		Advice:  "Starts gently from a first wait that is not small, then grows as a polynomial; for jobs that may be retried for weeks.",
		Params:  append(linear.Params[:2:2], polynomial.Params[1]),
	},
	New: func(a spec.Args) func(int64) int64 {
		base := int64(a.Duration("base"))
		grown := polynomial.New(spec.Args{"base": a.Duration("step"), "power": a.Number("power")})
		return func(n int64) int64 { return add(base, grown(n-1)) }
	},
}
