package export

// Fitting a policy to what a target can carry out. Each step proposes a policy; one that waits the same is taken in
// silence, any other is a loss, with the step's reason.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// maxDuration is the longest that a policy may state.
const maxDuration = time.Duration(spec.MaxDuration)

// fitting is a policy on its way into a format.
type fitting struct {
	asked   strategies.Policy // in the target's terms, as far as it means the same
	fits    strategies.Policy // what the target will do, so far
	reasons []reason
	notes   []string
	refusal string
}

// reason says why a field was changed.
type reason struct{ field, text string }

// refuse says that nothing sensible can be written. The first reason stands.
func (f *fitting) refuse(format string, args ...any) {
	if f.refusal == "" {
		f.refusal = fmt.Sprintf(format, args...)
	}
}

func (f *fitting) note(text string) { f.notes = append(f.notes, text) }

// change changes the policy; every field that this changes is lost for the reason.
func (f *fitting) change(why string, change func(*strategies.Policy)) {
	before := f.fits
	change(&f.fits)
	for _, d := range differences(before, f.fits) {
		if r := (reason{d.field, why}); !slices.Contains(f.reasons, r) {
			f.reasons = append(f.reasons, r)
		}
	}
}

// rewrite changes how the policy waits. If it waits the same as before, and what was asked for would too, nothing is lost.
func (f *fitting) rewrite(why string, change func(*strategies.Policy)) {
	was, asked, next := f.asked, f.asked, f.fits
	was.MaxAttempts, asked.MaxAttempts = f.fits.MaxAttempts, f.fits.MaxAttempts // further retries are lost already
	change(&next)
	change(&asked)
	closer := len(differences(asked, next)) <= len(differences(was, next))
	if closer && sameWaits(f.fits, next) && sameWaits(was, asked) {
		asked.MaxAttempts = f.asked.MaxAttempts
		f.asked = asked
	}
	f.change(why, change)
}

// sameWaiting reports whether two policies say the same of how to wait.
func sameWaiting(a, b strategies.Policy) bool {
	return !slices.ContainsFunc(differences(a, b), func(d difference) bool {
		return isWaiting(d.field)
	})
}

// attempts keeps the number of attempts from least to most, and gives most to a policy without a limit.
func (f *fitting) attempts(least, most int64, why string) {
	if f.fits.MaxAttempts == 0 {
		f.change(why, func(p *strategies.Policy) { p.MaxAttempts = most })
	}
	f.attemptsOrNoLimit(least, most, why)
}

// attemptsOrNoLimit is for targets that need not have a limit.
func (f *fitting) attemptsOrNoLimit(least, most int64, why string) {
	switch n := f.fits.MaxAttempts; {
	case n != 0 && n < least:
		f.refuse("it cannot be told to try only once; leave its retries out instead")
	case n > most:
		f.change(why, func(p *strategies.Policy) { p.MaxAttempts = most })
	}
}

// growth fits the schedule for targets that can only multiply the wait, by a factor from least to most.
func (f *fitting) growth(target string, least, most float64) {
	f.exponential(least, most, target+" can only multiply the wait; written is the nearest growth from the first wait to the last")
	f.startBelowCap()
}

// leaveOutDeadline and leaveOutAttemptTimeout are for targets that have none.
func (f *fitting) leaveOutDeadline(why string) {
	f.change(why, func(p *strategies.Policy) { p.Deadline = 0 })
}

func (f *fitting) leaveOutAttemptTimeout(why string) {
	f.change(why, func(p *strategies.Policy) { p.AttemptTimeout = 0 })
}

// leaveOutGuards is for targets that have no guards of these kinds: a budget of the kind stays.
func (f *fitting) leaveOutGuards(budget, why string) {
	f.change(why, func(p *strategies.Policy) { p.Breaker = spec.Choice{} })
	f.leaveOutBudget(budget, why)
}

// leaveOutBudget is for targets that have a circuit breaker, and no other guard unless it is a budget of the kind.
func (f *fitting) leaveOutBudget(kind, why string) {
	f.change(why, func(p *strategies.Policy) {
		p.Throttle = spec.Choice{}
		if p.Budget.Kind != kind {
			p.Budget = spec.Choice{}
		}
	})
}

