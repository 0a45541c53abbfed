// Package strategies says how a client waits: schedules, jitters and the policies made of them, their JSON and text
// forms, and the exact distributions of their delays.
package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Policy is how a client retries: schedule + jitter + cap + limits + retry filter + Retry-After rule + guards.
// ParsePolicy and ParseText fill in the defaults of what they are not told; a Policy made in Go has none.
type Policy struct {
	ID, Name       string
	Schedule       spec.Choice   // a kind of Schedules
	Cap            time.Duration // 0: none
	CapAfterJitter bool
	GrowsPastCap   bool          // the cap holds after jitter alone
	Jitter         spec.Choice   // a kind of Jitters
	MaxAttempts    int64         // counts attempt 1; 0: no limit
	Deadline       time.Duration // from the request's creation; 0: none
	AttemptTimeout time.Duration // 0: none
	RetryOn        Classes
	RetryAfter     RetryAfterRule
	Breaker        spec.Choice // a kind of Breakers, or none
	Budget         spec.Choice // a kind of Budgets, or none
	Throttle       spec.Choice // a kind of Throttles, or none
}

// RetryAfterRule is what a client makes of a server's hint to wait at least so long; d is the delay it drew.
type RetryAfterRule string

// The Retry-After rules.
const (
	IgnoreHint  RetryAfterRule = "ignore"      // d
	FloorHint   RetryAfterRule = "floor"       // max(d, hint)
	FloorJitter RetryAfterRule = "floorJitter" // hint + U[0, d]
	ClampHint   RetryAfterRule = "clamp"       // min(max(d, hint), cap)
	GiveUp      RetryAfterRule = "giveUp"      // fail if hint > cap, else max(d, hint)
)

// Saturated is the longest delay: durations saturate here instead of overflowing.
const Saturated = 1 << 62

var (
	scheduleCatalogue = spec.NewCatalogue(Schedules)
	jitterCatalogue   = spec.NewCatalogue(Jitters)
	breakerCatalogue  = spec.NewCatalogue(Breakers)
	budgetCatalogue   = spec.NewCatalogue(Budgets)
	throttleCatalogue = spec.NewCatalogue(Throttles)
)

// Fields declares a policy's parameters, in the order in which its documents list them.
func (p *Policy) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "id", Label: "Id", Max: 64, Default: "",
			Help: "Names the policy in results; in a scenario no two may be the same.",
		}, &p.ID),
		spec.Value(spec.Param{Key: "name", Label: "Name", Max: 200, Default: "", Help: "What readers call it."}, &p.Name),
		spec.Pick(spec.Param{
			Key: "schedule", Label: "Growth", Help: "How the wait depends on the retry.",
			Start: spec.Choice{Kind: exponential.ID, Args: spec.Args{"base": baseParam.Start, "factor": 2.0}},
		}, &p.Schedule, scheduleCatalogue, ""),
		spec.Value(spec.Param{
			Key: "cap", Label: "At most", Max: spec.MaxDuration, Default: 0,
			Help: "The longest scheduled wait; 0s: none.",
		}, &p.Cap),
		spec.Value(spec.Param{
			Key: "capAfterJitter", Label: "Jitter keeps to it", Default: false,
			Help: "Cap what is drawn as well. Waits then gather at the cap, and clients meet there again.",
		}, &p.CapAfterJitter),
		spec.Value(spec.Param{
			Key: "growsPastCap", Label: "Grows on past it", Default: false,
			Help: "Cap only what is drawn, not what is scheduled. Late waits are then all exactly the cap.",
		}, &p.GrowsPastCap),
		spec.Pick(spec.Param{Key: "jitter", Label: "Jitter", Help: "How the wait is spread, so that clients do not meet."},
			&p.Jitter, jitterCatalogue, none.ID),
		spec.Value(spec.Param{
			Key: "maxAttempts", Label: "Attempts", Max: MaxRetry, Default: 0,
			Help: "How often a request is tried, the first time included; 0: no limit.",
		}, &p.MaxAttempts),
		spec.Value(spec.Param{
			Key: "deadline", Label: "Deadline", Max: spec.MaxDuration, Default: 0,
			Help: "No wait that would end later after the request's creation is started; 0s: none.",
		}, &p.Deadline),
		spec.Value(spec.Param{
			Key: "attemptTimeout", Label: "Attempt timeout", Max: spec.MaxDuration, Default: 0,
			Help: "How long the client waits for an answer; 0s: for ever.",
		}, &p.AttemptTimeout),
		spec.Value(spec.Param{
			Key: "retryOn", Type: spec.Options, Label: "Retries", Options: ClassNames(), Default: DefaultRetryOn.Names(),
			Names: []string{"connection refused or reset", "timeout", "overloaded (503)", "rate limited (429)", "passing error (5xx)", "lasting error (4xx)", "conflict"},
			Help:  "The failures that are retried.",
		}, retryOn{&p.RetryOn}),
		spec.Value(spec.Param{
			Key: "retryAfter", Label: "Retry-After", Default: string(FloorHint),
			Options: []string{string(IgnoreHint), string(FloorHint), string(FloorJitter), string(ClampHint), string(GiveUp)},
			Names:   []string{"ignore", "wait at least", "wait, then jitter", "wait at least, up to the cap", "give up beyond the cap"},
			Help:    "What the client makes of a server's hint when to come back.",
		}, (*string)(&p.RetryAfter)),
		spec.OptionalPick(spec.Param{
			Key: "breaker", Label: "Circuit breaker", Help: "Stops attempts for a while when too many have failed.",
		}, &p.Breaker, breakerCatalogue, consecutiveFailures.ID),
		spec.OptionalPick(spec.Param{
			Key: "budget", Label: "Retry budget", Help: "Stops retries when they are too many for what succeeds, or is asked for.",
		}, &p.Budget, budgetCatalogue, ""),
		spec.OptionalPick(spec.Param{
			Key: "throttle", Label: "Throttling", Help: "Drops attempts by chance, the more the fewer of late were accepted.",
		}, &p.Throttle, throttleCatalogue, adaptive.ID),
	}
}

// retryOn is a set of classes as a list of their names.
type retryOn struct{ classes *Classes }

func (r retryOn) Get() any  { return r.classes.Names() }
func (r retryOn) Set(v any) { *r.classes = ClassesOf(v.([]string)...) }

// Kinds names the policy's schedule and jitter, such as "exponential-full". The jitter none goes without saying.
func (p Policy) Kinds() string {
	if p.Jitter.Kind == none.ID {
		return p.Schedule.Kind
	}
	return p.Schedule.Kind + "-" + p.Jitter.Kind
}

// Validate returns all of a policy's spec.Faults as an error. What ParsePolicy and ParseText return is valid.
func (p Policy) Validate() error { return spec.Check(&p) }

// ParsePolicy reads a policy from JSON. It returns a *spec.SyntaxError if data is not JSON, else all spec.Faults.
func ParsePolicy(data []byte) (Policy, error) {
	var p Policy
	if err := spec.DecodeJSON(&p, data); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// MarshalJSON writes the canonical form: every default written out.
func (p Policy) MarshalJSON() ([]byte, error) { return spec.EncodeJSON(&p) }

// UnmarshalJSON is ParsePolicy.
func (p *Policy) UnmarshalJSON(data []byte) (err error) {
	*p, err = ParsePolicy(data)
	return err
}

// PolicySchema describes the documents that ParsePolicy reads, as JSON Schema 2020-12.
func PolicySchema() map[string]any { return spec.Schema(&Policy{}, "Policy") }
