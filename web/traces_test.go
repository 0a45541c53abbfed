package web

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
)

const tracesPath = "/api/v1/traces"

// The second policy of a scenario, traced alone, makes the attempts that it makes among the others.
func TestTraceIsTheRunAmongOthers(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	const query = "?clients.count=50&replications=2"
	body := bodyOf(t, ask(s, "GET", tracesPath+query+"&policy=1&trace=20", ""))
	wantValid(t, "TracedRun", body)
	var got tracedRun
	must(t, json.Unmarshal(body, &got))
	var whole struct {
		Results []struct {
			Policy strategies.Policy
			Run    sim.FirstRun
			Trace  *sim.Trace
		}
	}
	must(t, json.Unmarshal(bodyOf(t, ask(s, "GET", "/api/v1/simulations"+query+"&trace=20", "")), &whole))
	want := whole.Results[1]
	if got.Policy.ID != want.Policy.ID || len(got.Scenario.Policies) != 1 || got.Scenario.Replications != 1 {
		t.Errorf("traced %s, of %d policies and %d replications", got.Policy.ID, len(got.Scenario.Policies), got.Scenario.Replications)
	}
	if a, b := asJSON(got.Trace), asJSON(want.Trace); string(a) != string(b) || len(got.Trace.Client) < 50 || len(got.Trace.Server.AtSeconds) < 50 {
		t.Errorf("the trace differs from that among others:\n%.300s\n%.300s", a, b)
	}
	if a, b := asJSON(got.Run), asJSON(want.Run); string(a) != string(b) {
		t.Errorf("the run differs from that among others:\n%.300s\n%.300s", a, b)
	}
}

func TestTraceSaysWhatIsWrong(t *testing.T) {
	s := newTestServer(nil)
	for target, pointer := range map[string]string{
		"?trace=0": "?trace", "?trace=501": "?trace", "?policy=8": "?policy", "?policy=-1": "?policy", "?clients.count=x": "/clients/count",
	} {
		if p := wantProblem(t, ask(s, "GET", tracesPath+target, ""), http.StatusUnprocessableEntity); len(p.Errors) != 1 || p.Errors[0].Pointer != pointer {
			t.Errorf("%s: %+v, want a fault at %s", target, p.Errors, pointer)
		}
	}
	wantProblem(t, ask(s, "POST", tracesPath, "{"), http.StatusBadRequest)
	if p := wantProblem(t, ask(s, "POST", tracesPath+"?clients=3&policy=x", `{"policies": []}`), http.StatusUnprocessableEntity); len(p.Errors) != 4 {
		t.Errorf("%+v, want a fault at each of two places and two parameters", p.Errors)
	}
}

// A client that holds the trace already gets it no second time; one that waits a millisecond between attempts, and so
// makes a hundred thousand, gets the first fifty thousand and is told so.
func TestTraceIsBoundedAndKept(t *testing.T) {
	s := newTestServer(nil)
	res := ask(s, "GET", tracesPath+"?clients.count=5", "")
	if again := ask(s, "GET", tracesPath+"?clients.count=5", "", "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("status %d for what the client holds", again.StatusCode)
	}
	var got tracedRun
	must(t, json.Unmarshal(bodyOf(t, ask(s, "POST", tracesPath, `{"horizon": "100s", "clients": {"count": 1},
		"server": {"outages": [{"start": "0s", "end": "100s"}]}, "policies": [{"schedule": {"kind": "constant", "base": "1ms"}}]}`)), &got))
	if n := len(got.Trace.Client); n != 50_000 || len(got.Warnings) == 0 {
		t.Errorf("%d attempts, warnings %q", n, got.Warnings)
	}
}
