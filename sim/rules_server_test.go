package sim

// The rules of the server, on scenarios small enough to work out by hand.

import (
	"fmt"
	"strings"
	"testing"
)

const once = `"schedule": {"kind": "constant", "base": "1h"}, "maxAttempts": 1`

// every is a policy that waits for so long each time.
func every(wait string) string { return `"schedule": {"kind": "constant", "base": "` + wait + `"}` }

// after is a policy with these delays.
func after(delays ...string) string {
	return `"schedule": {"kind": "list", "delays": ["` + strings.Join(delays, `", "`) + `"]}`
}

// worker is a server with one worker who needs 10 ms, and so many places to wait.
func worker(queue int) string {
	return fmt.Sprintf(`"workers": 1, "serviceTime": {"kind": "constant", "mean": "10ms"}, "queue": %d`, queue)
}

func TestQueue(t *testing.T) {
	checkRules(t, []rule{
		{name: "first come, first served", clients: 4, latency: "0s", server: worker(2), policy: once,
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 20ms ok
				2/1 0s 0s 30ms ok
				3/1 0s 0s 0s overloaded`,
			metrics: map[string]float64{"refused.overloaded": 1, "idle": 0}},
		{name: "last come, first served; a full queue turns the newcomer away", clients: 5, latency: "0s",
			server: worker(3) + `, "discipline": "lifo"`, policy: once,
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 40ms ok
				2/1 0s 0s 30ms ok
				3/1 0s 0s 20ms ok
				4/1 0s 0s 0s overloaded`},
		{name: "no place to wait, but a service ends before the next arrives", clients: 2, latency: "0s", server: worker(0), policy: every("10ms"),
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 0s overloaded
				1/2 10ms 10ms 20ms ok`},
		{name: "shedding: more than 10 ms is too long, 10 ms is not", clients: 4, latency: "1ms",
			server: worker(3) + `, "maxQueueWait": "10ms"`, policy: once,
			trace: `0/1 0s 1ms 12ms ok
				1/1 0s 1ms 22ms ok
				2/1 0s 1ms 22ms overloaded
				3/1 0s 1ms 22ms overloaded`},
		{name: "shedding in the order of service", clients: 4, latency: "1ms",
			server: worker(3) + `, "maxQueueWait": "19ms", "discipline": "lifo"`, policy: once,
			trace: `0/1 0s 1ms 12ms ok
				1/1 0s 1ms 22ms overloaded
				2/1 0s 1ms 22ms overloaded
				3/1 0s 1ms 22ms ok`},
		{name: "slower with each other in service", clients: 3, latency: "0s",
			server: `"workers": 0, "serviceTime": {"kind": "constant", "mean": "10ms"}, "slowdown": 0.5`, policy: once,
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 15ms ok
				2/1 0s 0s 20ms ok`},
	})
}

