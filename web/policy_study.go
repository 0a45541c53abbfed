package web

import (
	"context"
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// This file works out what can be said of one policy without simulating anything: its delays, when its attempts are
// made, what outages it outlives, how many clients may have it.

// study is one policy put to a trial.
type study struct {
	trial
	policy   strategies.Policy
	compiled *strategies.Compiled
	fails    time.Duration // how long an attempt takes to fail
	held     bool          // it never does

	delays []strategies.DelayRow // at least as many as are shown, as far as there are
	life   strategies.Life       // with more attempts than delays are shown
	met    *strategies.Survival  // of the trial's outage; nil: it takes too many attempts to be worked out
	end    *ending               // nil: there is none
	late   strategies.DelayRow   // the delay that is under way when the outage ends, or the last there is
	atCap  float64               // share of delays of exactly the cap
}

// ending is when the last attempt is made if all fail, in seconds from the first.
type ending struct {
	Mean *float64 `json:"mean"` // nil: it takes too many attempts to be worked out
	Max  float64  `json:"max"`
}

// lookedAt is how many delays say what a policy is like in the long run.
const lookedAt = 200

// lifePoints is how many lengths of outage the curves have.
const lifePoints = 240

func newStudy(ctx context.Context, p strategies.Policy, t trial) (*study, error) {
	s := &study{trial: t, policy: p, compiled: p.Compile()}
	fails, answers := t.failure(p)
	s.fails, s.held = fails, !answers
	most := int64(max(lookedAt, t.retries))
	if limit := s.limit(); limit > 0 {
		most = min(most, limit-1)
	}
	s.delays = s.compiled.Delays(int(most))
	lived := p
	lived.MaxAttempts = s.limit()
	rows := int(t.retries) + 1
	if p.Deadline > 0 {
		rows = max(rows, maxRetries) // to find the first that comes too late
	}
	life, err := lived.Life(ctx, s.fails, rows, s.outages())
	if err != nil {
		return nil, err
	}
	s.life = life
	if i := slices.IndexFunc(life.Survival, func(x strategies.Survival) bool { return x.Outage == t.outage.Seconds() }); i >= 0 {
		s.met = &life.Survival[i]
	}
	if latest := s.latest(); latest >= 0 {
		s.end = &ending{s.meanEnd(), latest}
	}
	s.late, s.atCap = s.delayInOutage(), s.shareAtCap()
	return s, nil
}

// limit is how many attempts there are at the most in the trial; 0: any number.
func (s *study) limit() int64 {
	if s.held || !s.policy.RetryOn.Has(s.class(s.policy)) {
		return 1
	}
	return s.policy.MaxAttempts
}

// endless reports whether nothing ends a request that fails, or nothing that anybody would live to see.
func (s *study) endless() bool {
	limit := s.limit()
	return (limit == 0 || limit > strategies.MostAttempts) && s.policy.Deadline == 0
}

// latest is when the last attempt is made at the latest, in seconds; −1 if there is no such time.
func (s *study) latest() float64 {
	if s.endless() {
		return -1
	}
	deadline := math.Inf(1)
	if s.policy.Deadline > 0 {
		deadline = s.policy.Deadline.Seconds()
	}
	latest, least, most := 0.0, 0.0, 0.0
	for n := int64(1); n != s.limit(); n++ {
		switch {
		case n > strategies.MostAttempts:
			return deadline
		case n <= int64(len(s.delays)):
			sum := s.delays[n-1].Cumulative
			least, most = sum.Min, sum.Max
		default:
			lo, hi := s.compiled.Bounds(n)
			least, most = least+float64(lo)/1e9, most+float64(hi)/1e9
		}
		failures := float64(n) * s.fails.Seconds()
		if least+failures > deadline+halfNanosecond {
			return latest
		}
		if latest = most + failures; latest >= deadline {
			return deadline
		}
	}
	return latest
}

// halfNanosecond is in seconds: sums of whole nanoseconds that differ by less are the same.
const halfNanosecond = 0.5e-9

// axisEnd is the longest outage that the curves show, in seconds.
func (s *study) axisEnd() float64 {
	end := 1.5 * s.outage.Seconds()
	switch latest := s.latest(); {
	case latest > 0:
		end = max(end, 1.1*latest)
	case latest < 0:
		end = 2 * s.outage.Seconds()
	}
	if end == 0 {
		end = 1
	}
	step := step125(end / 12)
	return math.Ceil(end/step-1e-9) * step
}

// outages are those of the curves, that of the trial among them, and the moments just after the first attempt, which a
// deadline can make the last, and just before and after the latest end.
func (s *study) outages() []float64 {
	end := s.axisEnd()
	all := []float64{s.outage.Seconds()}
	for i := range lifePoints + 1 {
		all = append(all, end*float64(i)/lifePoints)
	}
	if latest := s.latest(); latest > 0 {
		all = append(all, latest, latest*(1+1e-9))
	}
	if s.policy.Deadline > 0 {
		all = append(all, 1e-9)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// meanEnd is the area under the survival curve, whose points are close.
func (s *study) meanEnd() *float64 {
	if s.life.Cut > 0 {
		return nil
	}
	if row, ok := s.lastAttempt(); ok && row.Made == 1 {
		return &row.At.Mean
	}
	mean := 0.0
	for i := 1; i < len(s.life.Survival); i++ {
		a, b := s.life.Survival[i-1], s.life.Survival[i]
		mean += (b.Outage - a.Outage) * (a.Survives + b.Survives) / 2
	}
	return &mean
}

// lastAttempt is the row of the last attempt, if there is one among those looked at.
func (s *study) lastAttempt() (strategies.AttemptRow, bool) {
	rows := s.life.Attempts
	n := int64(len(rows))
	if n == s.limit() || s.lateLeftOut() {
		return rows[n-1], true
	}
	return strategies.AttemptRow{}, false
}

// lateLeftOut reports whether attempts are left out because the deadline always comes first.
func (s *study) lateLeftOut() bool {
	n := int64(len(s.life.Attempts))
	return s.policy.Deadline > 0 && n < maxRetries && n != s.limit()
}

// delayInOutage is the delay that is under way when the outage ends, or the last there is.
func (s *study) delayInOutage() strategies.DelayRow {
	late := strategies.DelayRow{}
	for _, row := range s.delays {
		late = row
		if row.Cumulative.Mean+float64(row.Retry)*s.fails.Seconds() >= s.outage.Seconds() {
			break
		}
	}
	return late
}

// shareAtCap is that of all delays of a policy with few, else that of a late one.
func (s *study) shareAtCap() float64 {
	n := len(s.delays)
	if n == 0 {
		return 0
	}
	if limit := s.limit(); limit == 0 || limit > int64(n)+1 {
		return s.delays[n-1].Exact.AtCap
	}
	sum := 0.0
	for _, row := range s.delays {
		sum += row.Exact.AtCap
	}
	return sum / float64(n)
}

// safeClients is how many clients come back no faster than the server can serve them: one by one they come once in the mean
// wait, and those who failed together come back within the span that their waits are spread over.
func (s *study) safeClients() float64 {
	return math.Floor(min(s.late.Exact.Mean, s.spread())*s.capacity + 1e-9)
}

// spread is how much the waits by the end of the outage can differ, in seconds.
func (s *study) spread() float64 { return s.late.Exact.Max - s.late.Exact.Min }

// jittered reports whether any of the delays is left to chance.
func (s *study) jittered() bool {
	return slices.ContainsFunc(s.delays, func(row strategies.DelayRow) bool { return row.Exact.Max > row.Exact.Min })
}

// tooLate is the first attempt that the deadline may well prevent, or else the first that it can; nil if there is none
// among those looked at.
func (s *study) tooLate() *strategies.AttemptRow {
	if s.policy.Deadline == 0 {
		return nil
	}
	rows := s.life.Attempts
	for _, most := range []float64{0.99, math.Nextafter(1, 0)} {
		if i := slices.IndexFunc(rows, func(row strategies.AttemptRow) bool { return row.Made <= most }); i >= 0 {
			return &rows[i]
		}
	}
	if s.lateLeftOut() {
		return &strategies.AttemptRow{Attempt: int64(len(rows)) + 1}
	}
	return nil
}

// outlives is the probability of that, if it is known: who never gives up outlives everything.
func (s *study) outlives() (p float64, known bool) {
	switch {
	case s.met != nil:
		return s.met.Survives, true
	case s.limit() == 0 && s.policy.Deadline == 0:
		return 1, true
	}
	return 0, false
}

// attemptsMade is how many an outlived outage takes.
func (s *study) attemptsMade() string {
	if s.met == nil {
		return "more than " + count(float64(s.life.Cut))
	}
	return brief(s.met.Attempts)
}

// compareWith is the address of the compare page with this policy and others in a scenario like the trial.
func (s *study) compareWith(others ...strategies.Policy) string {
	st := opening()
	sc := *st.scenario
	sc.Clients.Count = int(s.clients)
	sc.SetOutage(s.outage)
	sc.SetCapacity(s.capacity)
	sc.Policies = append([]strategies.Policy{unnamed(s.policy)}, others...)
	sc.Complete()
	if sc.Validate() != nil {
		return "/?" + encode(url.Values{"p": {textIn(s.policy)}})
	}
	st = state{scenario: &sc, marks: markPolicies(nil, sc.Policies)}
	return address(encode(st.query()))
}

// unnamed is a policy without an id that goes without saying.
func unnamed(p strategies.Policy) strategies.Policy {
	if idFollows(p) {
		p.ID = ""
	}
	return p
}

// inFull is the policy with full jitter.
func (s *study) inFull() strategies.Policy {
	p := bare(s.policy)
	p.Jitter = spec.Choice{Kind: "full"}
	return p
}
