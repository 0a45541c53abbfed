package sim

// The rules of the nodes and their balancer, on scenarios small enough to work out by hand.

import (
	"context"
	"math"
	"testing"

	"github.com/stampede-sim/stampede/sim/simtest"
)

// TestLeastInFlight: an attempt goes to the node that has least in service and in the queue, the first of several.
func TestLeastInFlight(t *testing.T) {
	const two = `, "nodes": {"count": 2, "balancer": "leastInFlight"}`
	checkRules(t, []rule{
		{name: "one after the other; all full", clients: 5, latency: "0s", server: worker(1) + two, policy: once,
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 10ms ok
				2/1 0s 0s 20ms ok
				3/1 0s 0s 20ms ok
				4/1 0s 0s 0s overloaded`,
			metrics: map[string]float64{"idle": 0}},
		{name: "services end before the balancer looks", clients: 3, latency: "0s", server: worker(0) + two, policy: every("10ms"),
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 10ms ok
				2/1 0s 0s 0s overloaded
				2/2 10ms 10ms 20ms ok`},
		{name: "a refusal under way is not in flight", clients: 3, latency: "0s",
			server: worker(1) + `, "refusalCost": "5ms", "rateLimit": {"kind": "tokenBucket", "rate": 1000, "burst": 1}, "nodes": {"count": 2, "balancer": "leastInFlight"}`,
			policy: every("1ms"),
			// The first node has an attempt, so two are refused at the second, whose worker that keeps busy up to 10 ms; there the
			// next waits. Then both have one, and the first has to refuse: its service ends at 15 ms, and the last one waits for that.
			trace: `0/1 0s 0s 15ms ok
				1/1 0s 0s 0s rateLimited
				2/1 0s 0s 0s rateLimited
				1/2 1ms 1ms 20ms ok
				2/2 1ms 1ms 1ms rateLimited
				2/3 2ms 2ms 25ms ok`},
	})
}

