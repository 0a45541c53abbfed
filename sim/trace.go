package sim

import (
	"cmp"
	"slices"
)

// tracer records the attempts of the first clients under test. A nil tracer records nothing.
type tracer struct {
	clients  int64
	client   func(number uint64) int64
	attempts []tracedAttempt
	place    map[tracedKey]int
}

type tracedKey struct {
	number uint64
	n      int64
}

type tracedAttempt struct {
	tracedKey
	client              int64
	left, arrived, seen int64
	outcome             string
}

func (r *tracer) traces(g *group, number uint64) bool {
	return r != nil && g.tested && r.client(number) < r.clients
}

// leaves records that an attempt leaves, and when it will arrive.
func (r *tracer) leaves(g *group, a attempt, arrival, horizon int64) {
	if !r.traces(g, a.number) {
		return
	}
	if arrival >= horizon {
		arrival = never
	}
	key := tracedKey{a.number, a.n}
	r.place[key] = len(r.attempts)
	r.attempts = append(r.attempts, tracedAttempt{key, r.client(a.number), a.leave, arrival, never, "inFlight"})
}

// seen records what a client sees of an attempt.
func (r *tracer) seen(g *group, number uint64, n, t int64, outcome string) {
	if r.traces(g, number) {
		a := &r.attempts[r.place[tracedKey{number, n}]]
		a.seen, a.outcome = t, outcome
	}
}

// trace returns the attempts in the order of their leaving.
func (r *tracer) trace() *Trace {
	slices.SortFunc(r.attempts, func(a, b tracedAttempt) int {
		return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.number, b.number), cmp.Compare(a.n, b.n))
	})
	t := &Trace{Client: []int{}, Attempt: []int64{}, LeftSeconds: []float64{}, ArrivedSeconds: []*float64{},
		SeenSeconds: []*float64{}, Outcome: []string{}}
	for _, a := range r.attempts {
		t.Client = append(t.Client, int(a.client))
		t.Attempt = append(t.Attempt, a.n)
		t.LeftSeconds = append(t.LeftSeconds, seconds(a.left))
		t.ArrivedSeconds = append(t.ArrivedSeconds, secondsOrNil(a.arrived))
		t.SeenSeconds = append(t.SeenSeconds, secondsOrNil(a.seen))
		t.Outcome = append(t.Outcome, a.outcome)
	}
	return t
}

func seconds(t int64) float64 { return float64(t) / 1e9 }

func secondsOrNil(t int64) *float64 {
	if t == never {
		return nil
	}
	s := seconds(t)
	return &s
}
