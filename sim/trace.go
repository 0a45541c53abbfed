package sim

import (
	"cmp"
	"slices"
)

// maxTraced bounds the attempts of a trace: one client alone can make a hundred million.
const maxTraced = 50_000

// Cut reports whether there were more attempts than a trace lists.
func (t *Trace) Cut() bool { return len(t.Client) == maxTraced }

// tracer records the attempts of the first clients under test: those that leave first. A nil tracer records nothing.
type tracer struct {
	clients  int64
	room     int // for so many attempts
	client   func(number uint64) int64
	attempts []tracedAttempt
	place    map[tracedKey]int
	full     bool
	last     tracedAttempt // if full: attempts that leave after it have no place
	work     workLog
	warmups  []WarmupSpan
}

type tracedKey struct {
	number uint64
	n      int64
}

type tracedAttempt struct {
	tracedKey
	client            int64
	left, arrived     int64
	node              int   // from 1; 0: none got it
	started, answered int64 // by the server
	seen              int64
	outcome           string
	failed            string // why the request failed with this attempt, if it did
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
	t := tracedAttempt{tracedKey{a.number, a.n}, r.client(a.number), a.leave, arrival, 0, never, never, never, "inFlight", ""}
	if r.full && r.last.compare(t) < 0 {
		return
	}
	r.place[t.tracedKey] = len(r.attempts)
	r.attempts = append(r.attempts, t)
	if len(r.attempts) == 2*r.room { // clients are not always followed in the order of time
		r.trim()
	}
}

// trim puts the attempts in the order of their leaving and drops those that there is no room for.
func (r *tracer) trim() {
	slices.SortFunc(r.attempts, tracedAttempt.compare)
	if len(r.attempts) > r.room {
		r.attempts = r.attempts[:r.room]
		r.full, r.last = true, r.attempts[r.room-1]
	}
	clear(r.place)
	for i, a := range r.attempts {
		r.place[a.tracedKey] = i
	}
}

func (a tracedAttempt) compare(b tracedAttempt) int {
	return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.number, b.number), cmp.Compare(a.n, b.n))
}

// of returns an attempt that is traced; nil if it is not.
func (r *tracer) of(g *group, number uint64, n int64) *tracedAttempt {
	if r.traces(g, number) {
		if i, ok := r.place[tracedKey{number, n}]; ok {
			return &r.attempts[i]
		}
	}
	return nil
}

// seen records what a client sees of an attempt.
func (r *tracer) seen(g *group, number uint64, n, t int64, outcome string) {
	if a := r.of(g, number, n); a != nil {
		a.seen, a.outcome = t, outcome
	}
}

// sent records which node the balancer sends an attempt to, from 1.
func (r *tracer) sent(g *group, number uint64, n int64, node int) {
	if a := r.of(g, number, n); a != nil {
		a.node = node
	}
}

// starts records that the server takes an attempt into service.
func (r *tracer) starts(g *group, number uint64, n, t int64) {
	if a := r.of(g, number, n); a != nil {
		a.started = t
	}
}

// answers records when the server is done with an attempt, whether or not its client still waits.
func (r *tracer) answers(g *group, number uint64, n, t, horizon int64) {
	if a := r.of(g, number, n); a != nil && t < horizon {
		a.answered = t
	}
}

// fails records why a request failed with its attempt n.
func (r *tracer) fails(g *group, number uint64, n int64, reason int) {
	if a := r.of(g, number, n); a != nil {
		a.failed = reasonNames[reason]
	}
}

// trace returns the attempts in the order of their leaving.
func (r *tracer) trace() *Trace {
	r.trim()
	t := &Trace{Client: []int{}, Request: []int64{}, Attempt: []int64{}, LeftSeconds: []float64{}, Node: []int{}, ArrivedSeconds: []*float64{},
		StartedSeconds: []*float64{}, AnsweredSeconds: []*float64{}, SeenSeconds: []*float64{}, Outcome: []string{}, Failed: []string{},
		Server: r.work.trace()}
	t.Server.Warmups = append([]WarmupSpan{}, r.warmups...)
	requests, nth := map[int64]int64{}, map[uint64]int64{} // of a client; of a request
	for _, a := range r.attempts {
		if nth[a.number] == 0 {
			requests[a.client]++
			nth[a.number] = requests[a.client]
		}
		t.Client = append(t.Client, int(a.client))
		t.Request = append(t.Request, nth[a.number])
		t.Failed = append(t.Failed, a.failed)
		t.Attempt = append(t.Attempt, a.n)
		t.LeftSeconds = append(t.LeftSeconds, seconds(a.left))
		t.Node = append(t.Node, a.node)
		t.ArrivedSeconds = append(t.ArrivedSeconds, secondsOrNil(a.arrived))
		t.StartedSeconds = append(t.StartedSeconds, secondsOrNil(a.started))
		t.AnsweredSeconds = append(t.AnsweredSeconds, secondsOrNil(a.answered))
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
