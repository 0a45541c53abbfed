package sim

import (
	"github.com/stampede-sim/stampede/strategies"
)

// An engine runs one replication of one policy: it walks through virtual time, event by event. What clients do between
// two meetings with the server depends on nobody else, so a failed attempt is followed at once through the answer's way
// back, the wait and the next attempt's way, and only the arrival at the server becomes an event. While the server is
// down no arrival can change anything either, so such attempts are followed without any event at all.
//
// Clients who share guards meet on their own side as well: their attempts' leaving and their answers are events of their
// own (guards.go).
type engine struct {
	stream  stream
	horizon int64
	latency distribution
	fixed   int64 // the latency where it is constant; -1 otherwise
	hops    int   // hops to the server: 1, or 3 where an attempt reads before it writes
	back    purpose
	follow  bool // follow clients while the server is down; otherwise every arrival is an event
	groups  []*group
	server  server
	calendar
	ahead    event // the next to happen, unless something comes before it; zero: none
	series   seriesRecorder
	peaks    peakRecorder
	observed observedDelays
	trace    *tracer
	creation creation
	meter    *meter
	credit   int64 // attempts and completions until the meter is told
	events   int64
}

// trouble is the classes that a struggling server causes.
const trouble = 1<<strategies.Unavailable | 1<<strategies.Overloaded | 1<<strategies.RateLimited | 1<<strategies.Conflict | 1<<strategies.Timeout

const (
	groupShift  = 38 // of the 43 bits of a request: room for 32 groups
	numberMask  = 1<<groupShift - 1
	creditBlock = 4096
)

// attempt is one that is about to leave. The client has been waiting for it since.
type attempt struct {
	number       uint64
	n            int64
	since, leave int64
}

// hop returns one one-way latency.
func (e *engine) hop(base, n uint64, p purpose) int64 {
	if e.fixed >= 0 {
		return e.fixed
	}
	return e.drawHop(base, n, p)
}

func (e *engine) drawHop(base, n uint64, p purpose) int64 {
	return min(e.latency.Draw(at(base, n, p)), maxTime)
}

// way draws what an attempt takes to the server.
func (e *engine) way(base, n uint64) int64 {
	t := e.hop(base, n, drawHop1)
	if e.hops == 3 {
		t += e.hop(base, n, drawHop2) + e.hop(base, n, drawHop3)
	}
	return t
}

// createdAt returns when a request was created.
func (e *engine) createdAt(g *group, number uint64) int64 {
	if g.created != nil {
		return g.created[g.slot(number)]
	}
	return g.burstCreation(e.stream, number)
}

// burstCreation draws when a burst's request is created.
func (g *group) burstCreation(s stream, number uint64) int64 {
	if g.workload.Spread == 0 {
		return 0
	}
	return below(at(s.of(g.id|number), 0, drawCreation), int64(g.workload.Spread))
}

// stopped reports whether the run has to stop. Every loop over clients or events asks, lest one that costs nothing go
// on for long after a cancellation.
func (e *engine) stopped() bool { return e.meter.stop.Load() }

// spend counts one attempt or completion, and now and then tells the meter.
func (e *engine) spend() {
	e.credit--
	if e.credit <= 0 {
		e.settleCredit()
	}
}

func (e *engine) settleCredit() {
	used := creditBlock - e.credit
	e.events += used
	e.credit = creditBlock
	e.meter.spend(used)
}

// run carries out the replication. It returns early when the meter says so.
func (e *engine) run() {
	for e.server.due <= 0 {
		e.serverActs(0)
	}
	e.createBursts()
	for !e.stopped() {
		if e.ahead.hi != 0 {
			e.jump()
			continue
		}
		ev, ok := e.next()
		if !ok {
			start, at := e.start()
			if e.passive(start) {
				continue
			}
			if start >= e.horizon {
				break
			}
			e.advance(start, at)
			continue
		}
		if ev.time() >= e.nextPassive() && e.passive(ev.time()) {
			continue
		}
		e.pop()
		if ev.class() == classArrival { // nearly all of them
			e.arrive(ev)
		} else {
			e.handle(ev)
		}
	}
	e.settleCredit()
}

func (e *engine) handle(ev event) {
	switch ev.class() {
	case classArrival:
		e.arrive(ev)
	case classTimeout:
		e.timeout(ev)
	case classLeave:
		e.leave(ev)
	case classAnswer:
		e.answered(ev)
	}
}

// nextPassive returns when passive has something to do.
func (e *engine) nextPassive() int64 { return min(e.server.due, e.creation.at) }

