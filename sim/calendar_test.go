package sim

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// TestCalendarSorts puts events in and takes some out again, over and over: what comes out is always the least of what is
// in, whether times are a nanosecond or the whole of time away, one event at an instant or thousands.
func TestCalendarSorts(t *testing.T) {
	c := new(calendar) // used again and again, as an engine's is
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.Int64Range(1, 1<<41).Draw(t, "width")
		c.reset(width, new(atomic.Bool))
		var in []event
		var now event
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			for _, e := range randomEvents(t, now, width) {
				c.push(e)
				in = append(in, e)
			}
			slices.SortFunc(in, event.compare)
			out := rapid.IntRange(0, len(in)).Draw(t, "out")
			for i, want := range in[:out] {
				got, ok := c.take1()
				if !ok || got != want {
					t.Fatalf("event %d is %v (%v), want %v", i, got, ok, want)
				}
				now = got
			}
			in = in[out:]
		}
		if rapid.Bool().Draw(t, "stopped") { // the next reset finds events left over
			return
		}
		for _, want := range in {
			if got, ok := c.take1(); !ok || got != want {
				t.Fatalf("%v (%v), want %v", got, ok, want)
			}
		}
		if e, ok := c.take1(); ok {
			t.Fatalf("%v is too many", e)
		}
	})
}

// randomEvents draws events that come after now: at that instant, soon, far, and many at once.
func randomEvents(t *rapid.T, now event, width int64) []event {
	n := rapid.SampledFrom([]int{1, 10, 100, 5000}).Draw(t, "events")
	reach := rapid.SampledFrom([]int64{0, 1, width, 100 * width, 5000 * width, math.MaxInt64}).Draw(t, "reach")
	requests := rapid.SampledFrom([]uint64{1, 1000, 1 << 43}).Draw(t, "requests")
	draws := newStream(rapid.Uint64().Draw(t, "seed"), 0)
	var events []event
	for i := range n {
		base := draws.of(uint64(i))
		reach := reach
		if reach < 0 || reach > maxTime-now.time() {
			reach = maxTime - now.time()
		}
		e := newEvent(now.time()+below(at(base, 0, 1), reach), class(at(base, 0, 2)%8), at(base, 0, 3)%requests, 1+int64(at(base, 0, 4)%maxAttempt))
		if now.before(e) {
			events = append(events, e)
		}
	}
	return events
}

// take1 takes the earliest event, as the engine's loop does.
func (c *calendar) take1() (event, bool) {
	for {
		if e, ok := c.next(); ok {
			c.pop()
			return e, true
		}
		start, at := c.start()
		if start == never {
			return event{}, false
		}
		c.advance(start, at)
	}
}

// TestOpenBucketHoldsWhatIsToCome: attempts that are repeated within one bucket take the memory of those to come, not of
// all that have been.
func TestOpenBucketHoldsWhatIsToCome(t *testing.T) {
	c := new(calendar)
	c.reset(1<<30, new(atomic.Bool))
	const clients = 1000
	for i := range uint64(clients) {
		c.push(newEvent(0, classArrival, i, 1))
	}
	for range 1000 * clients {
		e, _ := c.take1()
		c.push(newEvent(e.time()+1, classArrival, e.request(), e.attempt()+1))
	}
	if got := cap(c.open) + cap(c.near); got > 8*clients {
		t.Errorf("the open bucket has room for %d events, of which at most %d are to come", got, clients)
	}
}

// TestEventOrder: an event's bits compare as time, class, request, attempt, and give them back.
func TestEventOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (e event, parts [4]uint64) {
			parts = [4]uint64{
				uint64(rapid.Int64Range(0, maxTime).Draw(t, label+" time")), rapid.Uint64Range(0, 7).Draw(t, label+" class"),
				rapid.Uint64Range(0, 1<<43-1).Draw(t, label+" request"), rapid.Uint64Range(0, maxAttempt).Draw(t, label+" attempt"),
			}
			e = newEvent(int64(parts[0]), class(parts[1]), parts[2], int64(parts[3]))
			if got := [4]uint64{uint64(e.time()), uint64(e.class()), e.request(), uint64(e.attempt())}; got != parts || e.abandoned() {
				t.Errorf("%v of an event with %v", got, parts)
			}
			return e, parts
		}
		a, as := draw("a")
		b, bs := draw("b")
		if got, want := a.compare(b), slices.Compare(as[:], bs[:]); got != want {
			t.Errorf("%v against %v: %d, want %d", as, bs, got, want)
		}
	})
}
