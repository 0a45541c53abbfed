package sim

import "github.com/stampede-sim/stampede/strategies"

// group is a group of clients with one workload and one policy: what the engine has to know of them, their state, and
// what has become of their requests.
type group struct {
	id         uint64 // in the upper bits of its requests' numbers
	workload   Workload
	count      int
	think      distribution
	clientMask uint64 // closed: the client's part of a request's number
	clientBits uint

	policy         *strategies.Compiled
	windows        []strategies.Window
	settledWindows bool // the last window stands for all later ones
	clamp          int64
	cap            int64
	feedback       bool
	maxAttempts    int64
	deadline       int64
	timeout        int64
	retryOn        strategies.Classes
	rule           strategies.RetryAfterRule
	closed         bool  // the workload
	plain          bool  // isPlain
	lingers        bool  // a wait ends when the next attempt arrives, not before
	tested         bool  // the group under test: the one whose series and delays are recorded
	late           int64 // when the last quarter of the time begins

	guards *guards // nil: none
	clients
	tally
}

// clients is their state, by slot; only what the workload and the policy need.
type clients struct {
	created  []int64  // when its request was created
	previous []int64  // the delay drawn last
	settled  []int64  // the last attempt whose fate the client knows
	current  []uint64 // closed: the number of its request
}

// tally is what has become of a group's requests and attempts.
type tally struct {
	requests, attempts, timedOut int64
	notSent                      int64 // stopped by a guard
	refused                      [strategies.NumClasses]int64
	failed                       [numReasons]int64
	completions                  []int64 // creation to success
	lastEnd                      int64   // when the last request ended
	lastTrouble                  int64   // when the last refusal or timeout was seen; -1: never
	offered, carried             int64   // in the last quarter: requests created, successes seen
}

// The reasons for which a request fails.
const (
	reasonNotRetryable = iota
	reasonAttempts
	reasonDeadline
	reasonRetryAfter
	reasonBudget
	reasonBreaker
	reasonThrottled
	numReasons
)

var reasonNames = [numReasons]string{"notRetryable", "attempts", "deadline", "retryAfter", "budget", "breaker", "throttled"}

// newGroup readies a group of clients.
func newGroup(index int, spec groupSpec) *group {
	p, c, w := spec.policy, spec.compiled, spec.workload
	g := &group{id: uint64(index) << groupShift, workload: w, count: spec.count, policy: c, tested: index == 0,
		closed: w.Kind == Closed, clientMask: numberMask,
		windows: c.Windows(), settledWindows: c.Settled(), clamp: c.Clamp(), cap: int64(p.Cap), feedback: c.Feedback(),
		maxAttempts: p.MaxAttempts, deadline: int64(p.Deadline), timeout: int64(p.AttemptTimeout),
		retryOn: p.RetryOn, rule: p.RetryAfter}
	if w.Kind == Closed {
		g.think = spec.think
		for 1<<g.clientBits < g.count {
			g.clientBits++
		}
		g.clientMask = 1<<g.clientBits - 1
	}
	g.lastTrouble = -1
	return g
}

// begin sets a client's state for a request that is created at t, and returns its first attempt.
func (g *group) begin(number uint64, t int64) attempt {
	g.requests++
	if t >= g.late {
		g.offered++
	}
	slot := g.slot(number)
	if g.created != nil {
		g.created[slot] = t
	}
	if g.previous != nil {
		g.previous[slot] = g.policy.First()
	}
	if g.settled != nil {
		g.settled[slot] = 0
	}
	return attempt{number, 1, t, t}
}

// settle notes that an attempt's fate is known to its client. It reports false if it was known before.
func (g *group) settle(number uint64, n int64) bool {
	slot := g.slot(number)
	if g.current != nil && g.current[slot] != number || g.settled[slot] >= n {
		return false
	}
	g.settled[slot] = n
	return true
}

// slot is where a request's client keeps its state.
func (g *group) slot(number uint64) uint64 { return number & g.clientMask }

// fires returns when the timeout of an attempt that leaves at t fires; never if it has none.
func (g *group) fires(t int64) int64 {
	if g.timeout == 0 {
		return never
	}
	return t + g.timeout
}

// attemptLimit returns the number of the attempt after whose failure a request has failed.
func (g *group) attemptLimit() int64 {
	if g.maxAttempts == 0 {
		return maxAttempt
	}
	return g.maxAttempts
}

// prepare makes the slices that hold a client's state, in the memory of old ones where that suffices. What is in them
// does not matter: begin sets it. The guards start anew.
func (g *group) prepare(spec groupSpec, old *group) {
	slots := g.count
	if g.workload.Kind == Open {
		slots = 0 // one more with each request
	}
	if g.workload.Kind != Burst {
		g.created = resized(old.created, slots)
	}
	if g.feedback {
		g.previous = resized(old.previous, slots)
	}
	if g.timeout > 0 {
		g.settled = resized(old.settled, slots)
	}
	if g.workload.Kind == Closed {
		g.current = resized(old.current, slots)
	}
	g.guards = newGuards(spec.policy, spec.count, spec.perProcess, slots, old.guards)
}

// resized returns a slice of length n, which is not nil, with anything in it.
func resized[T any](old []T, n int) []T {
	if old == nil || cap(old) < n {
		return make([]T, n)
	}
	return old[:n]
}
