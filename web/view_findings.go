package web

import (
	"cmp"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// This file picks out of the standings what rules of the verdict speak about. Each returns nil where there is none.

// often is so near to one crash a run that it is called that.
const often = 0.95

func jittered(s standing) bool   { return s.Policy.Jitter.Kind != "none" }
func unjittered(s standing) bool { return !jittered(s) }

// backsOff reports whether a policy's waits grow.
func backsOff(s standing) bool {
	c := s.Policy.Compile()
	return c.Scheduled(5) > c.Scheduled(1)
}

// longest is the longest that a policy waits between tries, however many there are.
func longest(s standing) time.Duration {
	_, hi := s.Policy.Compile().Bounds(strategies.MaxRetry)
	return time.Duration(hi)
}

// serves says what those on rank 1 reach: "they serve …" where that is the same for all, else what the first of them does.
func (f *findings) serves(they string) string {
	score := f.score(f.best)
	if slices.ContainsFunc(f.top, func(s standing) bool { return f.score(s) != score }) {
		return quoted(f.best) + " serves " + score
	}
	return they + " serve " + score
}

// jitteredTop reports whether every policy on rank 1 has jitter.
func (f *findings) jitteredTop() bool { return !slices.ContainsFunc(f.top, unjittered) }

// alone is the best of the policies that back off without jitter, if it does harm where the best have jitter.
func (f *findings) alone() *standing {
	if !f.jitteredTop() {
		return nil
	}
	return first(f.all, func(s standing) bool {
		return unjittered(s) && backsOff(s) && (f.servesFewer(s) || f.crashesMore(s))
	})
}

// lateTwin is the slowest of the policies that are the best, which backs off without jitter, with a jitter, where all
// those are slower.
func (f *findings) lateTwin() *standing {
	if len(f.top) > 1 || jittered(f.best) || !backsOff(f.best) || f.third(f.best) == noValue {
		return nil
	}
	twins := slices.DeleteFunc(slices.Clone(f.safe), func(s standing) bool {
		alike := s.Policy
		alike.ID, alike.Name, alike.Jitter = f.best.Policy.ID, f.best.Policy.Name, f.best.Policy.Jitter
		return unjittered(s) || alike.Text() != f.best.Policy.Text() || f.third(s) == noValue
	})
	if len(twins) == 0 {
		return nil
	}
	return &twins[len(twins)-1]
}

// worst is the policy with jitter that serves fewest, of those that serve fewer than the best.
func (f *findings) worst() *standing { return least(f.fewer, jittered, served) }

// hasty is the policy with jitter that crashes the server most, of those that wait less than the best at the longest
// and serve fewer.
func (f *findings) hasty() *standing {
	patience := longest(f.best)
	return least(f.fewer, func(s standing) bool {
		return jittered(s) && longest(s) < patience && f.crashesMore(s) && quitsAfter(s) == ""
	}, func(s standing) float64 { return -crashCount(s) })
}

// quitter is the policy with jitter that serves fewest, of those that give up sooner than the best and serve fewer.
func (f *findings) quitter() *standing {
	best := f.best.Policy
	patient := best.MaxAttempts == 0 && best.Deadline == 0
	return least(f.fewer, func(s standing) bool {
		return jittered(s) && quitsAfter(s) != "" && (patient || limitedTo(s) < limitedTo(f.best)) && !in(f.stuck(), s)
	}, served)
}

// others are those that serve fewer than the best, but for those that a contrast has been made of.
func (f *findings) others() []standing {
	told := f.stuck()
	if with, without := f.guardHelps(); with != nil {
		told = []standing{*without}
	} else if alone := f.alone(); told == nil && alone != nil {
		told = []standing{*alone}
	}
	return slices.DeleteFunc(slices.Clone(f.fewer), func(s standing) bool { return in(told, s) })
}

// level are those that serve as many as the best, best first.
func (f *findings) level() []standing {
	return slices.DeleteFunc(slices.Clone(f.all), func(s standing) bool { return in(f.fewer, s) })
}

// harmful are, among the others, of which there must be some, the one that crashes the server most, and the one that
// serves fewest: the same one if they cannot be told apart by that, or if nobody crashes it.
func (f *findings) harmful() (knocks, fewest standing) {
	others := f.others()
	all := func(standing) bool { return true }
	fewest = *least(others, all, served)
	knocks = *least(others, all, func(s standing) float64 { return -crashCount(s) })
	if crashCount(knocks) < often {
		return fewest, fewest
	}
	if f.by[0].meet(fewest, knocks) {
		return knocks, knocks
	}
	return knocks, fewest
}

// endless is the best of the policies that retry without end, where steady traffic is served better by one that does
// not, and by none that does.
func (f *findings) endless() *standing {
	without := func(s standing) bool { return s.Policy.MaxAttempts == 0 && s.Policy.Deadline == 0 }
	if f.who == "clients" || slices.ContainsFunc(f.all, func(s standing) bool { return without(s) && !f.servesFewer(s) }) {
		return nil
	}
	return first(f.fewer, without)
}

// quitsAfter is what clients give up after: "3 attempts", "10 s"; "" if hardly any does.
func quitsAfter(s standing) string {
	attempts, deadline := meanOf(s, "failed.attempts"), meanOf(s, "failed.deadline")
	switch {
	case max(attempts, deadline) < often:
		return ""
	case attempts > deadline:
		return plural(float64(s.Policy.MaxAttempts), "attempt", "attempts")
	default:
		return span(s.Policy.Deadline)
	}
}

// noCrowd reports whether nothing brings requests together: they come one by one, and the server neither went down nor
// came up.
func (f *findings) noCrowd() bool {
	together := func(w sim.Workload) bool { return w.Kind == sim.Burst || len(w.Surges) > 0 }
	return !together(f.sc.Clients.Workload) && len(f.sc.Server.Outages) == 0 && f.sc.Server.Kind == sim.Capacity &&
		!slices.ContainsFunc(f.sc.Clients.Others, func(g sim.Group) bool { return together(g.Workload) }) &&
		!slices.ContainsFunc(f.all, func(s standing) bool { return crashCount(s) > 0 })
}

// firstNode is the policy with jitter that crashes nodes most, of those whose clients knock no more often than all nodes
// together can serve, but so often that the first one back is full before there is a second.
func (f *findings) firstNode() *standing {
	return least(f.all, func(s standing) bool {
		_, rate, ok := f.knocks(s)
		capacity, limited := f.sc.Throughput()
		fill, alone := f.fills(s)
		return ok && limited && rate <= capacity && alone && fill < f.sc.Server.Nodes.ComeUp && jittered(s) && crashCount(s) >= often
	}, func(s standing) float64 { return -crashCount(s) })
}

func (f *findings) severalJitters() bool {
	return slices.ContainsFunc(f.all, func(s standing) bool { return s.Policy.Jitter.Kind != f.best.Policy.Jitter.Kind })
}

func (f *findings) servesFewer(s standing) bool { return !f.by[0].meet(f.best, s) }

// crashesMore reports whether a policy crashes the server about once a run or more, and more often than the best does.
func (f *findings) crashesMore(s standing) bool {
	return crashCount(s) >= often && crashCount(s) > crashCount(f.best) && !f.by[1].meet(f.best, s)
}

func served(s standing) float64     { return meanOf(s, "successRate") }
func crashCount(s standing) float64 { return meanOf(s, "crashes") }

// meanOf is a metric's mean, 0 where it does not exist.
func meanOf(s standing, metric string) float64 { return *orZero(s.Metrics.Get(metric).Mean) }

func first(all []standing, is func(standing) bool) *standing {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}

// least is the first of those with the smallest value among the standings that are so.
func least(all []standing, is func(standing) bool, value func(standing) float64) *standing {
	those := slices.DeleteFunc(slices.Clone(all), func(s standing) bool { return !is(s) })
	if len(those) == 0 {
		return nil
	}
	s := slices.MinFunc(those, func(a, b standing) int { return cmp.Compare(value(a), value(b)) })
	return &s
}

func in(some []standing, s standing) bool {
	return slices.ContainsFunc(some, func(x standing) bool { return same(&x, &s) })
}

func same(a, b *standing) bool { return a != nil && b != nil && a.position == b.position }
