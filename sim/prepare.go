package sim

import (
	"math"
	"slices"
)

// How an engine is made ready for a replication, in the memory of the one before.

// prepare readies the engine for replication k of a policy, and returns when the server recovers.
func (e *engine) prepare(r *run, p *policyRun, k int) (recovery int64) {
	s := r.scenario
	e.stream = newStream(s.Seed, k)
	e.horizon = int64(s.Horizon)
	e.latency = r.latency
	e.fixed = -1
	if t, ok := e.latency.Constant(); ok {
		e.fixed = min(t, maxTime)
	}
	e.hops, e.back = 1, drawHop2
	if s.Server.Kind == OCC {
		e.hops, e.back = 3, drawHop4
	}
	e.meter, e.credit, e.events = r.meter, creditBlock, 0
	e.prepareGroups(p.groups)
	recovery = e.server.prepare(&s.Server, r.service, e.stream)
	e.calendar.reset(p.bucketWidth, &r.meter.stop)
	e.ahead = event{}
	e.series.reset(int64(s.Bin), e.horizon, p.policy.Guarded())
	if k == 0 && r.Nodes && len(e.server.nodes) > 1 {
		e.server.keepNodes(e.series.bins)
	}
	e.peaks.reset(int64(s.PeakWindow), e.horizon, recovery)
	e.follow = !r.general && e.peaks.canMeetEarly()
	p.resetObserved(&e.observed)
	e.trace = nil
	if k == 0 && r.Trace > 0 {
		g := e.groups[0]
		e.trace = &tracer{clients: int64(r.Trace), room: maxTraced, client: func(number uint64) int64 { return e.client(g, number) }, place: map[tracedKey]int{}, work: workLog{room: maxTraced, gap: 1}}
		if r.traceAll {
			e.trace.room, e.trace.work.room = math.MaxInt/2, math.MaxInt
		}
	}
	for _, g := range e.groups {
		g.plain = e.isPlain(g)
		g.lingers = g.plain && g.tested && e.fixed == 0
	}
	if g := e.groups[0]; p.policy.Budget.Kind != "" {
		g.guards.coarse = p.tokenShift
		e.recordTokens(g, 0, 0)
	}
	return recovery
}

// prepareGroups makes the groups of clients anew, in the memory of the old ones: touching fresh memory takes long.
func (e *engine) prepareGroups(specs []groupSpec) {
	old := e.groups
	e.groups = nil
	for i, spec := range specs {
		g := newGroup(i, spec)
		g.late = e.horizon - e.horizon/4
		var before group
		if i < len(old) {
			before = *old[i]
		}
		g.prepare(spec, &before)
		g.completions = before.completions[:0]
		if g.workload.Kind == Burst {
			g.completions = slices.Grow(g.completions, g.count)
		}
		e.groups = append(e.groups, g)
	}
}

// prepare readies the server, draws when its outages end, and returns when the first does; 0 if there is none.
func (s *server) prepare(conf *Server, service distribution, draws stream) (recovery int64) {
	*s = server{conf: conf, occ: conf.Kind == OCC, hints: conf.RetryAfter.Kind, workers: conf.Workers, queueLimit: conf.Queue, lifo: conf.Discipline == LIFO,
		patience: int64(conf.MaxQueueWait), refusal: int64(conf.RefusalCost), mayCrash: conf.Crash != nil,
		limit: newLimiter(conf.RateLimit), warm: newWarmup(conf.Warmup), outages: s.outages[:0], nodes: s.nodes, spans: s.spans[:0]}
	s.prepareNodes(conf)
	s.due = never
	if s.occ {
		return 0
	}
	s.service = service
	work, constant := s.service.Constant()
	s.instant = conf.Workers == 0 && constant && work == 0
	for i, o := range conf.Outages {
		end := int64(o.End)
		if o.EndSpread > 0 {
			end += below(at(draws.of(uint64(i)), 0, drawOutageEnd), int64(o.EndSpread))
		}
		s.outages = append(s.outages, span{from: int64(o.Start), to: end, hang: o.Mode == Hang})
	}
	if len(s.outages) > 0 {
		recovery = s.outages[0].to
	}
	s.plan(s.soonest)
	return recovery
}

// prepareNodes makes the nodes anew, in the memory of the old ones.
func (s *server) prepareNodes(conf *Server) {
	s.up = max(1, conf.Nodes.Count) // a contention server has the one that its writes go to
	s.nodes = slices.Grow(s.nodes[:0], s.up)[:s.up]
	for i := range s.nodes {
		nd := &s.nodes[i]
		*nd = node{number: i, lag: int64(i) * int64(conf.Nodes.ComeUp), due: never, busy: nd.busy, waiting: queue{ring: nd.waiting.ring},
			warm: newWarmup(conf.Warmup), recent: newRecentArrivals(conf.Crash), counts: nd.counts, spans: nd.spans[:0]}
		nd.busy.clear()
	}
	s.soonest = &s.nodes[0]
}
