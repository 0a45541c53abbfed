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
	"sort"

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
	policy   strategies.Policy
	compiled *strategies.Compiled
	requests []*refRequest
	attempts []*refAttempt
	waits    []refStay         // in backoff
	drawn    map[int64][]int64 // delays, by retry
}

type refRequest struct {
	group   *refGroup
	number  uint64
	created int64
	prev    int64 // the delay drawn last
	ended   int64 // never: pending
	reason  string
}

type refAttempt struct {
	request             *refRequest
	n                   int64
	left, arrived, seen int64 // never: not so far
	outcome             string
	version             int // contention: what its read found
}

// refStay is a time spent somewhere: in the queue, in service, in backoff.
type refStay struct{ from, to int64 }

// refJob is what a worker is at: an attempt, or the refusal of one (nil).
type refJob struct {
	attempt    *refAttempt
	start, end int64
}

// reference is one replication.
type reference struct {
	s       *Scenario
	draws   stream
	latency Distribution
	service Distribution
	horizon int64
	now     int64
	events  refHeap
	groups  []*refGroup

	outage       *Outage // under way
	outageEnds   int64
	restartEnds  int64 // 0: not restarting
	lastUp       int64 // -1: never came up
	effective    int64 // the integral of f up to lastUp
	jobs         []*refJob
	queue        []*refAttempt
	recent       []int64 // arrivals while up that crash.rate counts
	windowCount  map[int64]int64
	tokens       *big.Int // in units of 10^-18
	tokensAt     int64    // effective time of the last refill
	version      int      // contention: writes accepted so far
	recovery     int64
	arrivals     []int64
	served       []*refAttempt
	servedAt     []int64
	queueStays   []refStay
	serviceStays []refStay // attempts in service
	busyStays    []refStay // workers busy, with refusals too
	spans        []span
	crashes      int
}

func newReference(s *Scenario, policy, replication int) *reference {
	r := &reference{s: s, draws: newStream(s.Seed, replication), latency: CompileDistribution(s.Network.Latency),
		horizon: int64(s.Horizon), lastUp: -1, windowCount: map[int64]int64{}}
	r.addGroup(s.Clients.Count, s.Clients.Workload, s.Policies[policy])
	for _, o := range s.Clients.Others {
		p := s.Policies[policy]
		if o.Policy != nil {
			p = *o.Policy
		}
		r.addGroup(o.Count, o.Workload, p)
	}
	if s.Server.Kind == Capacity {
		r.service = CompileDistribution(s.Server.ServiceTime)
		r.planOutages()
	}
	if l := s.Server.RateLimit; l != nil {
		r.tokens = r.bucketSize()
	}
	return r
}

