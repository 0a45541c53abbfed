package sim

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
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
	classAnswer  class = 3 // a guarded client sees an answer
	classTimeout class = 4 // an attempt times out
	classLeave   class = 5 // a guarded client's attempt would leave
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
	numLevels = 4
	chunkLen  = 127 // 127 events and the link make 2 kB
	slabLen   = 32
	minShift  = 50 - (numLevels-1)*ringBits // so that the levels cover all of time
	fineBits  = 8                           // the finest buckets are so much narrower than the others
	crowd     = 8192                        // events in a bucket that are spread over finest ones
)

// chunk is a piece of a bucket, and knows the piece before it.
type chunk struct {
	events [chunkLen]event
	prev   *chunk
	_      uint64 // 2 kB in all
}

// bucket is a chain of full chunks that ends in tail, where so many places are left.
type bucket struct {
	tail   *chunk
	left   int32
	chunks int32
}

// size returns the number of events in the bucket.
func (b *bucket) size() int { return int(b.chunks*chunkLen - b.left) }

// level is a ring of buckets 2^shift ns wide. A bucket's place is its number modulo the ring's size.
type level struct {
	shift   uint
	current int64 // number of the bucket that time has reached
	limit   int64 // one past the last bucket that can be filled
	filled  int   // buckets that are not empty
	buckets [ringSize]bucket
	used    [ringSize / 64]uint64 // a bit for each of those
}

// calendar is a queue of events in their total order. All levels but the finest hold the ringSize buckets from the
// current one on. The finest is for times in which events crowd: it holds one bucket of the next level, spread out, so
// that few events fall into a bucket that is open already.
type calendar struct {
	levels [numLevels]level
	end    int64    // the open bucket ends here; what comes before goes to near
	open   []event  // the open bucket, sorted, and what was put behind its last
	pos    int      // of the next event in open
	near   []event  // a heap of events that were put before that
	chain  []*chunk // scratch: the chunks of a bucket in order
	free   []*chunk
	slabs  []*[slabLen]chunk // all chunks
	stop   *atomic.Bool
	counts [ringSize + 1]int32
}

// reset empties the calendar and sets the width of its buckets, on the level above the finest, to the power of two
// nearest above width. A long step ends early once stop is true; then only reset may follow.
func (c *calendar) reset(width int64, stop *atomic.Bool) {
	shift := uint(max(minShift, min(40, bits.Len64(uint64(max(1, width)-1)))))
	if len(c.free) < len(c.slabs)*slabLen { // a run has been stopped
		c.freeAll()
	}
	c.stop = stop
	for i := range c.levels {
		l := &c.levels[i]
		l.shift = shift - fineBits
		if i > 0 {
			l.shift = shift + uint(i-1)*ringBits
		}
	}
	c.levels[0].limit = 0
	c.reach(0)
	c.end, c.pos = 0, 0
	c.open, c.near = c.open[:0], c.near[:0]
}

// freeAll empties all buckets.
func (c *calendar) freeAll() {
	for i := range c.levels {
		l := &c.levels[i]
		l.filled = 0
		clear(l.buckets[:])
		clear(l.used[:])
	}
	c.free = c.free[:0]
	for _, slab := range c.slabs {
		c.freeSlab(slab)
	}
}

func (c *calendar) freeSlab(slab *[slabLen]chunk) {
	for i := range slab {
		c.free = append(c.free, &slab[i])
	}
}

// reach moves the rings on to time t.
func (c *calendar) reach(t int64) {
	for i := range c.levels {
		l := &c.levels[i]
		l.current = t >> l.shift
		if i > 0 {
			l.limit = l.current + ringSize
		}
	}
}

// push puts an event into the calendar. It must not lie before the last one popped.
func (c *calendar) push(e event) {
	t := e.time()
	if t < c.end {
		c.pushOpen(e)
		return
	}
	for i := range c.levels {
		l := &c.levels[i]
		if n := t >> (l.shift & 63); n < l.limit {
			b := &l.buckets[n&ringMask]
			if b.left == 0 {
				c.grow(l, b, n&ringMask)
			}
			b.tail.events[chunkLen-b.left] = e
			b.left--
			return
		}
	}
	panic("sim: an event lies beyond the calendar")
}

// grow adds a chunk to the bucket at a place.
func (c *calendar) grow(l *level, b *bucket, place int64) {
	if len(c.free) == 0 {
		slab := new([slabLen]chunk)
		c.slabs = append(c.slabs, slab)
		c.freeSlab(slab)
	}
	next := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	next.prev = b.tail
	if b.tail == nil {
		l.used[place>>6] |= 1 << (place & 63)
		l.filled++
	}
	b.tail, b.left = next, chunkLen
	b.chunks++
}

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

