package sim

// A second simulator, written from the model's text alone and in the most obvious way: a heap of events that each do
// one thing, servers and clients as plain structs, no cleverness. Draws come from the same functions, so that the
// engine must agree with it to the last nanosecond. What happened is written down; reference_measure_test.go turns that
// into a result.

import (
	"cmp"
	"container/heap"
	"math"
	"math/big"
	"slices"

	"github.com/stampede-sim/stampede/strategies"
)

// What happens at one instant happens in this order.
const (
	refServiceEnds = iota
	refComesUp
	refGoesDown
	refAnswerSeen
	refTimeoutFires
	refAttemptLeaves
	refAttemptArrives
)

// refEvent does something at a time, in its place among what happens at that instant.
type refEvent struct {
	at      int64
	phase   int
	request uint64
	attempt int64
	do      func()
}

type refHeap []refEvent

func (h refHeap) Len() int { return len(h) }
func (h refHeap) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.phase, b.phase), cmp.Compare(a.request, b.request),
		cmp.Compare(a.attempt, b.attempt)) < 0
}
func (h refHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *refHeap) Push(x any)   { *h = append(*h, x.(refEvent)) }
func (h *refHeap) Pop() any {
	e := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return e
}

// refGroup is a group of clients and what they did.
type refGroup struct {
	id       uint64
	count    int
	workload Workload
	thinking distribution // of a closed workload
	policy   strategies.Policy
	compiled *strategies.Compiled
	requests []*refRequest
	attempts []*refAttempt
	waits    []refStay         // in backoff
	drawn    map[int64][]int64 // delays, by retry

	processes []*refProcess
	opens     []refStay  // of breakers
	tokens    []refLevel // in all budgets
}

type refRequest struct {
	group   *refGroup
	number  uint64
	created int64
	prev    int64 // the delay drawn last
	last    int64 // attempt that left
	ended   int64 // never: pending
	reason  string
	paid    *big.Rat // by a budget for its last retry; nil: it had none
}

type refAttempt struct {
	request             *refRequest
	n                   int64
	left, arrived, seen int64 // never: not so far
	node                int   // that it was sent to, from 1; 0: none
	started, answered   int64 // by the server
	outcome             string
	change              int // the breaker's, when it left
	version             int // contention: what its read found
}

// refStay is a time spent somewhere: in the queue, in service, in backoff.
type refStay struct{ from, to int64 }

// refSpan is a time of being down, by an outage or a crash.
type refSpan struct {
	from, to int64
	why      string
}

// refJob is what a worker is at: an attempt, or the refusal of one (nil).
type refJob struct {
	attempt    *refAttempt
	start, end int64
}

// reference is one replication.
type reference struct {
	s       *Scenario
	draws   stream
	latency distribution
	service distribution
	horizon int64
	now     int64
	events  refHeap
	groups  []*refGroup

	nodes       []*refNode
	outage      *Outage // under way
	outageEnds  int64
	limitUp     refUp
	windowCount map[int64]int64
	tokens      *big.Int // in units of 10^-18
	tokensAt    int64    // effective time of the last refill
	version     int      // contention: writes accepted so far
	recovery    int64
	arrivals    []int64
	served      []*refAttempt
	servedAt    []int64
	spans       []refSpan
	knownUp     int64 // as the last of the spans has it
	downSince   int64 // never: some node is up
	downStays   []refStay
	crashes     int
}

func newReference(s *Scenario, policy, replication int) *reference {
	r := &reference{s: s, draws: newStream(s.Seed, replication), latency: compileDistribution(s.Network.Latency).tabulate(),
		horizon: int64(s.Horizon), limitUp: refUp{at: -1}, windowCount: map[int64]int64{}, downSince: never}
	r.addGroup(s.Clients.Count, s.Clients.Workload, s.Policies[policy])
	for _, o := range s.Clients.Others {
		p := s.Policies[policy]
		if o.Policy != nil {
			p = *o.Policy
		}
		r.addGroup(o.Count, o.Workload, p)
	}
	if s.Server.Kind == Capacity {
		r.service = compileDistribution(s.Server.ServiceTime).tabulate()
		for i := range s.Server.Nodes.Count {
			r.nodes = append(r.nodes, &refNode{number: i, up: refUp{at: -1}, downSince: never})
		}
		r.planOutages()
	}
	if l := s.Server.RateLimit; l != nil {
		r.tokens = r.bucketSize()
	}
	return r
}

