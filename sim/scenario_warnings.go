package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// Warnings says what can be known of a valid scenario before it is run, and hardly is meant. What its policies warn of
// they say themselves.
func (s *Scenario) Warnings() []string {
	warnings := []string{}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	horizon := text(s.Horizon)

	for i, o := range s.Server.Outages {
		latest := o.End + o.EndSpread
		switch {
		case o.Start >= s.Horizon:
			warn("outage %d starts at %s, past the horizon of %s", i+1, text(o.Start), horizon)
		case latest >= s.Horizon:
			warn("outage %d can last until %s, past the horizon of %s", i+1, text(latest), horizon)
		case latest+s.Server.Nodes.Lag() >= s.Horizon:
			warn("after outage %d the last node can be down until %s, past the horizon of %s", i+1, text(latest+s.Server.Nodes.Lag()), horizon)
		case i+1 < len(s.Server.Outages) && latest+s.Server.Nodes.Lag() >= s.Server.Outages[i+1].Start:
			warn("outage %d can start before the last node is up after outage %d", i+2, i+1)
		}
	}
	most, limited := s.Throughput()
	if offered := s.offered(); limited && offered > most {
		warn("%s requests a second are more than the %s that the server can serve: it never catches up",
			spec.Format(significant(offered)), spec.Format(significant(most)))
	}
	if w := s.Clients.Workload; w.Kind == Burst && w.Spread > s.Horizon {
		warn("requests are created until %s, past the horizon of %s", text(w.Spread), horizon)
	}
	for _, surge := range s.Clients.Workload.Surges {
		if surge.Start >= s.Horizon {
			warn("the surge at %s is past the horizon of %s", text(surge.Start), horizon)
		}
	}
	if s.Server.Workers == 0 && s.Server.Queue > 0 {
		warn("nobody waits in the queue: 0 workers are any number")
	}
	if n := s.Server.Nodes; n.Count == 1 && n.ComeUp > 0 {
		warn("one node has no others to come up apart from")
	}
	return warnings
}

// idleGuards warns of guards that never stop anything: in a burst a process makes only so many attempts.
func (s *Scenario) idleGuards(p *strategies.Policy) (warnings []string) {
	if s.Clients.Workload.Kind != Burst || p.MaxAttempts == 0 {
		return nil
	}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	shared := min(s.Clients.ClientsPerProcess, s.Clients.Count)
	attempts := int64(shared) * p.MaxAttempts
	if b := p.NewBreaker(); b != nil && attempts <= int64(cmp.Or(b.Window, b.Failures)) {
		warn("the circuit breaker never stops an attempt: it opens after %d outcomes at the earliest, and a process makes at most %d attempts (clientsPerProcess %d)",
			cmp.Or(b.Window, b.Failures), attempts, s.Clients.ClientsPerProcess)
	}
	retries := attempts - int64(shared)
	if b := p.NewBudget(); b != nil && retries > 0 && b.Outlasts(attempts, retries) {
		warn("the budget never refuses a retry: a process makes at most %d (clientsPerProcess %d)", retries, s.Clients.ClientsPerProcess)
	}
	return warnings
}

// Lag is how much later than the first the last node comes up after an outage.
func (n Nodes) Lag() time.Duration { return time.Duration(max(0, n.Count-1)) * n.ComeUp }

// offered returns how many requests all open workloads make per second, surges aside.
func (s *Scenario) offered() float64 {
	sum := 0.0
	if s.Clients.Workload.Kind == Open {
		sum = s.Clients.Workload.Rate
	}
	for _, g := range s.Clients.Others {
		if g.Workload.Kind == Open {
			sum += g.Workload.Rate
		}
	}
	return sum
}
