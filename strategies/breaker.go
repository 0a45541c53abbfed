package strategies

import (
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Breaker is the rules of a circuit breaker. Closed, it lets everything through until it trips; open, nothing, for a
// while; then half-open, a few probes at a time, of which one failure opens it and some successes in a row close it.
// What the kinds differ in is when it trips.
type Breaker struct {
	Failures  int    // so many failures trip it,
	Window    int    // among the last so many outcomes, once there are that many; 0: in a row
	Open      Window // how long it stays open, drawn anew each time
	Probes    int    // most in flight while half-open
	Successes int    // in a row, half-open, close it
	Wait      bool   // a request that is stopped waits and tries again; else it fails
}

// BreakerState is a breaker at work. The zero value is closed.
type BreakerState struct {
	until   int64  // open until then
	changes uint32 // of state, so far: what was sent before the last is not heeded
	phase   phase
	full    bool   // with a window: it has as many outcomes as it holds
	next    uint16 // with a window: where the next one goes
	flying  int32  // half-open: probes in flight
	run     int32  // closed, without a window: failures in a row; half-open: successes in a row; with a window: failures in it

	window *outcomes
}

// outcomes are the last ones: a bit each, set for a failure.
type outcomes [(maxOutcomes + 63) / 64]uint64

type phase uint8

const (
	closed phase = iota
	open
	halfOpen
)

// Allows reports whether an attempt may leave at t.
func (b *Breaker) Allows(s *BreakerState, t int64) bool {
	if s.phase == open && t >= s.until {
		s.change(halfOpen)
	}
	return s.phase == closed || s.phase == halfOpen && int(s.flying) < b.Probes
}

// Sent notes that an attempt leaves that was allowed. What it returns is to be given to Seen with its outcome.
func (b *Breaker) Sent(s *BreakerState) (mark uint32) {
	if s.phase == halfOpen {
		s.flying++
	}
	return s.changes
}

// Seen notes an attempt's outcome and reports whether that opens the breaker. If so, OpenFrom is to be called.
func (b *Breaker) Seen(s *BreakerState, mark uint32, failed bool) (opens bool) {
	switch {
	case mark != s.changes || s.phase == open:
		return false
	case s.phase == halfOpen:
		s.flying--
		s.run++
		if !failed {
			if int(s.run) >= b.Successes {
				s.change(closed)
			}
			return false
		}
	case b.Window > 0:
		s.slide(failed, b.Window)
		if !s.full || int(s.run) < b.Failures {
			return false
		}
	case !failed:
		s.run = 0
		return false
	default:
		s.run++
		if int(s.run) < b.Failures {
			return false
		}
	}
	s.change(open)
	return true
}

// OpenFrom opens the breaker at t for as long as u draws, and returns when that ends.
func (b *Breaker) OpenFrom(s *BreakerState, t int64, u uint64) (until int64) {
	s.until = add(t, b.Open.Draw(u))
	return s.until
}

// Open reports whether the breaker is open at t.
func (s *BreakerState) Open(t int64) bool { return s.phase == open && t < s.until }

func (s *BreakerState) change(to phase) {
	s.phase = to
	s.changes++
	s.flying, s.run, s.next, s.full = 0, 0, 0, false
	if s.window != nil {
		*s.window = outcomes{}
	}
}

// slide puts an outcome into the window, in the place of the oldest, and counts the failures in it.
func (s *BreakerState) slide(failed bool, window int) {
	if s.window == nil {
		s.window = new(outcomes)
	}
	word, bit := &s.window[s.next/64], s.next%64
	s.run -= int32(*word >> bit & 1)
	*word &^= 1 << bit
	if failed {
		*word |= 1 << bit
		s.run++
	}
	if s.next++; int(s.next) == window {
		s.next, s.full = 0, true
	}
}

// What a stopped request does.
const (
	failWhenOpen = "fail"
	waitWhenOpen = "wait"
)

// breakerParams are those that all kinds have, after their own.
func breakerParams(own ...spec.Param) []spec.Param {
	return append(own,
		spec.Param{
			Key: "openFor", Type: spec.Duration, Label: "Open for", Min: 1, Max: spec.MaxDuration, Default: 10 * time.Second,
			Help: "How long it stops everything before it lets probes through.",
		},
		spec.Param{
			Key: "openJitter", Type: spec.Number, Label: "Give or take, open", Max: 1, Default: 0.0,
			Help: "How far that may stray to either side, as a fraction of it, so that breakers do not probe in step.",
		},
		spec.Param{
			Key: "probes", Type: spec.Integer, Label: "Probes", Min: 1, Max: 1e6, Default: int64(1),
			Help: "How many attempts may be under way at a time while it is half-open.",
		},
		spec.Param{
			Key: "successes", Type: spec.Integer, Label: "Successes to close", Min: 1, Max: 1e6, Default: int64(1),
			Help: "How many probes in a row have to succeed; one failure opens it again.",
		},
		spec.Param{
			Key: "onOpen", Type: spec.Option, Label: "A stopped request", Default: failWhenOpen,
			Options: []string{failWhenOpen, waitWhenOpen}, Names: []string{"fails at once", "waits and tries again"},
			Help: "What becomes of a request whose attempt it stops.",
		})
}

// newBreaker takes in what breakerParams declares.
func newBreaker(a spec.Args) *Breaker {
	openFor := int64(a.Duration("openFor"))
	stray := scale(openFor, a.Number("openJitter"))
	return &Breaker{Open: Window{openFor - stray, 2 * stray}, Probes: int(a.Integer("probes")),
		Successes: int(a.Integer("successes")), Wait: a.Text("onOpen") == waitWhenOpen}
}
