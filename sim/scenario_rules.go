package sim

// What no field can check alone.

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// Rules reports faults between a scenario's parts.
func (s *Scenario) Rules(report func(at, detail string)) {
	if bins := s.bins(); bins > maxBins {
		report("/bin", fmt.Sprintf("bin must divide the horizon into at most %d bins, not %d", maxBins, bins))
	}
	ids := map[string]bool{}
	for i, p := range s.Policies {
		at := fmt.Sprintf("/policies/%d", i)
		switch {
		case p.ID == "":
			report(at+"/id", "id is required")
		case ids[p.ID]:
			report(at+"/id", fmt.Sprintf("id must differ from those of the other policies; %q is given twice", p.ID))
		}
		ids[p.ID] = true
	}
	s.mustAdvance(report)
	s.mustHold(report)
}

func (s *Scenario) bins() int64 { return int64((s.Horizon-1)/s.Bin + 1) }

// maxGuardBytes is how much memory the guards of all processes may take in a replication.
const maxGuardBytes = 512 << 20

// mustHold reports a policy whose guards would take too much memory.
func (s *Scenario) mustHold(report func(at, detail string)) {
	for i := range s.Policies {
		bytes, clients := int64(0), int64(0) // of all groups, as if each client were a process
		add := func(p *strategies.Policy, count int) {
			if n := p.GuardBytes(); n > 0 {
				bytes += n * int64(count)
				clients += int64(count)
			}
		}
		add(&s.Policies[i], s.Clients.Count)
		for _, g := range s.Clients.Others {
			p := &s.Policies[i]
			if g.Policy != nil {
				p = g.Policy
			}
			add(p, g.Count)
		}
		if least := (bytes-1)/maxGuardBytes + 1; int64(s.Clients.ClientsPerProcess) < least {
			report("/clients/clientsPerProcess", fmt.Sprintf(
				"clientsPerProcess must be at least %d, not %d: the guards of policy %q take %d MiB for a process of each of %d clients, and may take %d",
				least, s.Clients.ClientsPerProcess, s.Policies[i].ID, bytes>>20, clients, maxGuardBytes>>20))
			return
		}
	}
}

// Rules reports faults between groups of clients.
func (c *Clients) Rules(report func(at, detail string)) {
	total := c.Count
	names := map[string]bool{}
	for i, g := range c.Others {
		total += g.Count
		at := fmt.Sprintf("/others/%d/name", i)
		switch {
		case strings.TrimSpace(g.Name) == "":
			report(at, "name must not be empty")
		case names[g.Name]:
			report(at, fmt.Sprintf("name must differ from those of the other groups; %q is given twice", g.Name))
		}
		names[g.Name] = true
	}
	if total > maxClients {
		report("/count", fmt.Sprintf("count must be at most %d together with the other groups', not %d", int(maxClients), total))
	}
}

// Rules reports surges that are out of order.
func (w *Workload) Rules(report func(at, detail string)) {
	for i := 1; i < len(w.Surges); i++ {
		if end := w.Surges[i-1].End; w.Surges[i].Start < end {
			report(fmt.Sprintf("/surges/%d/start", i), fmt.Sprintf(
				"start must be at least %s, not %s: surges are in order and do not overlap", text(end), text(w.Surges[i].Start)))
		}
	}
}

// Rules reports a surge that ends before it starts.
func (s *Surge) Rules(report func(at, detail string)) { checkSpan(s.Start, s.End, report) }

// Rules reports an outage that ends before it starts.
func (o *Outage) Rules(report func(at, detail string)) { checkSpan(o.Start, o.End, report) }

func checkSpan(start, end time.Duration, report func(at, detail string)) {
	if end <= start {
		report("/end", fmt.Sprintf("end must be more than start (%s), not %s", text(start), text(end)))
	}
}

// maxCounted is how many arrivals in a window a server can count that crashes when they are too many.
const maxCounted = 1e7

// Rules reports outages that are out of order, and a crash that cannot happen.
func (s *Server) Rules(report func(at, detail string)) {
	for i := 1; i < len(s.Outages); i++ {
		before := s.Outages[i-1]
		if end := before.End + before.EndSpread; s.Outages[i].Start <= end {
			report(fmt.Sprintf("/outages/%d/start", i), fmt.Sprintf(
				"start must be more than %s, not %s: outages are in order and do not touch, at their latest end", text(end), text(s.Outages[i].Start)))
		}
	}
	if c := s.Crash; c != nil && c.On == OnRate && c.Rate*c.Window.Seconds() > maxCounted {
		report("/crash/rate", fmt.Sprintf("rate must be at most %g a second with a window of %s, not %g: each of up to %d arrivals in a window is remembered",
			math.Floor(maxCounted/c.Window.Seconds()*1000)/1000, text(c.Window), c.Rate, int(maxCounted)))
	}
	if s.Crash != nil && s.Crash.On == OnQueueFull && s.Workers == 0 {
		report("/crash/on", "on must not be queueFull with 0 workers, which are any number: there is no queue to fill")
	}
}

// Rules reports probabilities that are too many together.
func (e *Errors) Rules(report func(at, detail string)) {
	if sum := e.Transient + e.Permanent; sum > 1 {
		report("/permanent", fmt.Sprintf("permanent must be at most 1 together with transient, not %v + %v", e.Permanent, e.Transient))
	}
}

// text prints a duration.
func text(d time.Duration) string { return spec.Format(d) }
