package sim

import (
	"github.com/stampede-sim/stampede/strategies"
)

// server is the recovering server: what is in service and in the queue, whether it is down, and since when it is up.
type server struct {
	conf       *Server
	occ        bool
	hints      string
	workers    int // 0: infinitely many
	queueLimit int
	lifo       bool
	patience   int64 // maxQueueWait; 0: none
	refusal    int64 // refusalCost
	service    distribution
	instant    bool // services take no time and workers are without number
	mayCrash   bool
	limit      limiter
	warm       warmup
	crashRate  recentArrivals

	outages      []span // with their ends as drawn for this replication
	nextOutage   int
	restartUntil int64 // the last crash's restart ends here; 0: never crashed
	down         bool
	downUntil    int64 // known end of being down, over outages that follow without a gap
	refusing     int64 // until then what arrives is certain to be refused at once

	due       int64   // when the server next does something of itself
	busy      jobTree // what the workers are at
	inService int     // of those, attempts
	waiting   queue
	recorded  struct{ inService, waiting int }

	usage    usage
	downtime usage
	crashes  int64
	spans    []span // the first times of being down
	wasted   int64

	// The write that a contention server accepted last.
	lastWrite event
	written   bool
}

// span is a time of being down.
type span struct {
	from, to int64
	hang     bool
	crash    bool
}

// plan notes when the server next does something of itself.
func (s *server) plan() {
	t := never
	if s.busy.len() > 0 {
		t = s.busy.first().end()
	}
	if s.down {
		t = min(t, s.downUntil)
	}
	if s.nextOutage < len(s.outages) {
		t = min(t, s.outages[s.nextOutage].from)
	}
	s.due = t
}

// serverActs carries out what is due at t: a service's end, the end of being down, an outage's beginning; in this order.
func (e *engine) serverActs(t int64) {
	s := &e.server
	switch {
	case s.busy.len() > 0 && s.busy.first().end() == t:
		e.completeFirst(t)
	case s.down && s.downUntil == t:
		s.down, s.refusing = false, 0
		s.downtime.set(t, 0)
		s.warm.start(t)
		e.traceUp(t)
		s.plan()
	default:
		outage := s.outages[s.nextOutage]
		s.nextOutage++
		if s.nextOutage == 1 {
			defer s.markRecovery(outage.to)
		}
		e.goDown(outage)
	}
}

// maxDownSpans bounds the list of times of being down. A server with an instant restart could crash a million times a second.
const maxDownSpans = 1000

// goDown begins a time of being down. What is queued and in service is answered at once.
func (e *engine) goDown(why span) {
	s := &e.server
	if len(s.spans) < maxDownSpans {
		s.spans = append(s.spans, why)
	}
	if !s.down || why.to > s.downUntil {
		s.downUntil = why.to
	}
	s.down = true
	if why.crash {
		s.restartUntil = why.to
	}
	t := why.from
	s.refusing = s.refusingUntil(t)
	s.downtime.set(t, 1)
	waiting := s.waiting.takeAll()
	inService := s.busy.all()
	s.busy.clear()
	s.inService = 0
	e.recordWork(t)
	for _, j := range inService {
		if e.stopped() {
			return
		}
		if !j.isRefusal() {
			e.answer(j.key, j.arrived, t, strategies.Unavailable, noHint)
		}
	}
	for _, ev := range waiting {
		if e.stopped() {
			return
		}
		e.answer(ev, ev.time(), t, strategies.Unavailable, noHint)
	}
}

// isKnownDown reports whether it is already certain that the server will be down at t, and what it will answer.
// A crash between now and an outage to come might change the answer, so then only the present counts.
func (s *server) isKnownDown(t int64) bool {
	if s.down && t < s.downUntil {
		return true
	}
	if s.mayCrash {
		return false
	}
	for _, o := range s.outages[s.nextOutage:] {
		if t < o.from {
			return false
		}
		if t < o.to {
			return true
		}
	}
	return false
}

// refusingUntil returns until when attempts that arrive from t on are certain to be refused at once; 0 if they are not.
func (s *server) refusingUntil(t int64) int64 {
	if !s.down || t >= s.downUntil {
		return 0
	}
	end := s.downUntil
	for i := range s.outages {
		if o := &s.outages[i]; o.hang && o.to > t {
			end = min(end, o.from)
		}
	}
	return end
}

// answerWhileDown says when the server answers an attempt that arrives while it is down, and with which hint.
func (s *server) answerWhileDown(t int64) (answer, hint int64) {
	until := s.restartUntil
	for i := range s.outages {
		if o := &s.outages[i]; o.from <= t && t < o.to {
			if o.hang {
				return o.to, noHint
			}
			until = max(until, o.to)
		}
	}
	if s.hints == NoHint {
		return t, noHint
	}
	if s.hints == ConstantHint {
		return t, int64(s.conf.RetryAfter.After)
	}
	return t, until - t
}

