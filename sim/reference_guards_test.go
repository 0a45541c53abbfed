package sim

// The reference simulator's guards, written from the model's text in the most obvious way: a breaker keeps all outcomes
// of its state, a throttle all attempts with their times, a budget is a fraction.

import (
	"math"
	"math/big"
	"slices"
)

// refProcess is what some clients of a group share.
type refProcess struct {
	group *refGroup

	state     string // of the breaker: "" for closed, "open", "half-open"
	change    int    // the number of changes so far
	openUntil int64
	outcomes  []bool // in this state; true: a failure
	flying    int    // attempts sent in this state without an outcome

	tokens   *big.Rat
	tokensAt int64

	asked, accepted []int64 // when the throttle was asked, and when it counted an answer
}

// process is the one that a request's client belongs to.
func (r *reference) process(q *refRequest) *refProcess {
	g := q.group
	return g.processes[r.client(q)/r.s.Clients.ClientsPerProcess]
}

func (g *refGroup) addProcesses(perProcess int) {
	for i := 0; i < g.count; i += perProcess {
		p := &refProcess{group: g, tokens: new(big.Rat)}
		if g.policy.Budget.Kind != "" {
			p.tokens = g.budget("most")
		}
		g.processes = append(g.processes, p)
	}
	g.noteTokens(0)
}

// --- Circuit breaker.

func (p *refProcess) breaker(key string) int { return int(p.group.policy.Breaker.Args.Integer(key)) }

func (p *refProcess) turn(state string) {
	p.state, p.outcomes, p.flying = state, nil, 0
	p.change++
}

// stopsNow reports whether the breaker stops an attempt.
func (r *reference) stopsNow(p *refProcess) bool {
	if p.state == "open" && r.now >= p.openUntil {
		p.turn("half-open")
	}
	return p.state == "open" || p.state == "half-open" && p.flying >= p.breaker("probes")
}

// breakerSees counts an outcome.
func (r *reference) breakerSees(a *refAttempt, failed bool) {
	q := a.request
	p := r.process(q)
	if q.group.policy.Breaker.Kind == "" || a.change != p.change || p.state == "open" {
		return
	}
	p.flying--
	p.outcomes = append(p.outcomes, failed)
	switch {
	case p.state == "half-open" && failed, p.state == "" && p.trips():
		args := q.group.policy.Breaker.Args
		stray := math.Round(float64(args.Duration("openFor")) * args.Number("openJitter"))
		shortest := int64(args.Duration("openFor")) - int64(stray)
		p.turn("open")
		p.openUntil = r.now + shortest + below(r.draw(q, a.n, drawOpen), 2*int64(stray))
		q.group.opens = append(q.group.opens, refStay{r.now, p.openUntil})
	case p.state == "half-open" && len(p.outcomes) == p.breaker("successes"):
		p.turn("")
	}
}

// trips reports whether the outcomes open the breaker.
func (p *refProcess) trips() bool {
	last := p.outcomes
	if p.group.policy.Breaker.Kind == "failures" {
		n := p.breaker("failures")
		return len(last) >= n && !slices.Contains(last[len(last)-n:], false)
	}
	n := p.breaker("window")
	if len(last) < n {
		return false
	}
	failures := 0
	for _, failed := range last[len(last)-n:] {
		if failed {
			failures++
		}
	}
	return float64(failures) >= p.group.policy.Breaker.Args.Number("ratio")*float64(n)-1e-9
}

// --- Retry budget.

// budget is one of the figures that the three kinds of budget have, in tokens.
func (g *refGroup) budget(what string) *big.Rat {
	args := g.policy.Budget.Args
	whole := func(key string) *big.Rat { return big.NewRat(args.Integer(key), 1) }
	decimal := func(key string) *big.Rat { return big.NewRat(int64(args.Number(key)*1000+1e-6), 1000) }
	figures := map[string]map[string]*big.Rat{
		"grpc":  {"most": whole("maxTokens"), "success": decimal("tokenRatio"), "failure": big.NewRat(1, 1)},
		"aws":   {"most": whole("capacity"), "success": big.NewRat(1, 1), "cost": whole("retryCost"), "timeoutCost": whole("timeoutCost")},
		"ratio": {"most": decimal("burst"), "request": decimal("ratio"), "second": decimal("minPerSecond"), "cost": big.NewRat(1, 1), "timeoutCost": big.NewRat(1, 1)},
	}
	if x := figures[g.policy.Budget.Kind][what]; x != nil {
		return x
	}
	return new(big.Rat)
}

// add puts tokens in or takes them out, after what has trickled in.
func (r *reference) add(p *refProcess, amount *big.Rat) {
	trickled := new(big.Rat).Mul(p.group.budget("second"), big.NewRat(r.now-p.tokensAt, 1e9))
	p.tokensAt = r.now
	for _, more := range []*big.Rat{trickled, amount} {
		p.tokens = new(big.Rat).Add(p.tokens, more)
		if most := p.group.budget("most"); p.tokens.Cmp(most) > 0 {
			p.tokens = most
		}
		if p.tokens.Sign() < 0 {
			p.tokens = new(big.Rat)
		}
	}
	p.group.noteTokens(r.now)
}

