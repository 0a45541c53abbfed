package web

import (
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// This file does the arithmetic behind the verdict, on the back of an envelope: what the scenario and the policies say
// before anything is simulated. Each is a sentence, or "" where it does not bear on the scenario.

// wave is how wide the returning wave must be at the least: the time that the work of those who return together takes.
func (f *findings) wave() string {
	work, left, ok := f.work()
	if !ok {
		return ""
	}
	rate := brief(left)
	if other := f.steady(); other > 0 {
		rate = "(" + brief(left+other) + " " + minus + " " + brief(other) + ")"
	}
	return "The wave must be at least " + count(work) + " ÷ " + rate + " a second = " + seconds(work/left) + " wide."
}

// work is how many requests a burst brings, and at what rate the server can take them on beside steady traffic.
func (f *findings) work() (requests, rate float64, ok bool) {
	capacity, limited := f.sc.Throughput()
	requests, rate = float64(f.sc.Clients.Count), capacity-f.steady()
	for _, g := range f.sc.Clients.Others {
		if g.Workload.Kind == sim.Burst {
			requests += float64(g.Count)
		}
	}
	return requests, rate, limited && rate > 0 && f.sc.Clients.Workload.Kind == sim.Burst
}

// steady is how many requests a second come beside those under test.
func (f *findings) steady() float64 {
	sum := 0.0
	for _, g := range f.sc.Clients.Others {
		if g.Workload.Kind == sim.Open {
			sum += g.Workload.Rate
		}
	}
	return sum
}

func (f *findings) spread() time.Duration {
	if f.sc.Clients.Workload.Kind != sim.Burst {
		return 0
	}
	return f.sc.Clients.Workload.Spread
}

// inStep says what becomes of a burst that nothing spreads.
func (f *findings) inStep() string {
	work, rate, ok := f.work()
	if !ok || f.spread().Seconds() >= work/rate {
		return ""
	}
	said := "Without jitter " + count(float64(f.sc.Clients.Count)) + " return in step"
	if f.spread() > 0 {
		said += ", within " + span(f.spread())
	}
	if f.sc.Server.Workers > 0 {
		said += ", and " + count(float64(f.sc.Server.Places())) + " can wait"
	}
	return said + "."
}

// spreadWide says that a burst is as wide as its work already.
func (f *findings) spreadWide() string {
	work, rate, ok := f.work()
	if !ok || f.spread().Seconds() < work/rate {
		return ""
	}
	return "They lose the server over " + span(f.spread()) + ", and the work of " + count(work) + " takes " + seconds(work/rate) + ": that wave is wide enough as it is."
}

// endures says how often the clients of a policy knock where the server can take that.
func (f *findings) endures(s standing) string {
	wait, rate, ok := f.knocks(s)
	if capacity, limited := f.sc.Throughput(); !ok || !jittered(s) || !limited || rate > capacity {
		return ""
	}
	return f.knocking(s, wait, rate)
}

// tooOften says the same where the server cannot.
func (f *findings) tooOften(s *standing) string {
	if s == nil {
		return ""
	}
	wait, rate, ok := f.knocks(*s)
	if capacity, limited := f.sc.Throughput(); !ok || !limited || rate <= capacity {
		return ""
	}
	return f.knocking(*s, wait, rate)
}

func (f *findings) knocking(s standing, wait time.Duration, rate float64) string {
	said := "By the recovery " + quoted(s) + " waits " + span(wait) + " on average: " +
		plural(float64(f.sc.Clients.Count), "client", "clients") + " knock " + brief(rate-f.steady()) + " times a second"
	if f.steady() > 0 {
		said += ", beside " + brief(f.steady()) + " others"
	}
	capacity, _ := f.sc.Throughput()
	return said + ", where " + brief(capacity) + " can be served."
}

// fills is how soon the first node back is full of a policy's clients, if it has to meet them alone: as long as it serves at
// full speed, which a warm-up delays.
func (f *findings) fills(s standing) (time.Duration, bool) {
	one := oneNode(f.sc)
	_, rate, ok := f.knocks(s)
	capacity, limited := one.Throughput()
	if !ok || !limited || rate <= capacity || f.sc.Server.Nodes.Count == 1 || one.Server.Workers == 0 {
		return 0, false
	}
	room := float64(one.Server.Workers + one.Server.Queue)
	return time.Duration(room / (rate - capacity) * float64(time.Second)), true
}

// oneNode is the scenario with one of its nodes alone.
func oneNode(sc *sim.Scenario) *sim.Scenario {
	one := *sc
	one.Server.Nodes.Count = 1
	return &one
}

// fillsFirst says so.
func (f *findings) fillsFirst(s standing) string {
	fill, _ := f.fills(s)
	one := oneNode(f.sc)
	capacity, _ := one.Throughput()
	return "The first node back can serve " + brief(capacity) + " a second and has room for " + count(float64(one.Server.Workers+one.Server.Queue)) +
		": it is full within " + seconds(fill.Seconds()) + ", and the second is up " + span(one.Server.Nodes.ComeUp) + " after it."
}

// knocks is how often clients come, with steady traffic beside them, once the outage has made their waits as long as
// they get, and how long those are on average. It exists for a burst, and a jitter that does not remember.
func (f *findings) knocks(s standing) (wait time.Duration, rate float64, ok bool) {
	down, ok := f.outage()
	c := s.Policy.Compile()
	if !ok || f.sc.Clients.Workload.Kind != sim.Burst || c.Feedback() || limitedTo(s) > 0 {
		return 0, 0, false
	}
	const most = 1000 // retries
	waited, n := time.Duration(0), int64(1)
	for ; waited < down && n < most; n++ {
		waited += middle(c, n)
	}
	wait = middle(c, n)
	if waited < down || wait != middle(c, n+1) || wait == 0 {
		return 0, 0, false
	}
	return wait, float64(f.sc.Clients.Count)/wait.Seconds() + f.steady(), true
}

// middle is the mean wait before retry n.
func middle(c *strategies.Compiled, n int64) time.Duration {
	lo, hi := c.Bounds(n)
	return time.Duration(lo/2 + hi/2)
}

// outage is how long the server is down at the start.
func (f *findings) outage() (time.Duration, bool) {
	if o := f.sc.Server.Outages; len(o) > 0 {
		return o[0].End - o[0].Start, true
	}
	return 0, false
}

// overBy says when the last attempt of those who give up leaves, where that is before the outage ends.
func (f *findings) overBy(s *standing) string {
	down, ok := f.outage()
	if s == nil || !ok {
		return ""
	}
	over := limitedTo(*s)
	if over == 0 || over >= down {
		return ""
	}
	if over == s.Policy.Deadline {
		return "The server is down for " + span(down) + ", longer than those " + span(over) + "."
	}
	return quitsAfter(*s) + " are over after at most " + span(over) + "; the server is down for " + span(down) + "."
}

// limitedTo is the longest that a policy's waits take in all; 0 if there is no end to them.
func limitedTo(s standing) time.Duration {
	p := s.Policy
	var sum time.Duration
	if p.MaxAttempts > 0 {
		c := p.Compile()
		for n := int64(1); n < int64(p.MaxAttempts) && sum < time.Hour; n++ {
			_, hi := c.Bounds(n)
			sum += time.Duration(hi)
		}
	}
	if p.Deadline > 0 && (sum == 0 || p.Deadline < sum) {
		sum = p.Deadline
	}
	return sum
}

// bears says what steady traffic comes to with its retries, where the server can take that.
func (f *findings) bears(s standing) string {
	if capacity, attempts, ok := f.offered(s); !ok || attempts > capacity {
		return ""
	}
	return f.offering(s)
}

// overloads says the same where the server cannot.
func (f *findings) overloads(s *standing) string {
	if s == nil {
		return ""
	}
	if capacity, attempts, ok := f.offered(*s); !ok || attempts <= capacity {
		return ""
	}
	return f.offering(*s)
}

func (f *findings) offering(s standing) string {
	capacity, attempts, _ := f.offered(s)
	return quoted(s) + " makes " + brief(f.sc.Clients.Workload.Rate) + " × " + brief(meanOf(s, "amplification")) + " = " + brief(attempts) +
		" attempts a second, where " + brief(capacity) + " can be served."
}

// offered is how many attempts a second an open workload makes of a capacity.
func (f *findings) offered(s standing) (capacity, attempts float64, ok bool) {
	capacity, limited := f.sc.Throughput()
	w := f.sc.Clients.Workload
	return capacity, w.Rate * meanOf(s, "amplification"), limited && w.Kind == sim.Open && len(w.Surges) == 0
}
