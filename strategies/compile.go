package strategies

// A policy compiles into what a simulation draws delays from. Most jitters draw uniformly from a window that depends
// on the retry alone: then a delay is one look-up in a table and one multiplication.

import (
	"math/bits"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// MaxRetry is the last retry that schedules are defined for.
const MaxRetry = 1 << 31

// maxTable bounds the tables of a compiled policy. What they do not hold is computed when asked for.
const maxTable = 4096

// Window holds the whole nanoseconds Lo, Lo+1, …, Lo+Span.
type Window struct{ Lo, Span int64 }

// Draw maps a uniform 64-bit number to a delay of the window, each as likely as any other.
func (w Window) Draw(u uint64) int64 {
	offset, _ := bits.Mul64(u, uint64(w.Span)+1)
	return w.Lo + int64(offset)
}

// Compiled is a policy's schedule, jitter and cap made ready for drawing. Delays are nanoseconds from 0 to Saturated,
// retries count from 1. It is safe for concurrent use.
type Compiled struct {
	schedule func(n int64) int64
	jitter   func(n, s, prev int64) (lo, hi int64)
	moment   func(n, s, next int64, u float64) float64 // instead of jitter; nil: delays are drawn from windows
	feedback bool
	cap      int64 // Saturated: none
	limit    int64 // what a scheduled delay is capped at. Saturated: none
	clamp    int64 // what a drawn delay is capped at. Saturated: none

	// Tables by retry, of equal length. If settled, their last row holds for all later retries.
	scheduled []int64
	windows   []Window // what is drawn from; if feedback, what can be drawn at all
	settled   bool
}

// Compile makes p ready for drawing. p must be valid: Compile panics if its schedule or jitter is in no catalogue.
func (p Policy) Compile() *Compiled {
	schedule := spec.Find(Schedules, p.Schedule.Kind)
	jitter := spec.Find(Jitters, p.Jitter.Kind)
	c := &Compiled{
		schedule: schedule.New(p.Schedule.Args),
		feedback: jitter.Feedback || jitter.Moment != nil,
		cap:      Saturated,
		limit:    Saturated,
		clamp:    Saturated,
	}
	if jitter.Moment != nil {
		c.moment = jitter.Moment(p.Jitter.Args)
	} else {
		c.jitter = jitter.New(p.Jitter.Args)
	}
	if p.Cap > 0 {
		c.cap = int64(p.Cap)
	}
	if !p.GrowsPastCap && c.moment == nil {
		c.limit = c.cap
	}
	if p.CapAfterJitter || p.GrowsPastCap || c.feedback {
		c.clamp = c.cap
	}
	settles := int64(1)
	if schedule.Settles != nil {
		settles = schedule.Settles(p.Schedule.Args)
		if c.moment != nil {
			c.schedule = risen(c.schedule, settles)
		}
	}
	c.tabulate(settles)
	return c
}

// risen is a schedule that never falls: a delay that is shorter than one before it, up to retry settles, is as long as that.
func risen(schedule func(n int64) int64, settles int64) func(n int64) int64 {
	return func(n int64) int64 {
		longest := int64(0)
		for k := range min(n, settles) {
			longest = max(longest, schedule(k+1))
		}
		return longest
	}
}

// tabulate fills the tables up to the retry from which on all rows are the same; the schedule alone settles at retry
// settles, or when it reaches its last delay.
func (c *Compiled) tabulate(settles int64) {
	last := c.capped(MaxRetry)
	prev := Window{Lo: c.capped(1)}
	final := c.reach(MaxRetry, last, prev)
	for n := int64(1); n <= maxTable && !c.settled; n++ {
		s := c.capped(n)
		w := c.reach(n, s, prev)
		c.scheduled = append(c.scheduled, s)
		c.windows = append(c.windows, w)
		if c.feedback {
			final = prev // a window that comes from one like itself stays
		}
		c.settled = n >= settles && s == last && w == final
		prev = w
	}
}

// reach returns what retry n, scheduled after s, is drawn from, or if feedback can be, where the delay before is in prev.
func (c *Compiled) reach(n, s int64, prev Window) Window {
	if c.moment != nil {
		lo, hi := min(c.between(n, 1, 0), c.clamp), min(c.between(n, 0, 1), c.clamp)
		return Window{lo, hi - lo}
	}
	lo, hi := c.jitter(n, s, prev.Lo)
	if c.feedback {
		_, hi = c.jitter(n, s, prev.Lo+prev.Span)
		lo, hi = min(lo, c.clamp), min(hi, c.clamp)
	}
	return Window{lo, hi - lo}
}

// at is the moment of retry n for the random number u, and whether it is one that does not saturate. That of retry 0 is 0.
func (c *Compiled) at(n int64, u float64) (moment float64, ok bool) {
	if n == 0 {
		return 0, true
	}
	s, next := c.Scheduled(n), c.Scheduled(min(n+1, MaxRetry))
	return c.moment(n, s, next, u), next < Saturated
}

// between is the delay of retry n where before is the random number of the moment before and u that of its own.
func (c *Compiled) between(n int64, before, u float64) int64 {
	from, _ := c.at(n-1, before)
	to, ok := c.at(n, u)
	if !ok {
		return Saturated
	}
	return nanoseconds(max(0, to-from))
}

// unit maps a uniform 64-bit number to [0, 1).
func unit(u uint64) float64 { return float64(u>>11) / (1 << 53) }

// capped returns the scheduled delay of retry n without looking it up.
func (c *Compiled) capped(n int64) int64 { return min(c.limit, c.schedule(n)) }

// index returns the index of retry n in the tables, and false if they do not reach so far.
func (c *Compiled) index(n int64) (i int64, ok bool) {
	if last := int64(len(c.windows)); n > last {
		return last - 1, c.settled
	}
	return n - 1, true
}

// Windows returns what the delay of retry n is drawn from at index n−1, before the clamp. It ends where all further
// windows are the same as the last (Settled), else after 4096: Draw must be asked for what lies beyond. It is nil if
// Feedback.
func (c *Compiled) Windows() []Window {
	if c.feedback {
		return nil
	}
	return c.windows
}

// Settled reports whether the last of Windows stands for all later retries as well.
func (c *Compiled) Settled() bool { return c.settled }

// Feedback reports whether a delay depends on what was drawn before it.
func (c *Compiled) Feedback() bool { return c.feedback }

// Draw returns the delay of retry n for a uniform 64-bit u. If Feedback, prev is what Keep says of the draw before it, or
// First before retry 1; else it does not matter.
func (c *Compiled) Draw(n, prev int64, u uint64) int64 {
	if c.moment != nil {
		return min(c.between(n, unit(uint64(prev)), unit(u)), c.clamp)
	}
	return min(c.window(n, prev).Draw(u), c.clamp)
}

// window returns what the delay of retry n is drawn from after a delay of prev, before the clamp.
func (c *Compiled) window(n, prev int64) Window {
	if i, ok := c.index(n); ok && !c.feedback {
		return c.windows[i]
	}
	lo, hi := c.jitter(n, c.Scheduled(n), prev)
	return Window{lo, hi - lo}
}

// Keep returns what Draw has to be told as prev for the next retry, after it has drawn the delay d for u.
func (c *Compiled) Keep(d int64, u uint64) (prev int64) {
	if c.moment != nil {
		return int64(u)
	}
	return d
}

// First returns what stands for the draw before retry 1: a delay as scheduled for it.
func (c *Compiled) First() int64 { return c.scheduled[0] }

// Scheduled returns the delay before retry n after the cap, where that holds before jitter.
func (c *Compiled) Scheduled(n int64) int64 {
	if i, ok := c.index(n); ok {
		return c.scheduled[i]
	}
	return c.capped(n)
}

// Clamp returns what a drawn delay is clamped to: the cap if it holds after jitter, else Saturated.
func (c *Compiled) Clamp() int64 { return c.clamp }

// Bounds returns the shortest and the longest delay that retry n can have, after the clamp. If Feedback, the longest
// may be given as Clamp for a retry beyond 4096 where the bounds have not settled by then.
func (c *Compiled) Bounds(n int64) (lo, hi int64) {
	i, ok := c.index(n)
	w := c.windows[i]
	switch {
	case !ok && c.moment != nil:
		w = c.reach(n, 0, w)
	case !ok:
		w = c.window(n, w.Lo)
	}
	lo, hi = min(w.Lo, c.clamp), min(w.Lo+w.Span, c.clamp)
	if !ok && c.feedback && c.moment == nil {
		hi = c.clamp
	}
	return lo, hi
}

// StaysZero reports whether delays can come to be 0 and stay so: if Feedback, a delay of 0 can be drawn, and after it no
// other.
func (c *Compiled) StaysZero() bool {
	shortest, longest := c.Bounds(MaxRetry)
	if c.moment != nil {
		return longest == 0
	}
	w := c.window(MaxRetry, 0)
	return shortest == 0 && min(w.Lo+w.Span, c.clamp) == 0
}
