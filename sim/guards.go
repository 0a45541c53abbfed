package sim

import "github.com/stampede-sim/stampede/strategies"

// Guards couple the clients of a process: what one of them sees decides whether another's attempt may leave. So the engine
// cannot follow a guarded client from one meeting with the server to the next: its attempts' leaving, where a guard is
// asked, and their answers are events of their own, met in the order of time. Where no guard is asked of what leaves, as
// with most budgets, an attempt goes straight to its arrival; and what a server that is down refuses on a network that takes no
// time is seen there and then, for nothing can come between (bounce).

// guards are those of a group's processes, one state each, and what its clients remember for them.
type guards struct {
	process   divider // a client's process
	breaker   *strategies.Breaker
	budget    *strategies.Budget
	throttle  *strategies.Throttle
	breakers  []strategies.BreakerState
	budgets   []strategies.BudgetState
	throttles []strategies.ThrottleState
	remembered

	// Thousandths of tokens over all processes, and what the series knows of them: so coarse that its sums do not overflow.
	tokens, recorded int64
	coarse           uint
}

// remembered is by slot: what clients remember, as far as there is a guard that needs it.
type remembered struct {
	answers  []int64  // on their way to the client: whether it is a success, its class, its hint
	marks    []uint32 // the breaker's, when the attempt left
	timedOut []bool   // the last retry was paid for after a timeout; nil unless the budget refunds it
}

// newGuards returns the guards of a policy for so many clients, in the memory of old ones; nil if it has none.
func newGuards(p *strategies.Policy, clients, perProcess, slots int, old *guards) *guards {
	if !p.Guarded() {
		return nil
	}
	if old == nil {
		old = new(guards)
	}
	g := &guards{process: newDivider(int64(perProcess), int64(clients)), breaker: p.NewBreaker(), budget: p.NewBudget(), throttle: p.NewThrottle()}
	processes := processes(clients, perProcess)
	g.answers = resized(old.answers, slots)
	if g.breaker != nil {
		g.breakers = zeroed(old.breakers, processes)
		g.marks = resized(old.marks, slots)
	}
	if g.budget != nil {
		if g.budget.Refund {
			g.timedOut = resized(old.timedOut, slots)
		}
		g.budgets = resized(old.budgets, processes)
		for i := range g.budgets {
			g.budgets[i] = g.budget.Start()
		}
		start := g.budget.Start()
		g.tokens = int64(processes) * start.Left()
	}
	if g.throttle != nil {
		g.throttles = zeroed(old.throttles, processes)
	}
	return g
}

// grow makes room for one more request.
func (g *guards) grow() {
	g.answers = append(g.answers, 0)
	if g.breaker != nil {
		g.marks = append(g.marks, 0)
	}
	if g.timedOut != nil {
		g.timedOut = append(g.timedOut, false)
	}
}

// processes returns how many there are; the last may have fewer clients.
func processes(clients, perProcess int) int { return (clients-1)/perProcess + 1 }

// coarseness is by how many bits the thousandths of tokens in so many budgets have to be shifted for their integrals over a
// bin, of up to 2^32 units of time, to be summed up over replications without an overflow.
func coarseness(b *strategies.Budget, processes, replications int) (shift uint) {
	start := b.Start()
	for most := int64(processes) * start.Left(); most>>shift >= 1<<31/int64(replications); {
		shift++
	}
	return shift
}

// asksOf reports whether a guard has a say when attempt n leaves, or counts that it does.
func (g *guards) asksOf(n int64) bool {
	return g.breaker != nil || g.throttle != nil || n == 1 && g.budget.PerRequest+g.budget.PerSecond > 0
}

// process returns the process of a request's client.
func (e *engine) process(g *group, number uint64) int64 {
	return g.guards.process.of(e.client(g, number))
}

// depart lets a guarded client's attempt leave when its time comes.
func (e *engine) depart(g *group, a attempt) {
	switch {
	case !g.lingers:
		e.recordWait(g, a.since, a.leave)
	case a.n > 1:
		e.series.step(levelWaiting, a.since, 1)
	}
	switch {
	case a.leave >= e.horizon:
	case g.guards.asksOf(a.n):
		e.emit(newEvent(a.leave, classLeave, g.id|a.number, a.n))
	default:
		e.dispatch(g, a.number, a.n, a.leave)
	}
}

