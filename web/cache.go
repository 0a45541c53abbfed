package web

import (
	"container/list"

	"github.com/stampede-sim/stampede/sim"
)

// cache keeps the results used last, up to a number of bytes. It is not safe for concurrent use.
type cache struct {
	maxBytes, bytes int64
	entries         map[key]*list.Element // of *entry
	order           list.List             // used last in front
}

type entry struct {
	key    key
	result *sim.Result
	bytes  int64
}

func newCache(maxBytes int64) cache {
	return cache{maxBytes: maxBytes, entries: map[key]*list.Element{}}
}

// get returns the result under k, nil if there is none.
func (c *cache) get(k key) *sim.Result {
	e, ok := c.entries[k]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry).result
}

// add keeps a result that is not in the cache yet, at the expense of those unused for longest.
func (c *cache) add(k key, r *sim.Result) {
	e := &entry{k, r, sizeOf(r)}
	if _, ok := c.entries[k]; ok || e.bytes > c.maxBytes {
		return
	}
	c.entries[k] = c.order.PushFront(e)
	for c.bytes += e.bytes; c.bytes > c.maxBytes; {
		last := c.order.Remove(c.order.Back()).(*entry)
		delete(c.entries, last.key)
		c.bytes -= last.bytes
	}
}

// sizeOf is about how many bytes a result holds: eight a number, by far its greater part.
func sizeOf(r *sim.Result) int64 {
	numbers := 128 // the scenario
	for i := range r.Results {
		p := &r.Results[i]
		run, mean := &p.Run, &p.Series
		numbers += 256 + 8*len(run.Arrivals) + 11*len(mean.Arrivals) + 3*len(run.Down) + 32*len(p.Delays)
		for _, m := range p.Metrics {
			numbers += 16 + 2*len(m.Values)
		}
		if p.Trace != nil {
			numbers += 10 * len(p.Trace.Client)
		}
	}
	return 8 * int64(numbers)
}
