package web

import (
	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file is the switch between the three ways in which requests come, for the same policies and server: a burst,
// clients that wait before they ask again (closed), and requests that keep coming (open). The answer is another one
// each time, and the switch says why.

var workloads = []templates.Action{
	{Do: sim.Burst, Label: "together", Title: "A burst: every client wants one thing, at about the same time"},
	{Do: sim.Closed, Label: "repeatedly", Title: "A closed loop: each client asks, waits for the answer, thinks, and asks again"},
	{Do: sim.Open, Label: "steadily", Title: "Open traffic: new requests come at a rate, whatever became of the earlier ones"},
}

func workloadSwitch(sc *sim.Scenario) templates.Switch {
	s := templates.Switch{Label: "Requests come", Why: whyWorkload(sc)}
	for _, w := range workloads {
		on := w.Do == sc.Clients.Workload.Kind
		w.Do = "workload:" + w.Do
		s.Choices = append(s.Choices, templates.Choice{Action: w, On: on})
	}
	return s
}

// whyWorkload says what the way in which requests come does to the answer.
func whyWorkload(sc *sim.Scenario) string {
	switch w := sc.Clients.Workload; w.Kind {
	case sim.Closed:
		return "Whoever waits asks for nothing else, so there are never more than " + plural(float64(sc.Clients.Count), "request", "requests") +
			" under way: overload holds itself back."
	case sim.Open:
		return "Requests come whether or not earlier ones were answered. " + backlog(sc)
	default:
		return "Each client wants one thing: the herd is at its largest at the start, and over once all are served."
	}
}

// backlog is what an outage leaves undone, and how long that takes to work off beside what keeps coming.
func backlog(sc *sim.Scenario) string {
	capacity, limited := sc.Throughput()
	rate := sc.Clients.Workload.Rate
	f := findings{sc: sc}
	down, ok := f.outage()
	if !ok || !limited {
		return "What waits is worked off beside what keeps coming."
	}
	undone := rate * down.Seconds()
	left := "An outage of " + span(down) + " leaves " + brief(undone) + " undone, "
	if spare := capacity - rate - f.steady(); spare > 0 {
		return left + "to be worked off beside them with " + brief(spare) + " a second to spare: " + seconds(undone/spare) + " at the least."
	}
	return left + "and there is nothing to spare to work them off."
}

// setKind switches the way in which requests come; what they have in common stays.
func (s *state) setKind(kind string) string {
	if kind == s.scenario.Clients.Workload.Kind {
		return ""
	}
	next := *s.scenario
	if kind == sim.Burst {
		kind = "0s"
	}
	if problem := setWorkload(&next, kind); problem != "" {
		return problem
	}
	return s.become(&next, next.Validate())
}
