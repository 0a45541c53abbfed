package web

import (
	"slices"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// This file picks out, and says the arithmetic of, what rules of the verdict tell of overload that stays, of guards, and
// of a server that sheds.

// steadily reports whether requests keep coming at one rate that the server could serve, and it is up again by the quarter
// of the time that recovering is judged by.
func (f *findings) steadily() bool {
	capacity, limited := f.sc.Throughput()
	w := f.sc.Clients.Workload
	up := time.Duration(0)
	if o := f.sc.Server.Outages; len(o) > 0 {
		last := o[len(o)-1]
		up = last.End + last.EndSpread + f.sc.Server.Nodes.Lag()
	}
	return limited && w.Kind == sim.Open && len(w.Surges) == 0 && w.Rate+f.steady() < capacity && up <= f.sc.Horizon-f.sc.Horizon/4
}

// stuck are those that recover in no run where the best does in all, or in none either, although the server could serve what
// is asked for, but not what they make of it.
func (f *findings) stuck() []standing {
	recovered := criterion{sim.Recovered, +1}
	some, best := f.fewer, meanOf(f.best, sim.Recovered)
	if best == 0 {
		some = f.all
	}
	if !f.steadily() || best > 0 && best < 1 {
		return nil
	}
	var stuck []standing
	for _, s := range some {
		if m := s.Metrics.Get(sim.Recovered); m.Mean != nil && *m.Mean == 0 && (best == 0 || !recovered.meet(f.best, s)) && f.overloads(&s) != "" {
			stuck = append(stuck, s)
		}
	}
	return stuck
}

// jitterIsNoMatter reports whether there are policies with and without jitter among some, and none can be told apart by
// what it serves.
func (f *findings) jitterIsNoMatter(some []standing) bool {
	return slices.ContainsFunc(some, jittered) && slices.ContainsFunc(some, unjittered) &&
		!slices.ContainsFunc(some, func(s standing) bool { return !f.by[0].meetAll(some, s) })
}

// stale says that what a full queue holds is served too late.
func (f *findings) stale(s standing) string {
	wait, timeout := f.queueWait(), s.Policy.AttemptTimeout
	if wait == 0 || timeout == 0 || wait <= timeout.Seconds() {
		return ""
	}
	return "A full queue takes " + f.workingOff() + " to work off, and clients wait " + span(timeout) + ": what is served then nobody waits for."
}

func (f *findings) workingOff() string {
	capacity, _ := f.sc.Throughput()
	return count(float64(f.sc.Server.Places())) + " ÷ " + brief(capacity) + " a second = " + seconds(float64(f.sc.Server.Places())/capacity)
}

// queueWait is how long, in seconds, attempts wait in a full queue until they are served or turned away; 0 where that is
// not known.
func (f *findings) queueWait() float64 {
	capacity, limited := f.sc.Throughput()
	if !limited || f.sc.Server.Workers == 0 {
		return 0
	}
	wait := float64(f.sc.Server.Places()) / capacity
	if shed := f.sc.Server.MaxQueueWait.Seconds(); shed > 0 {
		wait = min(wait, shed)
	}
	return wait
}

// fresh says why nothing waits for too long at a server that an outage could have left overloaded, and where every run of
// every policy recovered; "" if that is not so.
func (f *findings) fresh() string {
	wait := f.queueWait()
	shortest := f.all[0].Policy.AttemptTimeout
	for _, s := range f.all {
		shortest = min(shortest, s.Policy.AttemptTimeout)
		if meanOf(s, sim.Recovered) < 1 {
			return ""
		}
	}
	if !f.steadily() || len(f.sc.Server.Outages) == 0 || f.couldStay() == nil || wait == 0 || wait >= shortest.Seconds() {
		return ""
	}
	clients := ", and clients wait " + span(shortest)
	if shed := f.sc.Server.MaxQueueWait; shed.Seconds() == wait {
		return "the server turns away what has waited " + span(shed) + clients
	}
	return "a full queue takes " + f.workingOff() + clients
}

// couldStay is the first policy whose attempts, if all of them were made, would be more than the server can serve.
func (f *findings) couldStay() *standing {
	capacity, limited := f.sc.Throughput()
	return first(f.all, func(s standing) bool {
		return limited && !s.Policy.Guarded() && f.sc.Clients.Workload.Rate*float64(s.Policy.MaxAttempts) > capacity
	})
}

func (f *findings) couldMake(s standing) string {
	capacity, _ := f.sc.Throughput()
	rate := f.sc.Clients.Workload.Rate
	return "All attempts of " + quoted(s) + " would be " + brief(rate) + " × " + count(float64(s.Policy.MaxAttempts)) + " = " + brief(rate*float64(s.Policy.MaxAttempts)) +
		" a second, where " + brief(capacity) + " can be served."
}

// guardHelps is the best policy with guards that serves as many as any and, beyond the intervals, more than the same
// without guards does; and that one. Both are nil if there is none.
func (f *findings) guardHelps() (with, without *standing) {
	for _, s := range f.level() {
		if bare := f.unguarded(s); bare != nil && in(f.fewer, *bare) && !f.by[0].meet(s, *bare) {
			return &s, bare
		}
	}
	return nil, nil
}

// guardCosts is, of the policies with guards that serve fewer, beyond the intervals, than the same without, the one that
// serves fewest; and that one without. Both are nil if there is none.
func (f *findings) guardCosts() (with, without *standing) {
	with = least(f.all, func(s standing) bool {
		bare := f.unguarded(s)
		return bare != nil && served(s) < served(*bare) && !f.by[0].meet(s, *bare)
	}, served)
	if with != nil {
		without = f.unguarded(*with)
	}
	return with, without
}

// unguarded is the policy that is another one but for its guards; nil if that has none, or there is no such.
func (f *findings) unguarded(s standing) *standing {
	if !s.Policy.Guarded() {
		return nil
	}
	bare := s.Policy
	bare.Breaker, bare.Budget, bare.Throttle = spec.Choice{}, spec.Choice{}, spec.Choice{}
	return first(f.all, func(o standing) bool {
		bare.ID, bare.Name = o.Policy.ID, o.Policy.Name
		return o.Policy.Text() == bare.Text()
	})
}

// guardSaid says what guards do to a policy, in the singular or the plural.
func (f *findings) guardSaid(with, without standing, does, do string) string {
	guards, it := guardNames(with.Policy), "it"
	if len(guards) > 1 {
		does, it = do, "them"
	}
	said := joined(guards)
	return strings.ToUpper(said[:1]) + said[1:] + " " + does + ": with " + quoted(with) + " " + f.through(with) + "; without " + it + " (" + quoted(without) + ") " + f.through(without) + "."
}

func guardNames(p strategies.Policy) (names []string) {
	if p.Breaker.Kind != "" {
		names = append(names, "the circuit breaker")
	}
	if p.Budget.Kind != "" {
		names = append(names, "the retry budget")
	}
	if p.Throttle.Kind != "" {
		names = append(names, "throttling")
	}
	return names
}

// budgeted says how few retries a budget by ratio allows in the long run, where the server can take that.
func (f *findings) budgeted(s standing) string {
	b := s.Policy.Budget
	capacity, _ := f.sc.Throughput()
	ratio := b.Args.Number("ratio")
	load := f.sc.Clients.Workload.Rate * (1 + ratio)
	if b.Kind != "ratio" || b.Args.Number("minPerSecond") > 0 || !f.steadily() || load > capacity {
		return ""
	}
	return "In the long run the budget allows " + brief(f.sc.Clients.Workload.Rate) + " × (1 + " + brief(ratio) + ") = " + brief(load) + " attempts a second."
}

// stopped says what guards kept back.
func (f *findings) stopped(s standing) string {
	var said []string
	if meanOf(s, "notSent") > 0 {
		said = append(said, "stopped "+mean(s.Metrics.Get("notSent"), 1)+" attempts a run before they left")
	}
	if meanOf(s, "failed.budget") > 0 {
		said = append(said, "had no retry left for "+mean(s.Metrics.Get("failed.budget"), 1)+" requests a run")
	}
	if said == nil {
		return ""
	}
	return quoted(s) + " " + joined(said) + "."
}
