package sim

// The reference simulator's server.

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"sort"
)

// --- The server: arrival.

func (r *reference) reached(a *refAttempt) {
	a.arrived = r.now
	r.arrivals = append(r.arrivals, r.now)
}

func (r *reference) arrive(a *refAttempt) {
	r.reached(a)
	conf := &r.s.Server
	nd := r.pick(a)
	if nd == nil {
		if r.outage != nil && r.outage.Mode == Hang {
			r.answer(a, r.outageEnds, "unavailable", noHint)
		} else {
			r.answer(a, r.now, "unavailable", r.hint(r.firstUp()-r.now))
		}
		return
	}
	a.node = nd.number + 1
	nd.arrivals = append(nd.arrivals, r.now)
	if c := conf.Crash; c != nil && c.On == OnRate && r.tooMany(nd, c) {
		nd.recent = nil
		nd.refused = append(nd.refused, r.now)
		r.answer(a, r.now, "unavailable", noHint)
		r.crash(nd)
		return
	}
	if wait, limited := r.limited(); limited {
		r.turnAway(nd, a, "rateLimited", r.hint(wait))
		return
	}
	u := unit(r.draw(a.request, a.n, drawError))
	if u < conf.Errors.Permanent {
		r.turnAway(nd, a, "permanent", noHint)
		return
	}
	if u < conf.Errors.Permanent+conf.Errors.Transient {
		r.turnAway(nd, a, "transient", noHint)
		return
	}
	switch {
	case conf.Workers == 0 || len(nd.jobs) < conf.Workers:
		r.serve(nd, a)
	case len(nd.queue) < conf.Queue:
		nd.queue = append(nd.queue, a)
	default:
		r.turnAway(nd, a, "overloaded", r.overloadHint())
		if c := conf.Crash; c != nil && c.On == OnQueueFull {
			r.crash(nd)
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

// tooMany counts an arrival and reports whether those in (t − window, t] are more than a node stands.
func (r *reference) tooMany(nd *refNode, c *Crash) bool {
	nd.recent = append(nd.recent, r.now)
	n := 0
	for _, t := range nd.recent {
		if t > r.now-int64(c.Window) {
			n++
		}
	}
	return float64(n) > c.Rate*c.Window.Seconds()
}

// --- The server: service.

func (r *reference) serve(nd *refNode, a *refAttempt) {
	a.started = r.now
	takes := r.service.Draw(r.draw(a.request, a.n, drawService))
	longer := 1 + r.s.Server.Slowdown*float64(nd.inService())
	r.occupy(nd, a, int64(math.Round(float64(takes)*longer/r.speed(nd.up))))
}

// occupy keeps a worker busy.
func (r *reference) occupy(nd *refNode, a *refAttempt, d int64) {
	j := &refJob{a, r.now, r.now + d}
	nd.jobs = append(nd.jobs, j)
	r.scheduleJob(nd, j)
}

func (j *refJob) order() (request uint64, attempt int64) {
	if j.attempt == nil {
		return math.MaxUint64, 0 // the model does not say; refusals end after services
	}
	return j.attempt.request.id(), j.attempt.n
}

func (r *reference) scheduleJob(nd *refNode, j *refJob) {
	request, attempt := j.order()
	end := j.end
	r.schedule(end, refServiceEnds, request, attempt, func() {
		if j.end == end && slices.Contains(nd.jobs, j) { // else it was held up, or the node went down
			r.complete(nd, j)
		}
	})
}

func (r *reference) complete(nd *refNode, j *refJob) {
	r.stop(nd, j)
	nd.jobs = slices.DeleteFunc(nd.jobs, func(k *refJob) bool { return k == j })
	if j.attempt != nil {
		nd.served = append(nd.served, r.now)
		r.success(j.attempt)
	}
	r.takeNext(nd)
}

// stop notes that a worker was busy up to now.
func (r *reference) stop(nd *refNode, j *refJob) {
	nd.busyStays = append(nd.busyStays, refStay{j.start, r.now})
	if j.attempt != nil {
		nd.serviceStays = append(nd.serviceStays, refStay{j.start, r.now})
	}
}

func (r *reference) success(a *refAttempt) {
	r.served = append(r.served, a)
	r.servedAt = append(r.servedAt, r.now)
	r.answer(a, r.now, "ok", noHint)
}

// takeNext puts a free worker to what waits, and sheds what has waited too long.
func (r *reference) takeNext(nd *refNode) {
	for len(nd.queue) > 0 {
		i := 0
		if r.s.Server.Discipline == LIFO {
			i = len(nd.queue) - 1
		}
		a := nd.queue[i]
		nd.queue = slices.Delete(nd.queue, i, i+1)
		nd.queueStays = append(nd.queueStays, refStay{a.arrived, r.now})
		if most := int64(r.s.Server.MaxQueueWait); most == 0 || r.now-a.arrived <= most {
			r.serve(nd, a)
			return
		}
		nd.refused = append(nd.refused, r.now)
		r.answer(a, r.now, "overloaded", r.overloadHint())
	}
}

// turnAway refuses an attempt, at the cost of some worker's time.
func (r *reference) turnAway(nd *refNode, a *refAttempt, class string, hint int64) {
	nd.refused = append(nd.refused, r.now)
	r.answer(a, r.now, class, hint)
	cost := int64(r.s.Server.RefusalCost)
	switch workers := r.s.Server.Workers; {
	case cost == 0 || workers == 0:
	case len(nd.jobs) < workers:
		r.occupy(nd, nil, cost)
	default:
		first := slices.MinFunc(nd.jobs, func(j, k *refJob) int {
			jr, ja := j.order()
			kr, ka := k.order()
			return cmp.Or(cmp.Compare(j.end, k.end), cmp.Compare(jr, kr), cmp.Compare(ja, ka))
		})
		first.end += cost
		r.scheduleJob(nd, first)
	}
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
		if float64(r.windowCount[k]) < float64(l.Limit)*r.speed(r.limitUp) {
			r.windowCount[k]++
			return 0, false
		}
		return (k+1)*int64(l.Window) - r.now, true
	}
	r.tokens = r.tokensIn(0)
	r.tokensAt = r.effectiveTime(r.limitUp, r.now)
	if r.tokens.Cmp(token) >= 0 {
		r.tokens.Sub(r.tokens, token)
		return 0, false
	}
	return int64(sort.Search(1<<50, func(d int) bool { return r.tokensIn(int64(d)).Cmp(token) >= 0 })), true
}

// tokensIn returns what the bucket will hold after d.
func (r *reference) tokensIn(d int64) *big.Int {
	passed := r.effectiveTime(r.limitUp, r.now+d) - r.tokensAt
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
