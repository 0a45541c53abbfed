package export

import (
	"math"

	"github.com/stampede-sim/stampede/strategies"
)

// temporal is the RetryPolicy of an activity or a workflow, as protobuf's JSON.
var temporal = Format{
	ID:        "temporal",
	Name:      "Temporal RetryPolicy",
	Place:     "It is the retryPolicy of an activity's or a child workflow's options. Its error types are named after the classes of failure: name yours instead.",
	Source:    "temporal.api.common.v1.RetryPolicy and common/retrypolicy of Temporal server 1.30",
	File:      "temporal-retry-policy.json",
	MediaType: "application/json",
	fit:       fitTemporal,
	write:     writeTemporal,
	read:      readTemporal,
}

func fitTemporal(f *fitting) {
	f.attemptsOrNoLimit(1, math.MaxInt32, "Temporal counts at most 2147483647 attempts")
	f.capBeforeJitter("Temporal has no jitter, so nothing exceeds the cap")
	f.jitter("Temporal has no jitter: its server spreads tasks by its queues alone", noJitter, always(noJitter))
	f.growth("Temporal", 1, 10)
	f.needCap("Temporal's longest interval is a hundred times the first unless it is given")
	f.mustWait()
	f.leaveOutDeadline("In Temporal that is the scheduleToCloseTimeout, beside the retry policy")
	f.leaveOutAttemptTimeout("In Temporal that is the startToCloseTimeout, beside the retry policy")
	f.leaveOutGuards("", "Temporal has neither breaker nor budget")
	f.hints(strategies.IgnoreHint, "Temporal knows no Retry-After; an activity sets the nextRetryDelay of its failure itself")
}

type temporalPolicy struct {
	InitialInterval        string   `json:"initialInterval"`
	BackoffCoefficient     float64  `json:"backoffCoefficient"`
	MaximumInterval        string   `json:"maximumInterval"`
	MaximumAttempts        int64    `json:"maximumAttempts"` // 0: no limit
	NonRetryableErrorTypes []string `json:"nonRetryableErrorTypes,omitempty"`
}

func writeTemporal(p strategies.Policy) string {
	return indented(temporalPolicy{
		InitialInterval:        protoSeconds(base(p)),
		BackoffCoefficient:     factor(p),
		MaximumInterval:        protoSeconds(p.Cap),
		MaximumAttempts:        p.MaxAttempts,
		NonRetryableErrorTypes: (strategies.AllClasses &^ p.RetryOn).Names(),
	})
}
