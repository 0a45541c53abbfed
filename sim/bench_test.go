package sim

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// herd is the workload that the engine is measured with: n clients fail at once, the server refuses for 30 s, and then
// has n/1000 workers of 10 ms. They retry with full jitter, base 100 ms, cap 10 s, until all are done.
func herd(n int) *Scenario {
	return &Scenario{
		Name: "herd", Seed: 1, Replications: 1, Horizon: 10 * time.Minute, Bin: 2 * time.Second, PeakWindow: time.Second,
		Clients: Clients{Count: n, ClientsPerProcess: 1, Workload: Workload{Kind: Burst}},
		Network: Network{Latency: constant(0)},
		Server: Server{Kind: Capacity, Outages: []Outage{{End: 30 * time.Second, Mode: Refuse}},
			Workers: max(1, n/1000), ServiceTime: spec.Choice{Kind: "exponential", Args: spec.Args{"mean": 10 * time.Millisecond}},
			Queue: 10 * max(1, n/1000), Discipline: FIFO, Nodes: Nodes{Count: 1, Balancer: RandomNode}, RetryAfter: Hint{Kind: NoHint}},
		Policies: []strategies.Policy{fullJitter(100*time.Millisecond, 10*time.Second)},
	}
}

func constant(d time.Duration) spec.Choice {
	return spec.Choice{Kind: "constant", Args: spec.Args{"mean": d}}
}

func fullJitter(base, cap time.Duration) strategies.Policy {
	return strategies.Policy{ID: "full", Schedule: spec.Choice{Kind: "exponential", Args: spec.Args{"base": base, "factor": 2.0}},
		Jitter: spec.Choice{Kind: "full"}, Cap: cap, RetryOn: strategies.DefaultRetryOn, RetryAfter: strategies.FloorHint}
}

// BenchmarkHerd runs the herd with an event for every arrival, and with clients followed through the outage.
func BenchmarkHerd(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		for _, path := range []string{"general", "fast"} {
			b.Run(fmt.Sprintf("N=%d/%s", n, path), func(b *testing.B) {
				benchmarkRun(b, Runner{general: path == "general"}, herd(n))
			})
		}
	}
}

// BenchmarkGuarded runs the herd with guards, most of which let it through, beside the general path without a guard.
func BenchmarkGuarded(b *testing.B) {
	guards := []struct{ name, text string }{
		{"none", ""},
		{"budget", "budget.kind=ratio,budget.ratio=0.1,budget.burst=1000000"},
		{"aws", "budget.kind=aws,budget.capacity=1000000"},
		{"breaker", "breaker.failures=1000000"},
		{"ratio", "breaker.kind=ratio,breaker.window=1000,breaker.ratio=1"},
		{"throttle", "throttle.k=2"},
		{"open", "breaker.failures=5,breaker.openFor=5s,breaker.openJitter=0.2,breaker.onOpen=wait"},
	}
	for _, n := range []int{100_000, 1_000_000} {
		for _, perProcess := range []int{1, 100} {
			for _, g := range guards {
				b.Run(fmt.Sprintf("N=%d/per=%d/%s", n, perProcess, g.name), func(b *testing.B) {
					s := herd(n)
					s.Clients.ClientsPerProcess = perProcess
					guarded, err := strategies.ParseText("immediate," + g.text)
					if err != nil && g.text != "" {
						b.Fatal(err)
					}
					p := &s.Policies[0]
					p.Breaker, p.Budget, p.Throttle = guarded.Breaker, guarded.Budget, guarded.Throttle
					benchmarkRun(b, Runner{general: g.text == ""}, s)
				})
			}
		}
	}
}

// benchmarkRun measures runs of a scenario by the event.
func benchmarkRun(b *testing.B, runner Runner, s *Scenario) {
	var events int64
	cold := coldBytes(b, runner, s)
	for b.Loop() {
		result, err := runner.Run(context.Background(), s, nil)
		if err != nil {
			b.Fatal(err)
		}
		events += result.Engine.Events
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	b.ReportMetric(float64(cold)/float64(s.Clients.Count), "B/client")
}

// coldBytes returns how many bytes a run allocates that finds no memory of an earlier one.
func coldBytes(b *testing.B, runner Runner, s *Scenario) uint64 {
	runtime.GC()
	runtime.GC() // a pool lets go of what it holds at the second collection
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := runner.Run(context.Background(), s, nil); err != nil {
		b.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkPolicies runs twenty policies of the opening scenario's kind, to see what a second core adds: GOMAXPROCS=1 and 2.
func BenchmarkPolicies(b *testing.B) {
	s := herd(20_000)
	s.Replications = 1
	for i := range 20 {
		p := fullJitter(time.Duration(100+10*i)*time.Millisecond, 10*time.Second)
		p.ID = fmt.Sprintf("full-%d", i)
		s.Policies = append(s.Policies, p)
	}
	s.Policies = s.Policies[1:]
	for b.Loop() {
		if _, err := Run(context.Background(), s, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFloor does what no engine can do without: it draws the herd's numbers, writes its events as 16 bytes each,
// and sorts them by time, with a radix sort.
func BenchmarkFloor(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			s := herd(n)
			windows := s.Policies[0].Compile().Windows()
			var events []event
			var sorted []event
			total := 0
			for b.Loop() {
				events = floorEvents(events[:0], n, windows, int64(s.Server.Outages[0].End))
				if cap(sorted) < len(events) {
					sorted = make([]event, len(events))
				}
				events, sorted = radixSort(events, sorted[:len(events)])
				total += len(events)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/event")
		})
	}
}

// floorEvents draws each client's attempts up to the second one after recovery, and one service.
func floorEvents(events []event, n int, windows []strategies.Window, recovery int64) []event {
	draws := newStream(1, 0)
	for i := range uint64(n) {
		base := draws.of(i)
		t, after := int64(0), 0
		for k := int64(1); after < 2; k++ {
			events = append(events, newEvent(t, classArrival, i, k))
			if t >= recovery {
				after++
			}
			t += windows[min(k, int64(len(windows)))-1].Draw(at(base, uint64(k), drawBackoff))
		}
		work := -10e6 * math.Log(unit(at(base, 1, drawService)))
		events = append(events, newEvent(t+int64(work), classArrival, i, 1))
	}
	return events
}

// radixSort sorts events by their first words, whose upper digits are the same for all times below 2^40 ns. It returns
// the sorted slice, and the other.
func radixSort(events, scratch []event) (sorted, other []event) {
	const digit = 10
	for shift := uint(timeShift); shift < timeShift+40; shift += digit {
		var counts [1<<digit + 1]int
		for _, e := range events {
			counts[e.hi>>shift&(1<<digit-1)+1]++
		}
		for i := 1; i < len(counts); i++ {
			counts[i] += counts[i-1]
		}
		for _, e := range events {
			place := &counts[e.hi>>shift&(1<<digit-1)]
			scratch[*place] = e
			*place++
		}
		events, scratch = scratch, events
	}
	return events, scratch
}
