// Package simtest draws random valid scenarios, as documents, for property tests. They cover every field, and are
// cheap to run: at most 200 clients under test and a horizon of 30 seconds.
// It does not import sim, so that sim's own tests can use it.
package simtest

import (
	"encoding/json"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
	"github.com/stampede-sim/stampede/strategies/strategiestest"
)

type doc = strategiestest.Doc

// Scenario draws a valid scenario whose durations are of the given kinds of distribution, and returns it as JSON.
func Scenario(t *rapid.T, distributions []spec.Kind) []byte {
	data, err := json.Marshal(scenario{t, distributions}.document())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// scenario draws the parts of one.
type scenario struct {
	t             *rapid.T
	distributions []spec.Kind
}

func (s scenario) document() doc {
	d := doc{
		"seed":         fmt.Sprint(rapid.Uint64().Draw(s.t, "seed")),
		"replications": s.count("replications", 1, 3),
		"horizon":      s.duration("horizon", 1*time.Second, 30*time.Second),
		"clients":      s.clients(),
		"network":      doc{"latency": s.latency()},
		"server":       s.server(),
		"policies":     s.policies(),
	}
	s.maybe(d, "name", func() any { return rapid.SampledFrom([]string{"", "a herd", "± 10 %, 50/s"}).Draw(s.t, "name") })
	s.maybe(d, "bin", func() any { return s.duration("bin", 50*time.Millisecond, time.Second) })
	s.maybe(d, "peakWindow", func() any { return s.duration("peakWindow", 10*time.Millisecond, 2*time.Second) })
	return d
}

func (s scenario) clients() doc {
	d := doc{"count": s.count("count", 1, 200), "workload": s.workload()}
	s.maybe(d, "clientsPerProcess", func() any { return s.count("clientsPerProcess", 1, 50) })
	s.rarely(d, "others", s.others)
	return d
}

func (s scenario) others() any {
	groups := make([]doc, s.count("groups", 1, 2))
	for i := range groups {
		groups[i] = doc{"name": fmt.Sprint("group ", i), "count": s.count("count", 1, 50), "workload": s.workload()}
		s.maybe(groups[i], "policy", func() any { return s.policy() })
	}
	return groups
}

func (s scenario) workload() doc {
	switch rapid.SampledFrom([]string{"burst", "closed", "open"}).Draw(s.t, "workload") {
	case "closed":
		return doc{"kind": "closed", "think": s.distribution("think", 200*time.Millisecond, 3*time.Second)}
	case "open":
		d := doc{"kind": "open", "rate": s.number("rate", 0, 60)}
		s.rarely(d, "surges", s.surges)
		return d
	}
	return doc{"kind": "burst", "spread": s.duration("spread", 0, 5*time.Second)}
}

func (s scenario) surges() any {
	surges := make([]doc, s.count("surges", 1, 3))
	end := time.Duration(0)
	for i := range surges {
		start := end + s.time("pause", 0, 4*time.Second)
		end = start + s.time("surge", 1, 4*time.Second)
		surges[i] = doc{"start": start.String(), "end": end.String(), "rate": s.number("rate", 0, 300)}
	}
	return surges
}

func (s scenario) latency() doc {
	if s.once(3) {
		return doc{"kind": "constant", "mean": rapid.SampledFrom([]string{"0s", "1ns", "5ms"}).Draw(s.t, "latency")}
	}
	return s.distribution("latency", time.Millisecond, 200*time.Millisecond)
}

// distribution draws one whose typical values lie in [lo, hi], or are a few times as much.
func (s scenario) distribution(label string, lo, hi time.Duration) doc {
	durations := rapid.Custom(func(t *rapid.T) time.Duration { return scenario{t: t}.time("typical", lo, hi) })
	return spectest.Object(s.t, label, s.distributions, durations)
}

func (s scenario) server() doc {
	if s.once(10) {
		return doc{"kind": "occ"}
	}
	d := doc{}
	s.maybe(d, "kind", func() any { return "capacity" })
	s.maybe(d, "outages", s.outages)
	workers := 0
	if s.once(2) {
		workers = s.count("workers", 1, 20)
		d["workers"] = workers
		d["queue"] = s.count("queue", 0, 100)
	}
	s.maybe(d, "serviceTime", func() any { return s.distribution("serviceTime", 0, 200*time.Millisecond) })
	s.maybe(d, "discipline", func() any { return rapid.SampledFrom([]string{"fifo", "lifo"}).Draw(s.t, "discipline") })
	s.rarely(d, "maxQueueWait", func() any { return s.duration("maxQueueWait", 0, 2*time.Second) })
	s.rarely(d, "refusalCost", func() any { return s.duration("refusalCost", 0, 20*time.Millisecond) })
	s.maybe(d, "nodes", s.nodes)
	s.rarely(d, "rateLimit", s.rateLimit)
	s.rarely(d, "warmup", func() any {
		return doc{"from": s.number("from", 0.05, 1), "duration": s.duration("duration", 1, 5*time.Second)}
	})
	s.rarely(d, "slowdown", func() any { return s.number("slowdown", 0, 0.2) })
	s.rarely(d, "crash", func() any { return s.crash(workers) })
	s.rarely(d, "errors", func() any {
		transient := s.number("transient", 0, 0.5)
		return doc{"transient": transient, "permanent": s.number("permanent", 0, 0.5)}
	})
	s.maybe(d, "retryAfter", s.retryAfter)
	return d
}

func (s scenario) outages() any {
	outages := make([]doc, s.count("outages", 0, 3))
	start := s.time("start", 0, 2*time.Second)
	for i := range outages {
		end := start + s.time("outage", 1, 6*time.Second)
		spread := s.time("endSpread", 0, 2*time.Second)
		outages[i] = doc{
			"start": start.String(), "end": end.String(), "endSpread": spread.String(),
			"mode": rapid.SampledFrom([]string{"refuse", "hang"}).Draw(s.t, "mode"),
		}
		start = end + spread + s.time("up", 1, 6*time.Second)
	}
	return outages
}

func (s scenario) nodes() any {
	d := doc{"count": s.count("nodes", 1, 8)}
	s.maybe(d, "balancer", func() any { return rapid.SampledFrom([]string{"random", "leastInFlight"}).Draw(s.t, "balancer") })
	s.maybe(d, "comeUp", func() any { return s.duration("comeUp", 0, 3*time.Second) })
	return d
}

func (s scenario) rateLimit() any {
	if s.once(2) {
		return doc{"kind": "tokenBucket", "rate": s.number("rate", 1, 100), "burst": s.count("burst", 1, 100)}
	}
	return doc{"kind": "window", "limit": s.count("limit", 1, 100), "window": s.duration("window", 10*time.Millisecond, 2*time.Second)}
}

func (s scenario) crash(workers int) doc {
	restart := s.duration("restart", 100*time.Millisecond, 4*time.Second)
	if workers > 0 && s.once(2) {
		return doc{"on": "queueFull", "restart": restart}
	}
	return doc{
		"on": "rate", "restart": restart, "rate": s.number("rate", 10, 300), "window": s.duration("window", 10*time.Millisecond, time.Second),
	}
}

func (s scenario) retryAfter() any {
	kind := rapid.SampledFrom([]string{"none", "constant", "remaining"}).Draw(s.t, "hint")
	if kind == "constant" {
		return doc{"kind": kind, "after": s.duration("after", 0, 3*time.Second)}
	}
	return doc{"kind": kind}
}

func (s scenario) policies() []doc {
	policies := make([]doc, s.count("policies", 1, 3))
	for i := range policies {
		policies[i] = s.policy()
		s.maybe(policies[i], "id", func() any { return fmt.Sprint("policy-", i) })
	}
	return policies
}

func (s scenario) policy() doc { return strategiestest.Policy(s.t, strategiestest.Mild) }

func (s scenario) count(label string, lo, hi int) int {
	return rapid.IntRange(lo, hi).Draw(s.t, label)
}

func (s scenario) number(label string, lo, hi float64) float64 {
	return spectest.Number(lo, hi).Draw(s.t, label)
}

func (s scenario) time(label string, lo, hi time.Duration) time.Duration {
	if s.once(2) { // whole milliseconds make things happen at the same instant
		lo, hi = (lo+time.Millisecond-1)/time.Millisecond, max(hi/time.Millisecond, (lo+time.Millisecond-1)/time.Millisecond)
		return time.Millisecond * time.Duration(rapid.Int64Range(int64(lo), int64(hi)).Draw(s.t, label))
	}
	return time.Duration(rapid.Int64Range(int64(lo), int64(hi)).Draw(s.t, label))
}

func (s scenario) duration(label string, lo, hi time.Duration) string {
	return s.time(label, lo, hi).String()
}

// once is true once in so many times.
func (s scenario) once(times int) bool { return rapid.IntRange(1, times).Draw(s.t, "once") == times }

// maybe sets a field every other time, rarely every fourth.
func (s scenario) maybe(d doc, key string, value func() any) {
	if s.once(2) {
		d[key] = value()
	}
}

func (s scenario) rarely(d doc, key string, value func() any) {
	if s.once(4) {
		d[key] = value()
	}
}