func TestRefusalCost(t *testing.T) {
	const limited = `, "refusalCost": "3ms", "rateLimit": {"kind": "window", "limit": 1, "window": "1s"}`
	checkRules(t, []rule{
		{name: "each refusal holds up the busy worker", clients: 3, latency: "0s", server: worker(0) + limited, policy: once,
			trace: `0/1 0s 0s 16ms ok
				1/1 0s 0s 0s rateLimited
				2/1 0s 0s 0s rateLimited`,
			metrics: map[string]float64{"idle": 0}},
		{name: "an idle worker first, then who is free first", clients: 3, latency: "0s",
			server: `"workers": 2, "serviceTime": {"kind": "constant", "mean": "10ms"}` + limited, policy: once,
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 0s rateLimited
				2/1 0s 0s 0s rateLimited`,
			metrics: map[string]float64{"idle": 1 - (10.+6)/(2*10)}},
		{name: "a worker who refuses cannot serve", clients: 2, latency: "0s",
			server: worker(1) + `, "refusalCost": "3ms", "rateLimit": {"kind": "tokenBucket", "rate": 1000, "burst": 1}`, policy: every("1ms"),
			trace: `0/1 0s 0s 13ms ok
				1/1 0s 0s 0s rateLimited
				1/2 1ms 1ms 23ms ok`},
	})
}

// TestRateLimit: limits at the very instant at which they let the next one through.
func TestRateLimit(t *testing.T) {
	const window = `"rateLimit": {"kind": "window", "limit": 2, "window": "100ms"}`
	const remaining = `, "retryAfter": {"kind": "remaining"}`
	bucket := func(rate float64, burst int) string {
		return fmt.Sprintf(`"rateLimit": {"kind": "tokenBucket", "rate": %v, "burst": %d}`, rate, burst)
	}
	checkRules(t, []rule{
		{name: "a window ends before the instant at which the next begins", clients: 3, latency: "0s", server: window, policy: after("99999999ns", "1ns"),
			trace: `0/1 0s 0s 0s ok
				1/1 0s 0s 0s ok
				2/1 0s 0s 0s rateLimited
				2/2 99.999999ms 99.999999ms 99.999999ms rateLimited
				2/3 100ms 100ms 100ms ok`},
		{name: "windows begin at multiples of their width, and the hint is what is left", clients: 3, latency: "30ms", server: window + remaining,
			policy: every("1ms"),
			trace: `0/1 0s 30ms 60ms ok
				1/1 0s 30ms 60ms ok
				2/1 0s 30ms 60ms rateLimited
				2/2 130ms 160ms 190ms ok`},
		{name: "a bucket gives its next token on time", clients: 2, latency: "0s", server: bucket(10, 1), policy: after("99999999ns", "1ns"),
			trace: `0/1 0s 0s 0s ok
				1/1 0s 0s 0s rateLimited
				1/2 99.999999ms 99.999999ms 99.999999ms rateLimited
				1/3 100ms 100ms 100ms ok`},
		{name: "the hint is the first nanosecond with a token", clients: 4, latency: "0s", server: bucket(3, 2) + remaining, policy: every("1ms"),
			trace: `0/1 0s 0s 0s ok
				1/1 0s 0s 0s ok
				2/1 0s 0s 0s rateLimited
				3/1 0s 0s 0s rateLimited
				2/2 333.333334ms 333.333334ms 333.333334ms ok
				3/2 333.333334ms 333.333334ms 333.333334ms rateLimited
				3/3 666.666667ms 666.666667ms 666.666667ms ok`}, // what the first one had over is not lost
		{name: "a bucket holds no more than its size", clients: 4, latency: "0s",
			server: `"outages": [{"start": "0s", "end": "1s"}], ` + bucket(10, 2), policy: after("1s", "99999999ns", "1ns"),
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				2/1 0s 0s 0s unavailable
				3/1 0s 0s 0s unavailable
				0/2 1s 1s 1s ok
				1/2 1s 1s 1s ok
				2/2 1s 1s 1s rateLimited
				3/2 1s 1s 1s rateLimited
				2/3 1.099999999s 1.099999999s 1.099999999s rateLimited
				3/3 1.099999999s 1.099999999s 1.099999999s rateLimited
				2/4 1.1s 1.1s 1.1s ok
				3/4 1.1s 1.1s 1.1s rateLimited
				3/5 1.100000001s 1.100000001s 1.100000001s rateLimited`, more: `"horizon": "1100000002ns",`},
		{name: "a constant hint", clients: 3, latency: "0s", server: window + `, "retryAfter": {"kind": "constant", "after": "500ms"}`, policy: every("1ms"),
			trace: `0/1 0s 0s 0s ok
				1/1 0s 0s 0s ok
				2/1 0s 0s 0s rateLimited
				2/2 500ms 500ms 500ms ok`},
		{name: "a full queue knows no remaining time", clients: 2, latency: "0s", server: worker(0) + remaining, policy: every("20ms"),
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 0s overloaded
				1/2 20ms 20ms 30ms ok`},
		{name: "but may have a constant one", clients: 2, latency: "0s", server: worker(0) + `, "retryAfter": {"kind": "constant", "after": "50ms"}`,
			policy: every("20ms"),
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 0s overloaded
				1/2 50ms 50ms 60ms ok`},
		{name: "an error takes its token with it", clients: 2, latency: "0s", server: bucket(1, 1) + `, "errors": {"permanent": 1}`, policy: once,
			trace: `0/1 0s 0s 0s permanent
				1/1 0s 0s 0s rateLimited`},
	})
}

