package web

import (
	"cmp"
	"slices"

	"github.com/stampede-sim/stampede/sim"
)

// This file says in one to three sentences what the figures mean. The first is about those on rank 1 and is the only
// one that praises; the others tell of harm, or of what it costs to be further down. What lies within the intervals is
// called level.

// telling is the scenario as far as the wording depends on it.
type telling struct {
	by      []criterion
	who     string // "clients" or "requests"
	crashes bool   // the server can crash
}

func tellingOf(sc *sim.Scenario) telling {
	kind := sc.Clients.Workload.Kind
	t := telling{by: criteria(kind), who: "requests", crashes: sc.Server.Crash != nil}
	if kind == sim.Burst {
		t.who = "clients"
	}
	return t
}

// verdict returns the sentences on standings that are in order.
func verdict(sc *sim.Scenario, all []standing) []string {
	t := tellingOf(sc)
	last := all[len(all)-1]
	top := slices.IndexFunc(all, func(s standing) bool { return s.rank > 1 })
	if top < 0 {
		top = len(all)
	}
	said := []string{t.praise(all[:top], len(all))}
	if top == len(all) {
		return said
	}
	worse := slices.IndexFunc(all, func(s standing) bool { return !t.by[0].meet(all[0], s) })
	if worse >= 0 {
		return append(said, t.harm(all[worse:]))
	}
	return append(said, t.cost(all[0], last))
}

// praise is about the policies on rank 1, out of so many.
func (t telling) praise(top []standing, of int) string {
	best, share := top[0], served(top[0])
	switch {
	case share == 0 && len(top) == of:
		return "Nobody is served: no policy brings a single one of the " + t.all(best) + " through."
	case share == 0:
		return "Nobody is served, whatever the policy."
	case share < 0.5 && of > 1:
		return "No policy serves even half of the " + t.all(best) + ": " + closest(top) + " with " + t.score(best) + "."
	case len(top) == 1:
		return quoted(best) + " serves " + t.score(best) + "."
	case len(top) == of:
		return "The policies are level: every difference lies within the intervals. They serve " + t.score(best) + "."
	default:
		return names(top) + " are level at the top, within the intervals: they serve " + t.score(best) + "."
	}
}

func closest(top []standing) string {
	if len(top) == 1 {
		return quoted(top[0]) + " comes closest,"
	}
	return names(top) + " come closest, level within the intervals,"
}

// score is what a policy reaches: "all 1000 clients, 99 % of them within 19.6 s, without a crash".
func (t telling) score(s standing) string {
	said := t.share(s)
	third := s.Metrics.Get(t.by[2].metric)
	switch {
	case third.Mean == nil: // fewer than 99 % were ever served
	case t.who == "clients":
		said += ", 99" + nbsp + "% of them within " + mean(third, 1) + nbsp + "s"
	default:
		said += ", " + mean(third, 1) + " a second"
	}
	if t.crashes {
		said += ", " + crashes(s)
	}
	return said
}

func (t telling) share(s standing) string {
	if served(s) == 1 {
		return "all " + t.all(s)
	}
	return percent(s.Metrics.Get("successRate")) + nbsp + "% of the " + t.all(s)
}

// all is how many there are to serve.
func (t telling) all(s standing) string {
	requests := s.Metrics.Get("requests")
	return mean(requests, 1) + nbsp + t.who
}

func crashes(s standing) string {
	m := s.Metrics.Get("crashes")
	switch {
	case m.Mean == nil || *m.Mean == 0:
		return "without a crash"
	case *m.Mean < 0.95:
		return "with a crash in some runs"
	case *m.Mean < 1.05:
		return "with one crash a run"
	default:
		return "with " + mean(m, 1) + " crashes a run"
	}
}

// harm is about the policies that serve fewer than the best: the one that crashes the server most, and the one that serves
// fewest.
func (t telling) harm(others []standing) string {
	fewest := slices.MinFunc(others, func(a, b standing) int { return cmp.Compare(served(a), served(b)) })
	knocks := slices.MaxFunc(others, func(a, b standing) int { return cmp.Compare(crashCount(a), crashCount(b)) })
	if !t.crashes || crashCount(knocks) < 0.95 {
		return quoted(fewest) + " leaves " + t.unserved(fewest) + " unserved."
	}
	said := quoted(knocks) + " knocks the server over " + times(knocks) + " a run and leaves " + t.unserved(knocks) + " unserved"
	if fewest.position != knocks.position && !t.by[0].meet(fewest, knocks) {
		said += "; " + quoted(fewest) + " leaves " + t.unserved(fewest) + " unserved"
	}
	return said + "."
}

// cost is about the last policy where it serves as many as the best within the intervals: what sets it back.
func (t telling) cost(best, last standing) string {
	said := "Within the intervals " + quoted(last) + " serves as many, "
	third := last.Metrics.Get(t.by[2].metric)
	switch {
	case !t.by[1].meet(best, last):
		return said + "but " + crashes(last) + "."
	case third.Mean == nil:
		return said + "but never 99" + nbsp + "%."
	case t.who == "clients":
		return said + "but takes " + mean(third, 1) + nbsp + "s for 99" + nbsp + "% of them."
	default:
		return said + "but at " + mean(third, 1) + " a second."
	}
}

func served(s standing) float64 {
	if m := s.Metrics.Get("successRate"); m.Mean != nil {
		return *m.Mean
	}
	return 0
}

func crashCount(s standing) float64 {
	if m := s.Metrics.Get("crashes"); m.Mean != nil {
		return *m.Mean
	}
	return 0
}

// times is how often a policy crashes the server, which it does at least 0.95 times.
func times(s standing) string {
	if crashCount(s) < 1.05 {
		return "once"
	}
	return mean(s.Metrics.Get("crashes"), 1) + " times"
}

// unserved is how many never succeeded: "957 of 1000 clients".
func (t telling) unserved(s standing) string {
	if served(s) == 0 {
		return "all " + t.all(s)
	}
	return unservedCount(s.Metrics) + " of " + t.all(s)
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

func quoted(s standing) string { return "“" + nameOf(s) + "”" }

func names(all []standing) string {
	quotes := make([]string, len(all))
	for i, s := range all {
		quotes[i] = quoted(s)
	}
	return joined(quotes)
}

func nameOf(s standing) string { return title(s.Policy) }