// passive carries out the earliest thing at or before t that is not in the calendar, if there is one: a service's end,
// the server's going down or coming up, a request's creation.
func (e *engine) passive(t int64) bool {
	t = min(t, e.horizon-1)
	due := e.server.due
	if at := e.creation.at; at <= t && at <= due {
		e.createNext()
		return true
	}
	if due <= t {
		e.serverActs(due)
		return true
	}
	return false
}

// send follows an attempt, and those that come after it, until one meets the server or time ends.
func (e *engine) send(g *group, a attempt) {
	if g.guards != nil {
		e.depart(g, a)
		return
	}
	since, until := a.since, a.leave // the wait that has not been recorded yet
	for !e.stopped() {
		if e.follow && g.plain && e.server.down {
			a, since = e.walk(g, a, since)
			until = a.leave
		}
		if a.leave >= e.horizon {
			e.recordWait(g, since, e.horizon)
			return
		}
		e.spend()
		g.attempts++
		n := uint64(a.n)
		base := e.stream.of(g.id | a.number)
		arrival := a.leave + e.way(base, n)
		met := e.follow && arrival < e.horizon && e.server.isKnownDown(arrival)
		back := int64(0)
		if met || g.timeout > 0 {
			back = e.hop(base, n, e.back)
		}
		if e.trace != nil {
			e.traceLeave(g, a, arrival, met)
		}

		seen, class, hint := never, strategies.Timeout, noHint
		switch {
		case g.timeout > 0 && arrival-a.leave+max(1, back) > g.timeout: // a timeout fires before what arrives just then
			seen = a.leave + g.timeout
			e.sendAbandoned(g, a, arrival, met)
		case arrival >= e.horizon:
		case met:
			e.meetEarly(arrival)
			seen, class, hint = e.answerWhileDown(arrival, back, g.fires(a.leave))
		default:
			e.push(newEvent(arrival, classArrival, g.id|a.number, a.n))
			if g.lingers && a.n > 1 {
				until = e.horizon // until endWait
			}
		}
		if seen >= e.horizon {
			break
		}
		next, again := e.failed(g, a.number, a.n, seen, class, hint)
		if !again {
			break
		}
		if next.since != until {
			e.recordWait(g, since, until)
			since = next.since
		}
		until = next.leave
		a = next
	}
	e.recordWait(g, since, until)
}

// sendAbandoned sends an attempt whose answer would come too late whatever the server does.
func (e *engine) sendAbandoned(g *group, a attempt, arrival int64, met bool) {
	switch {
	case arrival >= e.horizon:
	case met:
		e.meetEarly(arrival)
	default:
		ev := newEvent(arrival, classArrival, g.id|a.number, a.n)
		ev.lo |= 1
		e.push(ev)
	}
}

func (e *engine) meetEarly(t int64) {
	e.series.count(countArrivals, t)
	e.peaks.meetEarly(t)
}

// answerWhileDown says when and how a client learns of an attempt that arrived while the server was down, and whose
// timeout fires at fires.
func (e *engine) answerWhileDown(arrival, back, fires int64) (seen int64, class strategies.Class, hint int64) {
	answer, hint := e.server.answerWhileDown(arrival)
	if answer+back > fires {
		return fires, strategies.Timeout, noHint
	}
	return answer + back, strategies.Unavailable, hint
}

// walk takes a client through an outage: attempts that are refused at once, waits, nothing else. It is send's loop for
// the plain case, in which most events of a herd lie, and stops before the first attempt that is not so plain. It
// returns that attempt, and since when its client has been waiting for it.
func (e *engine) walk(g *group, a attempt, since int64) (attempt, int64) {
	const stride = 4096 // so that the meter is told often enough
	refusing := e.server.refusingUntil(a.leave)
	latest := e.horizon
	if g.deadline > 0 {
		latest = min(latest, e.createdAt(g, a.number)+g.deadline)
	}
	most := min(g.attemptLimit(), a.n+stride)
	base := e.stream.of(g.id | a.number)
	lastWindow := int64(len(g.windows))
	arrivals, refused := e.series.counts[countArrivals], e.series.counts[countRefused]
	n, t, seen := a.n, a.leave, int64(-1)
	for n < most && t < refusing {
		arrival := t + e.hop(base, uint64(n), drawHop1)
		back := arrival + e.hop(base, uint64(n), drawHop2)
		d := min(g.windows[min(n, lastWindow)-1].Draw(at(base, uint64(n), drawBackoff)), g.clamp)
		if arrival >= refusing || back >= e.horizon || back+d > latest {
			break
		}
		seen = back
		bin := e.series.bin.of(arrival)
		arrivals[bin]++
		e.peaks.meetEarly(arrival)
		if e.fixed != 0 {
			bin = e.series.bin.of(seen)
			e.recordWait(g, since, t)
			since = seen
		}
		if g.tested {
			refused[bin]++
			if n <= observedRows {
				e.observed[n-1].add(d)
			}
		}
		t = seen + d
		n++
	}
	if steps := n - a.n; steps > 0 {
		g.attempts += steps
		g.refused[strategies.Unavailable] += steps
		g.lastTrouble = max(g.lastTrouble, seen)
		e.credit -= steps
	}
	return attempt{a.number, n, since, t}, since
}