// noteTokens writes down how many tokens there are in all.
func (g *refGroup) noteTokens(t int64) {
	if g.policy.Budget.Kind == "" {
		return
	}
	sum := 0.0
	for _, p := range g.processes {
		thousandths := new(big.Rat).Mul(p.tokens, big.NewRat(1000, 1))
		sum += float64(new(big.Int).Quo(thousandths.Num(), thousandths.Denom()).Int64()) / 1000
	}
	g.tokens = append(g.tokens, refLevel{t, sum})
}

// refLevel is how much there is of something from a time on.
type refLevel struct {
	at    int64
	level float64
}

// pays reports whether the budget pays for the retry after attempt n, which timed out or not.
func (r *reference) pays(q *refRequest, timedOut bool) bool {
	p := r.process(q)
	r.add(p, new(big.Rat))
	cost := q.group.budget("cost")
	if timedOut {
		cost = q.group.budget("timeoutCost")
	}
	enough := p.tokens.Cmp(cost) >= 0
	if q.group.policy.Budget.Kind == "grpc" {
		half := new(big.Rat).Mul(q.group.budget("most"), big.NewRat(1, 2))
		enough = p.tokens.Cmp(half) > 0
	}
	if enough {
		r.add(p, new(big.Rat).Neg(cost))
		q.paid = cost
	}
	return enough
}

// budgetSees counts an outcome.
func (r *reference) budgetSees(a *refAttempt, outcome string, failed bool) {
	q := a.request
	p := r.process(q)
	switch {
	case q.group.policy.Budget.Kind == "":
	case failed:
		r.add(p, new(big.Rat).Neg(q.group.budget("failure")))
	case outcome != "ok":
	case q.group.policy.Budget.Kind == "aws" && q.paid != nil:
		r.add(p, q.paid)
	default:
		r.add(p, q.group.budget("success"))
	}
}

// --- Adaptive throttling.

// dropsNow reports whether the throttle drops an attempt, and counts it.
func (r *reference) dropsNow(q *refRequest, n int64) bool {
	args := q.group.policy.Throttle.Args
	p := r.process(q)
	slot := int64(args.Duration("window")) / 60
	lately := func(times []int64) (n float64) {
		for _, t := range times {
			if t/slot > r.now/slot-60 {
				n++
			}
		}
		return n
	}
	requests, accepts := lately(p.asked), lately(p.accepted)
	p.asked = append(p.asked, r.now)
	return unit(r.draw(q, n, drawThrottle)) < (requests-args.Number("k")*accepts)/(requests+1)
}

func (r *reference) throttleSees(a *refAttempt, outcome string) {
	if !slices.Contains([]string{"unavailable", "overloaded", "rateLimited", "timeout"}, outcome) {
		p := r.process(a.request)
		p.accepted = append(p.accepted, r.now)
	}
}

// --- All of them.

// guardsStop asks the guards whether attempt n may leave. It returns why not, "" if it may.
func (r *reference) guardsStop(q *refRequest, n int64) string {
	p, policy := r.process(q), &q.group.policy
	if n == 1 && policy.Budget.Kind != "" {
		r.add(p, q.group.budget("request"))
	}
	if policy.Breaker.Kind != "" && r.stopsNow(p) {
		return "breaker"
	}
	if policy.Throttle.Kind != "" && r.dropsNow(q, n) {
		return "throttled"
	}
	return ""
}

// guardsSee tells the guards of an outcome that a client has seen.
func (r *reference) guardsSee(a *refAttempt, outcome string) {
	failed := slices.Contains(a.request.group.policy.RetryOn.Names(), outcome)
	r.breakerSees(a, failed)
	r.budgetSees(a, outcome, failed)
	r.throttleSees(a, outcome)
}

// notSent is an attempt that a guard stopped.
func (r *reference) notSent(q *refRequest, n int64, why string) {
	a := &refAttempt{request: q, n: n, left: r.now, arrived: never, started: never, answered: never, seen: r.now, outcome: "notSent"}
	q.group.attempts = append(q.group.attempts, a)
	q.last = n
	if why == "breaker" && q.group.policy.Breaker.Args.Text("onOpen") == "wait" {
		r.tryAgain(a, noHint)
		return
	}
	r.end(q, why)
}

// averageLevel is a level's average over each bin's time.
func (r *reference) averageLevel(levels []refLevel) []float64 {
	x := make([]float64, r.bins())
	width := int64(r.s.Bin)
	for i, l := range levels {
		until := r.horizon
		if i+1 < len(levels) {
			until = levels[i+1].at
		}
		for b := l.at / width; b < r.bins() && b*width < until; b++ {
			begin, end := b*width, min((b+1)*width, r.horizon)
			x[b] += l.level * float64(min(end, until)-max(begin, l.at)) / float64(end-begin)
		}
	}
	return x
}
