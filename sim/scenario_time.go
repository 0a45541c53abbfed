package sim

// A simulation in which clients can go round without time passing would never end. Such scenarios are refused.

import (
	"fmt"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
)

// mustAdvance reports the policies with which time need not advance. That takes a latency of 0; then either
//   - retries that do not wait, without a limit, on failures that come at once; or
//   - clients that repeat their requests without thinking, where a request can end at once.
//
// A duration counts as 0 if it is 0 whenever it is drawn: others let time pass sooner or later. What a guard stops meets no
// latency: with guards the waits, or the thinking, must take time in any case.
func (s *Scenario) mustAdvance(report func(at, detail string)) {
	for i, p := range s.Policies {
		s.groupAdvances(s.Clients.Workload, p, fmt.Sprintf("/policies/%d", i), report)
		for _, g := range s.Clients.Others {
			if g.Policy == nil && g.Workload.Kind != s.Clients.Workload.Kind {
				s.groupAdvances(g.Workload, p, fmt.Sprintf("/policies/%d", i), report)
			}
		}
	}
	for i, g := range s.Clients.Others {
		if g.Policy != nil {
			s.groupAdvances(g.Workload, *g.Policy, fmt.Sprintf("/clients/others/%d/policy", i), report)
		}
	}
}

// groupAdvances reports at the policy if a group of clients that uses it can go round without time passing.
func (s *Scenario) groupAdvances(w Workload, p strategies.Policy, at string, report func(at, detail string)) {
	compiled := p.Compile()
	if problem := guardsSpin(w, p, compiled); problem != "" {
		report(at, problem)
		return
	}
	if latency := compileDistribution(s.Network.Latency); latency.Max() > 0 {
		return
	}
	classes := s.Server.instantFailures()
	if spinning := s.spinning(p, compiled, classes); spinning != 0 {
		report(at, fmt.Sprintf("time need not advance: the latency is 0, and with no maxAttempts and waits that stay 0 "+
			"attempts can fail (%s) for ever at the same instant; accepted is any one of a latency, a wait or maxAttempts",
			strings.Join(spinning.Names(), ", ")))
		return
	}
	if w.Kind != Closed {
		return
	}
	if think := compileDistribution(w.Think); think.Max() > 0 {
		return
	}
	if s.Server.servesAtOnce() || s.canFailAtOnce(p, compiled, classes) {
		report(at, "time need not advance: latency and think time are 0, and a closed client's requests can end at once; "+
			"accepted is any one of a latency, a think time, or a service time and retries that wait")
	}
}

// guardsSpin says how the policy's guards can keep time from passing, if they can.
func guardsSpin(w Workload, p strategies.Policy, compiled *strategies.Compiled) string {
	breaker := p.NewBreaker()
	if breaker != nil && breaker.Wait && p.MaxAttempts == 0 && compiled.StaysZero() {
		return "time need not advance: with no maxAttempts and waits that stay 0 an open breaker can stop attempts for ever " +
			"at the same instant; accepted is any one of a wait, maxAttempts or onOpen fail"
	}
	if w.Kind != Closed || breaker == nil && p.Throttle.Kind == "" {
		return ""
	}
	if think := compileDistribution(w.Think); think.Max() > 0 {
		return ""
	}
	return "time need not advance: the think time is 0, and a breaker or throttle can end a closed client's requests at once; " +
		"accepted is a think time"
}

// instantFailures are the classes in which an attempt can fail the moment it arrives.
func (s *Server) instantFailures() strategies.Classes {
	var classes strategies.Classes
	add := func(possible bool, c strategies.Class) {
		if possible {
			classes |= 1 << c
		}
	}
	add(s.Kind == OCC, strategies.Conflict)
	add(s.Crash != nil, strategies.Unavailable)
	for _, o := range s.Outages {
		add(o.Mode == Refuse, strategies.Unavailable)
	}
	add(s.Workers > 0, strategies.Overloaded)
	add(s.RateLimit != nil, strategies.RateLimited)
	add(s.Errors.Transient > 0, strategies.Transient)
	add(s.Errors.Permanent > 0, strategies.Permanent)
	return classes
}

// hints reports whether failures of a class tell clients to wait.
func (h Hint) hints(c strategies.Class) bool {
	switch c {
	case strategies.Unavailable, strategies.RateLimited:
		return h.Kind == RemainingHint || h.Kind == ConstantHint && h.After > 0
	case strategies.Overloaded:
		return h.Kind == ConstantHint && h.After > 0
	}
	return false
}

// spinning returns the classes on which the policy retries for ever without waiting.
func (s *Scenario) spinning(p strategies.Policy, compiled *strategies.Compiled, classes strategies.Classes) strategies.Classes {
	if p.MaxAttempts > 0 || !compiled.StaysZero() {
		return 0
	}
	spinning := classes & p.RetryOn
	for c := range strategies.Class(strategies.NumClasses) {
		if p.RetryAfter != strategies.IgnoreHint && s.Server.RetryAfter.hints(c) {
			spinning &^= 1 << c
		}
	}
	return spinning
}

// servesAtOnce reports whether an attempt can succeed the moment it arrives.
func (s *Server) servesAtOnce() bool {
	if s.Kind == OCC {
		return true
	}
	service := compileDistribution(s.ServiceTime)
	return service.Max() == 0
}

// canFailAtOnce reports whether a request can fail at the instant of its creation, given how attempts can fail: in a
// class that is not retried, or because nothing but waits of 0 comes before the last attempt, or before a wait that
// the deadline or the hint forbids.
func (s *Scenario) canFailAtOnce(p strategies.Policy, compiled *strategies.Compiled, classes strategies.Classes) bool {
	if classes&^p.RetryOn != 0 || classes != 0 && p.Budget.Kind != "" {
		return true
	}
	hint := s.Server.RetryAfter
	for c := range strategies.Class(strategies.NumClasses) {
		if !classes.Has(c) {
			continue
		}
		wait, retry := firstWait(compiled)
		if p.RetryAfter != strategies.IgnoreHint && hint.hints(c) {
			if p.RetryAfter == strategies.GiveUp && p.Cap > 0 && (hint.Kind == RemainingHint || hint.After > p.Cap) {
				return true
			}
			wait, retry = max(wait, int64(hint.After)), 1
		}
		if p.MaxAttempts > 0 && p.MaxAttempts <= retry || p.Deadline > 0 && wait > int64(p.Deadline) {
			return true
		}
	}
	return false
}

// firstWait returns the first retry whose delay can be more than 0, and the longest that delay can be.
func firstWait(c *strategies.Compiled) (longest, retry int64) {
	for retry = 1; retry <= 4096; retry++ {
		if _, longest = c.Bounds(retry); longest > 0 {
			return longest, retry
		}
	}
	return 0, strategies.MaxRetry
}
