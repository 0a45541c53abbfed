package web

import (
	"container/list"

	"github.com/stampede-sim/stampede/sim"
)

// cache keeps the values used last, up to a number of bytes. It is not safe for concurrent use.
type cache[V any] struct {
	maxBytes, bytes int64
	sizeOf          func(V) int64
	entries         map[key]*list.Element // of *entry
	order           list.List             // used last in front
}

type entry[V any] struct {
	key   key
	value V
	bytes int64
}

func newCache[V any](maxBytes int64, sizeOf func(V) int64) cache[V] {
	return cache[V]{maxBytes: maxBytes, sizeOf: sizeOf, entries: map[key]*list.Element{}}
}

// get returns the value under k, its zero value if there is none.
func (c *cache[V]) get(k key) (v V) {
	e, ok := c.entries[k]
	if !ok {
		return v
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[V]).value
}

// add keeps a value that is not in the cache yet, at the expense of those unused for longest.
func (c *cache[V]) add(k key, v V) {
	e := &entry[V]{k, v, c.sizeOf(v)}
	if _, ok := c.entries[k]; ok || e.bytes > c.maxBytes {
		return
	}
	c.entries[k] = c.order.PushFront(e)
	for c.bytes += e.bytes; c.bytes > c.maxBytes; {
		last := c.order.Remove(c.order.Back()).(*entry[V])
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
		for i := range run.Nodes {
			numbers += 10 + 3*len(run.Nodes[i].Arrivals) + 3*len(run.Nodes[i].Down)
		}
		if p.Trace != nil {
			numbers += 14*len(p.Trace.Client) + 4*len(p.Trace.Server.AtSeconds)
		}
	}
	return 8 * int64(numbers)
}
