package sim

// What guards make of the clients of a run, on scenarios small enough to work out by hand; their rules step by step are
// tested in package strategies.

import (
	"fmt"
	"testing"
)

// probing is a policy that asks every second, with a breaker that one failure opens for 2.5 s, give or take a share of it.
func probing(jitter float64) string {
	return every("1s") + fmt.Sprintf(`, "breaker": {"failures": 1, "openFor": "2500ms", "openJitter": %v, "onOpen": "wait"}`, jitter)
}

// TestBreakersProbeInStep: two breakers that opened together are half-open together, from 2.5 and 5.5 s on, so that both
// clients probe at 3 and 6 s. What is stopped in between uses up its number.
func TestBreakersProbeInStep(t *testing.T) {
	checkRules(t, []rule{{name: "two clients, two breakers", clients: 2, latency: "0s", more: `"horizon": "7s",`,
		server: `"outages": [{"start": "0s", "end": "1h"}]`, policy: probing(0),
		trace: `0/1 0s 0s 0s unavailable
			1/1 0s 0s 0s unavailable
			0/2 1s never 1s notSent
			1/2 1s never 1s notSent
			0/3 2s never 2s notSent
			1/3 2s never 2s notSent
			0/4 3s 3s 3s unavailable
			1/4 3s 3s 3s unavailable
			0/5 4s never 4s notSent
			1/5 4s never 4s notSent
			0/6 5s never 5s notSent
			1/6 5s never 5s notSent
			0/7 6s 6s 6s unavailable
			1/7 6s 6s 6s unavailable`}})
}

// TestJitterTakesProbesOutOfStep: with all of the open time as jitter, from 0 to 5 s, a client probes for the first time at
// 1, 2, 3, 4 or 5 s, with a probability of 1/5 each: of 500 clients 100, within 4 standard deviations of the binomial, 36.
func TestJitterTakesProbesOutOfStep(t *testing.T) {
	const clients = 500
	r := small(t, fmt.Sprintf(`{"horizon": "10s", "clients": {"count": %d}, "server": {"outages": [{"start": "0s", "end": "1h"}]}, "policies": [{%s}]}`, clients, probing(1)))
	probed := map[int]bool{}
	at := map[float64]int{}
	for i, outcome := range r.Trace.Outcome {
		if client := r.Trace.Client[i]; outcome == "unavailable" && r.Trace.Attempt[i] > 1 && !probed[client] {
			probed[client] = true
			at[r.Trace.LeftSeconds[i]]++
		}
	}
	for second := 1.0; second <= 5; second++ {
		if n := at[second]; n < 100-36 || n > 100+36 {
			t.Errorf("%d of %d clients probe first at %v s", n, clients, second)
		}
	}
	if len(probed) != clients || len(at) != 5 {
		t.Errorf("%d clients probe first at %v", len(probed), at)
	}
}
