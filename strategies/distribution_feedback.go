package strategies

// The law of a delay that depends on the one before it, as with decorrelated jitter. From the law of the delay before,
// cut into many small masses, each of which draws uniformly from its own window, follows the law of the next.

import "math"

// A law is cut into at least minCells parts, and so that none is wider than 1/cellsPerE of the delays in it. Against
// cells 16 times finer, quantiles, means and shares then differ by less than 0.03 % of the longest delay.
const (
	minCells  = 512
	cellsPerE = 80
)

// chain is the law of a delay with feedback: uniform between neighbouring nodes, with a point mass at either end.
type chain struct {
	x    []float64 // ascending, from the shortest to the longest delay
	tail []float64 // P(delay > x); at the last node, P(delay ≥ x)
}

// certain is the law of a delay that is always x.
func certain(x float64) *chain { return &chain{x: []float64{x}, tail: []float64{1}} }

// masses calls yield for each part of the law, longest delays first: its centre, half its width and its probability.
func (l *chain) masses(yield func(x, half, p float64)) {
	last := len(l.x) - 1
	yield(l.x[last], 0, l.tail[last])
	for i := last; i > 0; i-- {
		half := (l.x[i] - l.x[i-1]) / 2
		yield(l.x[i]-half, half, l.tail[i-1]-l.tail[i])
	}
	yield(l.x[0], 0, 1-l.tail[0])
}

// next returns the law of the delay after l, which is drawn from window(prev) and lies within [lo, hi]: what would be
// longer is hi. The bounds of the window must not fall when prev rises.
//
// For each node x it sums P(U[a, b] > x) over the windows [a, b]: 1 for those above x, (b − x)/(b − a) for those that
// contain x. Both are consecutive windows, so running sums of p, p·b/(b − a) and p/(b − a) make it one pass.
func (l *chain) next(window func(prev int64) (lo, hi int64), lo, hi float64) *chain {
	if lo == hi {
		return certain(lo)
	}
	n := len(l.x) + 1
	a, b := make([]float64, 0, n), make([]float64, 0, n)
	whole, share, slope := make([]float64, 1, n+1), make([]float64, 1, n+1), make([]float64, 1, n+1)
	var sum, sumShare, sumSlope float64
	l.masses(func(x, _, p float64) {
		from, to := window(int64(x + 0.5))
		if w := float64(to - from); w > 0 {
			sumShare += p * float64(to) / w
			sumSlope += p / w
		}
		sum += p
		a, b = append(a, float64(from)), append(b, float64(to))
		whole, share, slope = append(whole, sum), append(share, sumShare), append(slope, sumSlope)
	})

	next := &chain{x: l.x}
	if l.x[0] != lo || l.x[len(l.x)-1] != hi {
		next.x = nodes(lo, hi, minCells, cellsPerE)
	}
	next.tail = make([]float64, len(next.x))
	tail := 0.0
	above, reaching := 0, 0 // how many windows lie beyond x; end beyond x
	for i := len(next.x) - 1; i >= 0; i-- {
		x := next.x[i]
		for reaching < n && b[reaching] > x {
			reaching++
		}
		for above < reaching && a[above] >= x {
			above++
		}
		p := whole[above] + share[reaching] - share[above] - x*(slope[reaching]-slope[above])
		tail = max(tail, min(p, 1)) // whatever the rounding
		next.tail[i] = tail
	}
	return next
}

// nodes cuts [lo, hi] into at least so many parts, and so many for each factor of e, whose width grows with the delay, so
// that short delays are as sharp as long ones.
func nodes(lo, hi, least, perE float64) []float64 {
	growth := max(1e-9, math.Log((hi+1)/(lo+1)))
	cells := max(least, math.Ceil(perE*growth))
	x := make([]float64, int(cells)+1)
	for i := range x {
		x[i] = lo + (hi-lo)*math.Expm1(growth*float64(i)/cells)/math.Expm1(growth)
	}
	x[len(x)-1] = hi
	return x
}

// near reports whether two laws are the same but for rounding.
func (l *chain) near(other *chain) bool {
	if &l.x[0] != &other.x[0] {
		return false
	}
	for i := range l.tail {
		if math.Abs(l.tail[i]-other.tail[i]) > 1e-9 {
			return false
		}
	}
	return true
}

func (l *chain) quantile(p float64) float64 {
	last := len(l.x) - 1
	if p <= 1-l.tail[0] {
		return l.x[0]
	}
	for i := range last {
		if below := 1 - l.tail[i+1]; p <= below {
			part := l.tail[i] - l.tail[i+1]
			return l.x[i+1] - (l.x[i+1]-l.x[i])*(below-p)/part
		}
	}
	return l.x[last]
}

func (l *chain) moments() (mean, sd float64) {
	l.masses(func(x, _, p float64) { mean += p * x })
	variance := 0.0
	l.masses(func(x, half, p float64) { variance += p * ((x-mean)*(x-mean) + half*half/3) })
	return mean, math.Sqrt(variance)
}

func (l *chain) exactly(x float64) float64 {
	switch last := len(l.x) - 1; x {
	case l.x[last]:
		return l.tail[last]
	case l.x[0]:
		return 1 - l.tail[0]
	}
	return 0
}
