package web

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/stampede-sim/stampede/sim"
)

// This file ranks policies: by the share served, then crashes, then how soon 99 % were served (burst) or successes a
// second. A difference within the intervals is a tie. Ties are not transitive, so a group is level only if each two of it
// are: it goes from its best as far down as that holds, and the next criterion decides among it.

// criterion is a metric to rank by.
type criterion struct {
	metric string
	better float64 // +1: more is better, −1: less is
}

func criteria(workload string) []criterion {
	third := criterion{"goodput", +1}
	if workload == sim.Burst {
		third = criterion{"within.p99", -1}
	}
	return []criterion{{"successRate", +1}, {"crashes", -1}, third}
}

// standing is a policy's place.
type standing struct {
	*sim.PolicyResult
	position int // in the scenario, from 0
	mark     int // what it looks like; without a state to say so, its position
	rank     int // from 1; policies that are level in everything share one
	tied     bool
}

// Rank writes the rank, with a sign where it is shared.
func (s standing) Rank() string {
	if s.tied {
		return strconv.Itoa(s.rank) + "="
	}
	return strconv.Itoa(s.rank)
}

// rank returns the standings, best first; those on one rank are in the scenario's order.
func rank(r *sim.Result) []standing {
	all := make([]standing, len(r.Results))
	for i := range r.Results {
		all[i] = standing{PolicyResult: &r.Results[i], position: i, mark: i}
	}
	order(all, criteria(r.Scenario.Clients.Workload.Kind), 1)
	return all
}

// standings are rank's, with the marks that the state gives the policies.
func (s state) standings(r *sim.Result) []standing {
	all := rank(r)
	for i := range all {
		if mark, ok := s.marks[all[i].Policy.ID]; ok {
			all[i].mark = mark
		}
	}
	return all
}

// order sorts standings that are level so far, the first of which are on rank first.
func order(level []standing, by []criterion, first int) {
	if len(by) == 0 || len(level) == 1 {
		slices.SortFunc(level, func(a, b standing) int { return cmp.Compare(a.position, b.position) })
		for i := range level {
			level[i].rank, level[i].tied = first, len(level) > 1
		}
		return
	}
	c := by[0]
	slices.SortStableFunc(level, func(a, b standing) int { return cmp.Compare(c.value(b), c.value(a)) })
	for len(level) > 0 {
		n := 1
		for n < len(level) && c.meetAll(level[:n], level[n]) {
			n++
		}
		order(level[:n], by[1:], first)
		level, first = level[n:], first+n
	}
}

// value is how good a policy is: more is better, and what never happened is worst.
func (c criterion) value(s standing) float64 {
	m := s.Metrics.Get(c.metric)
	if m.Mean == nil {
		return math.Inf(-1)
	}
	return *m.Mean * c.better
}

// meet reports whether the two policies' intervals have a point in common. A mean without an interval is one point.
func (c criterion) meet(a, b standing) bool {
	x, y := a.Metrics.Get(c.metric), b.Metrics.Get(c.metric)
	if x.Mean == nil || y.Mean == nil {
		return x.Mean == nil && y.Mean == nil
	}
	xLow, xHigh := bounds(x)
	yLow, yHigh := bounds(y)
	return xLow <= yHigh && yLow <= xHigh
}

// meetAll reports whether a policy is level with each of a group.
func (c criterion) meetAll(group []standing, s standing) bool {
	return !slices.ContainsFunc(group, func(g standing) bool { return !c.meet(g, s) })
}

func bounds(m sim.Metric) (low, high float64) {
	if m.Low == nil || m.High == nil {
		return *m.Mean, *m.Mean
	}
	return *m.Low, *m.High
}
