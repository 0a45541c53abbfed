package sim

// The herd as one first writes it: a loop over container/heap.

import (
	"container/heap"
	"context"
	"fmt"
	"testing"
	"time"
)

// heapEvent is an attempt's arrival or its completion.
type heapEvent struct {
	at      int64
	arrives bool // completions come first
	client  int
	attempt int64
}

type eventHeap []heapEvent

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	if a.at != b.at {
		return a.at < b.at
	}
	if a.arrives != b.arrives {
		return b.arrives
	}
	return a.client < b.client
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(heapEvent)) }
func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

// firstWriting runs the herd and returns the number of attempts, and when each was done, in order. It draws the numbers
// that the engine draws, and keeps no series.
func firstWriting(n int) (attempts int64, completions []int64) {
	s := herd(n)
	draws := newStream(s.Seed, 0)
	policy := s.Policies[0].Compile()
	service := compileDistribution(s.Server.ServiceTime).tabulate()
	up := int64(30 * time.Second)

	events := &eventHeap{}
	for client := range n {
		heap.Push(events, heapEvent{at: 0, arrives: true, client: client, attempt: 1})
	}
	var queue []heapEvent
	busy := 0
	start := func(e heapEvent, now int64) {
		busy++
		took := service.Draw(at(draws.of(uint64(e.client)), uint64(e.attempt), drawService))
		heap.Push(events, heapEvent{at: now + took, client: e.client, attempt: e.attempt})
	}
	for events.Len() > 0 {
		e := heap.Pop(events).(heapEvent)
		now := e.at
		if !e.arrives {
			completions = append(completions, now)
			busy--
			if len(queue) > 0 {
				start(queue[0], now)
				queue = queue[1:]
			}
			continue
		}
		attempts++
		switch {
		case now >= up && busy < s.Server.Workers:
			start(e, now)
		case now >= up && len(queue) < s.Server.Queue:
			queue = append(queue, e)
		default:
			wait := policy.Draw(e.attempt, 0, at(draws.of(uint64(e.client)), uint64(e.attempt), drawBackoff))
			heap.Push(events, heapEvent{at: now + wait, arrives: true, client: e.client, attempt: e.attempt + 1})
		}
	}
	return attempts, completions
}

// TestFirstWriting makes sure that the engine and what it is measured against do the same.
func TestFirstWriting(t *testing.T) {
	const n = 3000
	attempts, completions := firstWriting(n)
	result, err := Run(context.Background(), herd(n), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := result.Results[0].Metrics
	if got := *m.Get("attempts").Mean; got != float64(attempts) {
		t.Errorf("%v attempts, want %d", got, attempts)
	}
	if got, want := *m.Get("completion.max").Mean, seconds(completions[n-1]); len(completions) != n || got != want {
		t.Errorf("all done after %v s, want %v", got, want)
	}
}

// BenchmarkContainerHeap is what BenchmarkHerd is measured against.
func BenchmarkContainerHeap(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			events := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				attempts, completions := firstWriting(n)
				events += attempts + int64(len(completions))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}