// TestWarmup: up at 100 ms, at a fraction f of the speed that rises from 1/4 to 1 in a second.
func TestWarmup(t *testing.T) {
	const warm = `"outages": [{"start": "0s", "end": "100ms"}], "warmup": {"from": 0.25, "duration": "1s"}, `
	const service = warm + `"serviceTime": {"kind": "constant", "mean": "10ms"}`
	checkRules(t, []rule{
		{name: "f = 1/4 as it comes up", clients: 1, latency: "0s", server: service, policy: every("100ms"),
			trace: `0/1 0s 0s 0s unavailable
				0/2 100ms 100ms 140ms ok`},
		{name: "f = 5/8 half-way", clients: 1, latency: "0s", server: service, policy: every("600ms"),
			trace: `0/1 0s 0s 0s unavailable
				0/2 600ms 600ms 616ms ok`},
		{name: "f = 1 in the end", clients: 1, latency: "0s", server: service, policy: every("1100ms"),
			trace: `0/1 0s 0s 0s unavailable
				0/2 1.1s 1.1s 1.11s ok`},
		{name: "f = 1 before the first outage", clients: 1, latency: "0s",
			server: strings.Replace(service, `"start": "0s"`, `"start": "50ms"`, 1), policy: once, trace: `0/1 0s 0s 10ms ok`},
		{name: "a window lets through less than limit·f, rounded up", clients: 4, latency: "0s",
			server: warm + `"rateLimit": {"kind": "window", "limit": 4, "window": "100ms"}`, policy: after("600ms", "50ms") + `, "maxAttempts": 3`,
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				2/1 0s 0s 0s unavailable
				3/1 0s 0s 0s unavailable
				0/2 600ms 600ms 600ms ok
				1/2 600ms 600ms 600ms ok
				2/2 600ms 600ms 600ms ok
				3/2 600ms 600ms 600ms rateLimited
				3/3 650ms 650ms 650ms rateLimited`},
		// A token takes the x for which x/2 + x²/4 = 0.1 s: √1.4 − 1 = 183.215956.6… ms.
		{name: "a bucket fills at rate·f", clients: 2, latency: "0s",
			server: `"outages": [{"start": "0s", "end": "100ms"}], "warmup": {"from": 0.5, "duration": "1s"},
				"rateLimit": {"kind": "tokenBucket", "rate": 10, "burst": 1}, "retryAfter": {"kind": "remaining"}`, policy: every("100ms"),
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				0/2 100ms 100ms 100ms ok
				1/2 100ms 100ms 100ms rateLimited
				1/3 283.215957ms 283.215957ms 283.215957ms ok`},
	})
}

// TestOutages: the server is down from an outage's start to its end, but not then.
func TestOutages(t *testing.T) {
	checkRules(t, []rule{
		{name: "services end, then an outage begins, then attempts arrive", clients: 2, latency: "0s",
			server: worker(1) + `, "outages": [{"start": "10ms", "end": "20ms"}]`, policy: every("10ms"),
			trace: `0/1 0s 0s 10ms ok
				1/1 0s 0s 10ms unavailable
				1/2 20ms 20ms 30ms ok`,
			down: "outage 10ms-20ms", metrics: map[string]float64{"downtime": 0.01}},
		{name: "whoever is in the server is answered as it goes down, even if it hangs", clients: 2, latency: "10ms",
			server: `"workers": 1, "serviceTime": {"kind": "constant", "mean": "100ms"}, "queue": 1, "outages": [{"start": "50ms", "end": "80ms", "mode": "hang"}]`,
			policy: every("40ms"),
			trace: `0/1 0s 10ms 60ms unavailable
				1/1 0s 10ms 60ms unavailable
				0/2 100ms 110ms 220ms ok
				1/2 100ms 110ms 320ms ok`,
			metrics: map[string]float64{"idle": 1 - 200./240, "settle": 0}},
		{name: "the hint is the time to the end", clients: 1, latency: "10ms",
			server: `"outages": [{"start": "0s", "end": "100ms"}], "retryAfter": {"kind": "remaining"}`, policy: every("1ms"),
			trace: `0/1 0s 10ms 20ms unavailable
				0/2 110ms 120ms 130ms ok`},
		{name: "several", clients: 1, latency: "0s",
			server: `"outages": [{"start": "0s", "end": "10ms"}, {"start": "25ms", "end": "35ms", "mode": "hang"}], "serviceTime": {"kind": "constant", "mean": "10ms"}`,
			policy: every("20ms"),
			trace: `0/1 0s 0s 0s unavailable
				0/2 20ms 20ms 25ms unavailable
				0/3 45ms 45ms 55ms ok`,
			down: "outage 0s-10ms, outage 25ms-35ms", metrics: map[string]float64{"drain": 0.045, "settle": 0.015, "downtime": 0.02}},
	})
}

