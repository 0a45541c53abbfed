package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// herd is the workload that the engine is measured with: n clients fail at once, the server refuses for 30 s, and then
// has n/1000 workers of 10 ms. They retry with full jitter, base 100 ms, cap 10 s, until all are done.
func herd(n int) *Scenario {
	return &Scenario{
		Name: "herd", Seed: 1, Replications: 1, Horizon: 10 * time.Minute, Bin: 2 * time.Second, PeakWindow: time.Second,
		Clients: Clients{Count: n, ClientsPerProcess: 1, Workload: Workload{Kind: Burst}},
		Network: Network{Latency: constant(0)},
		Server: Server{Kind: Capacity, Outages: []Outage{{End: 30 * time.Second, Mode: Refuse}},
			Workers: max(1, n/1000), ServiceTime: spec.Choice{Kind: "exponential", Args: spec.Args{"mean": 10 * time.Millisecond}},
			Queue: 10 * max(1, n/1000), Discipline: FIFO, RetryAfter: Hint{Kind: NoHint}},
		Policies: []strategies.Policy{fullJitter(100*time.Millisecond, 10*time.Second)},
	}
}

func constant(d time.Duration) spec.Choice {
	return spec.Choice{Kind: "constant", Args: spec.Args{"mean": d}}
}

func fullJitter(base, cap time.Duration) strategies.Policy {
	return strategies.Policy{ID: "full", Schedule: spec.Choice{Kind: "exponential", Args: spec.Args{"base": base, "factor": 2.0}},
		Jitter: spec.Choice{Kind: "full"}, Cap: cap, RetryOn: strategies.DefaultRetryOn, RetryAfter: strategies.FloorHint}
}

// BenchmarkHerd runs the herd with an event for every arrival, and with clients followed through the outage.
func BenchmarkHerd(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		for _, path := range []string{"general", "fast"} {
			b.Run(fmt.Sprintf("N=%d/%s", n, path), func(b *testing.B) {
				s := herd(n)
				runner := Runner{general: path == "general"}
				var events int64
				b.ReportAllocs()
				for b.Loop() {
					result, err := runner.Run(context.Background(), s, nil)
					if err != nil {
						b.Fatal(err)
					}
					events += result.Engine.Events
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			})
		}
	}
}
