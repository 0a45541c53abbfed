package strategies

// The wait so far where delays depend on each other. Its law is kept together with that of the delay drawn last: for
// each of some cells of that delay, the probabilities of evenly spaced sums.

import (
	"math"
	"sort"
)

// A trail has at least trailCells cells, so that none is wider than 1/trailPerE of the delays in it as long as mostCells
// suffice for that, and at most trailBins sums. Finer ones hardly change a probability by more than 0.001.
const (
	trailCells = 48
	trailPerE  = 14
	mostCells  = 160
	trailBins  = 512
)

// negligible is a probability that may be dropped at either end of the sums, again and again.
const negligible = 1e-9

// trail is the joint law of the last delay and the sum of all.
type trail struct {
	c           *Compiled
	retry       int64     // whose delay is next
	least, most float64   // of the sum
	edges       []float64 // of the cells: the last delay is between edges[i] and edges[i+1], or exactly the last
	from, step  float64   // bin j stands for sums around from + j·step
	mass        [][]float64
	marginal    []float64 // of the sum
	cumulated   []float64 // P(sum in a bin before j)
	beyond      float64   // dropped above the bins
	under       float64   // dropped below them
	spare       [4][]float64
}

func newTrail(c *Compiled) *trail {
	t := &trail{c: c, retry: 1, edges: []float64{float64(c.First())}, mass: [][]float64{{1}}}
	t.settle()
	return t
}

// centre is the delay that a cell stands for. The last cell is the last edge alone, where a clamp gathers delays.
func centre(edges []float64, i int) float64 {
	if i+1 >= len(edges) {
		return edges[len(edges)-1]
	}
	return (edges[i] + edges[i+1]) / 2
}

// next lets every cell draw from its own window, and shifts its sums by what it draws.
func (t *trail) next() {
	lo, hi := t.c.Bounds(t.retry)
	edges := []float64{float64(hi)}
	if lo < hi {
		growth := math.Log(float64(hi+1) / float64(lo+1))
		edges = nodes(float64(lo), float64(hi), trailCells, min(trailPerE, mostCells/growth))
	}
	t.fit(float64(hi - lo))
	bins := len(t.mass[0])
	drawn, rise := t.grid(0, len(edges), bins), t.grid(1, len(edges)+1, bins)
	for i, row := range t.mass {
		a, b := t.window(i)
		deal(edges, a, b, row, drawn, rise)
	}
	level := make([]float64, bins)
	width := int((edges[len(edges)-1]-edges[0])/t.step) + 2
	mass := t.grid(2+int(t.retry%2), len(edges), bins+width) // not where the masses of before are
	for i := range drawn {
		addTo(level, rise[i], 1)
		if i+1 < len(edges) {
			addTo(drawn[i], level, edges[i+1]-edges[i])
		}
		shift := (centre(edges, i) - edges[0]) / t.step
		whole := int(shift)
		part := shift - float64(whole)
		addTo(mass[i][whole:], drawn[i], 1-part)
		addTo(mass[i][whole+1:], drawn[i], part)
	}
	t.mass, t.edges = mass, edges
	t.from += edges[0]
	t.least, t.most = t.least+float64(lo), t.most+float64(hi)
	t.retry++
	t.settle()
}

// window is what the next delay is drawn from after one in cell i.
func (t *trail) window(i int) (a, b float64) {
	lo, hi := t.c.jitter(t.retry, t.c.Scheduled(t.retry), int64(centre(t.edges, i)+0.5))
	return float64(lo), float64(hi)
}

// deal spreads a row over the cells of [a, b]: whole cells by the rise and fall of the density, the rest at once. What
// lies beyond the last edge goes to the cell that is the last edge alone.
func deal(edges []float64, a, b float64, row []float64, drawn, rise [][]float64) {
	last := len(edges) - 1
	top := edges[last]
	if w := b - a; w > 0 && a < top {
		first, end := cellAt(edges, a), cellAt(edges, min(b, top))
		if b > top {
			addTo(drawn[last], row, (b-top)/w)
		}
		if b >= top {
			end = last
		}
		if first == end {
			addTo(drawn[first], row, (b-a)/w)
			return
		}
		addTo(drawn[first], row, (edges[first+1]-a)/w)
		addTo(rise[first+1], row, 1/w)
		addTo(rise[end], row, -1/w)
		if end < last {
			addTo(drawn[end], row, (b-edges[end])/w)
		}
		return
	}
	addTo(drawn[cellAt(edges, min(a, top))], row, 1)
}

// cellAt is the cell that holds x.
func cellAt(edges []float64, x float64) int {
	return max(0, sort.Search(len(edges), func(i int) bool { return edges[i] > x })-1)
}

