package sim

// workLog records what the server is at. It holds at most room changes: when there are more, the stretches within which
// they are one get twice as long.
type workLog struct {
	room    int
	gap     int64
	changes []work
	now     work
}

// work is what the server is at from a time on.
type work struct {
	at                     int64
	inService, queue, busy int
}

// change adds a change at one node to what all of them are at.
func (l *workLog) change(by work) {
	l.now.inService, l.now.queue, l.now.busy = l.now.inService+by.inService, l.now.queue+by.queue, l.now.busy+by.busy
	l.now.at = by.at
	l.note(l.now)
}

// note records what the server is at; that comes in the order of time.
func (l *workLog) note(w work) {
	l.add(w)
	for len(l.changes) == l.room {
		changes := l.changes
		l.gap, l.changes = 2*l.gap, l.changes[:0]
		for _, w := range changes {
			l.add(w)
		}
	}
}

func (l *workLog) add(w work) {
	var before work
	if n := len(l.changes); n > 0 {
		last := &l.changes[n-1]
		if last.at/l.gap == w.at/l.gap {
			w.at = last.at
			*last = w
			return
		}
		before = *last
	}
	if before.at = w.at; before == w {
		return
	}
	l.changes = append(l.changes, w)
}

func (l *workLog) trace() ServerTrace {
	t := ServerTrace{GapSeconds: seconds(l.gap), AtSeconds: []float64{}, InService: []int{}, Queue: []int{}, Busy: []int{}}
	for _, w := range l.changes {
		t.AtSeconds = append(t.AtSeconds, seconds(w.at))
		t.InService = append(t.InService, w.inService)
		t.Queue = append(t.Queue, w.queue)
		t.Busy = append(t.Busy, w.busy)
	}
	return t
}

// traceLeave records that an attempt leaves, and when it will arrive. If it is met, the server is known to be down then.
func (e *engine) traceLeave(g *group, a attempt, arrival int64, met bool) {
	e.trace.leaves(g, a, arrival, e.horizon)
	if met {
		answer, _ := e.server.answerWhileDown(arrival)
		e.trace.answers(g, a.number, a.n, answer, e.horizon)
	}
}

// traceAnswer records that the server is done, at t, with an attempt that has arrived.
func (e *engine) traceAnswer(ev event, t int64) {
	if e.trace != nil {
		g, number, n := e.subject(ev)
		e.trace.answers(g, number, n, t, e.horizon)
	}
}

// traceNode records that the balancer sends an attempt to a node.
func (e *engine) traceNode(ev event, nd *node) {
	if e.trace != nil {
		g, number, n := e.subject(ev)
		e.trace.sent(g, number, n, nd.number+1)
	}
}

// traceStart records that an attempt is taken into service at t.
func (e *engine) traceStart(ev event, t int64) {
	if e.trace != nil {
		g, number, n := e.subject(ev)
		e.trace.starts(g, number, n, t)
	}
}

// traceUp records that the server has come up at t, and how it warms up.
func (e *engine) traceUp(t int64) {
	w := &e.server.warm
	if e.trace != nil && w.duration > 0 && len(e.trace.warmups) < maxDownSpans {
		e.trace.warmups = append(e.trace.warmups, WarmupSpan{seconds(t), seconds(t + w.duration), w.from})
	}
}