func (r *reference) addGroup(count int, w Workload, p strategies.Policy) {
	g := &refGroup{id: uint64(len(r.groups)) << groupShift, count: count, workload: w, policy: p, compiled: p.Compile(),
		drawn: map[int64][]int64{}}
	if w.Kind == Closed {
		g.thinking = compileDistribution(w.Think).tabulate()
	}
	g.addProcesses(r.s.Clients.ClientsPerProcess)
	r.groups = append(r.groups, g)
}

func (r *reference) run() *reference {
	for _, g := range r.groups {
		r.createFirst(g)
	}
	for len(r.events) > 0 && r.events[0].at < r.horizon {
		e := heap.Pop(&r.events).(refEvent)
		r.now = e.at
		e.do()
	}
	r.now = r.horizon
	for _, nd := range r.nodes {
		for _, j := range nd.jobs {
			r.stop(nd, j)
		}
		for _, a := range nd.queue {
			nd.queueStays = append(nd.queueStays, refStay{a.arrived, r.now})
		}
		if nd.downSince != never {
			nd.downStays = append(nd.downStays, refStay{nd.downSince, r.now})
		}
	}
	if r.downSince != never {
		r.downStays = append(r.downStays, refStay{r.downSince, r.now})
	}
	return r
}

func (r *reference) schedule(at int64, phase int, request uint64, attempt int64, do func()) {
	heap.Push(&r.events, refEvent{at, phase, request, attempt, do})
}

func (r *reference) scheduleAttempt(at int64, phase int, a *refAttempt, do func()) {
	r.schedule(at, phase, a.request.id(), a.n, do)
}

func (q *refRequest) id() uint64 { return q.group.id | q.number }

// draw returns the bits of an attempt's draw for a purpose; n is 0 for what belongs to the request.
func (r *reference) draw(q *refRequest, n int64, p purpose) uint64 {
	return at(r.draws.of(q.id()), uint64(n), p)
}

// --- Clients: requests are created.

func (r *reference) createFirst(g *refGroup) {
	switch g.workload.Kind {
	case Burst:
		for i := range g.count {
			q := &refRequest{group: g, number: uint64(i)}
			r.create(q, below(r.draw(q, 0, drawCreation), int64(g.workload.Spread)))
		}
	case Closed:
		for i := range g.count {
			r.think(&refRequest{group: g, number: uint64(i)})
		}
	case Open:
		r.createOpen(g)
	}
}

// think creates a closed client's request after one think time.
func (r *reference) think(q *refRequest) {
	r.create(q, r.now+q.group.thinking.Draw(r.draw(q, 0, drawThink)))
}

// createOpen creates a Poisson process: gaps of mean 1 in a time that passes at the rate of the moment.
func (r *reference) createOpen(g *refGroup) {
	now := 0.0
	for number := uint64(0); ; number++ {
		q := &refRequest{group: g, number: number}
		gap := -math.Log1p(-unit(r.draw(q, 0, drawCreation)))
		for {
			rate, until := rateAt(g.workload, now)
			if passes := (until - now) * rate; rate > 0 && passes >= gap {
				now += gap / rate
				break
			} else if rate > 0 {
				gap -= passes
			}
			if now = until; now >= float64(r.horizon) {
				return
			}
		}
		if now >= float64(r.horizon) {
			return
		}
		r.create(q, int64(now))
	}
}

// rateAt returns the rate of creation per nanosecond at t, and until when it holds.
func rateAt(w Workload, t float64) (rate, until float64) {
	for _, s := range w.Surges {
		if t < float64(s.Start) {
			return w.Rate / 1e9, float64(s.Start)
		}
		if t < float64(s.End) {
			return s.Rate / 1e9, float64(s.End)
		}
	}
	return w.Rate / 1e9, math.Inf(1)
}

// create creates a request at t; attempt 1 leaves at once.
func (r *reference) create(q *refRequest, t int64) {
	if t >= r.horizon {
		return
	}
	q.created, q.ended, q.prev = t, never, q.group.compiled.First()
	q.group.requests = append(q.group.requests, q)
	r.schedule(t, refAttemptLeaves, q.id(), 1, func() { r.leave(q, 1) })
}