// breakerWith changes arguments of the breaker, if there is one, given as key, value, key, value.
func (f *fitting) breakerWith(why string, keyValues ...any) {
	f.change(why, func(p *strategies.Policy) {
		for i := 0; i < len(keyValues); i += 2 {
			p.Breaker = withArg(p.Breaker, keyValues[i].(string), keyValues[i+1])
		}
	})
}

// hints sets what the target makes of a server's Retry-After.
func (f *fitting) hints(rule strategies.RetryAfterRule, why string) {
	f.change(why, func(p *strategies.Policy) { p.RetryAfter = rule })
}

// capBeforeJitter is for targets that cap the schedule and not the draw.
func (f *fitting) capBeforeJitter(why string) {
	f.rewrite(why, func(p *strategies.Policy) { p.CapAfterJitter, p.GrowsPastCap = false, false })
}

// capAfterGrowth is for targets that cap the draw and not the schedule.
func (f *fitting) capAfterGrowth(why string) {
	f.rewrite(why, func(p *strategies.Policy) { p.CapAfterJitter, p.GrowsPastCap = p.Cap > 0, p.Cap > 0 })
}

// spread returns between which multiples of the scheduled delay a policy draws; false if its jitter is of another sort.
func spread(p strategies.Policy) (low, high float64, ok bool) {
	a := p.Jitter.Args
	switch p.Jitter.Kind {
	case "none":
		return 1, 1, true
	case "full":
		return 0, 1, true
	case "equal":
		return 0.5, 1, true
	case "percentage":
		return 1 - a.Number("fraction"), 1 + a.Number("fraction"), true
	case "range":
		return a.Number("low"), a.Number("high"), true
	case "additive":
		return 1, 1, a.Duration("max") == 0
	}
	return 0, 0, false
}

// choiceOf is a choice with its arguments, given as key, value, key, value.
func choiceOf(kind string, keyValues ...any) spec.Choice {
	args := spec.Args{}
	for i := 0; i < len(keyValues); i += 2 {
		args[keyValues[i].(string)] = keyValues[i+1]
	}
	return spec.Choice{Kind: kind, Args: args}
}

// form is a jitter that a target has: it draws between low and high times a delay.
type form struct {
	jitter    spec.Choice
	low, high float64
}

var (
	noJitter   = form{choiceOf("none"), 1, 1}
	fullJitter = form{choiceOf("full"), 0, 1}
)

// plusMinus is a jitter of so much of the delay to either side.
func plusMinus(fraction float64) form {
	if fraction == 0 {
		return noJitter
	}
	return form{choiceOf("percentage", "fraction", fraction), 1 - fraction, 1 + fraction}
}

// around is the jitter of a share low/high to either side of a delay.
func around(share float64) form { return plusMinus(math.Round(1e9*(1-share)/(1+share)) / 1e9) }

// fullOrNone is for targets with no other jitter.
func fullOrNone(share float64) form {
	if share == 1 {
		return noJitter
	}
	return fullJitter
}

// always is for targets with one jitter.
func always(only form) func(float64) form { return func(float64) form { return only } }

// upTo is a jitter that shortens a delay by at most so much of it.
func upTo(fraction float64) form {
	if fraction == 0 {
		return noJitter
	}
	return form{choiceOf("range", "low", 1-fraction, "high", 1.0), 1 - fraction, 1}
}

// jitter gives the policy the jitter that choose picks for the share low/high of its own, or else (a jitter that does not
// multiply) fallback. If the target's jitter has the same share, delays are scaled so that nothing changes. Waits that depend
// on the one before get the widest jitter there is.
func (f *fitting) jitter(why string, fallback form, choose func(share float64) form) {
	f.independent(why, choose(0))
	low, high, ok := spread(f.fits)
	target, scale := fallback, 1.0
	if ok && high > 0 {
		target = choose(low / high)
		if math.Abs(target.low*high-low*target.high) < 1e-6 {
			scale = (low + high) / (target.low + target.high)
		}
	}
	f.rewrite(why, func(p *strategies.Policy) {
		p.Jitter = target.jitter
		multiplyWaits(p, scale)
	})
}

// multiplyWaits makes all delays so many times as long, the cap too unless it holds after jitter.
func multiplyWaits(p *strategies.Policy, by float64) {
	if by == 1 {
		return
	}
	p.Schedule.Args = maps.Clone(p.Schedule.Args)
	for key, v := range p.Schedule.Args {
		switch v := v.(type) {
		case time.Duration:
			p.Schedule.Args[key] = times(v, by)
		case []time.Duration:
			longer := make([]time.Duration, len(v))
			for i, d := range v {
				longer[i] = times(d, by)
			}
			p.Schedule.Args[key] = longer
		}
	}
	if !p.CapAfterJitter {
		p.Cap = times(p.Cap, by)
	}
}