// TestEndSpread: an outage's end is uniform in [end, end + endSpread].
func TestEndSpread(t *testing.T) {
	const replications = 1000
	s, err := ParseScenario(fmt.Appendf(nil, `{"horizon": "10s", "replications": %d, "clients": {"count": 1, "workload": {"kind": "burst"}},
		"server": {"outages": [{"start": "0s", "end": "2s", "endSpread": "4s"}]}, "policies": [{%s}]}`, replications, once))
	if err != nil {
		t.Fatal(err)
	}
	var ends []float64
	for _, v := range runAll(t, s).Results[0].Metrics.Get("downtime").Values {
		ends = append(ends, *v)
	}
	uniform(t, ends, replications, 2, 6)
}

// TestCrashes: overload brings the server down.
func TestCrashes(t *testing.T) {
	const overload = `"workers": 1, "serviceTime": {"kind": "constant", "mean": "50ms"}, "queue": 1, "crash": {"on": "queueFull", "restart": "100ms"}`
	const first = `0/1 0s 10ms 20ms unavailable
				1/1 0s 10ms 20ms unavailable
				2/1 0s 10ms 20ms overloaded
				`
	rate := func(perSecond float64) string {
		return fmt.Sprintf(`"crash": {"on": "rate", "rate": %v, "window": "100ms", "restart": "60ms"}`, perSecond)
	}
	checkRules(t, []rule{
		{name: "by a full queue", clients: 3, latency: "10ms", server: overload, policy: every("150ms") + `, "maxAttempts": 2`,
			trace: first + `0/2 170ms 180ms 190ms unavailable
				1/2 170ms 180ms 190ms unavailable
				2/2 170ms 180ms 190ms overloaded`,
			down: "crash 10ms-110ms, crash 180ms-280ms", metrics: map[string]float64{"crashes": 2, "downtime": 0.2}},
		{name: "refusing while it restarts, with a hint", clients: 3, latency: "10ms", server: overload + `, "retryAfter": {"kind": "remaining"}`,
			policy: every("50ms") + `, "maxAttempts": 3`,
			trace: first + `0/2 70ms 80ms 90ms unavailable
				1/2 70ms 80ms 90ms unavailable
				2/2 70ms 80ms 90ms unavailable
				0/3 140ms 150ms 160ms unavailable
				1/3 140ms 150ms 160ms unavailable
				2/3 140ms 150ms 160ms overloaded`},
		{name: "up at the end of the outage that outlasts the restart", clients: 3, latency: "10ms",
			server: overload + `, "outages": [{"start": "50ms", "end": "200ms"}], "retryAfter": {"kind": "remaining"}`,
			policy: every("40ms") + `, "maxAttempts": 3`,
			trace: first + `0/2 60ms 70ms 80ms unavailable
				1/2 60ms 70ms 80ms unavailable
				2/2 60ms 70ms 80ms unavailable
				0/3 210ms 220ms 230ms unavailable
				1/3 210ms 220ms 230ms unavailable
				2/3 210ms 220ms 230ms overloaded`,
			down: "crash 10ms-110ms, outage 50ms-200ms, crash 220ms-320ms", metrics: map[string]float64{"downtime": 0.29}},
		{name: "up at the end of the restart that outlasts the outage", clients: 3, latency: "10ms",
			server: overload + `, "outages": [{"start": "50ms", "end": "80ms"}], "retryAfter": {"kind": "remaining"}`,
			policy: every("40ms") + `, "maxAttempts": 2`,
			trace: first + `0/2 60ms 70ms 80ms unavailable
				1/2 60ms 70ms 80ms unavailable
				2/2 60ms 70ms 80ms unavailable`,
			down: "crash 10ms-110ms, outage 50ms-80ms", metrics: map[string]float64{"downtime": 0.1}},
		{name: "a restart ends as an outage begins: it stays down", clients: 3, latency: "10ms",
			server: overload + `, "outages": [{"start": "110ms", "end": "200ms"}]`, policy: every("80ms") + `, "maxAttempts": 2`,
			trace: first + `0/2 100ms 110ms 120ms unavailable
				1/2 100ms 110ms 120ms unavailable
				2/2 100ms 110ms 120ms unavailable`,
			down: "crash 10ms-110ms, outage 110ms-200ms", metrics: map[string]float64{"downtime": 0.19}},
		{name: "by a third arrival within 100 ms; the count starts anew", clients: 3, latency: "0s", server: rate(20), policy: every("60ms"),
			trace: `0/1 0s 0s 0s ok
				1/1 0s 0s 0s ok
				2/1 0s 0s 0s unavailable
				2/2 60ms 60ms 60ms ok`,
			down: "crash 0s-60ms"},
		{name: "what arrived 100 ms ago no longer counts", clients: 1, latency: "0s", server: rate(20) + `, "errors": {"transient": 1}`,
			policy: every("50ms") + `, "maxAttempts": 4`,
			trace: `0/1 0s 0s 0s transient
				0/2 50ms 50ms 50ms transient
				0/3 100ms 100ms 100ms transient
				0/4 150ms 150ms 150ms transient`,
			metrics: map[string]float64{"crashes": 0}},
		{name: "but a little sooner it does", clients: 1, latency: "0s", server: rate(20) + `, "errors": {"transient": 1}`,
			policy: after("50ms", "49999999ns") + `, "maxAttempts": 3`,
			trace: `0/1 0s 0s 0s transient
				0/2 50ms 50ms 50ms transient
				0/3 99.999999ms 99.999999ms 99.999999ms unavailable`,
			metrics: map[string]float64{"crashes": 1}},
		{name: "what arrived while it was down never counted", clients: 2, latency: "0s",
			server: rate(20) + `, "outages": [{"start": "0s", "end": "50ms"}]`, policy: every("50ms"),
			trace: `0/1 0s 0s 0s unavailable
				1/1 0s 0s 0s unavailable
				0/2 50ms 50ms 50ms ok
				1/2 50ms 50ms 50ms ok`,
			metrics: map[string]float64{"crashes": 0}},
	})
}

