package sim

import (
	"math"
	"math/bits"
	"slices"
)

// The calendar holds the events to come. It is a hierarchical calendar queue: memory is streamed, never chased, because
// at a million clients a cache miss costs more than all the arithmetic of an event. An event carries all that it needs
// in 16 bytes, and its bits are its place in the total order.

// event is something that happens to an attempt. Its two words compare as (time, class, request, attempt), which is
// the order of the model at one instant:
//
//	hi: time (50 bits) | class (3) | request's upper 11 bits
//	lo: request's lower 32 bits | attempt (31) | abandoned (1)
type event struct{ hi, lo uint64 }

// class orders what happens at one instant.
type class uint64

const (
	classService class = 0 // a service ends
	classTimeout class = 4 // an attempt times out
	classArrival class = 6 // an attempt arrives
)

const (
	timeShift  = 14
	classShift = 11
	maxTime    = 1<<50 - 1
	maxAttempt = 1<<31 - 1
	never      = int64(math.MaxInt64)
)

func newEvent(t int64, c class, request uint64, attempt int64) event {
	return event{uint64(t)<<timeShift | uint64(c)<<classShift | request>>32, request<<32 | uint64(attempt)<<1}
}

func (e event) time() int64     { return int64(e.hi >> timeShift) }
func (e event) class() class    { return class(e.hi >> classShift & 7) }
func (e event) request() uint64 { return e.hi&(1<<classShift-1)<<32 | e.lo>>32 }
func (e event) attempt() int64  { return int64(e.lo >> 1 & maxAttempt) }
func (e event) abandoned() bool { return e.lo&1 != 0 }
func (e event) before(f event) bool {
	return e.hi < f.hi || e.hi == f.hi && e.lo < f.lo
}

func (e event) compare(f event) int {
	switch {
	case e.before(f):
		return -1
	case f.before(e):
		return 1
	}
	return 0
}

const (
	ringBits  = 12
	ringSize  = 1 << ringBits
	ringMask  = ringSize - 1
	numLevels = 3
	chunkLen  = 63 // 63 events and the link make 1 kB
	slabLen   = 64
	minShift  = 50 - numLevels*ringBits // so that the levels cover all of time
)

// chunk is a piece of a bucket; prev is the number of the piece before it.
type chunk struct {
	events [chunkLen]event
	prev   int32
	_      [3]int32
}

// bucket is a chain of full chunks that ends in tail, of which fill places are taken.
type bucket struct {
	tail   *chunk
	id     int32 // tail's number
	fill   int32
	chunks int32
}

// level is a ring of buckets 2^shift ns wide. A bucket's place is its number modulo the ring's size, and the ring holds
// the ringSize buckets from the current one on.
type level struct {
	shift   uint
	current int64 // number of the bucket that time has reached
	buckets [ringSize]bucket
	used    [ringSize / 64]uint64 // a bit for each bucket that is not empty
}

// calendar is a queue of events in their total order.
type calendar struct {
	levels [numLevels]level
	end    int64   // the open bucket ends here; what comes before goes to near
	open   []event // the open bucket, sorted
	pos    int     // of the next event in open
	near   []event // a heap of events that were put into the open bucket after it was opened
	sorted []event // scratch
	slabs  []*[slabLen]chunk
	free   []int32
	counts [ringSize + 1]int32
}

// reset empties the calendar and sets the width of its finest buckets to the power of two nearest above width.
func (c *calendar) reset(width int64) {
	shift := uint(max(minShift, min(40, bits.Len64(uint64(max(1, width)-1)))))
	for i := range c.levels {
		l := &c.levels[i]
		l.buckets = [ringSize]bucket{}
		l.used = [ringSize / 64]uint64{}
		l.shift = shift + uint(i)*ringBits
		l.current = 0
	}
	c.end, c.pos = 0, 0
	c.open, c.near = c.open[:0], c.near[:0]
	c.free = c.free[:0]
	for id := len(c.slabs)*slabLen - 1; id >= 0; id-- {
		c.free = append(c.free, int32(id))
	}
}

// push puts an event into the calendar. It must not lie before the last one popped.
func (c *calendar) push(e event) {
	t := e.time()
	if t < c.end {
		c.pushNear(e)
		return
	}
	for i := range c.levels {
		l := &c.levels[i]
		n := t >> l.shift
		if n-l.current < ringSize {
			c.put(l, n, e)
			return
		}
	}
	panic("sim: an event lies beyond the calendar")
}

func (c *calendar) put(l *level, number int64, e event) {
	i := number & ringMask
	b := &l.buckets[i]
	if b.tail == nil || b.fill == chunkLen {
		c.grow(l, b, i)
	}
	b.tail.events[b.fill] = e
	b.fill++
}

func (c *calendar) grow(l *level, b *bucket, i int64) {
	if len(c.free) == 0 {
		first := int32(len(c.slabs) * slabLen)
		c.slabs = append(c.slabs, new([slabLen]chunk))
		for id := first + slabLen - 1; id >= first; id-- {
			c.free = append(c.free, id)
		}
	}
	id := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	next := c.chunk(id)
	next.prev = b.id
	if b.tail == nil {
		l.used[i>>6] |= 1 << (i & 63)
	}
	b.tail, b.id, b.fill = next, id, 0
	b.chunks++
}

func (c *calendar) chunk(id int32) *chunk { return &c.slabs[id/slabLen][id%slabLen] }

