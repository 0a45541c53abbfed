package sim_test

import (
	"errors"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// TestOneGuardForAMillion: one circuit breaker, budget and throttle for 10^6 clients that come at once. Of each million the
// breaker lets no more than its failures and its probes leave, and nothing hangs.
func TestOneGuardForAMillion(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := parse(t, `{"horizon": "30s", "bin": "1s", "replications": 1, "clients": {"count": 1000000, "clientsPerProcess": 1000000, "workload": {"kind": "burst", "spread": "10s"}},
		"server": {"outages": [{"start": "0s", "end": "1h"}]},
		"policies": [{"id": "all", "schedule": {"kind": "constant", "base": "1s"}, "maxAttempts": 2, "breaker": {"failures": 5, "openFor": "4s"},
			"budget": {"kind": "grpc", "maxTokens": 10, "tokenRatio": 0.1}, "throttle": {"k": 2}}]}`)
	result, err := sim.Runner{MaxEvents: 10_000_000}.Run(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := result.Results[0].Metrics
	// Five failures open it at once; it lets one probe through 4, 8 and 12 s later, the last of them of a retry if any.
	attempts, stopped := *m.Get("attempts").Mean, *m.Get("notSent").Mean
	if attempts < 5 || attempts > 5+3 || stopped < 999_990 || *m.Get("succeeded").Mean != 0 {
		t.Errorf("%v attempts, %v stopped", attempts, stopped)
	}
}

// TestRateBeyondTheLimit: requests at the highest rate for the longest time are refused by their estimate, before anything
// is run, guarded or not.
func TestRateBeyondTheLimit(t *testing.T) {
	for _, guard := range []string{"", `, "breaker": {"failures": 1}`, `, "budget": {"kind": "aws"}`, `, "throttle": {"k": 2}`} {
		s := parse(t, `{"horizon": "168h", "clients": {"count": 1, "workload": {"kind": "open", "rate": 1e9}}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}`+guard+`}]}`)
		_, err := sim.Runner{MaxEvents: 100_000_000}.Run(t.Context(), s, nil)
		if costly, ok := errors.AsType[*sim.TooCostlyError](err); !ok || costly.Estimate < 1e15 {
			t.Errorf("%s: %v", guard, err)
		}
	}
}
