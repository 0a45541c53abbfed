package sim

import "math"

// A table of a distribution's quantile function. Logarithms and inverse error functions take most of the time of a run
// whose latencies are lognormal; a cubic polynomial takes less than half of theirs, and is as good as they are once rounded to nanoseconds.

const (
	quantileCells = 512
	quantileError = 2e-8 // at the middle of a cell, of the value or the mean, whichever is larger
)

// quantileTable holds a cubic polynomial for each of quantileCells equal cells of (0, 1): the one that has the quantile
// function's values and slopes at both ends of the cell. Towards the ends, where quantiles bend, it is not good enough,
// and draws outside [from, to) are exact.
type quantileTable struct {
	from, to uint
	cells    [quantileCells][4]float64
}

// tabulate returns the distribution with a table to draw from. It takes some 50 µs, so a run does it once.
func (d distribution) tabulate() distribution {
	if d.draw == nil {
		return d
	}
	const middle = quantileCells / 2
	d.table = &quantileTable{from: middle, to: middle}
	for d.table.from > 0 && d.fit(d.table.from-1) {
		d.table.from--
	}
	for d.table.to < quantileCells-1 && d.fit(d.table.to) {
		d.table.to++
	}
	return d
}

// fit finds a cell's polynomial and reports whether that is good enough.
func (d *distribution) fit(cell uint) bool {
	const h = 1e-4 // of a cell, for the slopes
	if cell == 0 {
		return false
	}
	value := func(x float64) float64 { return d.draw((float64(cell) + x) / quantileCells) }
	slope := func(x float64) float64 { return (value(x+h) - value(x-h)) / (2 * h) }
	a, b, da, db := value(0), value(1), slope(0), slope(1)
	c := [4]float64{a, da, 3*(b-a) - 2*da - db, 2*(a-b) + da + db}
	d.table.cells[cell] = c
	got, want := c[0]+0.5*(c[1]+0.5*(c[2]+0.5*c[3])), value(0.5)
	return math.Abs(got-want) <= quantileError*math.Max(math.Abs(want), d.mean)
}

// quantile returns the quantile of u, in nanoseconds, before folding and rounding.
func (d *distribution) quantile(u float64) float64 {
	if t := d.table; t != nil {
		at := u * quantileCells
		if cell := uint(at); cell-t.from < t.to-t.from {
			c, x := &t.cells[cell], at-float64(cell)
			return c[0] + x*(c[1]+x*(c[2]+x*c[3]))
		}
	}
	return d.draw(u)
}
