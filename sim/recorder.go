package sim

import (
	"math"
	"math/bits"
	"slices"

	"github.com/stampede-sim/stampede/strategies"
)

// A recorder gathers what one replication measures. It holds integers only, and none of its sums hangs on the order in
// which they are made, so that the engine may follow clients in whatever order is fastest.

// divider divides by a fixed width without a division instruction, where that is exact.
type divider struct {
	width int64
	magic uint64 // ceil(2^64 / (width >> shift)); 0: divide
	shift uint
}

// newDivider returns a divider of what is in [0, limit] by width.
func newDivider(width, limit int64) divider {
	d := divider{width: width, shift: uint(bits.TrailingZeros64(uint64(width)))}
	odd := uint64(width) >> d.shift
	if odd == 1 {
		return d
	}
	// With magic = (2^64 + e) / odd and e < odd the quotient is exact while (limit >> shift)·e < 2^64.
	if hi, _ := bits.Mul64(uint64(limit)>>d.shift, odd); hi == 0 {
		d.magic = ^uint64(0)/odd + 1
	}
	return d
}

func (d *divider) of(t int64) int64 {
	if d.magic != 0 {
		hi, _ := bits.Mul64(uint64(t)>>(d.shift&63), d.magic)
		return int64(hi)
	}
	return t / d.width
}

// levelBin integrates a count that changes by steps, bin by bin. A step at t adds what is left of t's bin to part, and a
// whole bin to each later one, which steps sums up in the end.
type levelBin struct{ part, step int64 }

// seriesRecorder has one value a bin.
type seriesRecorder struct {
	bin     divider
	horizon int64
	bins    int
	scale   uint // times within a bin are integrated in units of 2^scale ns, so that sums do not overflow
	counts  [numCounts][]int64
	levels  [numLevelSeries][]levelBin
	kept    int // so many of the levels
}

// The counts of a series.
const (
	countArrivals = iota
	countServed
	countSucceeded
	countRefused
	countTimedOut
	numCounts
)

// The levels of a series, averaged over a bin's time.
const (
	levelQueue = iota
	levelInService
	levelWaiting
	levelOpen   // breakers; this and the next only with guards
	levelTokens // in budgets
	numLevelSeries
)

func (s *seriesRecorder) reset(width, horizon int64, guarded bool) {
	s.kept = numLevelSeries
	if !guarded {
		s.kept = levelOpen
	}
	s.bin = newDivider(width, horizon)
	s.horizon = horizon
	s.bins = int((horizon + width - 1) / width)
	s.scale = uint(max(0, bits.Len64(uint64(width))-32))
	for i := range s.counts {
		s.counts[i] = zeroed(s.counts[i], s.bins+1)
	}
	for i := range s.kept {
		s.levels[i] = zeroed(s.levels[i], s.bins+2)
	}
}

