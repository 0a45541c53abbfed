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
		jitter:   jitter.New(p.Jitter.Args),
		feedback: jitter.Feedback,
		cap:      Saturated,
		limit:    Saturated,
		clamp:    Saturated,
	}
	if p.Cap > 0 {
		c.cap = int64(p.Cap)
	}
	if !p.GrowsPastCap {
		c.limit = c.cap
	}
	if p.CapAfterJitter || p.GrowsPastCap || c.feedback {
		c.clamp = c.cap
	}
	settles := int64(1)
	if schedule.Settles != nil {
		settles = schedule.Settles(p.Schedule.Args)
	}
	c.tabulate(settles)
	return c
}

// tabulate fills the tables up to the retry from which on all rows are the same; the schedule alone settles at retry
// settles, or when it reaches its last delay.
func (c *Compiled) tabulate(settles int64) {
	last := c.capped(MaxRetry)
	lo, hi := c.jitter(MaxRetry, last, 0)
	final := Window{lo, hi - lo}
	prev := Window{Lo: c.capped(1)}
	for n := int64(1); n <= maxTable && !c.settled; n++ {
		s := c.capped(n)
		lo, hi := c.jitter(n, s, prev.Lo)
		if c.feedback {
			_, hi = c.jitter(n, s, prev.Lo+prev.Span)
			lo, hi = min(lo, c.clamp), min(hi, c.clamp)
		}
		w := Window{lo, hi - lo}
		c.scheduled = append(c.scheduled, s)
		c.windows = append(c.windows, w)
		if c.feedback {
			final = prev // a window that comes from one like itself stays
		}
		c.settled = n >= settles && s == last && w == final
		prev = w
	}
}

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

// Feedback reports whether a delay depends on the one drawn before it.
func (c *Compiled) Feedback() bool { return c.feedback }

// Draw returns the delay of retry n for a uniform 64-bit u. If Feedback, prev is the delay drawn before it, or First
// before retry 1; else it does not matter.
func (c *Compiled) Draw(n, prev int64, u uint64) int64 {
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

// First returns what stands for the previous delay before retry 1: its scheduled delay.
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
// is given as Clamp for a retry beyond 4096 where the bounds have not settled by then.
func (c *Compiled) Bounds(n int64) (lo, hi int64) {
	i, ok := c.index(n)
	w := c.windows[i]
	if !ok {
		w = c.window(n, w.Lo)
	}
	lo, hi = min(w.Lo, c.clamp), min(w.Lo+w.Span, c.clamp)
	if !ok && c.feedback {
		hi = c.clamp
	}
	return lo, hi
}

// StaysZero reports whether delays can come to be 0 and stay so: if Feedback, a delay of 0 can be drawn, and after it no
// other.
func (c *Compiled) StaysZero() bool {
	shortest, _ := c.Bounds(MaxRetry)
	w := c.window(MaxRetry, 0)
	return shortest == 0 && min(w.Lo+w.Span, c.clamp) == 0
}
