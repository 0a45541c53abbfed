package web

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the page of a search's result: sentences, the policies found or nearest, and what stands in the way.

func tuneResults(r *sim.TuneResult) *templates.TuneResults {
	out := &templates.TuneResults{Says: tuneSays(r), Why: tuneWhy(r), Found: tuneTable(r)}
	if len(r.Scenario.Policies) > 0 {
		out.Compare = compareIn(r.Scenario, r.Scenario.Policies...)
	}
	for _, x := range r.InTheWay {
		out.InTheWay = append(out.InTheWay, inTheWay(r, x))
	}
	return out
}

// tuneSays is the verdict.
func tuneSays(r *sim.TuneResult) []string {
	tried := plural(float64(r.Tried), "policy was", "policies were") + " tried."
	if len(r.Found) == 0 {
		var met []string
		for _, x := range r.InTheWay {
			if x.Met != nil {
				met = append(met, relaxedWords(x))
			}
		}
		if len(met) == 0 {
			says := "Relaxing a single demand was not found to be enough."
			if slices.ContainsFunc(r.InTheWay, func(x sim.InTheWay) bool { return x.Cut }) {
				says += " Not every demand was relaxed: the search had become too long. Fewer clients or repetitions leave room for it."
			}
			return []string{tried, "None meets all of that.", says}
		}
		return []string{tried, "None meets all of that. Relaxing one demand would do: " + strings.Join(met, "; or ") + "."}
	}
	says := []string{tried, "Of those that meet all of that, " + plural(float64(len(r.Found)), "is shown.", "are shown.")}
	for _, p := range r.Found {
		for _, best := range p.BestAt {
			m := p.Metrics
			switch best {
			case sim.Fastest:
				says = append(says, "The fastest has served 99"+nbsp+"% within "+seconds(orZeroValue(m.Get("within.p99")))+".")
			case sim.Frugal:
				says = append(says, "The most frugal makes "+brief(orZeroValue(m.Get("amplification")))+" attempts a request.")
			case sim.Gentle:
				says = append(says, "The gentlest never asks for more than "+brief(orZeroValue(m.Get("overshoot")))+" times what can be served.")
			}
		}
	}
	return says
}

func orZeroValue(m sim.Metric) float64 { return *orZero(m.Mean) }

// relaxedWords says how far a demand would have to be relaxed.
func relaxedWords(x sim.InTheWay) string {
	value, asked := amountWords(*x.Met), amountWords(x.Asked)
	switch x.Demand {
	case sim.DemandWait:
		return "a wait of " + value + " instead of " + asked
	case sim.DemandAttempts:
		return value + " attempts instead of " + asked
	case sim.DemandClients:
		return value + " clients instead of " + asked
	case sim.DemandCapacity:
		return value + " served a second instead of " + asked
	}
	return "an outage of " + value + " instead of " + asked
}

// amountWords writes a number or a duration.
func amountWords(a spec.Amount) string {
	if d, err := time.ParseDuration(string(a)); err == nil {
		return length(d)
	}
	x, _ := a.Value(spec.Param{Type: spec.Number, Max: math.MaxFloat64})
	return count(x)
}

// tuneWhy is the arithmetic: the rule of thumb, and the least that any policy takes.
func tuneWhy(r *sim.TuneResult) []string {
	t := r.Tune
	why := []string{fmt.Sprintf("Rule of thumb: when the server is back, waits should differ by at least clients ÷ headroom = %s ÷ %s a second = %s, so that it is asked for no more than it can serve.",
		count(float64(t.Clients)), brief(t.Capacity), seconds(r.Needed))}
	if least := t.Outage.Seconds() + 0.99*r.Needed; t.LongestWait.Seconds() < least {
		why = append(why, fmt.Sprintf("It is down for %s and then needs %s to serve 99 %% of them once: no policy can have done so within %s.",
			length(t.Outage), seconds(0.99*r.Needed), length(t.LongestWait)))
	}
	if t.MostAttempts == 1 {
		why = append(why, "The one attempt that is allowed meets the server while it is down.")
	}
	return why
}

// bestWords say what a policy is best at.
var bestWords = map[string]string{sim.Fastest: "fastest", sim.Frugal: "fewest attempts", sim.Gentle: "lowest load"}

