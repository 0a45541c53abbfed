package web

import (
	"github.com/stampede-sim/stampede/sim"
)

// This file has the words of the verdict for figures.

// telling is the scenario as far as the wording depends on it.
type telling struct {
	by      []criterion
	who     string // "clients" or "requests"
	crashes bool   // the server can crash
	nodes   bool   // it is several
}

func tellingOf(sc *sim.Scenario) telling {
	kind := sc.Clients.Workload.Kind
	t := telling{by: criteria(kind), who: "requests", crashes: sc.Server.Crash != nil, nodes: sc.Server.Nodes.Count > 1}
	if kind == sim.Burst {
		t.who = "clients"
	}
	return t
}

// score is what a policy reaches: "all 1000 clients, 99 % of them within 19.6 s, without a crash".
func (t telling) score(s standing) string {
	said := t.share(s)
	switch third := t.third(s); {
	case third == noValue: // fewer than 99 % were ever served
	case t.who == "clients":
		said += ", 99" + nbsp + "% of them within " + third
	default:
		said += ", " + third + " a second"
	}
	if t.crashes {
		said += ", " + crashes(s)
	}
	return said
}

// third is the figure that decides where share and crashes do not: a time with its unit, or requests a second.
func (t telling) third(s standing) string {
	m := s.Metrics.Get(t.by[2].metric)
	if t.who == "clients" {
		return timed(m)
	}
	return mean(m, 1)
}

func (t telling) share(s standing) string {
	if served(s) == 1 {
		return "all " + t.whole(s)
	}
	return percent(s.Metrics.Get("successRate")) + nbsp + "% of the " + t.whole(s)
}

// whole is how many there are to serve: "1000 clients".
func (t telling) whole(s standing) string { return mean(s.Metrics.Get("requests"), 1) + nbsp + t.who }

// through says how many get through where that is not praise.
func (t telling) through(s standing) string {
	share := percent(s.Metrics.Get("successRate")) + nbsp + "%"
	switch {
	case served(s) == 0:
		return "nobody gets through"
	case served(s) == 1:
		return "all get through in the end"
	case served(s) < 0.5:
		return "only " + share + " get through"
	default:
		return share + " get through"
	}
}

// leaves says how many a policy does not serve.
func (t telling) leaves(s standing) string {
	if served(s) == 0 {
		return "serves nobody"
	}
	return "leaves " + t.unserved(s) + " unserved"
}

// unserved is how many never succeeded: "957 of 1000 clients".
func (t telling) unserved(s standing) string {
	if served(s) == 0 {
		return "all " + t.whole(s)
	}
	return unservedCount(s.Metrics) + " of " + t.whole(s)
}

// unservedCount is the mean number of requests without a success, in full; "" if there is none.
func unservedCount(m sim.Metrics) string {
	requests, succeeded := m.Get("requests"), m.Get("succeeded")
	if requests.Mean == nil || succeeded.Mean == nil || *requests.Mean == *succeeded.Mean {
		return ""
	}
	left := *requests.Mean - *succeeded.Mean
	if left < 9.5 {
		return brief(left)
	}
	return numeral(left, 0)
}

func crashes(s standing) string {
	switch n := crashCount(s); {
	case n == 0:
		return "without a crash"
	case n < often:
		return "with a crash in some runs"
	case n < 1.05:
		return "with one crash a run"
	default:
		return "with " + mean(s.Metrics.Get("crashes"), 1) + " crashes a run"
	}
}

// times is how often a policy crashes the server, which it does often.
func times(s standing) string {
	if crashCount(s) < 1.05 {
		return "once a run"
	}
	return mean(s.Metrics.Get("crashes"), 1) + " times a run"
}

// itCrashes says how often a policy crashes the server: "it crashes 5 times a run".
func (t telling) itCrashes(s standing) string {
	if t.nodes {
		return "nodes crash " + times(s)
	}
	return "it crashes " + times(s)
}

// crashesWhat is what a policy does: "crashes the server".
func (t telling) crashesWhat() string {
	if t.nodes {
		return "crashes nodes"
	}
	return "crashes the server"
}

func quoted(s standing) string { return "“" + nameOf(s) + "”" }

func names(all []standing) string {
	quotes := make([]string, len(all))
	for i, s := range all {
		quotes[i] = quoted(s)
	}
	return joined(quotes)
}

func nameOf(s standing) string { return title(s.Policy) }
