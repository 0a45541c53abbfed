package strategies

// The law of a sum of independent delays: how long a client has waited up to a retry.

import (
	"math"
	"sort"
)

// steps is how many parts the law of a sum is cut into.
const steps = 512

// total is the law of a sum of delays that are each min(clamp, U[lo, hi]): a point mass at the longest sum, and a
// continuous part. The distribution function of that is kept at evenly spaced nodes, with its derivative and its
// integral; in between it is the cubic that has these values and slopes. The zero total is not valid; see newTotal.
type total struct {
	min, max       float64
	mean, variance float64
	atMax          float64 // the point mass

	from, step         float64 // of the nodes
	cdf, pdf, integral []float64
}

// newTotal is the sum of no delays.
func newTotal() *total { return &total{atMax: 1} }

// add adds a delay that is independent of those before it.
//
// With a = lo, b = min(clamp, hi), w = hi − lo and q the probability of exactly clamp, the continuous part F becomes
// (I(x−a) − I(x−b))/w + q·F(x−b), where I is its integral; what was the point mass at max is spread over [max+a, max+b].
func (t *total) add(c clamped) {
	mean, sd := c.moments()
	a, b := min(c.lo, c.clamp), min(c.hi, c.clamp)
	next := &total{min: t.min + a, max: t.max + b, mean: t.mean + mean, variance: t.variance + sd*sd}
	certain := b-a <= 1e-6*(next.max-next.min) // as good as
	if !certain {
		next.spread(6)                        // beyond six standard deviations there is less than 10⁻⁸
		certain = next.step <= 1e-15*next.max // nodes would fall together
	}
	if certain {
		next.atMax, next.from, next.step = t.atMax, t.from+mean, t.step
		next.cdf, next.pdf, next.integral = t.cdf, t.pdf, t.integral
		*t = *next
		return
	}
	w, q := c.hi-c.lo, c.atClamp()
	next.atMax = t.atMax * q
	for i := range next.cdf {
		x := min(next.from+float64(i)*next.step, next.max)
		Fa, _, Ia := t.at(x - a)
		Fb, fb, Ib := t.at(x - b)
		next.cdf[i] = (Ia-Ib)/w + q*Fb
		next.pdf[i] = (Fa-Fb)/w + q*fb
		if x >= t.max+a {
			next.cdf[i] += t.atMax * (x - t.max - a) / w
			next.pdf[i] += t.atMax / w
		}
		if i > 0 {
			h := next.step
			next.integral[i] = next.integral[i-1] + h*(next.cdf[i-1]+next.cdf[i])/2 + h*h*(next.pdf[i-1]-next.pdf[i])/12
		}
	}
	*t = *next
}

// spread lays the nodes over the possible sums within so many standard deviations of the mean.
func (t *total) spread(deviations float64) {
	reach := deviations * math.Sqrt(t.variance)
	t.from = max(t.min, t.mean-reach)
	t.step = (min(t.max, t.mean+reach) - t.from) / steps
	t.cdf, t.pdf, t.integral = make([]float64, steps+1), make([]float64, steps+1), make([]float64, steps+1)
}

// at returns the distribution function of the continuous part at x, its derivative and its integral up to x.
func (t *total) at(x float64) (F, f, I float64) {
	u := (x - t.from) / t.step
	if t.cdf == nil || u <= 0 {
		return 0, 0, 0
	}
	if u >= steps {
		return t.cdf[steps], 0, t.integral[steps] + t.cdf[steps]*(u-steps)*t.step
	}
	i := int(u)
	u -= float64(i)
	h := t.step
	F0, f0 := t.cdf[i], t.pdf[i]*h
	// F = F0 + f0·u + c2·u² + c3·u³
	rise := t.cdf[i+1] - F0
	f1 := t.pdf[i+1] * h
	c2, c3 := 3*rise-2*f0-f1, f0+f1-2*rise
	F = F0 + u*(f0+u*(c2+u*c3))
	f = (f0 + u*(2*c2+u*3*c3)) / h
	I = t.integral[i] + h*u*(F0+u*(f0/2+u*(c2/3+u*c3/4)))
	return F, f, I
}

// quantile returns the sum that is not exceeded with probability p.
func (t *total) quantile(p float64) float64 {
	if t.cdf == nil || p > t.cdf[steps] {
		return t.max
	}
	i := sort.SearchFloat64s(t.cdf, p)
	hi := t.from + float64(i)*t.step
	lo := max(hi-t.step, t.from)
	for range 40 { // halvings
		mid := (lo + hi) / 2
		if F, _, _ := t.at(mid); F < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return min(max(hi, t.min), t.max) // whatever the rounding
}
