package strategies

// What becomes of a request while a server is down: when each attempt is made if all before it have failed, and how long
// an outage it lives through.

import (
	"context"
	"math"
	"sort"
	"time"
)

// hardly is a probability that nobody can see.
const hardly = 1e-6

// Life looks at so many attempts of a request at the most; at fewer where each delay depends on the one before it, which
// takes longer.
const (
	MostAttempts  = 10_000
	mostDependent = 2_000
)

// Spread describes the distribution of a moment, in seconds.
type Spread struct {
	Min  float64 `json:"min"`
	P5   float64 `json:"p5"`
	P25  float64 `json:"p25"`
	P50  float64 `json:"p50"`
	Mean float64 `json:"mean"`
	P75  float64 `json:"p75"`
	P95  float64 `json:"p95"`
	Max  float64 `json:"max"`
}

// AttemptRow says when an attempt is made, counted from the first, if nothing ends the request before.
type AttemptRow struct {
	Attempt int64   `json:"attempt"`
	At      Spread  `json:"at"`
	Made    float64 `json:"made"` // probability that it is made at all: that the deadline does not come first
}

// Survival is what becomes of a request whose first attempt meets the beginning of an outage.
type Survival struct {
	Outage   float64 `json:"outageSeconds"`
	Survives float64 `json:"survives"` // probability that an attempt is made once the outage is over
	Attempts float64 `json:"attempts"` // expected number of attempts, that one included
}

// Life is what becomes of a request under a policy.
type Life struct {
	Attempts []AttemptRow `json:"attempts"`
	Survival []Survival   `json:"survival"`      // shortest outage first
	Cut      int64        `json:"cut,omitempty"` // outages are left out that would take more attempts than that; 0: none

}

// waited is the law of the sum of all delays so far, in nanoseconds.
type waited interface {
	bounds() (least, most float64)
	average() float64
	below(x float64) float64    // P(sum < x)
	quantile(p float64) float64 // see law
	// overshoots returns P(sum < x and sum + the next delay > limit) as a function of x.
	overshoots(limit float64) func(x float64) float64
	next() // adds the next delay
}

// Life follows a request whose attempts all fail, each after the same time. It describes the first so many attempts, as
// far as there are, and outages of these lengths, in ascending order. Probabilities come from closed forms and
// convolution, to within 0.001; where a delay depends on the one before it, to within 0.01. It returns ctx's error if it
// ends.
func (p Policy) Life(ctx context.Context, failure time.Duration, attempts int, outages []float64) (Life, error) {
	c := p.Compile()
	f := follower{sum: c.waited(), failure: float64(failure), deadline: math.Inf(1)}
	if p.Deadline > 0 {
		f.deadline = float64(p.Deadline)
	}
	for _, seconds := range outages {
		f.ends = append(f.ends, min(seconds*1e9, math.Nextafter(f.deadline, math.Inf(1))))
	}
	f.begun, f.over = newStairs(len(outages)), newStairs(len(outages))
	life := Life{Attempts: []AttemptRow{}, Survival: make([]Survival, len(outages))}
	limit := int64(MostAttempts)
	if c.feedback {
		limit = mostDependent
	}
	if p.MaxAttempts > 0 {
		limit = min(limit, p.MaxAttempts)
	}
	for {
		if err := ctx.Err(); err != nil {
			return Life{}, err
		}
		f.attempt++
		row := f.row()
		if row.Made < hardly {
			break
		}
		if len(life.Attempts) < attempts {
			life.Attempts = append(life.Attempts, row)
		}
		f.count(f.attempt == p.MaxAttempts)
		if f.attempt == limit || len(life.Attempts) >= attempts && f.done() {
			break
		}
		f.sum.next()
	}
	begun, over := f.begun.sums(), f.over.sums()
	for i := range outages {
		survives := min(max(1-over[i], 0), 1)
		life.Survival[i] = Survival{outages[i], survives, begun[i] + survives}
	}
	if f.attempt == limit && limit != p.MaxAttempts && !f.done() {
		life.Cut = limit
		life.Survival = life.Survival[:sort.Search(len(outages), func(i int) bool { return f.ends[i] > f.shift()+f.sum.quantile(hardly) })]
	}
	return life, nil
}

// follower is a request under way: attempt n is made at the sum of its delays and n − 1 failures.
type follower struct {
	sum               waited
	attempt           int64
	failure, deadline float64
	ends              []float64 // of the outages; what ends after the deadline ends just then
	begun, over       *stairs   // by outage: attempts in it, expected; probability that the last of all is in it
}

