package strategies

import (
	"math"
	"reflect"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Guards hold back what a schedule alone would send: a circuit breaker and throttling stop attempts before they leave, a
// budget stops retries. One instance of each serves all clients of a process. Here they are state machines that are
// told the time and the random number: a kind's parameters make the rules, and each process has a state.

// Breakers is the catalogue of circuit breakers. A new one is a file like breaker_failures.go and a line here.
var Breakers = []BreakerKind{
	consecutiveFailures,
	failureRatio,
}

// Budgets is the catalogue of retry budgets. A new one is a file like budget_ratio.go and a line here.
var Budgets = []BudgetKind{
	grpcBudget,
	awsBudget,
	ratioBudget,
}

// Throttles is the catalogue of throttling. A new one is a file like throttle_adaptive.go and a line here.
var Throttles = []ThrottleKind{
	adaptive,
}

// BreakerKind is a kind of circuit breaker.
type BreakerKind struct {
	spec.Kind
	New func(spec.Args) *Breaker
}

// BudgetKind is a kind of retry budget.
type BudgetKind struct {
	spec.Kind
	New func(spec.Args) *Budget
}

// ThrottleKind is a kind of throttling.
type ThrottleKind struct {
	spec.Kind
	New func(spec.Args) *Throttle
}

// Guarded reports whether the policy has any guard.
func (p Policy) Guarded() bool { return p.Breaker.Kind+p.Budget.Kind+p.Throttle.Kind != "" }

// GuardBytes returns about how much memory the policy's guards take for each process.
func (p Policy) GuardBytes() (n int64) {
	if b := p.NewBreaker(); b != nil {
		n += int64(reflect.TypeFor[BreakerState]().Size())
		if b.Window > 0 {
			n += int64(reflect.TypeFor[outcomes]().Size())
		}
	}
	if p.Budget.Kind != "" {
		n += int64(reflect.TypeFor[BudgetState]().Size())
	}
	if p.Throttle.Kind != "" {
		n += int64(reflect.TypeFor[ThrottleState]().Size())
	}
	return n
}

// NewBreaker returns the rules of the policy's circuit breaker, nil if it has none.
func (p Policy) NewBreaker() *Breaker {
	if p.Breaker.Kind == "" {
		return nil
	}
	return spec.Find(Breakers, p.Breaker.Kind).New(p.Breaker.Args)
}

// NewBudget returns the rules of the policy's retry budget, nil if it has none.
func (p Policy) NewBudget() *Budget {
	if p.Budget.Kind == "" {
		return nil
	}
	return spec.Find(Budgets, p.Budget.Kind).New(p.Budget.Args)
}

// NewThrottle returns the rules of the policy's throttling, nil if it has none.
func (p Policy) NewThrottle() *Throttle {
	if p.Throttle.Kind == "" {
		return nil
	}
	return spec.Find(Throttles, p.Throttle.Kind).New(p.Throttle.Args)
}

// thousandths returns x ≥ 0 in whole thousandths; what is beyond the third decimal is ignored, as gRPC does
// (gRFC A6, "Throttling Retry Attempts and Hedged RPCs"). The little more is for x that are not exact in binary.
func thousandths(x float64) int64 { return int64(math.Floor(x*1000 + 1e-6)) }