// missWords say what a policy misses.
var missWords = map[string]string{
	sim.DemandServer: "knocks the server over again", sim.DemandServed: "does not serve 99" + nbsp + "% in every run", sim.DemandWait: "takes too long",
	sim.DemandShorter: "fails after an outage half as long",
}

// tuneTable has a row for each policy that was found, or for those that came nearest.
func tuneTable(r *sim.TuneResult) templates.TuneTable {
	table := templates.TuneTable{
		Caption: "Policies that meet all demands, in every run and after an outage half as long too",
		Head:    []string{"Policy", "Served", "99" + nbsp + "% within", "Crashes", "Attempts each", "Load after, of capacity", "Spread of waits", "Attempts that suffice"},
	}
	list := r.Found
	if len(list) == 0 {
		list = r.Nearest
		table.Caption, table.Head[7] = "None meets all demands; these come nearest", "Misses"
	}
	var times []sim.Metric
	for _, p := range list {
		times = append(times, p.Metrics.Get("within.p99"))
	}
	u := unitFor(times...)
	for _, p := range list {
		row := templates.TuneRow{
			Text: p.Text, Policy: tunedPage(r, p), Compare: compareIn(r.Scenario, p.Policy), Export: exportAddress(bare(p.Policy), "grpc"),
		}
		for _, best := range p.BestAt {
			row.BestAt = append(row.BestAt, bestWords[best])
		}
		last := noValue
		switch {
		case len(r.Found) > 0 && p.Enough > 0:
			last = count(float64(p.Enough))
		case len(p.Misses) > 0:
			var misses []string
			for _, m := range p.Misses {
				misses = append(misses, missWords[m])
			}
			last = strings.Join(misses, ", ")
		}
		within := cellOf(p.Metrics.Get("within.p99"), u.scale, math.Inf(1))
		within.Text = strings.TrimSpace(within.Text + nbsp + u.name)
		if p.Metrics.Get("within.p99").Mean == nil {
			within = templates.WhatIfCell{Text: "never"}
		}
		served := cellOf(p.Metrics.Get("successRate"), 100, 100)
		served.Text = percent(p.Metrics.Get("successRate")) + nbsp + "%"
		spread := seconds(p.Spread)
		if p.Spread < r.Needed {
			spread += ", less than " + seconds(r.Needed)
		}
		row.Cells = []templates.WhatIfCell{
			served, within, cellOf(p.Metrics.Get("crashes"), 1, math.Inf(1)), cellOf(p.Metrics.Get("amplification"), 1, math.Inf(1)),
			cellOf(p.Metrics.Get("overshoot"), 1, math.Inf(1)), {Text: spread}, {Text: last},
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func cellOf(m sim.Metric, scale, most float64) templates.WhatIfCell {
	return templates.WhatIfCell{Text: mean(m, scale), Interval: interval(m, scale, 0, most)}
}

// tunedPage is the address of the page of one policy, put to the trial that it was found in.
func tunedPage(r *sim.TuneResult, p sim.TunedPolicy) string {
	t, _ := takeTrial(url.Values{})
	t.outage, t.roundTrip, t.clients, t.capacity = r.Tune.Outage, r.Tune.RoundTrip, int64(r.Tune.Clients), r.Tune.Capacity
	return policyAddress(bare(p.Policy), t)
}

// demandLabels are what demands are called.
var demandLabels = map[string]string{
	sim.DemandWait: "Longest wait", sim.DemandAttempts: "Most attempts", sim.DemandClients: "Clients",
	sim.DemandCapacity: "Served a second", sim.DemandOutage: "Outage",
}

// inTheWay is a row about one demand relaxed alone.
func inTheWay(r *sim.TuneResult, x sim.InTheWay) templates.TuneRelaxed {
	row := templates.TuneRelaxed{Demand: demandLabels[x.Demand], Asked: amountWords(x.Asked), Met: "none was found by this alone"}
	if x.Cut {
		row.Met = "not looked for: the search had become too long"
	}
	if x.Met != nil {
		row.Met, row.By = amountWords(*x.Met), x.By.Text
		if x.Missed != nil {
			row.Met += ", not yet with " + amountWords(*x.Missed)
		}
		query := url.Values{}
		writeFields(query, r.Tune)
		query.Set(x.Demand, string(*x.Met))
		query.Set(searchKey, "1")
		row.Href = "/tune?" + encode(query)
	}
	return row
}
