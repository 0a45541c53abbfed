package strategies

// The exact law of one delay: min(clamp, U[lo, hi]) where the jitter is a window of the retry alone. Whole
// nanoseconds are so many that they are taken as a continuum.

import "math"

// law is the distribution of a delay, in nanoseconds.
type law interface {
	quantile(p float64) float64    // the smallest x with P(delay ≤ x) ≥ p
	moments() (mean, sd float64)   // mean and standard deviation
	exactly(x float64) (p float64) // probability of a delay of exactly x
}

// clamped is the law of min(clamp, U[lo, hi]).
type clamped struct{ lo, hi, clamp float64 }

// atClamp returns the probability of exactly clamp.
func (c clamped) atClamp() float64 {
	switch {
	case c.lo >= c.clamp:
		return 1
	case c.hi <= c.clamp:
		return 0
	}
	return (c.hi - c.clamp) / (c.hi - c.lo)
}

func (c clamped) exactly(x float64) float64 {
	switch {
	case x == c.clamp:
		return c.atClamp()
	case c.lo == c.hi && x == c.lo && x < c.clamp:
		return 1
	}
	return 0
}

func (c clamped) quantile(p float64) float64 { return min(c.clamp, c.lo+p*(c.hi-c.lo)) }

// moments: a clamped delay falls short of the clamp by a uniform amount up to a = clamp − lo, else by nothing. On a
// window of width w the shortfall has mean a²/2w and mean square a³/3w.
func (c clamped) moments() (mean, sd float64) {
	w := c.hi - c.lo
	switch {
	case c.lo >= c.clamp:
		return c.clamp, 0
	case c.hi <= c.clamp:
		return c.lo + w/2, w / math.Sqrt(12)
	}
	a := c.clamp - c.lo
	short := a * a / (2 * w)
	return c.clamp - short, math.Sqrt(max(0, a*a*a/(3*w)-short*short))
}
