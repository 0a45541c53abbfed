package strategies

// The laws of delays that are differences of moments, as with decorrelated jitter V2. A moment depends on one random number of
// its own, so that a delay depends on two, and what comes of a clamp in a sum on all.

import (
	"math"
	"sort"
)

// Random numbers are cut into so many parts: of the moment before, and of that whose probability is read off a table.
const (
	momentParts = 128
	momentTable = 512
)

// moments are those of one retry, in nanoseconds.
type moments struct {
	centres []float64 // for the middle of each part of the random number
	table   []float64 // for the squares of even steps: some start as a root
	ok      bool      // that they do not saturate
}

func (c *Compiled) moments(n int64) moments {
	m := moments{centres: make([]float64, momentParts), table: make([]float64, momentTable+1)}
	for i := range m.centres {
		m.centres[i], m.ok = c.at(n, (float64(i)+0.5)/momentParts)
	}
	for i := range m.table {
		m.table[i], _ = c.at(n, square(i))
	}
	return m
}

func (m moments) mean() float64 {
	sum := 0.0
	for _, x := range m.centres {
		sum += x
	}
	return sum / momentParts
}

// square is the random number of a table's entry.
func square(i int) float64 { u := float64(i) / momentTable; return u * u }

// beyond is the probability of a moment after x, which lies before entry i and not before the one before that.
func (m moments) beyond(x float64, i int) float64 {
	switch {
	case i == 0:
		return 1
	case i == len(m.table):
		return 0
	}
	part := (x - m.table[i-1]) / (m.table[i] - m.table[i-1])
	return 1 - square(i-1) - part*(square(i)-square(i-1))
}

// since returns the law of the delay from the moments before to these, which lies within [lo, hi]: what would be longer is hi.
func (m moments) since(before moments, lo, hi float64) *chain {
	if lo == hi {
		return certain(hi)
	}
	x := make([]float64, minCells+1)
	for i := range x {
		x[i] = lo + (hi-lo)*float64(i)/minCells
	}
	tail := make([]float64, len(x))
	for _, from := range before.centres {
		i := 0
		for j := range x {
			for i < len(m.table) && m.table[i] <= from+x[j] {
				i++
			}
			tail[j] += m.beyond(from+x[j], i) / momentParts
		}
	}
	return &chain{x, tail}
}

// telescoped fills in the rows of a policy that draws moments. Until a delay can be clamped, the sum of all is the moment.
func (c *Compiled) telescoped(rows []DelayRow) {
	before, exact := c.moments(0), true
	var sum Cumulative
	for i := range rows {
		n := int64(i) + 1
		now := c.moments(n)
		lo, hi := c.Bounds(n)
		q := c.describe(n, now.since(before, float64(lo), float64(hi)))
		least, most := c.sums(n)
		if exact = exact && now.ok && c.between(n, 0, 1) <= c.clamp; exact {
			late, _ := c.at(n, 0.95)
			late = seconds(late)
			q.Mean = held(seconds(now.mean()-before.mean()), q.Min, q.Max)
			sum = Cumulative{Min: seconds(least), Mean: held(seconds(now.mean()), seconds(least), seconds(most)), P95: &late, Max: seconds(most)}
		} else {
			sum = Cumulative{Min: seconds(least), Mean: held(sum.Mean+q.Mean, seconds(least), seconds(most)), Max: seconds(most)}
		}
		rows[i] = DelayRow{Retry: n, Scheduled: seconds(float64(c.Scheduled(n))), Exact: q, Cumulative: sum}
		before = now
	}
}

// held keeps a mean between its bounds, whatever the rounding to nanoseconds.
func held(mean, least, most float64) float64 { return min(max(mean, least), most) }

// sums returns the least and the most that the delays up to retry n can come to if moments are drawn.
//
// A clamped sum is concave in the moments. So it is least at an end of each; and it is most if each moment is the clamp before
// the next, as far as it can be.
func (c *Compiled) sums(n int64) (least, most float64) {
	early, late := 0.0, 0.0 // least with the moment so far at its earliest, and at its latest
	for k := int64(1); k <= n; k++ {
		delay := func(before, u float64) float64 { return float64(min(c.between(k, before, u), c.clamp)) }
		early, late = min(early+delay(0, 0), late+delay(1, 0)), min(early+delay(0, 1), late+delay(1, 1))
	}
	to, _ := c.at(n, 1)
	for k := n; k > 0; k-- {
		if _, ok := c.at(k, 1); !ok {
			most += float64(c.clamp)
			to, _ = c.at(k-1, 1)
			continue
		}
		soonest, _ := c.at(k-1, 0)
		latest, _ := c.at(k-1, 1)
		from := min(max(to-float64(c.clamp), soonest), latest)
		most += min(max(0, to-from), float64(c.clamp))
		to = from
	}
	return min(early, late), most
}

// trailMoments is how many parts of the last random number a path keeps apart.
const trailMoments = 48

// path is the joint law of the last random number and the sum of all delays, where moments are drawn. Its rows of masses are
// those of the parts of the number.
type path struct{ *trail }

func (p path) next() {
	t := p.trail
	lo, hi := t.c.Bounds(t.retry)
	t.fit(float64(hi - lo))
	bins := len(t.mass[0])
	mass := t.grid(2+int(t.retry%2), trailMoments, bins+int(float64(hi-lo)/t.step)+2) // not where the masses of before are
	for i, row := range t.mass {
		for j := range mass {
			for _, u := range []float64{(float64(j) + 0.25) / trailMoments, (float64(j) + 0.75) / trailMoments} {
				d := min(t.c.between(t.retry, p.number(i), u), t.c.clamp)
				shift := float64(d-lo) / t.step
				whole := int(shift)
				part := shift - float64(whole)
				addTo(mass[j][whole:], row, (1-part)/(2*trailMoments))
				addTo(mass[j][whole+1:], row, part/(2*trailMoments))
			}
		}
	}
	t.mass = mass
	t.from += float64(lo)
	t.least, t.most = t.c.sums(t.retry)
	t.retry++
	t.settle()
}

// number is the random number that row i stands for.
func (p path) number(i int) float64 { return (float64(i) + 0.5) / float64(len(p.mass)) }

func (p path) overshoots(limit float64) func(x float64) float64 {
	t := p.trail
	now := t.c.moments(t.retry)
	return t.reaching(func(i int, sum float64) float64 {
		y := limit - sum
		switch {
		case y >= float64(t.c.clamp):
			return 0
		case y < 0 || !now.ok:
			return 1
		}
		from, _ := t.c.at(t.retry-1, p.number(i))
		return now.beyond(from+y, sort.SearchFloat64s(now.table, math.Nextafter(from+y, math.Inf(1))))
	})
}
