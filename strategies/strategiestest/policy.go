// Package strategiestest draws random valid policies, as documents, for property tests.
// It does not import strategies, so that strategies' own tests can use it.
package strategiestest

import (
	"encoding/json"
	"time"

	"pgregory.net/rapid"
)

// Doc is a JSON object.
type Doc = map[string]any

// Any draws durations over all that documents may state, to the nanosecond.
var Any = rapid.OneOf(
	rapid.SampledFrom([]time.Duration{0, 1, time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, 168 * time.Hour}),
	rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(168*time.Hour)).Draw(t, "ns"))
	}),
)

// Mild draws durations that keep a simulation of some seconds cheap.
var Mild = rapid.Custom(func(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(20, 3000).Draw(t, "ms")) * time.Millisecond
})

// AnyPolicy draws over all valid policies, and returns one as JSON.
func AnyPolicy(t *rapid.T) []byte {
	policy := Policy(t, Any)
	policy["id"] = text(64).Draw(t, "id")
	policy["name"] = text(200).Draw(t, "name")
	data, err := json.Marshal(policy)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// text draws names, among them such as would be misunderstood in a line of text or a URL.
func text(longest int) *rapid.Generator[string] {
	runes := rapid.RuneFrom([]rune(`abcXYZ019-_. ,=~%&#+;/\"'<>±é世🐎`))
	return rapid.StringOfN(runes, 0, min(longest, 20), -1)
}

// Policy draws a valid policy with waits drawn from durations. It has no id and no name, and a limit to its attempts
// where it can retry without waiting.
func Policy(t *rapid.T, durations *rapid.Generator[time.Duration]) Doc {
	d := drawer{t, durations}
	policy := Doc{"schedule": d.schedule(), "jitter": d.jitter()}
	if d.chance("capped", 2) {
		policy["cap"] = d.duration("cap")
		policy["capAfterJitter"] = d.chance("capAfterJitter", 2)
	}
	if d.chance("limited", 2) || !waits(policy) {
		policy["maxAttempts"] = rapid.IntRange(1, 8).Draw(t, "maxAttempts")
	}
	if d.chance("deadline", 4) {
		policy["deadline"] = d.duration("deadline")
	}
	if d.chance("attemptTimeout", 4) {
		policy["attemptTimeout"] = d.duration("attemptTimeout")
	}
	if d.chance("retryOn", 4) {
		policy["retryOn"] = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			"unavailable", "timeout", "overloaded", "rateLimited", "transient", "permanent", "conflict",
		}), 1, 7, rapid.ID).Draw(t, "retryOn")
	}
	if d.chance("retryAfter", 2) {
		policy["retryAfter"] = rapid.SampledFrom([]string{"ignore", "floor", "floorJitter", "clamp", "giveUp"}).Draw(t, "retryAfter")
	}
	return policy
}

// waits reports whether a policy that Policy has drawn waits in the long run, on average some milliseconds.
func waits(policy Doc) bool {
	schedule, jitter := policy["schedule"].(Doc), policy["jitter"].(Doc)
	if high, ok := jitter["high"].(float64); ok && high < 0.1 {
		return false
	}
	return schedule["kind"] != "immediate" && schedule["base"] != "0s" && schedule["kind"] != "list"
}

// drawer draws the parts of a policy.
type drawer struct {
	t         *rapid.T
	durations *rapid.Generator[time.Duration]
}

func (d drawer) duration(label string) string { return d.durations.Draw(d.t, label).String() }

func (d drawer) number(label string, lo, hi float64) float64 {
	return rapid.OneOf(rapid.SampledFrom([]float64{lo, hi}), rapid.Float64Range(lo, hi)).Draw(d.t, label)
}

// chance is true once in so many times.
func (d drawer) chance(label string, times int) bool {
	return rapid.IntRange(1, times).Draw(d.t, label) == times
}

func (d drawer) schedule() Doc {
	kind := rapid.SampledFrom([]string{
		"constant", "immediate", "linear", "exponential", "polynomial", "fibonacci", "list",
	}).Draw(d.t, "schedule")
	schedule := Doc{"kind": kind}
	switch kind {
	case "immediate":
		return schedule
	case "list":
		delays := make([]string, rapid.IntRange(1, 5).Draw(d.t, "delays"))
		for i := range delays {
			delays[i] = d.duration("delay")
		}
		return Doc{"kind": kind, "delays": delays}
	}
	schedule["base"] = d.duration("base")
	if !d.chance("given", 2) {
		return schedule
	}
	switch kind {
	case "linear":
		schedule["step"] = d.duration("step")
	case "exponential":
		schedule["factor"] = d.number("factor", 1, 10)
	case "polynomial":
		schedule["power"] = d.number("power", 0, 10)
	}
	return schedule
}

func (d drawer) jitter() Doc {
	kind := rapid.SampledFrom([]string{
		"none", "percentage", "additive", "full", "equal", "range", "decorrelated",
	}).Draw(d.t, "jitter")
	jitter := Doc{"kind": kind}
	switch {
	case kind == "additive":
		jitter["max"] = d.duration("max")
	case kind == "range":
		low := d.number("low", 0, 10)
		jitter["low"], jitter["high"] = low, d.number("high", low, 10)
	case kind == "percentage" && d.chance("given", 2):
		jitter["fraction"] = d.number("fraction", 0, 1)
	case kind == "decorrelated" && d.chance("given", 2):
		jitter["multiplier"] = d.number("multiplier", 1, 10)
	}
	return jitter
}
