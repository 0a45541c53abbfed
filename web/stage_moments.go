package web

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file tells a run in words, for those who do not watch it.

// happening is something that happens in a run.
type happening struct {
	at   float64
	what string
}

// moments lists what happens in a run, for those who do not see it.
func moments(sc *sim.Scenario, axes strips, of standing) templates.Table {
	all := slices.Concat(downMoments(sc, of), servedMoments(axes, of), peakMoment(axes, of))
	slices.SortStableFunc(all, func(a, b happening) int { return cmp.Compare(a.at, b.at) })
	t := templates.Table{Caption: nameOf(of) + ": what happens when", Head: []string{"After", "What happens"}}
	for _, m := range all[:min(len(all), maxMoments)] {
		t.Rows = append(t.Rows, []string{moment(m.at), m.what})
	}
	if more := len(all) - maxMoments; more > 0 {
		t.Rows = append(t.Rows, []string{"later", plural(float64(more), "more such event", "more such events")})
	}
	return t
}

// downMoments are when the server goes down and comes up.
func downMoments(sc *sim.Scenario, of standing) []happening {
	var all []happening
	back := "The server is back."
	if w := sc.Server.Warmup; w != nil {
		back = fmt.Sprintf("The server is back, at %s of its speed, and warms up for %s.", brief(100*w.From)+nbsp+"%", span(w.Duration))
	}
	down := of.Run.Down
	for i, d := range down {
		what := "The server goes down: an outage."
		if d.Why == "crash" {
			what = "The server is knocked over: "
			if sc.Server.Crash.On == sim.OnQueueFull {
				what += "its queue is full."
			} else {
				what += "too many attempts at once."
			}
		}
		all = append(all, happening{d.From, what})
		again := slices.ContainsFunc(down[i+1:], func(o sim.Span) bool { return o.From <= d.To })
		if !again && d.To < sc.Horizon.Seconds() {
			all = append(all, happening{d.To, back})
		}
	}
	return all
}

// servedMoments are when so many of the clients' requests had been served, to a bin.
func servedMoments(axes strips, of standing) []happening {
	requests := of.Metrics.Get("requests").Mean
	if requests == nil {
		return nil
	}
	var all []happening
	marks := []struct {
		share float64
		what  string
	}{{0.5, "By now half of the requests have been served."}, {0.99, "By now 99" + nbsp + "% of the requests have been served."}}
	sum := 0.0
	for bin, n := range of.Run.Succeeded {
		sum += float64(n)
		for len(marks) > 0 && sum >= marks[0].share*(*requests) {
			all = append(all, happening{float64(bin+1) * axes.bin, marks[0].what})
			marks = marks[1:]
		}
	}
	return all
}

// peakMoment is when most attempts arrive.
func peakMoment(axes strips, of standing) []happening {
	most, at := int64(0), 0
	for bin, n := range of.Run.Arrivals {
		if n > most {
			most, at = n, bin
		}
	}
	if most == 0 {
		return nil
	}
	what := "Most attempts at once: " + count(float64(most)) + " in " + seconds(axes.bin)
	if axes.whole {
		what += ", " + multiple(float64(most)/axes.bin/axes.unit) + " what the server can serve"
	}
	return []happening{{float64(at) * axes.bin, what + "."}}
}