// next returns the earliest event of the open bucket without taking it.
func (c *calendar) next() (event, bool) {
	if len(c.near) > 0 && (c.pos == len(c.open) || c.near[0].before(c.open[c.pos])) {
		return c.near[0], true
	}
	if c.pos < len(c.open) {
		return c.open[c.pos], true
	}
	return event{}, false
}

// pop takes the event that next returned.
func (c *calendar) pop() {
	if len(c.near) > 0 && (c.pos == len(c.open) || c.near[0].before(c.open[c.pos])) {
		c.popNear()
		return
	}
	c.pos++
}

// start returns when the earliest bucket that is not empty starts, and its level; never if there is none.
func (c *calendar) start() (int64, int) {
	earliest, at := never, 0
	for i := range c.levels {
		l := &c.levels[i]
		if n, ok := l.first(); ok && n<<l.shift <= earliest {
			earliest, at = n<<l.shift, i // of two that start together the coarser one comes first
		}
	}
	return earliest, at
}

// first returns the number of the first bucket in the ring that is not empty.
func (l *level) first() (int64, bool) {
	from := l.current & ringMask
	word := l.used[from>>6] >> (from & 63)
	if word != 0 {
		return l.current + int64(bits.TrailingZeros64(word)), true
	}
	n := int64(len(l.used))
	for k := int64(1); k <= n; k++ {
		i := (from>>6 + k) % n
		if word := l.used[i]; word != 0 {
			place := i<<6 + int64(bits.TrailingZeros64(word))
			return l.current + (place-from)&ringMask, true
		}
	}
	return 0, false
}

// advance opens the earliest bucket, which start has found, or spreads it over the finer level below.
func (c *calendar) advance(start int64, at int) {
	for i := range c.levels {
		c.levels[i].current = start >> c.levels[i].shift
	}
	l := &c.levels[at]
	if at > 0 {
		c.end = start
		c.take(l, start>>l.shift)
		for _, e := range c.sorted {
			c.push(e)
		}
		return
	}
	c.end = start + 1<<l.shift
	c.take(l, start>>l.shift)
	c.open, c.sorted = c.sorted, c.open
	c.pos = 0
	c.sort(start)
}

// take empties a bucket into c.sorted, in the order in which its events came.
func (c *calendar) take(l *level, number int64) {
	i := number & ringMask
	b := l.buckets[i]
	n := int(b.chunks-1)*chunkLen + int(b.fill)
	if cap(c.sorted) < n {
		c.sorted = make([]event, n+n/8)
	}
	c.sorted = c.sorted[:n]
	part, id, fill := b.tail, b.id, b.fill
	for k := int(b.chunks) - 1; k >= 0; k-- {
		copy(c.sorted[k*chunkLen:], part.events[:fill])
		c.free = append(c.free, id)
		if k > 0 {
			id, fill = part.prev, chunkLen
			part = c.chunk(id)
		}
	}
	l.buckets[i] = bucket{}
	l.used[i>>6] &^= 1 << (i & 63)
}

// sort orders the open bucket, which starts at start: a scatter on the topmost bits that differ, then an insertion
// sort. Many events at one instant are mostly in order already, for herds in step keep their order.
func (c *calendar) sort(start int64) {
	n := len(c.open)
	if inOrder(c.open) {
		return
	}
	if n > 24 {
		c.scatter(start)
	}
	insertionSort(c.open)
}

// scatter moves each event to the part of the bucket's time that it belongs to, and sorts parts that are still large.
func (c *calendar) scatter(start int64) {
	n := len(c.open)
	parts := min(ringBits, uint(bits.Len(uint(n/2))))
	shift := c.levels[0].shift + timeShift - parts
	base := uint64(start) << timeShift
	counts := c.counts[:1<<parts+1]
	clear(counts)
	for _, e := range c.open {
		counts[(e.hi-base)>>shift+1]++
	}
	largest := int32(0)
	for i := 1; i < len(counts); i++ {
		largest = max(largest, counts[i])
		counts[i] += counts[i-1]
	}
	if cap(c.sorted) < n {
		c.sorted = make([]event, n+n/8)
	}
	c.sorted = c.sorted[:n]
	for _, e := range c.open {
		place := &counts[(e.hi-base)>>shift]
		c.sorted[*place] = e
		*place++
	}
	c.open, c.sorted = c.sorted, c.open
	if largest > 24 {
		for i, from := 0, int32(0); i < len(counts)-1; i++ {
			if part := c.open[from:counts[i]]; len(part) > 24 && !inOrder(part) {
				slices.SortFunc(part, event.compare)
			}
			from = counts[i]
		}
	}
}

func inOrder(events []event) bool {
	for i := 1; i < len(events); i++ {
		if events[i].before(events[i-1]) {
			return false
		}
	}
	return true
}

func insertionSort(events []event) {
	for i := 1; i < len(events); i++ {
		e := events[i]
		j := i
		for ; j > 0 && e.before(events[j-1]); j-- {
			events[j] = events[j-1]
		}
		events[j] = e
	}
}

func (c *calendar) pushNear(e event) {
	h := append(c.near, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	c.near = h
}

func (c *calendar) popNear() {
	h := c.near
	last := len(h) - 1
	e := h[last]
	h = h[:last]
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(e) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if last > 0 {
		h[i] = e
	}
	c.near = h
}
