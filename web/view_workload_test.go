package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

func TestWorkloadSwitch(t *testing.T) {
	for _, c := range []struct{ from, do, address, why string }{
		{"", "workload:burst", "", "Each client wants one thing: the herd is at its largest at the start, and over once all are served."},
		{"", "workload:open", "clients.workload.kind=open&clients.workload.rate=160",
			"Requests come whether or not earlier ones were answered. An outage of 10 s leaves 1600 undone, to be worked off beside them with 40 a second to spare: 40 s at the least."},
		{"", "workload:closed", "clients.workload.kind=closed&clients.workload.think.kind=exponential&clients.workload.think.mean=6.25s",
			"Whoever waits asks for nothing else, so there are never more than 1000 requests under way: overload holds itself back."},
		{"clients.workload.kind=open&clients.workload.rate=200", "workload:open", "clients.workload.kind=open&clients.workload.rate=200",
			"Requests come whether or not earlier ones were answered. An outage of 10 s leaves 2000 undone, and there is nothing to spare to work them off."},
		{"clients.workload.kind=open&clients.workload.rate=160&server.outages=", "workload:open", "clients.workload.kind=open&clients.workload.rate=160&server.outages=",
			"Requests come whether or not earlier ones were answered. What waits is worked off beside what keeps coming."},
		{"clients.workload.kind=open&clients.workload.rate=160", "workload:burst", "", "Each client wants one thing: the herd is at its largest at the start, and over once all are served."},
		{"clients.workload.spread=5s", "workload:burst", "clients.workload.spread=5s", "Each client wants one thing: the herd is at its largest at the start, and over once all are served."},
	} {
		st := edited(t, c.from, url.Values{"do": {c.do}})
		if st.address != c.address {
			t.Errorf("%s from %q leads to %q, want %q", c.do, c.from, st.address, c.address)
		}
		form := formOf(st)
		if got := plainSpaces.Replace(form.Workload.Why); got != c.why {
			t.Errorf("%s: %s\nwant %s", st.address, got, c.why)
		}
		for _, choice := range form.Workload.Choices {
			if on := strings.HasSuffix(choice.Do, ":"+st.scenario.Clients.Workload.Kind); on != choice.On {
				t.Errorf("%s: %s is on: %t", st.address, choice.Label, choice.On)
			}
		}
	}
	if _, err := opening().edit(url.Values{"do": {"workload:sideways"}}); err == nil {
		t.Error("there is a fourth workload")
	}
}

// What leads the controls is what decides how much there is to do.
func TestFirstControlIsTheLoad(t *testing.T) {
	for workload, want := range map[string]string{sim.Burst: "clients.count", sim.Closed: "clients.count", sim.Open: "clients.workload.rate"} {
		st := edited(t, "", url.Values{"do": {"workload:" + workload}})
		if got := formOf(st).Plain[0].Name; got != want {
			t.Errorf("%s: the first control is %s, want %s", workload, got, want)
		}
	}
}
