package sim

import "math"

// How the workloads create requests.

// creation is when the next request of an open workload is created; never if there is none.
type creation struct {
	at      int64
	sources []poisson
}

// poisson creates the requests of one open workload, one after the other.
type poisson struct {
	group  *group
	rates  []rate // in the order of time
	now    float64
	number uint64
	at     int64
}

// rate is how many requests are created a nanosecond until end.
type rate struct{ end, perNano float64 }

func newPoisson(g *group) poisson {
	p := poisson{group: g}
	base := g.workload.Rate / 1e9
	last := 0.0
	for _, s := range g.workload.Surges {
		p.rates = append(p.rates, rate{float64(s.Start), base}, rate{float64(s.End), s.Rate / 1e9})
		last = float64(s.End)
	}
	if last < math.Inf(1) {
		p.rates = append(p.rates, rate{math.Inf(1), base})
	}
	return p
}

// next finds when the next request is created: an exponential gap of unit rate, in the time that the rates stretch.
func (p *poisson) next(s stream, horizon int64) {
	gap := -math.Log1p(-unit(at(s.of(p.group.id|p.number), 0, drawCreation)))
	for p.now < float64(horizon) {
		r := p.rates[0]
		if room := (r.end - p.now) * r.perNano; room >= gap && r.perNano > 0 {
			p.now += gap / r.perNano
			p.at = int64(min(p.now, float64(horizon)))
			return
		} else if r.perNano > 0 {
			gap -= room
		}
		p.now = r.end
		p.rates = p.rates[1:]
	}
	p.at = never
}

// createBursts creates the requests of bursts, the first ones of closed clients, and readies the open workloads.
func (e *engine) createBursts() {
	e.creation = creation{at: never}
	for _, g := range e.groups {
		switch g.workload.Kind {
		case Burst:
			for i := 0; i < g.count && !e.stopped(); i++ {
				e.create(g, uint64(i), g.burstCreation(e.stream, uint64(i)))
			}
		case Closed:
			for i := 0; i < g.count && !e.stopped(); i++ {
				if a, ok := e.createClosed(g, uint64(i), 0); ok {
					e.send(g, a)
				}
			}
		case Open:
			p := newPoisson(g)
			p.next(e.stream, e.horizon)
			e.creation.sources = append(e.creation.sources, p)
		}
	}
	e.findNextCreation()
}

func (e *engine) findNextCreation() {
	e.creation.at = never
	for _, p := range e.creation.sources {
		if p.at < e.horizon {
			e.creation.at = min(e.creation.at, p.at)
		}
	}
}

// createNext creates the next request of the open workloads.
func (e *engine) createNext() {
	for i := range e.creation.sources {
		p := &e.creation.sources[i]
		if p.at != e.creation.at {
			continue
		}
		g, number, t := p.group, p.number, p.at
		p.number++
		p.next(e.stream, e.horizon)
		e.findNextCreation()
		if g.created != nil {
			g.created = append(g.created, 0)
		}
		if g.feedback {
			g.previous = append(g.previous, 0)
		}
		if g.timeout > 0 {
			g.settled = append(g.settled, 0)
		}
		if g.guards != nil {
			g.guards.grow()
		}
		e.create(g, number, t)
		return
	}
}

// createClosed lets a closed client think from t on and then create a request.
func (e *engine) createClosed(g *group, number uint64, t int64) (attempt, bool) {
	t += g.think.Draw(at(e.stream.of(g.id|number), 0, drawThink))
	if t >= e.horizon {
		return attempt{}, false
	}
	g.current[g.slot(number)] = number
	return g.begin(number, t), true
}

func (e *engine) create(g *group, number uint64, t int64) {
	if t < e.horizon {
		e.send(g, g.begin(number, t))
	}
}

// client returns whose request it is, from 0.
func (e *engine) client(g *group, number uint64) int64 {
	switch g.workload.Kind {
	case Closed:
		return int64(number & g.clientMask)
	case Open:
		return below(at(e.stream.of(g.id|number), 0, drawClient), int64(g.count)-1)
	}
	return int64(number)
}