// shift is how much of the present attempt's moment is no delay.
func (f *follower) shift() float64 { return float64(f.attempt-1) * f.failure }

func (f *follower) row() AttemptRow {
	shift := f.shift()
	at := func(x float64) float64 { return seconds(x + shift) }
	least, most := f.sum.bounds()
	q := f.sum.quantile
	r := AttemptRow{Attempt: f.attempt, Made: 1}
	r.At = Spread{at(least), at(q(0.05)), at(q(0.25)), at(q(0.5)), at(f.sum.average()), at(q(0.75)), at(q(0.95)), at(most)}
	if most+shift > f.deadline {
		r.Made = f.sum.below(math.Nextafter(f.deadline, math.Inf(1)) - shift)
	}
	return r
}

// done reports whether the present attempt is as good as never made in any of the outages, and none after it.
func (f *follower) done() bool {
	return len(f.ends) == 0 || f.sum.below(f.ends[len(f.ends)-1]-f.shift()) < hardly
}

// count adds the present attempt to the outages.
func (f *follower) count(last bool) {
	least, most := f.sum.bounds()
	shift := f.shift()
	over := f.sum.below
	if !last {
		over = nil
		if !math.IsInf(f.deadline, 1) {
			over = f.sum.overshoots(f.deadline - shift - f.failure)
		}
	}
	from := sort.Search(len(f.ends), func(i int) bool { return f.ends[i]-shift > least })
	to := sort.Search(len(f.ends), func(i int) bool { return f.ends[i]-shift > most })
	for i := from; i < len(f.ends); i++ {
		x := f.ends[i] - shift
		begun, ended := f.sum.below(x), 0.0
		if over != nil {
			ended = over(x)
		}
		if i >= to { // the same for all that follow
			f.begun.from(i, begun)
			f.over.from(i, ended)
			return
		}
		f.begun.at[i] += begun
		f.over.at[i] += ended
	}
}

// stairs are sums by index, to which values are added at one index or from one on.
type stairs struct{ at, rise []float64 }

func newStairs(n int) *stairs { return &stairs{make([]float64, n), make([]float64, n)} }

func (s *stairs) from(i int, x float64) { s.rise[i] += x }

func (s *stairs) sums() []float64 {
	sums, level := make([]float64, len(s.at)), 0.0
	for i := range s.at {
		level += s.rise[i]
		sums[i] = s.at[i] + level
	}
	return sums
}

// waited starts with no delays.
func (c *Compiled) waited() waited {
	switch {
	case c.moment != nil:
		return path{newTrail(c)}
	case c.feedback:
		return newTrail(c)
	}
	return &apart{newTotal(), c, 1}
}

// apart is a sum of delays that do not depend on each other.
type apart struct {
	*total
	c     *Compiled
	retry int64 // whose delay is next
}

func (a *apart) delay() clamped {
	w := a.c.window(a.retry, 0)
	return clamped{float64(w.Lo), float64(w.Lo + w.Span), float64(a.c.clamp)}
}

func (a *apart) next() {
	a.add(a.delay())
	a.retry++
}

func (a *apart) bounds() (least, most float64) { return a.min, a.max }

func (a *apart) average() float64 { return a.mean }

func (t *total) below(x float64) float64 {
	F, _, _ := t.at(x)
	if x > t.max {
		F += t.atMax
	}
	return min(max(F, 0), 1) // whatever the rounding
}

// atMost is P(sum ≤ x).
func (t *total) atMost(x float64) float64 { return t.below(math.Nextafter(x, math.Inf(1))) }

// integral is that of the distribution function up to x.
func (t *total) area(x float64) float64 {
	_, _, I := t.at(x)
	return I + t.atMax*max(0, x-t.max)
}

// overshoots integrates P(d > limit − s) over the sums s below x by parts: what it is at x, less what it rises by up to
// there. The delay d is uniform on [a, b], or exactly b with probability q.
func (a *apart) overshoots(limit float64) func(x float64) float64 {
	d := a.delay()
	from, to, w, q := min(d.lo, d.clamp), min(d.hi, d.clamp), d.hi-d.lo, d.atClamp()
	if from == to {
		certain := a.atMost(limit - to)
		return func(x float64) float64 { return max(0, a.below(x)-certain) }
	}
	atTop := q * a.atMost(limit-to)
	foot := a.area(limit - to)
	return func(x float64) float64 {
		y := limit - x
		switch {
		case y >= to:
			return 0
		case y < from:
			return max(0, a.below(x)-(a.area(limit-from)-foot)/w-atTop)
		}
		return max(0, a.below(x)*(q+(to-y)/w)-(a.area(x)-foot)/w-atTop)
	}
}
