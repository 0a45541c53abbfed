package sim

import (
	"slices"

	"github.com/stampede-sim/stampede/strategies"
)

// The nodes behind the balancer: who gets an attempt, and how they go down and come up.

// node is one of the machines that make up the server: its workers, its queue, and whether it is up.
type node struct {
	number  int
	lag     int64 // after an outage it comes up so much later than the first
	busy    jobTree
	waiting queue
	warm    warmup
	recent  recentArrivals

	inService int // of the jobs that are busy: attempts
	recorded  struct{ busy, inService, waiting int }

	down bool
	upAt int64 // known end of being down, over outages and restarts that follow without a gap
	due  int64 // when it next does something of itself

	kept   bool // its series is
	counts [numNodeCounts][]int64
	spans  []span
}

// The counts of a node's series, all as the node sees them.
const (
	nodeArrivals = iota
	nodeServed
	nodeRefused
	numNodeCounts
)

// maxListedNodes bounds the nodes whose series a result carries.
const maxListedNodes = 20

// keepNodes lets the first nodes keep their series, of so many bins.
func (s *server) keepNodes(bins int) {
	for i := range s.nodes[:min(len(s.nodes), maxListedNodes)] {
		nd := &s.nodes[i]
		nd.kept = true
		for series := range nd.counts {
			nd.counts[series] = zeroed(nd.counts[series], bins)
		}
	}
}

// nodeRuns returns the series that nodes have kept, trimmed to the last bin in which any of them did anything.
func (s *server) nodeRuns(horizon int64) (runs []NodeRun) {
	active := 0
	for i := range s.nodes {
		if nd := &s.nodes[i]; nd.kept {
			for _, counts := range nd.counts {
				active = max(active, lastNonZero(counts, active))
			}
		}
	}
	for i := range s.nodes {
		if nd := &s.nodes[i]; nd.kept {
			count := func(series int) []int64 { return slices.Clone(nd.counts[series][:active]) }
			runs = append(runs, NodeRun{count(nodeArrivals), count(nodeServed), count(nodeRefused), listSpans(nd.spans, horizon)})
		}
	}
	return runs
}

// inFlight is what the balancer has sent to the node and knows no answer to.
func (nd *node) inFlight() int { return nd.inService + nd.waiting.len() }

func (nd *node) count(e *engine, series int, t int64) {
	if nd.kept {
		nd.counts[series][e.series.bin.of(t)]++
	}
}

// pick is the balancer's choosing a node that is up. There is one.
func (e *engine) pick(ev event) *node {
	if nodes := e.server.nodes; len(nodes) == 1 {
		return &nodes[0]
	}
	nd := e.server.leastInFlight()
	if e.server.conf.Nodes.Balancer == RandomNode {
		u := at(e.stream.of(ev.request()), uint64(ev.attempt()), drawNode)
		nd = e.server.nthUp(below(u, int64(e.server.up)-1))
	}
	nd.count(e, nodeArrivals, ev.time())
	return nd
}

// nthUp returns a node by its place, from 0, among those that are up.
func (s *server) nthUp(place int64) *node {
	i := 0
	for ; s.nodes[i].down || place > 0; i++ {
		if !s.nodes[i].down {
			place--
		}
	}
	return &s.nodes[i]
}

// leastInFlight returns the first of the nodes that have least to do.
func (s *server) leastInFlight() (least *node) {
	for i := range s.nodes {
		if nd := &s.nodes[i]; !nd.down && (least == nil || nd.inFlight() < least.inFlight()) {
			least = nd
		}
	}
	return least
}

// plan notes when a node, and with it the server, next does something of itself.
func (s *server) plan(nd *node) {
	t := never
	if nd.busy.len() > 0 {
		t = nd.busy.first().end()
	}
	if nd.down {
		t = nd.upAt
	}
	nd.due = t
	if len(s.nodes) > 1 {
		s.findSoonest()
		t = s.soonest.due
	}
	if s.nextOutage < len(s.outages) {
		t = min(t, s.outages[s.nextOutage].from)
	}
	s.due = t
}

// findSoonest finds the node whose turn it is next. Of nodes at one instant it may be any: they do not meet.
func (s *server) findSoonest() {
	s.soonest = &s.nodes[0]
	for i := range s.nodes {
		if nd := &s.nodes[i]; nd.due < s.soonest.due {
			s.soonest = nd
		}
	}
}