func times(d time.Duration, by float64) time.Duration {
	return time.Duration(min(math.Round(float64(d)*by), float64(maxDuration)))
}

// shown is how many retries are looked at where a policy has no limit.
const shown = 12

// retries is how many retries a policy has, at most so many.
func retries(p strategies.Policy, most int64) int64 {
	if p.MaxAttempts == 0 {
		return most
	}
	return max(1, min(p.MaxAttempts-1, most))
}

// independent replaces waits that depend on the one before by draws in the form spread with the same means; differences of
// moments by full jitter, which has nearly the same mean and range.
func (f *fitting) independent(why string, spread form) {
	switch {
	case drawsMoments(f.fits):
		f.change(why, func(p *strategies.Policy) { p.Jitter = fullJitter.jitter })
	case f.fits.Compile().Feedback():
		f.change(why, func(p *strategies.Policy) {
			rows := p.Compile().Delays(int(retries(*p, shown)))
			delays := make([]time.Duration, len(rows))
			for i, row := range rows {
				delays[i] = roughly(2 * row.Exact.Mean / (spread.low + spread.high))
			}
			p.Schedule, p.Jitter = choiceOf("list", "delays", delays), spread.jitter
		})
	}
}

// roughly is so many seconds to three significant figures.
func roughly(seconds float64) time.Duration {
	if seconds <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(seconds*1e9))-2)
	return min(time.Duration(math.Round(math.Round(seconds*1e9/unit)*unit)), maxDuration)
}

// exponential makes the schedule one that multiplies, by a factor from least to most.
func (f *fitting) exponential(least, most float64, why string) {
	if f.fits.Schedule.Kind == "exponential" {
		factor := f.fits.Schedule.Args.Number("factor")
		if factor < least || factor > most {
			f.multiplied(min(max(factor, least), most), why)
		}
		return
	}
	c := f.fits.Compile()
	n := retries(f.fits, shown)
	first, last, longest := c.Scheduled(1), c.Scheduled(n), int64(0)
	for i := range n {
		longest = max(longest, c.Scheduled(i+1))
		if first == 0 {
			first = longest
		}
	}
	factor := 1.0
	if n > 1 && last > first {
		factor = math.Round(1000*math.Pow(float64(last)/float64(first), 1/float64(n-1))) / 1000
	}
	f.rewrite(why, func(p *strategies.Policy) {
		p.Schedule = choiceOf("exponential", "base", limited(first), "factor", min(max(factor, 1), 10))
		if !p.GrowsPastCap && (longest > first || p.Cap > 0) {
			p.Cap = limited(longest)
		}
	})
	f.exponential(least, most, why)
}

// multiplied gives an exponential schedule another factor. One that does not grow keeps from growing by its cap.
func (f *fitting) multiplied(factor float64, why string) {
	f.rewrite(why, func(p *strategies.Policy) {
		base := p.Schedule.Args.Duration("base")
		if p.Schedule.Args.Number("factor") == 1 && !p.CapAfterJitter {
			if p.Cap > 0 {
				base = min(base, p.Cap)
			}
			p.Cap = base
		}
		p.Schedule = choiceOf("exponential", "base", base, "factor", factor)
	})
}

func limited(ns int64) time.Duration { return min(time.Duration(ns), maxDuration) }

// startBelowCap brings a first delay beyond the cap down to it, where the cap makes it so anyway.
func (f *fitting) startBelowCap() {
	f.rewrite("the first wait may not be longer than the longest", func(p *strategies.Policy) {
		if p.Cap > 0 && base(*p) > p.Cap && !p.CapAfterJitter {
			p.Schedule = withBase(*p, p.Cap)
		}
	})
}

// needCap states a cap where the target must have one: the longest delay there is.
func (f *fitting) needCap(why string) {
	if f.fits.Cap > 0 {
		return
	}
	f.rewrite(why, func(p *strategies.Policy) {
		p.Cap = limited(p.Compile().Scheduled(retries(*p, strategies.MaxRetry)))
	})
}

