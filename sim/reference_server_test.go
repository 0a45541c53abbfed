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
	a.started = r.now
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
			r.goDown(end, "outage")
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
	r.goDown(r.restartEnds, "crash")
	r.schedule(r.restartEnds, refComesUp, 0, 0, func() {
		r.restartEnds = 0
		r.comeUp()
	})
}

func (r *reference) goDown(until int64, why string) {
	r.spans = append(r.spans, refSpan{r.now, until, why})
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
