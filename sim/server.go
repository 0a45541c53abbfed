package sim

import (
	"github.com/stampede-sim/stampede/strategies"
)

// server is the recovering server: a balancer and the nodes behind it, of which there may be one alone; whether all of
// them are down, and since when one is up.
type server struct {
	conf       *Server
	occ        bool
	hints      string
	workers    int // of a node; 0: infinitely many
	queueLimit int // of a node
	lifo       bool
	patience   int64 // maxQueueWait; 0: none
	refusal    int64 // refusalCost
	service    distribution
	instant    bool // services take no time and workers are without number
	mayCrash   bool
	limit      limiter
	warm       warmup // since a node is up: of the limit

	nodes   []node
	soonest *node // whose turn it is next
	up      int   // so many of them

	outages    []span // with their ends as drawn for this replication
	nextOutage int
	down       bool  // no node is up
	downUntil  int64 // known end of that, over outages that follow without a gap
	refusing   int64 // until then what arrives is certain to be refused at once
	due        int64 // when the server next does something of itself

	usage     usage // of all workers
	downtime  usage
	nodesDown usage
	crashes   int64
	spans     []span // the first times of being down
	wasted    int64

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

// answerWhileDown says when the server answers an attempt that arrives while it is down, and with which hint.
func (s *server) answerWhileDown(t int64) (answer, hint int64) {
	end := int64(0) // of the last outage that has begun by then
	for i := range s.outages {
		if o := &s.outages[i]; o.from <= t {
			if o.hang && t < o.to {
				return o.to, noHint
			}
			end = o.to
		}
	}
	switch s.hints {
	case NoHint:
		return t, noHint
	case ConstantHint:
		return t, int64(s.conf.RetryAfter.After)
	}
	return t, s.firstUpAfter(end) - t
}

// arrive is an attempt's arrival at the server.
func (e *engine) arrive(ev event) {
	e.arrives(ev.time())
	if e.server.down && e.bounce(ev, e.markOf(ev)) {
		return
	}
	e.stays(ev)
}

// arrives counts an arrival.
func (e *engine) arrives(t int64) {
	e.series.count(countArrivals, t)
	e.peaks.meet(t)
}

// stays is arrive for an attempt that does not bounce.
func (e *engine) stays(ev event) {
	s := &e.server
	g, _, n := e.subject(ev)
	e.endWait(g, n, ev.time())
	switch {
	case s.down:
		e.refuseWhileDown(ev)
	case s.occ:
		e.write(ev)
	default:
		e.meet(e.pick(ev), ev)
	}
}

// meet is an attempt's arrival at a node that is up.
func (e *engine) meet(nd *node, ev event) {
	s := &e.server
	t := ev.time()
	e.traceNode(ev, nd)
	switch {
	case s.mayCrash && nd.recent.exceeded(t):
		nd.recent.clear()
		nd.count(e, nodeRefused, t)
		e.refuse(ev, strategies.Unavailable, noHint)
		e.crash(nd, t)
	case !s.limit.accept(t, &s.warm):
		e.turnAway(nd, ev, strategies.RateLimited, s.limit.hint(t, &s.warm, s.conf.RetryAfter))
	default:
		e.admit(nd, ev)
	}
}

// admit injects errors, and takes what is left into service or the queue if there is room.
func (e *engine) admit(nd *node, ev event) {
	s := &e.server
	t := ev.time()
	if errors := &s.conf.Errors; errors.Permanent+errors.Transient > 0 {
		u := unit(at(e.stream.of(ev.request()), uint64(ev.attempt()), drawError))
		switch {
		case u < errors.Permanent:
			e.turnAway(nd, ev, strategies.Permanent, noHint)
			return
		case u < errors.Permanent+errors.Transient:
			e.turnAway(nd, ev, strategies.Transient, noHint)
			return
		}
	}
	switch {
	case s.instant:
		e.traceStart(ev, t)
		e.served(nd, ev, t, t)
	case s.workers == 0 || nd.busy.len() < s.workers:
		end := e.serve(nd, ev, t)
		e.recordWork(nd, t)
		e.armTimeout(ev, end)
	case nd.waiting.len() < s.queueLimit:
		nd.waiting.push(ev)
		e.recordWork(nd, t)
		e.armTimeout(ev, never)
	default:
		e.turnAway(nd, ev, strategies.Overloaded, s.overloadHint())
		if s.mayCrash && s.conf.Crash.On == OnQueueFull {
			e.crash(nd, t)
		}
	}
}

// serve takes an attempt into service at t and returns when that will end.
func (e *engine) serve(nd *node, ev event, t int64) int64 {
	s := &e.server
	nd.inService++
	work := s.service.Draw(at(e.stream.of(ev.request()), uint64(ev.attempt()), drawService))
	if f := nd.warm.speed(t); f < 1 || s.conf.Slowdown > 0 {
		work = saturate(float64(work) * (1 + s.conf.Slowdown*float64(nd.inService-1)) / f)
	}
	end := min(t+work, maxTime)
	nd.busy.put(newJob(end, ev))
	e.traceStart(ev, t)
	return end
}

// recordWork records, and plans for, what has changed at a node in service and in the queue by t.
func (e *engine) recordWork(nd *node, t int64) {
	s := &e.server
	inService, queue, busy := nd.inService-nd.recorded.inService, nd.waiting.len()-nd.recorded.waiting, nd.busy.len()-nd.recorded.busy
	if inService != 0 {
		e.series.step(levelInService, t, int64(inService))
		nd.recorded.inService = nd.inService
	}
	if queue != 0 {
		e.series.step(levelQueue, t, int64(queue))
		nd.recorded.waiting = nd.waiting.len()
	}
	s.usage.set(t, s.usage.busy+busy)
	nd.recorded.busy += busy
	if e.trace != nil {
		e.trace.work.change(work{t, inService, queue, busy})
	}
	s.plan(nd)
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

// completeFirst ends the service, or the refusal, that is due at a node at t. Its worker takes the next attempt.
func (e *engine) completeFirst(nd *node, t int64) {
	j := nd.busy.take()
	if !j.isRefusal() {
		nd.inService--
	}
	e.takeNext(nd, t)
	nd.busy.close()
	e.recordWork(nd, t)
	if !j.isRefusal() {
		e.served(nd, j.key, j.arrived, t)
	}
}

// takeNext lets a node's free worker take the next waiting attempt, if there is one, and sheds what has waited too long.
func (e *engine) takeNext(nd *node, t int64) {
	s := &e.server
	for nd.waiting.len() > 0 && nd.busy.len() < s.workers && !e.stopped() {
		ev := nd.waiting.pop(s.lifo)
		if s.patience > 0 && t-ev.time() > s.patience {
			nd.count(e, nodeRefused, t)
			e.answer(ev, ev.time(), t, strategies.Overloaded, s.overloadHint())
			continue
		}
		e.serve(nd, ev, t)
	}
}

// served answers an attempt, which arrived at a node at arrived, with success.
func (e *engine) served(nd *node, ev event, arrived, t int64) {
	s := &e.server
	e.spend()
	e.series.count(countServed, t)
	e.traceAnswer(ev, t)
	nd.count(e, nodeServed, t)
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

// turnAway refuses an attempt at a node that is up, which costs that something.
func (e *engine) turnAway(nd *node, ev event, class strategies.Class, hint int64) {
	s := &e.server
	t := ev.time()
	if s.refusal > 0 && s.workers > 0 {
		if nd.busy.len() < s.workers {
			nd.busy.put(refusalJob(min(t+s.refusal, maxTime)))
		} else {
			nd.busy.delayFirst(s.refusal)
		}
		e.recordWork(nd, t)
	}
	nd.count(e, nodeRefused, t)
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
	e.served(&s.nodes[0], ev, ev.time(), ev.time())
}