// grid is one of the tables that are used again and again, all zero.
func (t *trail) grid(spare, rows, columns int) [][]float64 {
	if cap(t.spare[spare]) < rows*columns {
		t.spare[spare] = make([]float64, 2*rows*columns)
	}
	all := t.spare[spare][:rows*columns]
	clear(all)
	g := make([][]float64, rows)
	for i := range g {
		g[i] = all[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return g
}

// addTo adds x·factor to the start of sum.
func addTo(sum, x []float64, factor float64) {
	sum = sum[:len(x)]
	for i := range x {
		sum[i] += x[i] * factor
	}
}

// fit makes the bins wide enough for sums that are to spread by so much more.
func (t *trail) fit(spread float64) {
	if t.step == 0 {
		t.step = max(spread, 1) / trailBins
	}
	for float64(len(t.mass[0]))+spread/t.step > trailBins {
		for i, row := range t.mass {
			half := row[:0]
			for j := 0; j < len(row); j += 2 {
				pair := row[j]
				if j+1 < len(row) {
					pair += row[j+1]
				}
				half = append(half, pair)
			}
			t.mass[i] = half
		}
		t.from += t.step / 2 // of the middle of a pair
		if len(t.mass[0]) == 1 {
			t.from -= t.step / 2
		}
		t.step *= 2
	}
}

// settle drops what is negligible at the ends, and sums up.
func (t *trail) settle() {
	t.marginal = make([]float64, len(t.mass[0]))
	for _, row := range t.mass {
		addTo(t.marginal, row, 1)
	}
	first, end := 0, len(t.marginal)
	for sum := t.marginal[first]; sum < negligible && first+1 < end; sum += t.marginal[first] {
		first++
	}
	for sum := t.marginal[end-1]; sum < negligible && end-1 > first; sum += t.marginal[end-1] {
		end--
	}
	for _, p := range t.marginal[:first] {
		t.under += p
	}
	for _, p := range t.marginal[end:] {
		t.beyond += p
	}
	t.from += float64(first) * t.step
	t.marginal = t.marginal[first:end]
	for i := range t.mass {
		t.mass[i] = t.mass[i][first:end]
	}
	t.cumulated = make([]float64, len(t.marginal)+1)
	t.cumulated[0] = t.under
	for j, p := range t.marginal {
		t.cumulated[j+1] = t.cumulated[j] + p
	}
}

func (t *trail) bounds() (least, most float64) { return t.least, t.most }

func (t *trail) average() float64 {
	mean := t.under*t.least + t.beyond*t.most
	for j, p := range t.marginal {
		mean += p * (t.from + float64(j)*t.step)
	}
	return mean
}

func (t *trail) below(x float64) float64 { return t.upTo(t.cumulated, t.marginal, x) }

// upTo reads a sum over bins that are spread evenly around their middles, as far as sums reach.
func (t *trail) upTo(cumulated, bins []float64, x float64) float64 {
	switch {
	case x <= t.least:
		return 0
	case x > t.most:
		return min(1, cumulated[len(bins)]+t.beyond)
	case t.step == 0:
		return cumulated[len(bins)]
	}
	u := (x-t.from)/t.step + 0.5
	j := int(math.Floor(u))
	switch {
	case j < 0:
		return cumulated[0]
	case j >= len(bins):
		return cumulated[len(bins)]
	}
	return cumulated[j] + (u-float64(j))*bins[j]
}

func (t *trail) quantile(p float64) float64 {
	j := sort.Search(len(t.marginal), func(j int) bool { return t.cumulated[j+1] >= p })
	if j == len(t.marginal) {
		return t.most
	}
	x := t.from + (float64(j)-0.5+(p-t.cumulated[j])/t.marginal[j])*t.step
	return min(max(x, t.least), t.most)
}

func (t *trail) overshoots(limit float64) func(x float64) float64 {
	return t.reaching(func(i int, sum float64) float64 {
		a, b := t.window(i)
		return t.longer(a, b, limit-sum)
	})
}

// reaching returns P(sum < x and something of the next delay) as a function of x, from the probability of that something in
// each cell.
func (t *trail) reaching(something func(i int, sum float64) float64) func(x float64) float64 {
	bins := make([]float64, len(t.marginal))
	for i, row := range t.mass {
		for j, p := range row {
			bins[j] += p * something(i, t.from+float64(j)*t.step)
		}
	}
	cumulated := make([]float64, len(bins)+1)
	for j, p := range bins {
		cumulated[j+1] = cumulated[j] + p
	}
	return func(x float64) float64 { return t.upTo(cumulated, bins, x) }
}

// longer is the probability of a delay of more than y from [a, b], after the clamp.
func (t *trail) longer(a, b, y float64) float64 {
	switch clamp := float64(t.c.clamp); {
	case y >= clamp || y >= b:
		return 0
	case y < a || a >= b:
		return 1
	}
	return (b - y) / (b - a)
}