// bounce turns an attempt away from a server that is down and sends the next, in the plain case that walk is for. It
// reports false, and has done nothing, if there is more to it.
func (e *engine) bounce(ev event, mark uint32) bool {
	request, n, t := ev.request(), ev.attempt(), ev.time()
	g := e.groups[request>>groupShift]
	if !g.plain || e.fixed < 0 || g.deadline > 0 || t >= e.server.refusing || n >= g.attemptLimit() {
		return false
	}
	d := min(g.windows[min(n, int64(len(g.windows)))-1].Draw(at(e.stream.of(request), uint64(n), drawBackoff)), g.clamp)
	seen := t + e.fixed
	leave := seen + d
	if leave+e.fixed >= e.horizon {
		return false
	}
	g.refused[strategies.Unavailable]++
	g.lastTrouble = max(g.lastTrouble, seen)
	bin := e.series.bin.of(seen)
	if g.tested {
		e.series.counts[countRefused][bin]++
		if n <= observedRows {
			e.observed[n-1].add(d)
		}
	}
	asked := false
	if g.guards != nil {
		if !e.toldPays(g, request&numberMask, n, t, mark) {
			e.endWait(g, n, t)
			return true
		}
		asked = g.guards.asksOf(n + 1)
	}
	switch {
	case !g.tested:
	case !g.lingers:
		e.series.stepAt(levelWaiting, bin, seen, 1)
		e.series.stepAt(levelWaiting, e.series.bin.of(leave), leave, -1)
	case n == 1:
		e.series.stepAt(levelWaiting, bin, seen, 1)
	}
	if asked {
		e.push(newEvent(leave, classLeave, request, n+1))
		return true
	}
	e.spend()
	g.attempts++
	e.push(newEvent(leave+e.fixed, classArrival, request, n+1))
	return true
}

// endWait records that the wait for attempt n is over. Where a group lingers, a client that is turned away at once waits
// on, and all its waits are recorded as one.
func (e *engine) endWait(g *group, n, t int64) {
	if g.lingers && n > 1 {
		e.series.step(levelWaiting, t, -1)
	}
}

// isPlain reports whether walk and bounce say all there is to say of the group's way through an outage. What guards see
// and decide while an answer is on its way back is for events to say.
func (e *engine) isPlain(g *group) bool {
	return e.trace == nil && (g.guards == nil || e.fixed == 0) && e.hops == 1 && !g.feedback && g.settledWindows &&
		(g.timeout == 0 || e.fixed >= 0 && 2*e.fixed <= g.timeout) && g.retryOn.Has(strategies.Unavailable) &&
		(e.server.hints == NoHint || g.rule == strategies.IgnoreHint)
}

// recordWait records that a client was in backoff in [from, to).
func (e *engine) recordWait(g *group, from, to int64) {
	if g.tested && from < to {
		e.series.step(levelWaiting, from, 1)
		e.series.step(levelWaiting, to, -1)
	}
}

// failed is a client's seeing, at t, that attempt n has failed, and deciding what to do. It returns the
// attempt that the client makes next, if any: of the same request or, if it is closed, of its next one.
func (e *engine) failed(g *group, number uint64, n, t int64, class strategies.Class, hint int64) (attempt, bool) {
	if class == strategies.Timeout {
		g.timedOut++
	} else {
		g.refused[class]++
	}
	if trouble>>class&1 != 0 {
		g.lastTrouble = max(g.lastTrouble, t)
	}
	if g.tested {
		series := countRefused
		if class == strategies.Timeout {
			series = countTimedOut
		}
		e.series.count(series, t)
		if e.trace != nil {
			e.trace.seen(g, number, n, t, class.String())
		}
	}
	if g.guards != nil {
		e.tell(g, number, n, t, class)
	}
	if !g.retryOn.Has(class) {
		return e.requestFailed(g, number, n, t, reasonNotRetryable)
	}
	return e.again(g, number, n, t, hint, class == strategies.Timeout)
}