// zeroed returns a slice of n zeros, in the memory of old where it suffices.
func zeroed[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

func (s *seriesRecorder) count(series int, t int64) { s.counts[series][s.bin.of(t)]++ }

// step changes a level by delta from t on.
func (s *seriesRecorder) step(level int, t, delta int64) {
	if t < s.horizon {
		s.stepAt(level, s.bin.of(t), t, delta)
	}
}

// stepAt is step for a t whose bin is known.
func (s *seriesRecorder) stepAt(level int, bin, t, delta int64) {
	left := (min((bin+1)*s.bin.width, s.horizon) - t) >> s.scale
	l := s.levels[level]
	l[bin].part += delta * left
	l[bin+1].step += delta
}

// integrals returns a level's integral over each bin, in units of 2^scale ns. They wrap around as uint64, which adds
// up to the exact value.
func (s *seriesRecorder) integrals(level int, out []uint64) {
	var height int64
	for i := range out {
		b := s.levels[level][i]
		height += b.step
		width := (min(int64(i+1)*s.bin.width, s.horizon) - int64(i)*s.bin.width) >> s.scale
		out[i] = uint64(b.part + height*width)
	}
}

// finishedSeries is a replication's series, trimmed to the last bin in which anything happened.
type finishedSeries struct {
	counts [numCounts][]int64
	levels [numLevelSeries][]uint64 // integrals over each bin, in units of 2^scale ns
}

func (s *seriesRecorder) finish() finishedSeries {
	var f finishedSeries
	active := 0
	for i := range s.kept {
		f.levels[i] = make([]uint64, s.bins)
		s.integrals(i, f.levels[i])
		if i < levelOpen { // a breaker that is open, and a budget that is full, are no activity
			active = max(active, lastNonZero(f.levels[i], active))
		}
	}
	for i := range f.counts {
		active = max(active, lastNonZero(s.counts[i][:s.bins], active))
	}
	for i := range f.counts {
		f.counts[i] = slices.Clone(s.counts[i][:active])
	}
	for i := range levelOpen { // the others go on: when all is over is known when all replications are
		f.levels[i] = f.levels[i][:active]
	}
	return f
}

// lastNonZero returns one past the last value that is not zero, or 0 if that is not past from.
func lastNonZero[T int64 | uint64](values []T, from int) int {
	for i := len(values); i > from; i-- {
		if values[i-1] != 0 {
			return i
		}
	}
	return 0
}

// peakSteps is how many steps a peak window slides by to pass over itself.
const peakSteps = 100

// peakRecorder finds the most arrivals in any window. Arrivals that the engine meets in the order of time are counted
// cell by cell as they come; those that it meets early, while following a client through an outage, wait in early.
type peakRecorder struct {
	cell      divider
	recovery  int64
	pivot     int64 // recovery's cell
	cellEnd   int64 // of the cell that is being counted
	current   int64 // its number
	count     int64
	after     int64 // of those, at or after recovery
	early     []uint32
	earlyEnd  int64 // one past the last cell in use
	straddled int64 // early arrivals in recovery's cell, before recovery
	all, rest window
}

// window is a sliding sum of the last peakSteps cells.
type window struct {
	ring [peakSteps]int64
	sum  int64
	last int64
	max  int64
}

// maxEarlyCells bounds the memory for arrivals met early.
const maxEarlyCells = 1 << 22

func (p *peakRecorder) reset(windowWidth, horizon, recovery int64) {
	cell := max(1, windowWidth/peakSteps)
	clear(p.early[:min(int64(len(p.early)), p.earlyEnd)])
	early := p.early
	*p = peakRecorder{cell: newDivider(cell, horizon), recovery: recovery, cellEnd: cell}
	p.all.last, p.rest.last = -1, -1
	p.pivot = recovery / cell
	if cells := horizon/cell + 1; cells <= maxEarlyCells {
		if int64(len(early)) < cells {
			early = make([]uint32, cells)
		}
		p.early = early
	}
}

// canMeetEarly reports whether arrivals may be met out of order.
func (p *peakRecorder) canMeetEarly() bool { return p.early != nil }

// meetEarly counts an arrival that lies ahead.
func (p *peakRecorder) meetEarly(t int64) {
	i := p.cell.of(t)
	p.early[i]++
	if i >= p.earlyEnd {
		p.earlyEnd = i + 1
	}
	if i == p.pivot && t < p.recovery {
		p.straddled++
	}
}

// meet counts an arrival; those met so come in the order of time.
func (p *peakRecorder) meet(t int64) {
	if t >= p.cellEnd {
		p.roll(t)
	}
	p.count++
	if t >= p.recovery {
		p.after++
	}
}

// roll closes the cells before t's.
func (p *peakRecorder) roll(t int64) {
	to := p.cell.of(t)
	p.close(to)
	p.current = to
	p.cellEnd = (to + 1) * p.cell.width
}

func (p *peakRecorder) close(to int64) {
	for c := p.current; c < to && (c < p.earlyEnd || c == p.current); c++ {
		count, after := int64(0), int64(0)
		if c == p.current {
			count, after = p.count, p.after
			p.count, p.after = 0, 0
		}
		if c < p.earlyEnd {
			early := int64(p.early[c])
			count += early
			if (c+1)*p.cell.width > p.recovery {
				after += early
				if c*p.cell.width < p.recovery {
					after -= p.straddled
				}
			}
		}
		if count > 0 {
			p.all.add(c, count)
		}
		if after > 0 {
			p.rest.add(c, after)
		}
	}
}

// finish closes all cells and returns the most arrivals in a window, over all and after recovery.
func (p *peakRecorder) finish() (all, afterRecovery int64) {
	p.close(max(p.current+1, p.earlyEnd))
	return p.all.max, p.rest.max
}

func (w *window) add(cell, count int64) {
	if cell-w.last >= peakSteps {
		*w = window{max: w.max}
	} else {
		for c := w.last + 1; c <= cell; c++ {
			w.sum -= w.ring[c%peakSteps]
			w.ring[c%peakSteps] = 0
		}
	}
	w.last = cell
	w.ring[cell%peakSteps] += count
	w.sum += count
	w.max = max(w.max, w.sum)
}

// observedRows is how many retries' delays are observed.
const observedRows = 20

// observedCells is the number of cells of an observed delay's histogram.
const observedCells = 1000

// observedDelays are histograms of the delays drawn for the first retries.
type observedDelays [observedRows]observedRow

type observedRow struct {
	lo           int64  // the row's range starts here
	cap          int64  // -1: none
	magic        uint64 // 2^64 / the width of a cell in ns; 0: cells are 1 ns wide
	width        float64
	min, max     int64
	count, atCap int64
	sumHi, sumLo uint64 // of the delays
	cells        [observedCells]uint32
}

// reset empties the row, for delays of lo to hi and a policy's cap, which is 0 where there is none.
func (r *observedRow) reset(lo, hi, cap int64) {
	*r = observedRow{lo: lo, cap: cap, min: never, width: 1}
	if cap == 0 {
		r.cap = -1
	}
	if span := hi - lo; span >= observedCells {
		r.magic, _ = bits.Div64(observedCells, 0, uint64(span)+1)
		r.width = (float64(span) + 1) / observedCells
	}
}

// add counts a delay d, which is in the row's range.
func (r *observedRow) add(d int64) {
	r.count++
	r.min = min(r.min, d)
	r.max = max(r.max, d)
	var carry uint64
	r.sumLo, carry = bits.Add64(r.sumLo, uint64(d), 0)
	r.sumHi += carry
	if d == r.cap {
		r.atCap++
	}
	cell := uint64(d - r.lo)
	if r.magic != 0 {
		cell, _ = bits.Mul64(cell, r.magic)
	}
	r.cells[cell]++
}

func (r *observedRow) merge(o *observedRow) {
	r.count += o.count
	r.atCap += o.atCap
	r.min = min(r.min, o.min)
	r.max = max(r.max, o.max)
	var carry uint64
	r.sumLo, carry = bits.Add64(r.sumLo, o.sumLo, 0)
	r.sumHi, _ = bits.Add64(r.sumHi, o.sumHi, carry)
	for i, n := range o.cells {
		r.cells[i] += n
	}
}

// quantiles reads a histogram, as if draws were spread evenly within its cells.
func (r *observedRow) quantiles() *strategies.Quantiles {
	at := func(p float64) float64 {
		rank := p * float64(r.count)
		before := 0.0
		for i, n := range r.cells {
			if n > 0 && before+float64(n) >= rank {
				t := float64(r.lo) + (float64(i)+(rank-before)/float64(n))*r.width
				return min(max(t, float64(r.min)), float64(r.max)) / 1e9
			}
			before += float64(n)
		}
		return seconds(r.max)
	}
	mean := (float64(r.sumHi)*0x1p64 + float64(r.sumLo)) / float64(r.count) / 1e9
	return &strategies.Quantiles{Count: r.count, Min: seconds(r.min), P5: at(0.05), P25: at(0.25), P50: at(0.5),
		Mean: mean, P75: at(0.75), P95: at(0.95), Max: seconds(r.max), SD: r.deviation(mean),
		AtCap: float64(r.atCap) / float64(r.count)}
}

// deviation is the standard deviation about the mean, from the cells' middles.
func (r *observedRow) deviation(mean float64) float64 {
	var sum float64
	width := r.width / 1e9
	for i, n := range r.cells {
		if n > 0 {
			d := seconds(r.lo) + (float64(i)+0.5)*width - mean
			sum += float64(n) * d * d
		}
	}
	if r.min == r.max {
		return 0
	}
	return math.Sqrt(sum / float64(r.count))
}