// uncapSteady takes the cap from waits that do not grow, for targets in which the cap has to be more than the first wait.
func (f *fitting) uncapSteady() {
	f.rewrite("the longest wait must be more than the first", func(p *strategies.Policy) {
		if first := base(*p); !p.CapAfterJitter && p.Cap > 0 && (factor(*p) == 1 || p.Cap <= first) {
			p.Schedule, p.Cap = choiceOf("exponential", "base", min(first, p.Cap), "factor", 1.0), 0
		}
	})
}

// whole rounds the delays up to whole units.
func (f *fitting) whole(unit time.Duration, why string) {
	f.rewrite(why, func(p *strategies.Policy) {
		p.Schedule = withBase(*p, roundUp(base(*p), unit))
		p.Cap = roundUp(p.Cap, unit)
	})
}

// wholeTimeouts rounds deadline and attempt timeout up to whole units.
func (f *fitting) wholeTimeouts(unit time.Duration, why string) {
	f.change(why, func(p *strategies.Policy) {
		p.Deadline, p.AttemptTimeout = roundUp(p.Deadline, unit), roundUp(p.AttemptTimeout, unit)
	})
}

func roundUp(d, unit time.Duration) time.Duration {
	if short := d % unit; short > 0 {
		return d + unit - short
	}
	return d
}

// mustWait refuses a policy whose first wait is none.
func (f *fitting) mustWait() {
	if f.refusal == "" && f.fits.Compile().Scheduled(1) == 0 {
		f.refuse("it must wait before every retry, and this policy does not wait before the first")
	}
}

// base and factor are those of an exponential schedule.
func base(p strategies.Policy) time.Duration { return p.Schedule.Args.Duration("base") }
func factor(p strategies.Policy) float64     { return p.Schedule.Args.Number("factor") }

// fraction is how far a jitter strays to either side; 0 if there is none.
func fraction(p strategies.Policy) float64 { return p.Jitter.Args.Number("fraction") }

func withBase(p strategies.Policy, base time.Duration) spec.Choice {
	return withArg(p.Schedule, "base", base)
}

// withArg is a choice with another value for a parameter, if it has that.
func withArg(c spec.Choice, key string, value any) spec.Choice {
	if _, ok := c.Args[key]; !ok {
		return c
	}
	c.Args = maps.Clone(c.Args)
	c.Args[key] = value
	return c
}

// sameWaits reports whether two policies draw their delays from the same windows, to the rounding of nanoseconds, over
// all retries that the first one has.
func sameWaits(a, b strategies.Policy) bool {
	x, y := a.Compile(), b.Compile()
	if x.Feedback() || y.Feedback() {
		return x.Feedback() && y.Feedback() && sameWaiting(asClamped(a), asClamped(b))
	}
	n := retries(a, strategies.MaxRetry)
	for i := int64(1); i < n; i += 1 + i/100 { // far out, delays have hardly anything new
		if !sameWindow(x, y, i) {
			return false
		}
	}
	return sameWindow(x, y, n)
}

// asClamped says of a policy with feedback what holds anyway: its draws are clamped, and moments grow past that.
func asClamped(p strategies.Policy) strategies.Policy {
	p.CapAfterJitter = true
	p.GrowsPastCap = p.GrowsPastCap || drawsMoments(p)
	return p
}

func drawsMoments(p strategies.Policy) bool { return p.Jitter.Kind == "decorrelatedV2" }

// momentsOf reports whether a policy draws moments that grow by a factor from least to most.
func momentsOf(p strategies.Policy, least, most float64) bool {
	return drawsMoments(p) && p.Schedule.Kind == "exponential" && factor(p) >= least && factor(p) <= most
}

func sameWindow(x, y *strategies.Compiled, n int64) bool {
	xLo, xHi := x.Bounds(n)
	yLo, yHi := y.Bounds(n)
	return near(xLo, yLo) && near(xHi, yHi) && near(mean(x, n), mean(y, n))
}

// mean is that of what is drawn before the clamp, which tells apart draws that have the same bounds after it.
func mean(c *strategies.Compiled, n int64) int64 {
	return c.Draw(n, 0, math.MaxUint64/2)
}

// near allows for delays that are rounded to nanoseconds before they are multiplied.
func near(a, b int64) bool { return math.Abs(float64(a)-float64(b)) <= 2+1e-6*float64(max(a, b)) }
