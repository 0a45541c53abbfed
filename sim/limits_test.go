package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What a result lists is bounded, however often it happens; what it counts is not.
func TestListsAreBounded(t *testing.T) {
	run := func(document string, trace int) *PolicyResult {
		t.Helper()
		s, err := ParseScenario([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Runner{Trace: trace}.Run(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &r.Results[0]
	}
	warns := func(p *PolicyResult, of string) {
		t.Helper()
		if !slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, of) }) {
			t.Errorf("warnings %q, want one with %q", p.Warnings, of)
		}
	}

	// Two clients call every 10 µs on a server that one of them fills: every second arrival crashes it for 1 µs.
	p := run(`{"horizon": "50ms", "replications": 1, "clients": {"count": 2, "workload": {"kind": "burst"}},
		"server": {"workers": 1, "serviceTime": {"kind": "constant", "mean": "1h"}, "crash": {"on": "queueFull", "restart": "1us"}},
		"policies": [{"schedule": {"kind": "constant", "base": "10us"}}]}`, 0)
	if n := *p.Metrics.Get("crashes").Mean; n != 5000 {
		t.Errorf("%v crashes, want 5000: one every 10 µs", n)
	}
	if d := *p.Metrics.Get("downtime").Mean; d != 0.005 {
		t.Errorf("down for %v s, want 0.005: 5000 times 1 µs", d)
	}
	if n := len(p.Run.Down); n != maxDownSpans {
		t.Errorf("%d spans of being down, want the first %d", n, maxDownSpans)
	}
	warns(p, "times that the server was down")

	// Each of 20 clients is followed through the outage alone, 10 000 attempts in 1 s; then the next one.
	p = run(`{"horizon": "2s", "replications": 1, "clients": {"count": 20, "workload": {"kind": "burst"}},
		"server": {"outages": [{"start": "0s", "end": "1s"}]},
		"policies": [{"schedule": {"kind": "constant", "base": "100us"}}]}`, 20)
	if n := len(p.Trace.Client); n != maxTraced {
		t.Fatalf("%d attempts are traced, want %d", n, maxTraced)
	}
	for i, client := range p.Trace.Client { // all 20 leave together every 100 µs
		if want := int64(i/20 + 1); client != i%20 || p.Trace.Attempt[i] != want || p.Trace.Outcome[i] != "unavailable" {
			t.Fatalf("trace[%d] is attempt %d of client %d, %s; want attempt %d of client %d, unavailable",
				i, p.Trace.Attempt[i], client, p.Trace.Outcome[i], want, i%20)
		}
	}
	warns(p, fmt.Sprintf("first %d attempts", maxTraced))
}

// A run that is to stop does so in the middle of whatever concerns many clients at one instant.
func TestStopAmongMany(t *testing.T) {
	s := herd(10)
	r := &run{Runner: Runner{}, scenario: s, meter: &meter{}}
	e := new(engine)
	e.prepare(r, newPolicyRun(s, &s.Policies[0]), 0)
	for i := range uint64(100) {
		e.server.nodes[0].waiting.push(newEvent(0, classArrival, i, 1))
	}
	r.meter.stop.Store(true)
	e.goDown(span{from: 1, to: 2}, e.server.nodes)
	if refused := e.groups[0].refused; refused != [len(refused)]int64{} {
		t.Errorf("refused %v after the run was stopped, want none", refused)
	}
}
