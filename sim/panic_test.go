package sim

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"
)

// A panic on one of a run's goroutines has to reach the caller, who can recover from it; else it would end the process.
func TestPanicsReachTheCaller(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "on the way") {
			t.Errorf("recovered %v", p)
		}
	}()
	Run(context.Background(), herd(10), func(done, total int) { panic("on the way") })
	t.Error("Run returned")
}

// Retries at the instant of a failure come one after the other, not one within the other: a stack that outgrows its limit
// ends the process, and nobody can recover from that.
func TestInstantRetriesDoNotNest(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	r := small(t, `{"horizon": "1s", "server": {"outages": [{"start": "0s", "end": "1s"}]},
		"clients": {"count": 1, "workload": {"kind": "burst"}}, "network": {"latency": {"kind": "constant", "mean": "0s"}},
		"policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 200000, "budget": {"kind": "aws", "retryCost": 1, "capacity": 1000000}}]}`)
	wantMetrics(t, r, map[string]any{"attempts": 200_000.0, "failed.attempts": 1.0})
}
