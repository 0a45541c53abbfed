package web

import (
	"math"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file writes all metrics of a policy, in plain words with their units and intervals.

// quantity is how a metric is written.
type quantity int

const (
	asNumber quantity = iota
	asShare
	asTime
	asRate
	asMultiple
)

// metricKind says what a metric is called. Those under a prefix, ending in a dot, are called by what follows it.
type metricKind struct {
	metric, label string
	quantity      quantity
	help          string
}

// metricGroup is some that belong together.
type metricGroup struct {
	title   string
	metrics []metricKind
}

var metricGroups = []metricGroup{
	{"Requests", []metricKind{
		{"requests", "requests", asNumber, "What clients wanted done."},
		{"succeeded", "served", asNumber, "Those that ended in a success."},
		{"successRate", "share served", asShare, "Served, of all requests."},
		{"recovered", "runs that recovered", asShare, "At the end as good as everything was served: 95 % in the last quarter of the time; of a burst, 99 % in all."},
		{"failed.notRetryable", "failed for good", asNumber, "The answer was one that the policy does not retry."},
		{"failed.attempts", "gave up: attempts used up", asNumber, "The last attempt that the policy allows failed."},
		{"failed.deadline", "gave up: out of time", asNumber, "The next wait would have ended past the deadline."},
		{"failed.retryAfter", "gave up: told to wait too long", asNumber, "The Retry-After was longer than the cap."},
		{"failed.budget", "gave up: no retry budget", asNumber, "The retry budget was spent."},
		{"failed.breaker", "stopped by the circuit breaker", asNumber, "The breaker was open, and the policy fails then."},
		{"failed.throttled", "stopped by throttling", asNumber, "The client held the request back."},
		{"pending", "still open at the end", asNumber, "Neither served nor given up when the simulation ended."},
	}},
	{"Times", []metricKind{
		{"within.p50", "50 % served within", asTime, "Of all clients, from their first attempt."},
		{"within.p90", "90 % served within", asTime, "Of all clients, from their first attempt."},
		{"within.p99", "99 % served within", asTime, "Of all clients, from their first attempt."},
		{"completion.mean", "those served: mean", asTime, "Of the survivors only: a policy that gives up looks good here."},
		{"completion.p50", "those served: median", asTime, "Of the survivors only."},
		{"completion.p90", "those served: 90 %", asTime, "Of the survivors only."},
		{"completion.p99", "those served: 99 %", asTime, "Of the survivors only."},
		{"completion.max", "those served: longest", asTime, "Of the survivors only."},
		{"drain", "all over after the recovery", asTime, "From the end of the outage to the last client's end."},
		{"settle", "last refusal after the recovery", asTime, "From the end of the outage to the last attempt refused or timed out."},
	}},
	{"Attempts", []metricKind{
		{"attempts", "attempts", asNumber, "First tries and retries."},
		{"amplification", "attempts each", asMultiple, "Attempts for every request."},
		{"refused", "refused", asNumber, "Attempts answered with a failure."},
		{"refused.unavailable", "refused: down", asNumber, "Connection refused or reset."},
		{"refused.overloaded", "refused: overloaded", asNumber, "503: the queue was full, or the wait too long."},
		{"refused.rateLimited", "refused: rate limit", asNumber, "429."},
		{"refused.transient", "refused: error by chance", asNumber, "An injected error that may pass."},
		{"refused.permanent", "refused: permanent error", asNumber, "An injected error that will not."},
		{"refused.conflict", "refused: conflict", asNumber, "A write with an old version."},
		{"timedOut", "timed out", asNumber, "Attempts that the client gave up waiting for."},
		{"notSent", "not sent", asNumber, "Stopped by a guard before they left."},
		{"wasted", "served for nothing", asNumber, "Served when the client no longer waited for it."},
	}},
	{"Server", []metricKind{
		{"peakLoad", "highest load", asRate, "The most arrivals in a second."},
		{"recoveryPeak", "highest load after the recovery", asRate, "The same, once the outage is over."},
		{"overshoot", "the same, in capacities", asMultiple, "Highest load after the recovery, over what can be served."},
		{"goodput", "served a second", asRate, "Until the last client's end, or the end of the simulation."},
		{"crashes", "crashes", asNumber, "By overload."},
		{"downtime", "time down", asTime, "Crashes and outages."},
		{"idle", "workers idle", asShare, "From the recovery to the last client's end: the price of too long waits."},
		{"dispersion", "dispersion of arrivals", asNumber, "About 1 for a smooth flow, far above for a herd."},
	}},
}

// otherMetrics are those of a group of other clients, after its name.
var otherMetrics = []metricKind{
	{"requests", "requests", asNumber, ""},
	{"succeeded", "served", asNumber, ""},
	{"successRate", "share served", asShare, ""},
	{"completion.mean", "those served: mean", asTime, ""},
	{"completion.p50", "those served: median", asTime, ""},
	{"completion.p90", "those served: 90 %", asTime, ""},
	{"completion.p99", "those served: 99 %", asTime, ""},
	{"completion.max", "those served: longest", asTime, ""},
}

// unfold adds all figures to the row of the policy that is opened, and offers that to every row.
func (c columns) unfold(row *templates.Row, s standing, opened string) {
	row.OpenDo = "open:" + s.Policy.ID
	if s.Policy.ID != opened {
		return
	}
	row.OpenDo = "open:"
	row.All = c.details(s)
}

func (c columns) details(s standing) *templates.Details {
	d := &templates.Details{}
	if c.baseline != nil && c.baseline.position != s.position {
		d.Versus = nameOf(*c.baseline)
	}
	for _, g := range metricGroups {
		d.Groups = append(d.Groups, c.group(s, g.title, "", g.metrics))
	}
	for _, other := range othersOf(s.Metrics) {
		d.Groups = append(d.Groups, c.group(s, "Other clients: "+other, "others."+other+".", otherMetrics))
	}
	return d
}

// group is some metrics, as far as the result has them.
func (c columns) group(s standing, title, prefix string, kinds []metricKind) templates.DetailGroup {
	g := templates.DetailGroup{Title: title}
	for _, k := range kinds {
		k.metric = prefix + k.metric
		if slices.ContainsFunc(s.Metrics, func(m sim.NamedMetric) bool { return m.Name == k.metric }) {
			g.Rows = append(g.Rows, c.detail(s, k))
		}
	}
	return g
}

func (c columns) detail(s standing, k metricKind) templates.Detail {
	x := s.Metrics.Get(k.metric)
	m := k.measure(x)
	d := templates.Detail{Label: k.label, Help: k.help, Value: mean(x, m.unit.scale), Unit: m.unit.name, Interval: interval(x, m.unit.scale, 0, m.most*m.unit.scale)}
	if k.quantity == asShare {
		d.Value = percent(x)
	}
	if x.Mean == nil {
		d.Unit = ""
	}
	if diff := c.difference(s, m); diff != nil {
		d.Difference = strings.TrimSpace(diff.Value + nbsp + diff.Unit)
	}
	return d
}

func (k metricKind) measure(x sim.Metric) measure {
	m := measure{k.metric, unit{"", 1}, math.Inf(1)}
	switch k.quantity {
	case asShare:
		m.unit, m.most = unit{"%", 100}, 1
	case asTime:
		m.unit = unitFor(x)
	case asRate:
		m.unit.name = "/s"
	case asMultiple:
		m.unit.name = "×"
	}
	return m
}

// othersOf are the names of the groups of other clients.
func othersOf(all sim.Metrics) []string {
	var names []string
	for _, m := range all {
		if name, ok := strings.CutPrefix(m.Name, "others."); ok {
			if name, ok := strings.CutSuffix(name, ".requests"); ok {
				names = append(names, name)
			}
		}
	}
	return names
}
