package sim

import (
	"context"
	"errors"
	"fmt"
)

// Progress is told, from several goroutines but never two at once, how many of the replications are done.
type Progress func(done, total int)

// Runner runs scenarios. The zero value has no limit, and runs on as many cores as GOMAXPROCS allows.
type Runner struct {
	MaxEvents int64 // refuse a scenario that is estimated to cost more, or does; 0: no limit
	Values    bool  // keep each metric's value of every replication
	Trace     int   // trace so many clients of the first replication
}

// TooCostlyError is what Run returns for a scenario over the runner's limit.
type TooCostlyError struct {
	Estimate, Limit int64 // events
}

func (e *TooCostlyError) Error() string {
	return fmt.Sprintf("the scenario would cost about %d events; at most %d are allowed", e.Estimate, e.Limit)
}

// Run simulates every policy of the scenario and returns the result, a pure function of the scenario.
// Its errors are the scenario's faults, *TooCostlyError, or ctx's.
func Run(ctx context.Context, s *Scenario, progress Progress) (*Result, error) {
	return Runner{}.Run(ctx, s, progress)
}

// Run is as the function Run, within the runner's limits.
func (r Runner) Run(ctx context.Context, s *Scenario, progress Progress) (*Result, error) {
	return nil, errors.New("not yet")
}