// serverActs carries out what is due at t: a service's end, a node's coming up, an outage's beginning; in this order.
func (e *engine) serverActs(t int64) {
	s := &e.server
	switch nd := s.soonest; {
	case nd.due > t:
		outage := s.outages[s.nextOutage]
		s.nextOutage++
		if s.nextOutage == 1 {
			defer s.markRecovery(outage.to)
		}
		e.goDown(outage, s.nodes)
	case nd.down:
		e.comeUp(nd, t)
	default:
		e.completeFirst(nd, t)
	}
}

func (e *engine) comeUp(nd *node, t int64) {
	s := &e.server
	nd.down = false
	s.up++
	s.nodesDown.set(t, len(s.nodes)-s.up)
	nd.warm.start(t)
	if s.down {
		s.down, s.refusing = false, 0
		s.downtime.set(t, 0)
		s.warm.start(t)
		e.traceUp(t)
	}
	s.plan(nd)
}

func (e *engine) crash(nd *node, t int64) {
	s := &e.server
	s.crashes++
	e.goDown(span{from: t, to: t + int64(s.conf.Crash.Restart), crash: true}, s.nodes[nd.number:nd.number+1])
}

// maxDownSpans bounds the lists of times of being down. A node with an instant restart could crash a million times a second.
const maxDownSpans = 1000

// goDown begins a time of being down, of all nodes or of one that crashes. What they have queued and in service is answered
// at once.
func (e *engine) goDown(why span, nodes []node) {
	s := &e.server
	t := why.from
	var cut []job
	for i := range nodes {
		nd := &nodes[i]
		to := why.to
		if !why.crash {
			to += nd.lag
		}
		if !nd.down {
			s.up--
		}
		nd.down, nd.upAt = true, max(nd.upAt, to)
		if nd.kept && len(nd.spans) < maxDownSpans {
			nd.spans = append(nd.spans, span{from: t, to: to, crash: why.crash})
		}
		cut = nd.drop(e, t, cut)
	}
	s.nodesDown.set(t, len(s.nodes)-s.up)
	if s.up == 0 {
		s.lieDown(why)
	}
	for i := range nodes {
		e.recordWork(&nodes[i], t)
	}
	for _, j := range cut {
		if e.stopped() {
			return
		}
		e.answer(j.key, j.arrived, t, strategies.Unavailable, noHint)
	}
}

// drop takes from a node that goes down at t the attempts that it has in service and in the queue.
func (nd *node) drop(e *engine, t int64, cut []job) []job {
	before := len(cut)
	cut = slices.Grow(cut, nd.inFlight())
	cut = append(cut, nd.busy.attempts()...)
	for nd.waiting.len() > 0 {
		ev := nd.waiting.pop(false)
		cut = append(cut, job{ev, ev.time()})
	}
	nd.busy.clear()
	nd.inService = 0
	for range len(cut) - before {
		nd.count(e, nodeRefused, t)
	}
	return cut
}

// lieDown begins a time in which no node is up.
func (s *server) lieDown(why span) {
	if until := s.firstUpAfter(0); !s.down || until > s.downUntil {
		s.downUntil, why.to = until, until
	}
	s.down = true
	s.refusing = s.refusingUntil(why.from)
	s.downtime.set(why.from, 1)
	if len(s.spans) < maxDownSpans {
		s.spans = append(s.spans, why)
	}
}

// firstUpAfter returns when a node is up again if an outage that ends at end goes on or is still to begin; 0: none does.
func (s *server) firstUpAfter(end int64) int64 {
	first := never
	for i := range s.nodes {
		nd := &s.nodes[i]
		up := nd.upAt
		if end > 0 {
			up = max(up, end+nd.lag)
		}
		first = min(first, up)
	}
	return first
}

// isKnownDown reports whether it is already certain that the server will be down at t, and what it will answer.
// A crash between now and an outage to come might change the answer, so then only the present counts.
func (s *server) isKnownDown(t int64) bool {
	if s.down && t < s.downUntil {
		return true
	}
	if s.mayCrash {
		return false
	}
	for _, o := range s.outages[s.nextOutage:] {
		if t < o.from {
			return false
		}
		if t < o.to {
			return true
		}
	}
	return false
}

// refusingUntil returns until when attempts that arrive from t on are certain to be refused at once; 0 if they are not.
func (s *server) refusingUntil(t int64) int64 {
	if !s.down || t >= s.downUntil {
		return 0
	}
	end := s.downUntil
	for i := range s.outages {
		if o := &s.outages[i]; o.hang && o.to > t {
			end = min(end, o.from)
		}
	}
	return end
}