// comesNext reports whether an event comes before all that are in the calendar.
func (c *calendar) comesNext(e event) bool {
	return e.time() < c.end && (len(c.near) == 0 || e.before(c.near[0])) && (c.pos == len(c.open) || e.before(c.open[c.pos]))
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
		if l.filled == 0 {
			continue
		}
		if start := l.first() << l.shift; start <= earliest {
			earliest, at = start, i // of two that start together the coarser one comes first
		}
	}
	return earliest, at
}

// first returns the number of the first bucket that is not empty. There must be one.
func (l *level) first() int64 {
	from := l.current & ringMask
	word := l.used[from>>6] >> (from & 63)
	if word != 0 {
		return l.current + int64(bits.TrailingZeros64(word))
	}
	i := from >> 6
	for word == 0 {
		i = (i + 1) % int64(len(l.used))
		word = l.used[i]
	}
	place := i<<6 + int64(bits.TrailingZeros64(word))
	return l.current + (place-from)&ringMask
}

// advance opens the earliest bucket, which start has found, or spreads it over the finer level below.
func (c *calendar) advance(start int64, at int) {
	c.reach(start)
	c.end = start
	l := &c.levels[at]
	place := start >> l.shift & ringMask
	if at > 1 || at == 1 && l.buckets[place].size() > crowd {
		if at == 1 {
			c.levels[0].limit = (start + 1<<l.shift) >> c.levels[0].shift
		}
		c.spread(l, place)
		return
	}
	b := c.take(l, place)
	c.open = slices.Grow(c.open[:0], b.size())[:b.size()]
	c.pos = 0
	c.sort(&b, uint64(start)<<timeShift, l.shift+timeShift)
	c.end += 1 << l.shift
	c.free = append(c.free, c.chain...)
}

// spread spreads a bucket over the finer level below. It leaves off when the run is stopped.
func (c *calendar) spread(l *level, place int64) {
	b := c.take(l, place)
	for i, part := range c.chain {
		for _, e := range part.events[:b.filled(i)] {
			c.push(e)
		}
		c.free = append(c.free, part)
		if c.stop.Load() {
			return
		}
	}
}

// take takes a bucket out of its ring and lists its chunks, in the order in which they were filled.
func (c *calendar) take(l *level, place int64) bucket {
	b := l.buckets[place]
	l.buckets[place] = bucket{}
	l.used[place>>6] &^= 1 << (place & 63)
	l.filled--
	c.chain = slices.Grow(c.chain[:0], int(b.chunks))[:b.chunks]
	part := b.tail
	for i := len(c.chain) - 1; i >= 0; i-- {
		c.chain[i] = part
		part = part.prev
	}
	return b
}

// filled returns how many events there are in the bucket's chunk i.
func (b *bucket) filled(i int) int {
	if i == int(b.chunks)-1 {
		return int(chunkLen - b.left)
	}
	return chunkLen
}

// sort puts a bucket, whose events' first words lie less than 2^width above base, into c.open in order: it scatters the
// events to small parts of the bucket's time, and sorts those. A herd in step comes at one instant, and in order already.
func (c *calendar) sort(b *bucket, base uint64, width uint) {
	parts := min(ringBits, uint(bits.Len(uint(b.size()))))
	shift := width - parts
	places := c.counts[:1<<parts+1]
	clear(places)
	ordered, last := true, event{}
	for i, part := range c.chain {
		for _, e := range part.events[:b.filled(i)] {
			places[(e.hi-base)>>(shift&63)+1]++
			ordered = ordered && !e.before(last)
			last = e
		}
	}
	if ordered {
		for i, part := range c.chain {
			copy(c.open[i*chunkLen:], part.events[:b.filled(i)])
		}
		return
	}
	largest := int32(0)
	for i := 1; i < len(places); i++ {
		largest = max(largest, places[i])
		places[i] += places[i-1]
	}
	for i, part := range c.chain {
		for _, e := range part.events[:b.filled(i)] {
			place := &places[(e.hi-base)>>(shift&63)]
			c.open[*place] = e
			*place++
		}
	}
	if largest > smallPart {
		c.sortLargeParts(places)
	}
	insertionSort(c.open)
}

// smallPart is the largest number of events that an insertion sort may be left with.
const smallPart = 24

// sortLargeParts sorts the parts of c.open that are too large for an insertion sort. ends holds where each part ends.
func (c *calendar) sortLargeParts(ends []int32) {
	from := int32(0)
	for _, end := range ends[:len(ends)-1] {
		if part := c.open[from:end]; len(part) > smallPart && !inOrder(part) {
			slices.SortFunc(part, event.compare)
		}
		from = end
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

// pushOpen adds an event to the open bucket: to its end if it comes after all others, as it does when a herd moves in
// step, and otherwise to near.
func (c *calendar) pushOpen(e event) {
	if n := len(c.open); n > 0 && e.before(c.open[n-1]) {
		c.pushNear(e)
		return
	}
	if len(c.open) == cap(c.open) && 2*c.pos >= len(c.open) { // make room rather than grow with all that has been
		c.open = c.open[:copy(c.open, c.open[c.pos:])]
		c.pos = 0
	}
	c.open = append(c.open, e)
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