// TestNodesCrash: a crash takes down one node and what it holds, and the server is down when none is up.
func TestNodesCrash(t *testing.T) {
	const crashing = `"workers": 1, "serviceTime": {"kind": "constant", "mean": "10ms"}, "crash": {"on": "queueFull", "restart": "100ms"}, "nodes": {"count": 2, "balancer": "leastInFlight"`
	checkRules(t, []rule{
		{name: "one, then the other, then the first again; the hint is the time to the next that is up", clients: 3, latency: "0s",
			server: crashing + `}, "retryAfter": {"kind": "remaining"}`, policy: every("20ms") + `, "maxAttempts": 4`,
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 10ms ok
				2/1 0s 0s 0s overloaded
				0/2 20ms 20ms 20ms unavailable
				2/2 20ms 20ms 20ms overloaded
				0/3 40ms 40ms 40ms unavailable
				2/3 40ms 40ms 40ms unavailable
				0/4 100ms 100ms 100ms unavailable
				2/4 100ms 100ms 100ms overloaded`,
			down: "crash 20ms-100ms, crash 100ms-120ms", nodes: "crash 0s-100ms, crash 100ms-200ms | crash 20ms-120ms",
			metrics: map[string]float64{"crashes": 3, "downtime": 0.1}},
		{name: "an outage while one restarts: the first up may be another, and later than its end", clients: 3, latency: "0s",
			server: crashing + `, "comeUp": "30ms"}, "outages": [{"start": "50ms", "end": "60ms"}], "retryAfter": {"kind": "remaining"}`,
			policy: after("55ms", "1ms") + `, "maxAttempts": 3`,
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 10ms ok
				2/1 0s 0s 0s overloaded
				0/2 55ms 55ms 55ms unavailable
				2/2 55ms 55ms 55ms unavailable
				0/3 90ms 90ms 90ms unavailable
				2/3 90ms 90ms 90ms overloaded`,
			down: "outage 50ms-90ms, crash 90ms-100ms", nodes: "crash 0s-100ms, outage 50ms-60ms | outage 50ms-90ms, crash 90ms-190ms",
			metrics: map[string]float64{"crashes": 2, "downtime": 0.05}},
		{name: "an outage to come while all restart: a hint known ahead", clients: 3, latency: "5ms",
			server: crashing + `, "comeUp": "30ms"}, "outages": [{"start": "120ms", "end": "122ms"}], "retryAfter": {"kind": "remaining"}`,
			policy: after("10ms", "75ms", "1ms") + `, "maxAttempts": 5`,
			trace: `0/1 0s 5ms 10ms unavailable
				1/1 0s 5ms 20ms ok
				2/1 0s 5ms 10ms overloaded
				0/2 20ms 25ms 30ms unavailable
				2/2 20ms 25ms 30ms overloaded
				0/3 105ms 110ms 115ms unavailable
				2/3 105ms 110ms 115ms overloaded
				0/4 116ms 121ms 126ms unavailable
				2/4 116ms 121ms 126ms unavailable
				0/5 157ms 162ms 167ms unavailable
				2/5 157ms 162ms 167ms overloaded`,
			down:    "crash 25ms-105ms, crash 110ms-125ms, outage 120ms-152ms, crash 162ms-210ms",
			nodes:   "crash 5ms-105ms, crash 110ms-210ms, outage 120ms-122ms | crash 25ms-125ms, outage 120ms-152ms, crash 162ms-262ms",
			metrics: map[string]float64{"crashes": 4, "downtime": 0.08 + 0.042 + 0.048}},
		{name: "by too many arrivals at one node", clients: 5, latency: "0s",
			server: `"serviceTime": {"kind": "constant", "mean": "1s"}, "crash": {"on": "rate", "rate": 20, "window": "100ms", "restart": "60ms"}, "nodes": {"count": 2, "balancer": "leastInFlight"}`,
			policy: once,
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 1s ok
				2/1 0s 0s 0s unavailable
				3/1 0s 0s 1s ok
				4/1 0s 0s 0s unavailable`,
			nodes: "crash 0s-60ms | ", metrics: map[string]float64{"crashes": 1, "downtime": 0}},
	})
}

// TestComeUp: after an outage nodes come up one after the other, the first at its end.
func TestComeUp(t *testing.T) {
	const outage = `, "outages": [{"start": "0s", "end": "10ms"}]`
	checkRules(t, []rule{
		{name: "the first meets all", clients: 3, latency: "0s", server: worker(0) + outage + `, "nodes": {"count": 3, "balancer": "leastInFlight", "comeUp": "5ms"}`, policy: every("10ms"),
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				2/1 0s 0s 0s unavailable
				0/2 10ms 10ms 20ms ok
				1/2 10ms 10ms 10ms overloaded
				2/2 10ms 10ms 10ms overloaded
				1/3 20ms 20ms 30ms ok
				2/3 20ms 20ms 30ms ok`,
			down: "outage 0s-10ms", nodes: "outage 0s-10ms | outage 0s-15ms | outage 0s-20ms",
			// Workers are up for 20 + 15 + 10 ms from recovery to the end, and busy for 10 each.
			metrics: map[string]float64{"downtime": 0.01, "idle": 1 - 30./45, "recoveryPeak": 5}},
		{name: "the next outage begins before all are up", clients: 2, latency: "0s",
			server: worker(0) + `, "outages": [{"start": "0s", "end": "10ms"}, {"start": "12ms", "end": "20ms"}], "nodes": {"count": 2, "comeUp": "5ms"}`, policy: every("22ms"),
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				0/2 22ms 22ms 32ms ok
				1/2 22ms 22ms 22ms overloaded
				1/3 44ms 44ms 54ms ok`,
			down: "outage 0s-10ms, outage 12ms-20ms", nodes: "outage 0s-10ms, outage 12ms-20ms | outage 0s-15ms, outage 12ms-25ms",
			metrics: map[string]float64{"downtime": 0.018}},
		{name: "hanging, until the first is up", clients: 1, latency: "1ms",
			server: `"outages": [{"start": "0s", "end": "10ms", "mode": "hang"}], "nodes": {"count": 2, "comeUp": "5ms"}`, policy: every("1ms"),
			trace: `0/1 0s 1ms 11ms unavailable
				0/2 12ms 13ms 14ms ok`},
		{name: "each warms up for itself", clients: 2, latency: "0s",
			server: worker(0) + outage + `, "warmup": {"from": 0.5, "duration": "20ms"}, "nodes": {"count": 2, "balancer": "leastInFlight", "comeUp": "10ms"}`, policy: every("20ms"),
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				0/2 20ms 20ms 33.333333ms ok
				1/2 20ms 20ms 40ms ok`},
		{name: "the rate limit is one for all, and warms up with the first", clients: 4, latency: "0s",
			server: `"serviceTime": {"kind": "constant", "mean": "100ms"}, "rateLimit": {"kind": "window", "limit": 4, "window": "1s"}` + outage +
				`, "warmup": {"from": 0.5, "duration": "20ms"}, "nodes": {"count": 3, "balancer": "leastInFlight", "comeUp": "5ms"}`,
			policy: every("20ms") + `, "maxAttempts": 2`,
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				2/1 0s 0s 0s unavailable
				3/1 0s 0s 0s unavailable
				0/2 20ms 20ms 153.333333ms ok
				1/2 20ms 20ms 180ms ok
				2/2 20ms 20ms 220ms ok
				3/2 20ms 20ms 20ms rateLimited`},
	})
}

// TestRandomNode: each node that is up is as likely as any other, and one that is down is never picked. A million attempts
// reach two nodes of five, or all seven: how many each gets has a standard deviation of √(n·p·(1−p)), 0.1 % and 0.25 % of the
// mean; four of them are allowed.
func TestRandomNode(t *testing.T) {
	simtest.PlainRunOnly(t)
	const n = 1_000_000
	for _, c := range []struct {
		document string
		up, all  int
	}{
		{`"outages": [{"start": "0s", "end": "1s"}], "nodes": {"count": 5, "comeUp": "1s"}`, 2, 5},
		{`"nodes": {"count": 7}`, 7, 7},
	} {
		s, err := ParseScenario([]byte(`{"horizon": "20s", "replications": 1, "clients": {"count": 1000000, "workload": {"kind": "burst"}},
			"network": {"latency": {"kind": "constant", "mean": "2500ms"}},
			"server": {` + c.document + `}, "policies": [{"schedule": {"kind": "immediate"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		result, err := Runner{Nodes: true}.Run(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		nodes := result.Results[0].Run.Nodes
		if len(nodes) != c.all {
			t.Fatalf("%d nodes listed of %d", len(nodes), c.all)
		}
		share := 1 / float64(c.up)
		for i, nd := range nodes {
			got, want, sd := 0.0, n*share, math.Sqrt(n*share*(1-share))
			for _, arrivals := range nd.Arrivals {
				got += float64(arrivals)
			}
			if i >= c.up {
				want, sd = 0, 0
			}
			if math.Abs(got-want) > 4*sd {
				t.Errorf("%d of %d up: node %d gets %v of %d attempts, want %v ± %v", c.up, c.all, i, got, n, want, 4*sd)
			}
		}
	}
}

// TestManyNodes: a result lists the first twenty, and warns of the others; without being asked it lists none.
func TestManyNodes(t *testing.T) {
	s, err := ParseScenario([]byte(`{"horizon": "1s", "clients": {"count": 1000, "workload": {"kind": "burst"}},
		"server": {"nodes": {"count": 100}}, "policies": [{"schedule": {"kind": "immediate"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[bool]int{false: 0, true: maxListedNodes} {
		result, err := Runner{Nodes: asked}.Run(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := result.Results[0]
		if got := len(r.Run.Nodes); got != want {
			t.Errorf("asked %v: %d nodes listed, want %d", asked, got, want)
		}
		if warned := len(r.Warnings) > 0; warned != asked {
			t.Errorf("asked %v: warnings %q", asked, r.Warnings)
		}
	}
}