// arrive is an attempt's arrival at the server.
func (e *engine) arrive(ev event) {
	s := &e.server
	t := ev.time()
	e.series.count(countArrivals, t)
	e.peaks.meet(t)
	switch {
	case s.down:
		if !e.bounce(ev) {
			e.refuseWhileDown(ev)
		}
	case s.occ:
		e.write(ev)
	case s.mayCrash && s.crashRate.exceeded(t):
		s.crashRate.clear()
		e.refuse(ev, strategies.Unavailable, noHint)
		e.crash(t)
	case !s.limit.accept(t, &s.warm):
		e.turnAway(ev, strategies.RateLimited, s.limit.hint(t, &s.warm, s.conf.RetryAfter))
	default:
		e.admit(ev)
	}
}

// admit injects errors, and takes what is left into service or the queue if there is room.
func (e *engine) admit(ev event) {
	s := &e.server
	t := ev.time()
	if errors := &s.conf.Errors; errors.Permanent+errors.Transient > 0 {
		u := unit(at(e.stream.of(ev.request()), uint64(ev.attempt()), drawError))
		switch {
		case u < errors.Permanent:
			e.turnAway(ev, strategies.Permanent, noHint)
			return
		case u < errors.Permanent+errors.Transient:
			e.turnAway(ev, strategies.Transient, noHint)
			return
		}
	}
	switch {
	case s.instant:
		e.traceStart(ev, t)
		e.served(ev, t, t)
	case s.workers == 0 || s.busy.len() < s.workers:
		end := e.serve(ev, t)
		e.recordWork(t)
		e.armTimeout(ev, end)
	case s.waiting.len() < s.queueLimit:
		s.waiting.push(ev)
		e.recordWork(t)
		e.armTimeout(ev, never)
	default:
		e.turnAway(ev, strategies.Overloaded, s.overloadHint())
		if s.mayCrash && s.conf.Crash.On == OnQueueFull {
			e.crash(t)
		}
	}
}

func (e *engine) crash(t int64) {
	e.server.crashes++
	e.goDown(span{from: t, to: t + int64(e.server.conf.Crash.Restart), crash: true})
}

// serve takes an attempt into service at t and returns when that will end.
func (e *engine) serve(ev event, t int64) int64 {
	s := &e.server
	s.inService++
	work := s.service.Draw(at(e.stream.of(ev.request()), uint64(ev.attempt()), drawService))
	if f := s.warm.speed(t); f < 1 || s.conf.Slowdown > 0 {
		work = saturate(float64(work) * (1 + s.conf.Slowdown*float64(s.inService-1)) / f)
	}
	end := min(t+work, maxTime)
	s.busy.put(newJob(end, ev))
	e.traceStart(ev, t)
	return end
}

// recordWork records, and plans for, what has changed in service and in the queue by t.
func (e *engine) recordWork(t int64) {
	s := &e.server
	if d := s.inService - s.recorded.inService; d != 0 {
		e.series.step(levelInService, t, int64(d))
		s.recorded.inService = s.inService
	}
	if d := s.waiting.len() - s.recorded.waiting; d != 0 {
		e.series.step(levelQueue, t, int64(d))
		s.recorded.waiting = s.waiting.len()
	}
	s.usage.set(t, s.busy.len())
	if e.trace != nil {
		e.trace.work.note(work{t, s.inService, s.waiting.len(), s.busy.len()})
	}
	s.plan()
}

// saturate rounds a time to the nearest nanosecond, and to the end of time.
func saturate(t float64) int64 {
	if t >= maxTime {
		return maxTime
	}
	return int64(t + 0.5)
}

// armTimeout sets an attempt's timeout where the answer may come too late. end is when its service will end.
func (e *engine) armTimeout(ev event, end int64) {
	g, number, n := e.subject(ev)
	if g.timeout == 0 || ev.abandoned() {
		return
	}
	fires := g.fires(e.left(ev, ev.time()))
	if fires >= e.horizon || end != never && e.server.refusal == 0 && end+e.wayBack(ev) <= fires {
		return
	}
	e.push(newEvent(fires, classTimeout, g.id|number, n))
}

// left returns when an attempt that arrived at t had left.
func (e *engine) left(ev event, t int64) int64 {
	return t - e.way(e.stream.of(ev.request()), uint64(ev.attempt()))
}

