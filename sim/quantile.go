package sim

import "math"

// A table of a distribution's quantile function. Logarithms and inverse error functions take most of the time of a run
// whose latencies are lognormal; a cubic polynomial takes a third of theirs, and is as good as they are once rounded to
// nanoseconds.

const (
	quantileBits  = 9
	quantileCells = 1 << quantileBits
	quantileError = 2e-8 // at the middle of a cell, of the value or the mean, whichever is larger
)

// quantileTable has pieces for all of (0, 1) and for what that one leaves over on either side: towards the ends, where
// quantiles bend, its cells are too wide.
type quantileTable struct{ whole, low, high quantilePiece }

// quantilePiece holds a cubic polynomial for each of equal cells of an interval that begins at start and holds scale
// cells a unit: the one that has the quantile function's values and slopes at both ends of the cell. It is good enough
// for the cells in [from, to).
type quantilePiece struct {
	start, scale float64
	from, to     uint
	cells        [quantileCells][4]float64
}

// tabulate returns the distribution with a table to draw from. It takes some 150 µs, so a run does it once.
func (d distribution) tabulate() distribution {
	if d.draw == nil {
		return d
	}
	t := new(quantileTable)
	t.whole.fill(&d, 0, 1, quantileCells/2)
	if from := t.whole.from; from > 0 {
		t.low.fill(&d, 0, float64(from)/quantileCells, quantileCells-1)
	}
	if to := t.whole.to; to < quantileCells {
		t.high.fill(&d, float64(to)/quantileCells, 1-float64(to)/quantileCells, 1)
	}
	d.table = t
	return d
}

// fill tabulates an interval of so much width, from the first cell outwards for as long as that is good enough.
func (p *quantilePiece) fill(d *distribution, start, width float64, first uint) {
	p.start, p.scale = start, quantileCells/width
	p.from, p.to = first, first
	for p.from > 0 && p.fit(d, p.from-1) {
		p.from--
	}
	for p.to < quantileCells && p.fit(d, p.to) {
		p.to++
	}
}

// fit finds a cell's polynomial and reports whether that is good enough.
func (p *quantilePiece) fit(d *distribution, cell uint) bool {
	const h = 1e-4 // of a cell, for the slopes
	value := func(x float64) float64 { return d.draw(p.start + (float64(cell)+x)/p.scale) }
	if p.start+float64(cell)/p.scale <= 0 || p.start+(float64(cell)+1)/p.scale >= 1 {
		return false
	}
	slope := func(x float64) float64 { return (value(x+h) - value(x-h)) / (2 * h) }
	a, b, da, db := value(0), value(1), slope(0), slope(1)
	c := [4]float64{a, da, 3*(b-a) - 2*da - db, 2*(a-b) + da + db}
	p.cells[cell] = c
	got, want := c[0]+0.5*(c[1]+0.5*(c[2]+0.5*c[3])), value(0.5)
	return math.Abs(got-want) <= quantileError*math.Max(math.Abs(want), d.mean)
}

// at returns the quantile of u, and false if the piece does not have it.
func (p *quantilePiece) at(u float64) (float64, bool) {
	at := (u - p.start) * p.scale
	cell := uint(at)
	if cell-p.from >= p.to-p.from {
		return 0, false
	}
	c, x := &p.cells[cell], at-float64(cell)
	return c[0] + x*(c[1]+x*(c[2]+x*c[3])), true
}

// in is at for the piece that covers (0, 1) and the unit of 64 random bits: their first say which cell, the rest say
// where in it.
func (p *quantilePiece) in(bits uint64) (float64, bool) {
	const within = 52 - quantileBits
	cell := uint(bits >> (64 - quantileBits))
	if cell-p.from >= p.to-p.from {
		return 0, false
	}
	c, x := &p.cells[cell], (float64(int64(bits>>12&(1<<within-1)))+0.5)*(1.0/(1<<within))
	return c[0] + x*(c[1]+x*(c[2]+x*c[3])), true
}

// quantile returns the quantile of the unit of 64 random bits, in nanoseconds, before folding and rounding.
func (d *distribution) quantile(bits uint64) float64 {
	if d.table == nil {
		return d.draw(unit(bits))
	}
	if q, ok := d.table.whole.in(bits); ok {
		return q
	}
	return d.tail(unit(bits))
}

// tail is quantile near 0 and 1.
func (d *distribution) tail(u float64) float64 {
	end := &d.table.low
	if u > 0.5 {
		end = &d.table.high
	}
	if q, ok := end.at(u); ok {
		return q
	}
	return d.draw(u)
}
