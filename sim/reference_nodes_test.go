package sim

// The reference simulator's nodes: who gets an attempt, going down and coming up.

import (
	"cmp"
	"slices"
)

// refNode is one of the machines behind the balancer.
type refNode struct {
	number int
	ends   []int64 // of its outages and restarts so far: it is down until the last of them
	up     refUp
	jobs   []*refJob
	queue  []*refAttempt
	recent []int64 // arrivals that crash.rate counts

	arrivals, served, refused           []int64
	queueStays, serviceStays, busyStays []refStay // waiting; attempts in service; workers busy, with refusals too
	downSince                           int64     // never: it is up
	downStays                           []refStay
	spans                               []refSpan
}

// refUp is since when something is up; -1: it has always been.
type refUp struct {
	at        int64
	effective int64 // the integral of f up to then
}

func (nd *refNode) inService() (n int) {
	for _, j := range nd.jobs {
		if j.attempt != nil {
			n++
		}
	}
	return n
}

// upAt is when the node is up at the latest of all that keeps it down.
func (nd *refNode) upAt() (t int64) {
	for _, end := range nd.ends {
		t = max(t, end)
	}
	return t
}

// pick is the balancer's choice; nil if no node is up.
func (r *reference) pick(a *refAttempt) *refNode {
	up := slices.DeleteFunc(slices.Clone(r.nodes), func(nd *refNode) bool { return nd.upAt() > r.now })
	switch {
	case len(up) == 0:
		return nil
	case r.s.Server.Nodes.Balancer == RandomNode:
		return up[below(r.draw(a.request, a.n, drawNode), int64(len(up))-1)]
	}
	return slices.MinFunc(up, func(m, n *refNode) int {
		return cmp.Or(cmp.Compare(m.inService()+len(m.queue), n.inService()+len(n.queue)), cmp.Compare(m.number, n.number))
	})
}

// firstUp is when a node is up.
func (r *reference) firstUp() int64 {
	first := never
	for _, nd := range r.nodes {
		first = min(first, nd.upAt())
	}
	return first
}

func (r *reference) planOutages() {
	for i := range r.s.Server.Outages {
		o := &r.s.Server.Outages[i]
		end := int64(o.End) + below(at(r.draws.of(uint64(i)), 0, drawOutageEnd), int64(o.EndSpread))
		if i == 0 {
			r.recovery = end
		}
		r.schedule(int64(o.Start), refGoesDown, uint64(i), 0, func() {
			r.outage, r.outageEnds = o, end
			for _, nd := range r.nodes {
				r.goDown(nd, end+int64(nd.number)*int64(r.s.Server.Nodes.ComeUp), "outage")
			}
			r.noteDown(end, "outage")
		})
		r.schedule(end, refComesUp, uint64(i), 0, func() { r.outage, r.outageEnds = nil, 0 })
	}
}

func (r *reference) crash(nd *refNode) {
	r.crashes++
	end := r.now + int64(r.s.Server.Crash.Restart)
	r.goDown(nd, end, "crash")
	r.noteDown(end, "crash")
}

func (r *reference) goDown(nd *refNode, until int64, why string) {
	nd.spans = append(nd.spans, refSpan{r.now, until, why})
	nd.ends = append(nd.ends, until)
	if nd.downSince == never {
		nd.downSince = r.now
	}
	for _, j := range nd.jobs {
		r.stop(nd, j)
		if j.attempt != nil {
			nd.refused = append(nd.refused, r.now)
			r.answer(j.attempt, r.now, "unavailable", noHint)
		}
	}
	for _, a := range nd.queue {
		nd.queueStays = append(nd.queueStays, refStay{a.arrived, r.now})
		nd.refused = append(nd.refused, r.now)
		r.answer(a, r.now, "unavailable", noHint)
	}
	nd.jobs, nd.queue = nil, nil
	r.schedule(until, refComesUp, uint64(nd.number), 0, func() { r.comeUp(nd) })
}

// noteDown lists that no node is up, if so: until one is as far as is known now, or, where that is listed already, until the
// end of what has come on top.
func (r *reference) noteDown(until int64, why string) {
	first := r.firstUp()
	if first <= r.now {
		return
	}
	if r.downSince == never {
		r.downSince = r.now
		r.knownUp = 0
	}
	if first > r.knownUp {
		r.knownUp, until = first, first
	}
	r.spans = append(r.spans, refSpan{r.now, until, why})
}

// comeUp is the end of a node's outage or restart; it is up unless another goes on.
func (r *reference) comeUp(nd *refNode) {
	if nd.upAt() > r.now {
		return
	}
	nd.up = refUp{r.now, r.effectiveTime(nd.up, r.now)}
	if nd.downSince != never {
		nd.downStays = append(nd.downStays, refStay{nd.downSince, r.now})
		nd.downSince = never
	}
	if r.downSince != never {
		r.downStays = append(r.downStays, refStay{r.downSince, r.now})
		r.downSince = never
		r.limitUp = refUp{r.now, r.effectiveTime(r.limitUp, r.now)}
	}
}

// speed is f(t), now.
func (r *reference) speed(up refUp) float64 {
	w := r.s.Server.Warmup
	if w == nil || up.at < 0 || r.now-up.at >= int64(w.Duration) {
		return 1
	}
	return w.From + (1-w.From)*float64(r.now-up.at)/float64(w.Duration)
}

// effectiveTime is the integral of f from 0 to t, which is not before it came up, in whole nanoseconds.
func (r *reference) effectiveTime(up refUp, t int64) int64 {
	if up.at < 0 {
		return t
	}
	since := t - up.at
	w := r.s.Server.Warmup
	if w == nil {
		return up.effective + since
	}
	warm := float64(min(since, int64(w.Duration)))
	slow := warm*w.From + (1-w.From)*warm*warm/(2*float64(w.Duration))
	return up.effective + int64(slow) + max(0, since-int64(w.Duration))
}
