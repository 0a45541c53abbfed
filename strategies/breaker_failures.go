package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// consecutiveFailures trips as sony/gobreaker's ReadyToTrip does on ConsecutiveFailures, and as Nygard's "Release It!"
// describes the pattern.
var consecutiveFailures = BreakerKind{
	Kind: spec.Kind{
		ID:      "failures",
		Name:    "Failures in a row",
		Formula: "opens after `failures` failures in a row",
		Advice:  "Reacts at once when a server is down, and never to one that fails half of the time.",
		Params: breakerParams(spec.Param{
			Key: "failures", Type: spec.Integer, Label: "Failures in a row", Min: 1, Max: 1e6, Start: int64(5),
			Help: "So many attempts of a process that fail one after the other open it.",
		}),
	},
	New: func(a spec.Args) *Breaker {
		b := newBreaker(a)
		b.Failures = int(a.Integer("failures"))
		return b
	},
}
