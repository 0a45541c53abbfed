package sim

import (
	"math"
	"math/bits"
	"sort"
)

// Warm-up, and the limits on what the server accepts.

// warmup is the server's speed since it last came up: a fraction that rises linearly from `from` to 1 over duration.
type warmup struct {
	from     float64
	duration int64 // 0: always at full speed
	up       int64 // when it last came up; -1: it has not been down yet
	base     int64 // effective time then
}

func newWarmup(w *Warmup) warmup {
	if w == nil {
		return warmup{up: -1}
	}
	return warmup{from: w.From, duration: int64(w.Duration), up: -1}
}

// start makes the server warm up from t on.
func (w *warmup) start(t int64) {
	w.base = w.effective(t)
	w.up = t
}

// warming reports whether the server is below its full speed at t.
func (w *warmup) warming(t int64) bool { return w.up >= 0 && t-w.up < w.duration }

// speed is the fraction f(t).
func (w *warmup) speed(t int64) float64 {
	if !w.warming(t) {
		return 1
	}
	return w.from + (1-w.from)*float64(t-w.up)/float64(w.duration)
}

// effective is the integral of f from 0 to t, in nanoseconds: the time in which a server at full speed would have done
// as much.
func (w *warmup) effective(t int64) int64 {
	if w.up < 0 {
		return t
	}
	warm := float64(min(t-w.up, w.duration))
	if w.duration > 0 {
		warm *= w.from + (1-w.from)*warm/float64(2*w.duration)
	}
	return w.base + int64(warm) + max(0, t-w.up-w.duration)
}

// after returns the first moment from t on at which so much effective time has passed.
func (w *warmup) after(t, effective int64) int64 {
	if !w.warming(t) {
		return min(t+effective, maxTime)
	}
	target := w.effective(t) + effective
	// Past the warm-up effective time passes as time does.
	longest := w.up + w.duration - t + effective
	return t + int64(sort.Search(int(longest), func(d int) bool { return w.effective(t+int64(d)) >= target }))
}

// limiter is the rate limit. A fixed window counts; a token bucket holds thousand-millionths of a token, in integers,
// so that nothing drifts.
type limiter struct {
	kind string // empty: no limit

	limit       int64 // window
	width       int64
	windowStart int64
	count       int64

	perSecond uint64 // token bucket: refill, in nano-tokens a second
	size      uint64 // nano-tokens
	level     uint64 // nano-tokens
	rest      uint64 // of the last refill, in nano-tokens / 10^9
	refilled  int64  // effective time of the last refill
}

const nano = 1_000_000_000

func newLimiter(r *RateLimit) limiter {
	if r == nil {
		return limiter{}
	}
	size := uint64(r.Burst) * nano
	return limiter{kind: r.Kind, limit: r.Limit, width: int64(r.Window), perSecond: uint64(math.Round(r.Rate * nano)),
		size: size, level: size}
}

// accept takes one from the limit at t, if it allows that.
func (l *limiter) accept(t int64, w *warmup) bool {
	switch l.kind {
	case FixedWindow:
		if t >= l.windowStart+l.width {
			l.windowStart = t - t%l.width
			l.count = 0
		}
		if !l.admits(t, w) {
			return false
		}
		l.count++
	case TokenBucket:
		l.refill(t, w)
		if l.level < nano {
			return false
		}
		l.level -= nano
	}
	return true
}

func (l *limiter) admits(t int64, w *warmup) bool {
	if !w.warming(t) {
		return l.count < l.limit
	}
	return float64(l.count) < float64(l.limit)*w.speed(t)
}

func (l *limiter) refill(t int64, w *warmup) {
	now := w.effective(t)
	hi, lo := bits.Mul64(l.perSecond, uint64(now-l.refilled))
	lo, carry := bits.Add64(lo, l.rest, 0)
	hi += carry
	l.refilled = now
	if hi < nano {
		var gained uint64
		gained, l.rest = bits.Div64(hi, lo, nano)
		if gained < l.size-l.level {
			l.level += gained
			return
		}
	}
	l.level, l.rest = l.size, 0
}

// hint returns how long an attempt that was just refused would have to wait.
func (l *limiter) hint(t int64, w *warmup, h Hint) int64 {
	switch {
	case h.Kind == ConstantHint:
		return int64(h.After)
	case h.Kind != RemainingHint:
		return noHint
	case l.kind == FixedWindow:
		return l.windowStart + l.width - t
	}
	hi, lo := bits.Mul64(nano-l.level, nano)
	lo, borrow := bits.Sub64(lo, l.rest, 0)
	hi -= borrow
	lo, carry := bits.Add64(lo, l.perSecond-1, 0)
	hi += carry
	if hi >= l.perSecond {
		return maxTime
	}
	missing, _ := bits.Div64(hi, lo, l.perSecond)
	return w.after(t, int64(min(missing, maxTime))) - t
}

// recentArrivals counts arrivals in a window that slides with time.
type recentArrivals struct {
	most   float64 // allowed in a window; 0: no limit
	window int64
	times  []int64
	first  int
}

func newRecentArrivals(c *Crash) recentArrivals {
	if c == nil || c.On != OnRate {
		return recentArrivals{}
	}
	return recentArrivals{most: c.Rate * c.Window.Seconds(), window: int64(c.Window)}
}

// exceeded counts an arrival at t and reports whether those in (t − window, t] are more than allowed.
func (r *recentArrivals) exceeded(t int64) bool {
	if r.window == 0 {
		return false
	}
	r.times = append(r.times, t)
	for r.times[r.first] <= t-r.window {
		r.first++
	}
	if r.first > 1024 && r.first > len(r.times)/2 {
		r.times = r.times[:copy(r.times, r.times[r.first:])]
		r.first = 0
	}
	return float64(len(r.times)-r.first) > r.most
}

func (r *recentArrivals) clear() { r.times, r.first = r.times[:0], 0 }