func (r *reference) addGroup(count int, w Workload, p strategies.Policy) {
	r.groups = append(r.groups, &refGroup{id: uint64(len(r.groups)) << groupShift, count: count, workload: w, policy: p, compiled: p.Compile(),
		drawn: map[int64][]int64{}})
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
	for _, j := range r.jobs {
		r.stop(j)
	}
	for _, a := range r.queue {
		r.queueStays = append(r.queueStays, refStay{a.arrived, r.now})
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
	think := CompileDistribution(q.group.workload.Think)
	r.create(q, r.now+think.Draw(r.draw(q, 0, drawThink)))
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
	a := &refAttempt{request: q, n: n, left: r.now, arrived: never, seen: never, outcome: "inFlight"}
	q.group.attempts = append(q.group.attempts, a)
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
	if outcome == "ok" {
		r.end(a.request, "succeeded")
		return
	}
	q, p := a.request, &a.request.group.policy
	if !slices.Contains(p.RetryOn.Names(), outcome) {
		r.end(q, "notRetryable")
		return
	}
	if a.n == p.MaxAttempts {
		r.end(q, "attempts")
		return
	}
	d := q.group.compiled.Draw(a.n, q.prev, r.draw(q, a.n, drawBackoff))
	q.prev = d
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
	q.group.waits = append(q.group.waits, refStay{r.now, leaves})
	r.schedule(leaves, refAttemptLeaves, q.id(), a.n+1, func() { r.leave(q, a.n+1) })
}

// --- The server: arrival.

func (r *reference) down() bool { return r.outage != nil || r.restartEnds > 0 }

func (r *reference) reached(a *refAttempt) {
	a.arrived = r.now
	r.arrivals = append(r.arrivals, r.now)
}

func (r *reference) arrive(a *refAttempt) {
	r.reached(a)
	conf := &r.s.Server
	if r.down() {
		if r.outage != nil && r.outage.Mode == Hang {
			r.answer(a, r.outageEnds, "unavailable", noHint)
		} else {
			r.answer(a, r.now, "unavailable", r.hint(max(r.outageEnds, r.restartEnds)-r.now))
		}
		return
	}
	if c := conf.Crash; c != nil && c.On == OnRate && r.tooMany(c) {
		r.recent = nil
		r.answer(a, r.now, "unavailable", noHint)
		r.crash()
		return
	}
	if wait, limited := r.limited(); limited {
		r.turnAway(a, "rateLimited", r.hint(wait))
		return
	}
	u := unit(r.draw(a.request, a.n, drawError))
	if u < conf.Errors.Permanent {
		r.turnAway(a, "permanent", noHint)
		return
	}
	if u < conf.Errors.Permanent+conf.Errors.Transient {
		r.turnAway(a, "transient", noHint)
		return
	}
	switch {
	case conf.Workers == 0 || len(r.jobs) < conf.Workers:
		r.serve(a)
	case len(r.queue) < conf.Queue:
		r.queue = append(r.queue, a)
	default:
		r.turnAway(a, "overloaded", r.overloadHint())
		if c := conf.Crash; c != nil && c.On == OnQueueFull {
			r.crash()
		}
	}
}

// hint is the Retry-After of a refusal whose cause will be gone after remaining.
func (r *reference) hint(remaining int64) int64 {
	switch h := r.s.Server.RetryAfter; h.Kind {
	case ConstantHint:
		return int64(h.After)
	case RemainingHint:
		return remaining
	}
	return noHint
}

func (r *reference) overloadHint() int64 {
	if r.s.Server.RetryAfter.Kind == RemainingHint {
		return noHint
	}
	return r.hint(0)
}

// tooMany counts an arrival and reports whether those in (t − window, t] are more than the server stands.
func (r *reference) tooMany(c *Crash) bool {
	r.recent = append(r.recent, r.now)
	n := 0
	for _, t := range r.recent {
		if t > r.now-int64(c.Window) {
			n++
		}
	}
	return float64(n) > c.Rate*c.Window.Seconds()
}

// --- The server: service.

func (r *reference) serve(a *refAttempt) {
	inService := 0
	for _, j := range r.jobs {
		if j.attempt != nil {
			inService++
		}
	}
	takes := r.service.Draw(r.draw(a.request, a.n, drawService))
	longer := 1 + r.s.Server.Slowdown*float64(inService)
	r.occupy(a, int64(math.Round(float64(takes)*longer/r.speed())))
}

// occupy keeps a worker busy.
func (r *reference) occupy(a *refAttempt, d int64) {
	j := &refJob{a, r.now, r.now + d}
	r.jobs = append(r.jobs, j)
	r.scheduleJob(j)
}

func (j *refJob) order() (request uint64, attempt int64) {
	if j.attempt == nil {
		return math.MaxUint64, 0 // the model does not say; refusals end after services
	}
	return j.attempt.request.id(), j.attempt.n
}

func (r *reference) scheduleJob(j *refJob) {
	request, attempt := j.order()
	end := j.end
	r.schedule(end, refServiceEnds, request, attempt, func() {
		if j.end == end && slices.Contains(r.jobs, j) { // else it was held up, or the server went down
			r.complete(j)
		}
	})
}

func (r *reference) complete(j *refJob) {
	r.stop(j)
	r.jobs = slices.DeleteFunc(r.jobs, func(k *refJob) bool { return k == j })
	if j.attempt != nil {
		r.success(j.attempt)
	}
	r.takeNext()
}

// stop notes that a worker was busy up to now.
func (r *reference) stop(j *refJob) {
	r.busyStays = append(r.busyStays, refStay{j.start, r.now})
	if j.attempt != nil {
		r.serviceStays = append(r.serviceStays, refStay{j.start, r.now})
	}
}

func (r *reference) success(a *refAttempt) {
	r.served = append(r.served, a)
	r.servedAt = append(r.servedAt, r.now)
	r.answer(a, r.now, "ok", noHint)
}

// takeNext puts a free worker to what waits, and sheds what has waited too long.
func (r *reference) takeNext() {
	for len(r.queue) > 0 {
		i := 0
		if r.s.Server.Discipline == LIFO {
			i = len(r.queue) - 1
		}
		a := r.queue[i]
		r.queue = slices.Delete(r.queue, i, i+1)
		r.queueStays = append(r.queueStays, refStay{a.arrived, r.now})
		if most := int64(r.s.Server.MaxQueueWait); most == 0 || r.now-a.arrived <= most {
			r.serve(a)
			return
		}
		r.answer(a, r.now, "overloaded", r.overloadHint())
	}
}

// turnAway refuses an attempt while up, at the cost of some worker's time.
func (r *reference) turnAway(a *refAttempt, class string, hint int64) {
	r.answer(a, r.now, class, hint)
	cost := int64(r.s.Server.RefusalCost)
	switch workers := r.s.Server.Workers; {
	case cost == 0 || workers == 0:
	case len(r.jobs) < workers:
		r.occupy(nil, cost)
	default:
		first := slices.MinFunc(r.jobs, func(j, k *refJob) int {
			jr, ja := j.order()
			kr, ka := k.order()
			return cmp.Or(cmp.Compare(j.end, k.end), cmp.Compare(jr, kr), cmp.Compare(ja, ka))
		})
		first.end += cost
		r.scheduleJob(first)
	}
}

// --- The server: down and up.

func (r *reference) planOutages() {
	for i := range r.s.Server.Outages {
		o := &r.s.Server.Outages[i]
		end := int64(o.End) + below(at(r.draws.of(uint64(i)), 0, drawOutageEnd), int64(o.EndSpread))
		if i == 0 {
			r.recovery = end
		}
		r.schedule(int64(o.Start), refGoesDown, uint64(i), 0, func() {
			r.outage, r.outageEnds = o, end
			r.goDown(end, false)
		})
		r.schedule(end, refComesUp, uint64(i), 0, func() {
			r.outage, r.outageEnds = nil, 0
			r.comeUp()
		})
	}
}

func (r *reference) crash() {
	r.crashes++
	r.restartEnds = r.now + int64(r.s.Server.Crash.Restart)
	r.goDown(r.restartEnds, true)
	r.schedule(r.restartEnds, refComesUp, 0, 0, func() {
		r.restartEnds = 0
		r.comeUp()
	})
}

func (r *reference) goDown(until int64, crash bool) {
	r.spans = append(r.spans, span{from: r.now, to: until, crash: crash})
	for _, j := range r.jobs {
		r.stop(j)
		if j.attempt != nil {
			r.answer(j.attempt, r.now, "unavailable", noHint)
		}
	}
	for _, a := range r.queue {
		r.queueStays = append(r.queueStays, refStay{a.arrived, r.now})
		r.answer(a, r.now, "unavailable", noHint)
	}
	r.jobs, r.queue = nil, nil
}

// comeUp is the end of an outage or restart; the server is up unless the other goes on.
func (r *reference) comeUp() {
	if !r.down() {
		r.effective = r.effectiveTime(r.now)
		r.lastUp = r.now
	}
}

// speed is f(t), now.
func (r *reference) speed() float64 {
	w := r.s.Server.Warmup
	if w == nil || r.lastUp < 0 || r.now-r.lastUp >= int64(w.Duration) {
		return 1
	}
	return w.From + (1-w.From)*float64(r.now-r.lastUp)/float64(w.Duration)
}

// effectiveTime is the integral of f from 0 to t ≥ lastUp, in whole nanoseconds.
func (r *reference) effectiveTime(t int64) int64 {
	if r.lastUp < 0 {
		return t
	}
	since := t - r.lastUp
	w := r.s.Server.Warmup
	if w == nil {
		return r.effective + since
	}
	warm := float64(min(since, int64(w.Duration)))
	slow := warm*w.From + (1-w.From)*warm*warm/(2*float64(w.Duration))
	return r.effective + int64(slow) + max(0, since-int64(w.Duration))
}

// --- The server: rate limit.

var token = big.NewInt(1e18)

func (r *reference) bucketSize() *big.Int {
	return new(big.Int).Mul(token, big.NewInt(r.s.Server.RateLimit.Burst))
}

// limited takes one from the limit, or returns how long that takes to be possible.
func (r *reference) limited() (wait int64, limited bool) {
	l := r.s.Server.RateLimit
	switch {
	case l == nil:
		return 0, false
	case l.Kind == FixedWindow:
		k := r.now / int64(l.Window)
		if float64(r.windowCount[k]) < float64(l.Limit)*r.speed() {
			r.windowCount[k]++
			return 0, false
		}
		return (k+1)*int64(l.Window) - r.now, true
	}
	r.tokens = r.tokensIn(0)
	r.tokensAt = r.effectiveTime(r.now)
	if r.tokens.Cmp(token) >= 0 {
		r.tokens.Sub(r.tokens, token)
		return 0, false
	}
	return int64(sort.Search(1<<50, func(d int) bool { return r.tokensIn(int64(d)).Cmp(token) >= 0 })), true
}

// tokensIn returns what the bucket will hold after d.
func (r *reference) tokensIn(d int64) *big.Int {
	passed := r.effectiveTime(r.now+d) - r.tokensAt
	gained := new(big.Int).Mul(big.NewInt(int64(math.Round(r.s.Server.RateLimit.Rate*1e9))), big.NewInt(passed))
	gained.Add(gained, r.tokens)
	if size := r.bucketSize(); gained.Cmp(size) > 0 {
		return size
	}
	return gained
}

// --- Contention.

func (r *reference) read(a *refAttempt) {
	a.version = r.version
	writes := r.now + r.hop(a, drawHop2) + r.hop(a, drawHop3)
	r.scheduleAttempt(writes, refAttemptArrives, a, func() { r.write(a) })
}

func (r *reference) write(a *refAttempt) {
	r.reached(a)
	if a.version != r.version {
		r.answer(a, r.now, "conflict", noHint)
		return
	}
	r.version++
	r.success(a)
}