// leave is the moment at which an attempt would leave: breaker and throttle are asked.
func (e *engine) leave(ev event) {
	g, number, n := e.subject(ev)
	t, s, p := ev.time(), g.guards, e.process(g, number)
	if n == 1 && s.budget != nil {
		before := s.budgets[p].Left()
		s.budget.Requested(&s.budgets[p], t)
		e.recordTokens(g, t, s.budgets[p].Left()-before)
	}
	if s.breaker != nil && !s.breaker.Allows(&s.breakers[p], t) {
		e.holdBack(g, number, n, t, reasonBreaker)
		return
	}
	if s.throttle != nil {
		probability := s.throttle.Probability(&s.throttles[p], t)
		s.throttle.Requested(&s.throttles[p], t)
		if unit(at(e.stream.of(ev.request()), uint64(n), drawThrottle)) < probability {
			e.holdBack(g, number, n, t, reasonThrottled)
			return
		}
	}
	mark := uint32(0)
	if s.breaker != nil {
		mark = s.breaker.Sent(&s.breakers[p])
	}
	if arrival := newEvent(t, classArrival, g.id|number, n); e.fixed == 0 && g.plain && e.isAlone(arrival) {
		e.spend() // what dispatch comes to, on a network that takes no time
		g.attempts++
		e.arrives(t)
		if e.server.down && e.bounce(arrival, mark) {
			return // and nobody need remember the mark
		}
		s.mark(g, number, mark)
		e.stays(arrival)
		return
	}
	s.mark(g, number, mark)
	e.dispatch(g, number, n, t)
}

// mark notes the breaker's mark of an attempt that is under way.
func (s *guards) mark(g *group, number uint64, mark uint32) {
	if s.breaker != nil {
		s.marks[g.slot(number)] = mark
	}
}

// markOf returns the breaker's mark of an attempt, if it has one.
func (e *engine) markOf(ev event) uint32 {
	g, number, _ := e.subject(ev)
	if g.guards == nil || g.guards.breaker == nil {
		return 0
	}
	return g.guards.marks[g.slot(number)]
}

// holdBack is a guard's stopping an attempt that would have left at t. It uses up its number.
func (e *engine) holdBack(g *group, number uint64, n, t int64, reason int) {
	e.spend()
	e.endWait(g, n, t)
	g.notSent++
	if g.tested && e.trace != nil {
		e.trace.leaves(g, attempt{number, n, t, t}, never, e.horizon)
		e.trace.seen(g, number, n, t, "notSent")
	}
	next, more := attempt{}, false
	if reason == reasonBreaker && g.guards.breaker.Wait {
		next, more = e.again(g, number, n, t, noHint, false)
	} else {
		next, more = e.requestFailed(g, number, n, t, reason)
	}
	if more {
		e.depart(g, next)
	}
}

// dispatch sends an attempt that leaves at t on its way to the server, as send does.
func (e *engine) dispatch(g *group, number uint64, n, t int64) {
	e.spend()
	g.attempts++
	base := e.stream.of(g.id | number)
	arrival := t + e.way(base, uint64(n))
	met := e.follow && arrival < e.horizon && e.server.isKnownDown(arrival)
	back := int64(0)
	if met || g.timeout > 0 {
		back = e.hop(base, uint64(n), e.back)
	}
	if e.trace != nil {
		e.traceLeave(g, attempt{number, n, t, t}, arrival, met)
	}
	switch fires := g.fires(t); {
	case g.timeout > 0 && arrival-t+max(1, back) > g.timeout:
		e.sendAbandoned(g, attempt{number, n, t, t}, arrival, met)
		if fires < e.horizon {
			e.emit(newEvent(fires, classTimeout, g.id|number, n))
		}
	case arrival >= e.horizon:
	case met && back > 0:
		// An answer at the instant of the arrival would be among others of that instant.
		e.meetEarly(arrival)
		seen, class, hint := e.answerWhileDown(arrival, back, fires)
		e.retry(g, number, n, seen, class, hint)
	default:
		e.emit(newEvent(arrival, classArrival, g.id|number, n))
	}
}

// toldPays tells a client's guards, at t, that attempt n was refused by a server that is down, and reports whether they
// pay for another. If not, the request has failed. It is tell and pays in one, for that is where guards are asked most.
func (e *engine) toldPays(g *group, number uint64, n, t int64, mark uint32) bool {
	s, p := g.guards, e.process(g, number)
	if s.breaker != nil {
		e.tellBreaker(g, p, number, n, t, mark, true)
	}
	if s.throttle != nil && !s.throttle.Rejects(strategies.Unavailable) {
		s.throttle.Accepted(&s.throttles[p], t)
	}
	if s.budget == nil {
		return true
	}
	state := &s.budgets[p]
	before := state.Left()
	s.budget.Failed(state, t)
	ok := s.budget.Pays(state, t, false)
	e.recordTokens(g, t, state.Left()-before)
	s.remember(g, number, false)
	if ok {
		return true
	}
	if next, more := e.requestFailed(g, number, n, t, reasonBudget); more {
		e.depart(g, next)
	}
	return false
}