func (e *engine) wayBack(ev event) int64 {
	return e.hop(e.stream.of(ev.request()), uint64(ev.attempt()), e.back)
}

// completeFirst ends the service, or the refusal, that is due at t. Its worker takes the next attempt.
func (e *engine) completeFirst(t int64) {
	s := &e.server
	j := s.busy.take()
	if !j.isRefusal() {
		s.inService--
	}
	e.takeNext(t)
	s.busy.close()
	e.recordWork(t)
	if !j.isRefusal() {
		e.served(j.key, j.arrived, t)
	}
}

// takeNext lets a free worker take the next waiting attempt, if there is one, and sheds what has waited too long.
func (e *engine) takeNext(t int64) {
	s := &e.server
	for s.waiting.len() > 0 && s.busy.len() < s.workers && !e.stopped() {
		ev := s.waiting.pop(s.lifo)
		if s.patience > 0 && t-ev.time() > s.patience {
			e.answer(ev, ev.time(), t, strategies.Overloaded, s.overloadHint())
			continue
		}
		e.serve(ev, t)
	}
}

// served answers an attempt, which arrived at arrived, with success.
func (e *engine) served(ev event, arrived, t int64) {
	s := &e.server
	e.spend()
	e.series.count(countServed, t)
	e.traceAnswer(ev, t)
	g, number, n := e.subject(ev)
	seen := t + e.wayBack(ev)
	if g.timeout > 0 {
		if fires := g.fires(e.left(ev, arrived)); seen > fires || ev.abandoned() {
			if fires < e.horizon {
				s.wasted++
			}
			return
		}
		if seen < e.horizon && !g.settle(number, n) {
			s.wasted++
			return
		}
	}
	e.succeeded(g, number, n, seen)
}

// overloadHint is the Retry-After of an attempt turned away for want of room.
func (s *server) overloadHint() int64 {
	if s.hints == ConstantHint {
		return int64(s.conf.RetryAfter.After)
	}
	return noHint
}

// answer tells the client of an attempt that had been taken in, at arrived, that it has failed after all.
func (e *engine) answer(ev event, arrived, t int64, class strategies.Class, hint int64) {
	e.traceAnswer(ev, t)
	if ev.abandoned() {
		return
	}
	g, number, n := e.subject(ev)
	seen := t + e.wayBack(ev)
	if g.timeout > 0 && (seen > g.fires(e.left(ev, arrived)) || seen < e.horizon && !g.settle(number, n)) {
		return
	}
	e.retry(g, number, n, seen, class, hint)
}

// refuse answers an arriving attempt at once.
func (e *engine) refuse(ev event, class strategies.Class, hint int64) {
	e.traceAnswer(ev, ev.time())
	if ev.abandoned() {
		return
	}
	g, number, n := e.subject(ev)
	e.retry(g, number, n, ev.time()+e.wayBack(ev), class, hint)
}

// turnAway refuses an attempt while up, which costs the server something.
func (e *engine) turnAway(ev event, class strategies.Class, hint int64) {
	s := &e.server
	if s.refusal > 0 && s.workers > 0 {
		if s.busy.len() < s.workers {
			s.busy.put(refusalJob(min(ev.time()+s.refusal, maxTime)))
		} else {
			s.busy.delayFirst(s.refusal)
		}
		e.recordWork(ev.time())
	}
	e.refuse(ev, class, hint)
}

func (e *engine) refuseWhileDown(ev event) {
	if e.trace != nil {
		answer, _ := e.server.answerWhileDown(ev.time())
		e.traceAnswer(ev, answer)
	}
	if ev.abandoned() {
		return
	}
	g, number, n := e.subject(ev)
	t := ev.time()
	fires := never
	if g.timeout > 0 {
		fires = g.fires(e.left(ev, t))
	}
	seen, class, hint := e.answerWhileDown(t, e.wayBack(ev), fires)
	if g.guards != nil && seen == t {
		e.bringNow(g, number, n, t, class, hint)
		return
	}
	e.retry(g, number, n, seen, class, hint)
}

// write is the arrival of a write at a contention server. It conflicts if another was accepted after its read, which
// arrived two hops before it.
func (e *engine) write(ev event) {
	s := &e.server
	base, n := e.stream.of(ev.request()), uint64(ev.attempt())
	read := newEvent(ev.time()-e.hop(base, n, drawHop2)-e.hop(base, n, drawHop3), classArrival, ev.request(), ev.attempt())
	if s.written && read.before(s.lastWrite) {
		e.refuse(ev, strategies.Conflict, noHint)
		return
	}
	s.lastWrite, s.written = ev, true
	e.served(ev, ev.time(), ev.time())
}