// again decides, at t, whether another attempt follows attempt n, which has failed or was not sent.
func (e *engine) again(g *group, number uint64, n, t, hint int64, timedOut bool) (attempt, bool) {
	if n == g.maxAttempts {
		return e.requestFailed(g, number, n, t, reasonAttempts)
	}
	wait := e.draw(g, number, n)
	if hint != noHint && g.rule != strategies.IgnoreHint {
		if g.rule == strategies.GiveUp && g.cap > 0 && hint > g.cap {
			return e.requestFailed(g, number, n, t, reasonRetryAfter)
		}
		wait = e.heed(g, number, n, wait, hint)
	}
	if g.deadline > 0 && t+wait > e.createdAt(g, number)+g.deadline {
		return e.requestFailed(g, number, n, t, reasonDeadline)
	}
	if g.guards != nil && !e.pays(g, number, t, timedOut) {
		return e.requestFailed(g, number, n, t, reasonBudget)
	}
	if n == maxAttempt {
		e.meter.stop.Store(true) // out of numbers: two thousand million attempts of one request
	}
	return attempt{number, n + 1, t, t + wait}, true
}

// draw draws the delay before retry n.
func (e *engine) draw(g *group, number uint64, n int64) int64 {
	u := at(e.stream.of(g.id|number), uint64(n), drawBackoff)
	var d int64
	switch {
	case g.feedback:
		slot := g.slot(number)
		d = g.policy.Draw(n, g.previous[slot], u)
		g.previous[slot] = g.policy.Keep(d, u)
	case n <= int64(len(g.windows)) || g.settledWindows:
		w := g.windows[min(n, int64(len(g.windows)))-1]
		d = min(g.clamp, w.Draw(u))
	default:
		d = g.policy.Draw(n, 0, u)
	}
	if g.tested && n <= observedRows {
		e.observed[n-1].add(d)
	}
	return d
}

// noHint is the absence of a Retry-After.
const noHint = int64(-1)

// heed applies the Retry-After rule to a drawn delay.
func (e *engine) heed(g *group, number uint64, n, d, hint int64) int64 {
	switch g.rule {
	case strategies.FloorJitter:
		return hint + below(at(e.stream.of(g.id|number), uint64(n), drawHintJitter), d)
	case strategies.ClampHint:
		if g.cap > 0 {
			return min(max(d, hint), g.cap)
		}
	}
	return max(d, hint)
}

func (e *engine) requestFailed(g *group, number uint64, n, t int64, reason int) (attempt, bool) {
	g.failed[reason]++
	if e.trace != nil {
		e.trace.fails(g, number, n, reason)
	}
	return e.ended(g, number, t)
}

// ended closes a request at t. A closed client thinks, and makes its next one.
func (e *engine) ended(g *group, number uint64, t int64) (attempt, bool) {
	if g.lastEnd < t {
		g.lastEnd = t
		if g.tested {
			e.server.watchUntil(t)
		}
	}
	if !g.closed {
		return attempt{}, false
	}
	next := number + 1<<g.clientBits
	return e.createClosed(g, next, t)
}

// succeeded is a client's taking, at t, the answer that its attempt has succeeded.
func (e *engine) succeeded(g *group, number uint64, n, t int64) {
	switch {
	case t >= e.horizon:
	case g.guards != nil:
		e.bring(g, number, n, t, success, noHint)
	default:
		e.taken(g, number, n, t)
	}
}

func (e *engine) taken(g *group, number uint64, n, t int64) {
	g.completions = append(g.completions, t-e.createdAt(g, number))
	if t >= g.late {
		g.carried++
	}
	if g.tested {
		e.series.count(countSucceeded, t)
		if e.trace != nil {
			e.trace.seen(g, number, n, t, "ok")
		}
	}
	if next, again := e.ended(g, number, t); again {
		e.send(g, next)
	}
}

// timeout fires when a client has waited long enough for an attempt that the server has not answered yet.
func (e *engine) timeout(ev event) {
	g, number, n := e.subject(ev)
	if !g.settle(number, n) {
		return
	}
	e.see(g, number, n, ev.time(), strategies.Timeout, noHint)
}

// retry lets a client see a failure at t.
func (e *engine) retry(g *group, number uint64, n, t int64, class strategies.Class, hint int64) {
	switch {
	case t >= e.horizon:
	case g.guards != nil:
		e.bring(g, number, n, t, class, hint)
	default:
		e.see(g, number, n, t, class, hint)
	}
}

// see is a client's seeing a failure at t, and sending what it does next.
func (e *engine) see(g *group, number uint64, n, t int64, class strategies.Class, hint int64) {
	if next, again := e.failed(g, number, n, t, class, hint); again {
		e.send(g, next)
	}
}

func (e *engine) subject(ev event) (*group, uint64, int64) {
	request := ev.request()
	return e.groups[request>>groupShift], request & numberMask, ev.attempt()
}