// end closes a request. A closed client goes on to its next, which has the number that comes after those of all clients.
func (r *reference) end(q *refRequest, reason string) {
	q.ended, q.reason = r.now, reason
	if q.group.workload.Kind == Closed {
		clients := uint64(1)
		for clients < uint64(q.group.count) {
			clients *= 2
		}
		r.think(&refRequest{group: q.group, number: q.number + clients})
	}
}

// --- An attempt's way, and what its client makes of its end.

func (r *reference) hop(a *refAttempt, p purpose) int64 {
	return r.latency.Draw(r.draw(a.request, a.n, p))
}

func (r *reference) leave(q *refRequest, n int64) {
	if why := r.guardsStop(q, n); why != "" {
		r.notSent(q, n, why)
		return
	}
	p := r.process(q)
	p.flying++
	a := &refAttempt{request: q, n: n, left: r.now, arrived: never, started: never, answered: never, seen: never, outcome: "inFlight", change: p.change}
	q.group.attempts = append(q.group.attempts, a)
	q.last = n
	reaches := r.now + r.hop(a, drawHop1)
	if r.s.Server.Kind == OCC {
		r.scheduleAttempt(reaches, refAttemptArrives, a, func() { r.read(a) })
	} else {
		r.scheduleAttempt(reaches, refAttemptArrives, a, func() { r.arrive(a) })
	}
	if timeout := int64(q.group.policy.AttemptTimeout); timeout > 0 {
		r.scheduleAttempt(r.now+timeout, refTimeoutFires, a, func() { r.see(a, "timeout", noHint) })
	}
}

// answer sends an attempt's outcome back from the server, at t.
func (r *reference) answer(a *refAttempt, t int64, outcome string, hint int64) {
	if t < r.horizon {
		a.answered = t
	}
	back := drawHop2
	if r.s.Server.Kind == OCC {
		back = drawHop4
	}
	r.scheduleAttempt(t+r.hop(a, back), refAnswerSeen, a, func() { r.see(a, outcome, hint) })
}

// see is the client's learning of an outcome. What comes after another outcome is ignored.
func (r *reference) see(a *refAttempt, outcome string, hint int64) {
	if a.seen != never {
		return
	}
	a.seen, a.outcome = r.now, outcome
	r.guardsSee(a, outcome)
	if outcome == "ok" {
		r.end(a.request, "succeeded")
		return
	}
	q := a.request
	if !slices.Contains(q.group.policy.RetryOn.Names(), outcome) {
		r.end(q, "notRetryable")
		return
	}
	r.tryAgain(a, hint)
}

// tryAgain lets another attempt follow one that has failed or was not sent, if it may.
func (r *reference) tryAgain(a *refAttempt, hint int64) {
	q, p := a.request, &a.request.group.policy
	if a.n == p.MaxAttempts {
		r.end(q, "attempts")
		return
	}
	u := r.draw(q, a.n, drawBackoff)
	d := q.group.compiled.Draw(a.n, q.prev, u)
	q.prev = q.group.compiled.Keep(d, u)
	q.group.drawn[a.n] = append(q.group.drawn[a.n], d)
	wait := d
	if hint != noHint {
		switch capped := p.Cap > 0; p.RetryAfter {
		case strategies.FloorHint:
			wait = max(d, hint)
		case strategies.FloorJitter:
			wait = hint + below(r.draw(q, a.n, drawHintJitter), d)
		case strategies.ClampHint:
			wait = max(d, hint)
			if capped {
				wait = min(wait, int64(p.Cap))
			}
		case strategies.GiveUp:
			if capped && hint > int64(p.Cap) {
				r.end(q, "retryAfter")
				return
			}
			wait = max(d, hint)
		}
	}
	leaves := r.now + wait
	if p.Deadline > 0 && leaves > q.created+int64(p.Deadline) {
		r.end(q, "deadline")
		return
	}
	if p.Budget.Kind != "" && !r.pays(q, a.outcome == "timeout") {
		r.end(q, "budget")
		return
	}
	q.group.waits = append(q.group.waits, refStay{r.now, leaves})
	r.schedule(leaves, refAttemptLeaves, q.id(), a.n+1, func() { r.leave(q, a.n+1) })
}