// success stands for the class of an answer that is none of failure.
const success = strategies.Class(strategies.NumClasses)

// bring lets a guarded client see an outcome at t.
func (e *engine) bring(g *group, number uint64, n, t int64, class strategies.Class, hint int64) {
	if class == strategies.Timeout {
		e.emit(newEvent(t, classTimeout, g.id|number, n))
		return
	}
	g.guards.answers[g.slot(number)] = hint<<3 | int64(class)
	e.emit(newEvent(t, classAnswer, g.id|number, n))
}

// answered is an answer's reaching its client.
func (e *engine) answered(ev event) {
	g, number, n := e.subject(ev)
	answer := g.guards.answers[g.slot(number)]
	if class := strategies.Class(answer & 7); class != success {
		e.see(g, number, n, ev.time(), class, answer>>3)
		return
	}
	e.tell(g, number, n, ev.time(), success)
	e.taken(g, number, n, ev.time())
}

// tell lets the guards know of an outcome that a client has seen.
func (e *engine) tell(g *group, number uint64, n, t int64, class strategies.Class) {
	s, p := g.guards, e.process(g, number)
	failed := class != success && g.retryOn.Has(class)
	if s.breaker != nil {
		e.tellBreaker(g, p, number, n, t, s.marks[g.slot(number)], failed)
	}
	if s.budget != nil && (failed || class == success) {
		state := &s.budgets[p]
		before := state.Left()
		if failed {
			s.budget.Failed(state, t)
		} else {
			s.budget.Succeeded(state, t, n > 1, s.timedOut != nil && s.timedOut[g.slot(number)])
		}
		e.recordTokens(g, t, state.Left()-before)
	}
	if s.throttle != nil && (class == success || !s.throttle.Rejects(class)) {
		s.throttle.Accepted(&s.throttles[p], t)
	}
}

// tellBreaker lets a process's breaker know of the outcome of attempt n that a client has seen at t.
func (e *engine) tellBreaker(g *group, process int64, number uint64, n, t int64, mark uint32, failed bool) {
	s := g.guards
	state := &s.breakers[process]
	if !s.breaker.Seen(state, mark, failed) {
		return
	}
	until := s.breaker.OpenFrom(state, t, at(e.stream.of(g.id|number), uint64(n), drawOpen))
	if g.tested {
		e.series.step(levelOpen, t, 1)
		e.series.step(levelOpen, until, -1)
	}
}

// pays reports whether the budget pays for a retry that is decided on at t.
func (e *engine) pays(g *group, number uint64, t int64, timedOut bool) bool {
	s := g.guards
	if s.budget == nil {
		return true
	}
	state := &s.budgets[e.process(g, number)]
	before := state.Left()
	ok := s.budget.Pays(state, t, timedOut)
	e.recordTokens(g, t, state.Left()-before)
	s.remember(g, number, timedOut)
	return ok
}

// remember notes whether the retry that has been paid for follows a timeout.
func (s *guards) remember(g *group, number uint64, timedOut bool) {
	if s.timedOut != nil {
		s.timedOut[g.slot(number)] = timedOut
	}
}

// recordTokens records that there are so many thousandths more in a budget of the group.
func (e *engine) recordTokens(g *group, t, more int64) {
	s := g.guards
	s.tokens += more
	if now := s.tokens >> s.coarse; g.tested && now != s.recorded {
		e.series.step(levelTokens, t, now-s.recorded)
		s.recorded = now
	}
}

// emit adds an event that may well be the next to happen: then it need not go through the calendar.
func (e *engine) emit(ev event) {
	if e.ahead != (event{}) || ev.time() >= e.calendar.end {
		e.push(ev)
		return
	}
	e.ahead = ev
}

// jump handles the event that emit held back if it is indeed the next; else that goes to the calendar.
func (e *engine) jump() {
	ev := e.ahead
	e.ahead = event{}
	if e.isAlone(ev) {
		e.handle(ev)
		return
	}
	e.push(ev)
}

// isAlone reports whether nothing comes before an event that is not in the calendar.
func (e *engine) isAlone(ev event) bool {
	return ev.time() < e.nextPassive() && e.comesNext(ev) && e.ahead == (event{})
}
