// Package strategies says how a client waits: schedules, jitters and the policies made of them, their JSON and text
// forms, and the exact distributions of their delays.
package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Policy is how a client retries: schedule + jitter + cap + limits + retry filter + Retry-After rule.
type Policy struct {
	ID, Name       string
	Schedule       spec.Choice   // a kind of Schedules
	Jitter         spec.Choice   // a kind of Jitters
	Cap            time.Duration // 0: none
	CapAfterJitter bool
	MaxAttempts    int64         // counts attempt 1; 0: no limit
	Deadline       time.Duration // from the request's creation; 0: none
	AttemptTimeout time.Duration // 0: none
	RetryOn        Classes
	RetryAfter     RetryAfterRule
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
