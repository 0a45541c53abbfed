package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Schedules is the catalogue of schedules. A new one is a file like schedule_linear.go and a line here.
var Schedules = []ScheduleKind{
	immediate,
	constant,
	linear,
	exponential,
	geometric,
	polynomial,
	offsetPolynomial,
	fibonacci,
	list,
}

// ScheduleKind is a kind of schedule: what to wait before each retry, before cap and jitter.
type ScheduleKind struct {
	spec.Kind

	// New returns the schedule with these parameters: from the number of a retry, 1 to 2^31, to the nanoseconds to
	// wait before it, 0 to Saturated. It must be quick at any retry.
	New func(spec.Args) func(n int64) int64

	// Settles gives the retry from which on the delay stays the same. It may be nil for a schedule whose delays
	// never fall: such a one has settled when it reaches its highest delay, or the cap.
	Settles func(spec.Args) int64
}

// baseParam is the first delay that most schedules build on.
var baseParam = spec.Param{
	Key: "base", Type: spec.Duration, Label: "First wait", Max: spec.MaxDuration, Start: 100 * time.Millisecond,
	Help: "What to wait before the first retry.",
}
