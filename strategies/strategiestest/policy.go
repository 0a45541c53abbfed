// Package strategiestest draws random valid policies, as documents, for property tests. What they are made of it takes
// from the declarations, so a new kind or field is among them at once.
package strategiestest

import (
	"encoding/json"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

// Doc is a JSON object.
type Doc = map[string]any

// Mild draws durations that keep a simulation of some seconds cheap.
var Mild = rapid.Custom(func(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(20, 3000).Draw(t, "ms")) * time.Millisecond
})

// AnyPolicy draws over all valid policies, and returns one as JSON.
func AnyPolicy(t *rapid.T) []byte {
	policy := Policy(t, spectest.Durations)
	policy["id"] = text(64).Draw(t, "id")
	policy["name"] = text(200).Draw(t, "name")
	return marshal(t, policy)
}

// text draws names, among them such as would be misunderstood in a line of text or a URL.
func text(longest int) *rapid.Generator[string] {
	runes := rapid.RuneFrom([]rune(`abcXYZ019-_. ,=~%&#+;/\"'<>±é世🐎`))
	return rapid.StringOfN(runes, 0, min(longest, 20), -1)
}

// Policy draws a valid policy with waits drawn from durations. It has no id and no name, and at most 8 attempts where it
// can retry without waiting.
func Policy(t *rapid.T, durations *rapid.Generator[time.Duration]) Doc {
	policy := Doc{
		"schedule": spectest.Object(t, "schedule", spec.Kinds(strategies.Schedules), durations),
		"jitter":   spectest.Object(t, "jitter", spec.Kinds(strategies.Jitters), durations),
	}
	for _, f := range new(strategies.Policy).Fields() {
		if rapid.IntRange(1, 3).Draw(t, "given") == 1 {
			give(t, policy, f.Param, durations)
		}
	}
	guard(t, policy, "breaker", spec.Kinds(strategies.Breakers), durations)
	guard(t, policy, "budget", spec.Kinds(strategies.Budgets), durations)
	guard(t, policy, "throttle", spec.Kinds(strategies.Throttles), durations)
	if n := policy["maxAttempts"]; n != nil || !waits(t, policy) {
		policy["maxAttempts"] = rapid.IntRange(1, 8).Draw(t, "maxAttempts")
	}
	return policy
}

// give gives a policy one of a parameter's values, unless that is a text or an object.
func give(t *rapid.T, policy Doc, p spec.Param, durations *rapid.Generator[time.Duration]) {
	switch p.Type {
	case spec.Duration:
		policy[p.Key] = durations.Draw(t, p.Key).String()
	case spec.Flag:
		policy[p.Key] = rapid.Bool().Draw(t, p.Key)
	case spec.Integer:
		policy[p.Key] = rapid.Int64Range(int64(p.Min), int64(p.Max)).Draw(t, p.Key)
	case spec.Option:
		policy[p.Key] = rapid.SampledFrom(p.Options).Draw(t, p.Key)
	case spec.Options:
		policy[p.Key] = rapid.SliceOfNDistinct(rapid.SampledFrom(p.Options), 1, len(p.Options), rapid.ID).Draw(t, p.Key)
	}
}

// guard gives every fourth policy a guard of one of these kinds.
func guard(t *rapid.T, policy Doc, key string, kinds []spec.Kind, durations *rapid.Generator[time.Duration]) {
	if rapid.IntRange(1, 4).Draw(t, "guarded") == 1 {
		within := rapid.Map(durations, func(d time.Duration) time.Duration { return max(d, time.Millisecond) })
		policy[key] = spectest.Object(t, key, kinds, within)
	}
}

// waits reports whether a policy waits at least a millisecond on average, in the long run, and never comes to a stop at 0.
func waits(t *rapid.T, policy Doc) bool {
	p, err := strategies.ParsePolicy(marshal(t, policy))
	if err != nil {
		t.Fatal(err)
	}
	compiled := p.Compile()
	least, most := compiled.Bounds(strategies.MaxRetry)
	return !compiled.StaysZero() && least/2+most/2 >= int64(time.Millisecond)
}

func marshal(t *rapid.T, d Doc) []byte {
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