// TestContentionRules: a write is stale if another was accepted after its read. Reads and writes of one instant are in
// the order of requests; the others' come after those of the clients under test.
func TestContentionRules(t *testing.T) {
	const occ = `"kind": "occ"`
	const immediate = `"schedule": {"kind": "immediate"}`
	tie := func(tested, others string) string {
		return fmt.Sprintf(`"horizon": "55ms", "clients": {"count": 1, "workload": %s, "others": [{"name": "o", "count": 1, "workload": %s}]},`, tested, others)
	}
	const burst, later = `{"kind": "burst"}`, `{"kind": "closed", "think": {"kind": "constant", "mean": "20ms"}}`
	checkRules(t, []rule{
		{name: "one after the other", clients: 3, latency: "10ms", server: occ, policy: immediate,
			trace: `0/1 0s 30ms 40ms ok
				1/1 0s 30ms 40ms conflict
				2/1 0s 30ms 40ms conflict
				1/2 40ms 70ms 80ms ok
				2/2 40ms 70ms 80ms conflict
				2/3 80ms 110ms 120ms ok`,
			metrics: map[string]float64{"attempts": 6, "refused.conflict": 3, "drain": 0.12, "settle": 0.08}},
		{name: "a write, and then at the same instant another's read", latency: "10ms", server: occ, policy: immediate, more: tie(burst, later),
			trace: `0/1 0s 30ms 40ms ok`, metrics: map[string]float64{"others.o.requests": 1, "others.o.succeeded": 0}},
		{name: "a read, and then at the same instant another's write", latency: "10ms", server: occ, policy: immediate + `, "maxAttempts": 1`,
			more: strings.Replace(tie(later, burst), "55ms", "65ms", 1), trace: `0/1 20ms 50ms 60ms conflict`,
			metrics: map[string]float64{"others.o.succeeded": 1}},
	})
}

// TestRefusalKeepsIdleWorkerBusy refuses one attempt, which costs 3 ns of the 2 ms that its request takes.
func TestRefusalKeepsIdleWorkerBusy(t *testing.T) {
	r := small(t, `{"horizon": "1s", "clients": {"count": 1, "workload": {"kind": "burst"}},
		"network": {"latency": {"kind": "constant", "mean": "1ms"}},
		"server": {"workers": 1, "errors": {"permanent": 1}, "refusalCost": "3ns"},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`)
	wantTrace(t, r, "0/1 0s 1ms 2ms permanent")
	wantMetrics(t, r, map[string]any{"idle": 1 - 3e-9/2e-3})
}
