package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// decorrelated on a constant schedule is min(cap, random_between(base, prev·3) of the AWS Architecture Blog's
// "Exponential Backoff And Jitter". There it is a schedule of its own; here it goes with any.
var decorrelated = JitterKind{
	Kind: spec.Kind{
		ID:      "decorrelated",
		Name:    "Decorrelated",
		Formula: "min(cap, U[s, max(s, multiplier·prev)])",
		Advice:  "Grows by chance from the wait before; meant for a constant schedule with a cap. About a third of its waits end up exactly at the cap.",
		Params: []spec.Param{{
			Key: "multiplier", Type: spec.Number, Label: "At most times the last wait", Min: 1, Max: 10, Default: 3.0,
			Help: "How many times as long as the last wait the next may be.",
		}},
	},
	New: func(a spec.Args) func(n, s, prev int64) (lo, hi int64) {
		multiplier := a.Number("multiplier")
		return func(_, s, prev int64) (lo, hi int64) { return s, max(s, scale(prev, multiplier)) }
	},
	Feedback: true,
}
