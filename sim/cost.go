package sim

import (
	"math"

	"github.com/stampede-sim/stampede/strategies"
)

// What a scenario will cost, before it is run.

// Estimate returns about how many events, attempts and service completions, a run of the scenario will take over all
// policies and replications, and for each replication as many as take the time of its beginning and its end. It is meant
// to refuse the hopeless: where much depends on how the run goes, as with a server that crashes, it leans to the large side.
func Estimate(s *Scenario) int64 {
	var events float64
	for i := range s.Policies {
		events += s.estimateReplication(&s.Policies[i]) + s.overhead()
	}
	return int64(min(events*float64(s.Replications), 1e18))
}

// overhead is what a replication costs in which nothing happens, in events: without it a hundred thousand of those would
// seem to cost nothing.
func (s *Scenario) overhead() float64 { return 300 + float64(s.bins())/2 }

// estimateReplication estimates the events of one replication of a policy.
func (s *Scenario) estimateReplication(p *strategies.Policy) float64 {
	events := s.estimateGroup(s.Clients.Count, s.Clients.Workload, p)
	for _, o := range s.Clients.Others {
		policy := p
		if o.Policy != nil {
			policy = o.Policy
		}
		events += s.estimateGroup(o.Count, o.Workload, policy)
	}
	return events
}

// bucketWidth suggests how wide the calendar's buckets should be, in nanoseconds. The fewer buckets are open at once,
// the more of their ends stay in the nearest caches, so the delays should reach over some hundreds of them and no more;
// and a bucket should not hold more events than are quickly sorted.
func (s *Scenario) bucketWidth(p *strategies.Policy, c *strategies.Compiled) int64 {
	const buckets, events = 400, 65536
	_, longest := c.Bounds(observedRows)
	latency := compileDistribution(s.Network.Latency)
	width := (min(float64(longest), float64(s.Horizon)) + 2*latency.Mean() + float64(p.AttemptTimeout)) / buckets
	span := float64(s.Horizon)
	if s.Clients.Workload.Kind == Burst {
		trouble, _ := s.trouble(s.Clients.Count, s.Clients.Workload)
		span = min(span, trouble*1e9+float64(s.Clients.Workload.Spread))
	}
	return int64(min(width, events*span/max(1, s.estimateReplication(p))))
}

// estimateGroup estimates the events of one group's requests in one replication.
func (s *Scenario) estimateGroup(count int, w Workload, p *strategies.Policy) float64 {
	horizon := s.Horizon.Seconds()
	latency := compileDistribution(s.Network.Latency)
	trip := 2 * latency.Mean() / 1e9
	var service distribution // none under contention
	if s.Server.Kind == Capacity {
		service = compileDistribution(s.Server.ServiceTime)
	}
	trouble, load := s.trouble(count, w)
	if timeout := p.AttemptTimeout.Seconds(); timeout > 0 && timeout < trip+service.Mean()/1e9 {
		trouble = horizon // hardly an answer is in time
	}
	if s.maySustain(load, p) {
		trouble = horizon
	}
	attempts := attemptsWithin(p, min(trouble, horizon), trip)
	switch w.Kind {
	case Closed:
		think := compileDistribution(w.Think)
		cycle := max(think.Mean()/1e9+trip+service.Mean()/1e9, 1e-9)
		return float64(count) * (horizon/cycle*2 + attempts)
	case Open:
		requests := load * horizon
		return requests*2 + min(requests, load*trouble)*attempts
	}
	return float64(count) * (1 + attempts)
}

// trouble returns for how many seconds, at a guess, attempts fail, and the requests a second of an open workload.
func (s *Scenario) trouble(count int, w Workload) (seconds, load float64) {
	for _, o := range s.Server.Outages {
		seconds += (o.End - o.Start + o.EndSpread + s.Server.Nodes.Lag()).Seconds()
	}
	load = w.meanRate(s.Horizon.Seconds())
	capacity, limited := s.Throughput()
	if s.Server.Kind == OCC {
		// One write at a time, a round trip each, is the least that gets all through.
		return float64(count) * 4e-3, load
	}
	if limited {
		seconds += float64(count) / capacity * 2
		if w.Kind == Open && load > capacity {
			seconds = s.Horizon.Seconds()
		}
	}
	if s.Server.Crash != nil {
		seconds = max(seconds, s.Horizon.Seconds()/2)
	}
	if errors := s.Server.Errors.Transient; errors > 0 && errors < 1 {
		seconds += 1
	} else if errors >= 1 {
		seconds = s.Horizon.Seconds()
	}
	return seconds, load
}

// maySustain reports whether retries alone can keep the server overloaded once it is: attempts wait in its queue for longer
// than clients wait for them, nothing but their number limits them, and all of them are more than it can serve.
func (s *Scenario) maySustain(load float64, p *strategies.Policy) bool {
	capacity, limited := s.Throughput()
	wait := float64(s.Server.Places()) / capacity
	if shed := s.Server.MaxQueueWait.Seconds(); shed > 0 {
		wait = min(wait, shed)
	}
	most := math.Inf(1)
	if p.MaxAttempts > 0 {
		most = float64(p.MaxAttempts)
	}
	return limited && p.AttemptTimeout > 0 && wait > p.AttemptTimeout.Seconds() && !p.Guarded() && load > 0 && load*most > capacity
}

// meanRate is how many requests an open workload makes a second, on average up to the horizon.
func (w Workload) meanRate(horizon float64) float64 {
	if w.Kind != Open || horizon == 0 {
		return 0
	}
	sum := w.Rate * horizon
	for _, s := range w.Surges {
		if span := min(s.End.Seconds(), horizon) - s.Start.Seconds(); span > 0 {
			sum += (s.Rate - w.Rate) * span
		}
	}
	return sum / horizon
}

// attemptsWithin returns how many attempts a request that keeps failing makes within so many seconds, on average: its
// delays taken at the middle of their range.
func attemptsWithin(p *strategies.Policy, within, trip float64) float64 {
	c := p.Compile()
	most := math.Inf(1)
	if p.MaxAttempts > 0 {
		most = float64(p.MaxAttempts)
	}
	if p.Deadline > 0 {
		within = min(within, p.Deadline.Seconds())
	}
	if p.AttemptTimeout > 0 {
		trip = min(trip, p.AttemptTimeout.Seconds())
	}
	attempts, t := 1.0, 0.0
	const walked = 1000
	for n := int64(1); attempts < most && t <= within; n++ {
		lo, hi := c.Bounds(n)
		step := (float64(lo)+float64(hi))/2/1e9 + trip
		if n > walked {
			// Later delays are no shorter than this one, or the estimate is on the large side.
			attempts += (within - t) / max(step, 1e-9)
			break
		}
		t += step
		attempts++
	}
	return min(attempts, most)
}
