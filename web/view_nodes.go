package web

import (
	"slices"
	"strconv"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// This file draws what each node behind the balancer saw in the first run of the policy whose row is opened, as strips on
// the rows' time axis.

// nodes adds the nodes' strips to the row that is opened, where there are several nodes.
func (p *pageAnswer) nodes(to *templates.Results, r *sim.Result, st state) error {
	opened := slices.IndexFunc(to.Rows, func(row templates.Row) bool { return row.All != nil })
	if opened < 0 || r.Scenario.Server.Nodes.Count < 2 {
		return nil
	}
	at := slices.IndexFunc(r.Scenario.Policies, func(p strategies.Policy) bool { return p.ID == st.opened })
	first, err := p.simulate(p.r.Context(), firstRunOf(r.Scenario, r.Scenario.Policies[at]), options{nodes: true})
	if err != nil {
		return err
	}
	to.Rows[opened].All.Nodes = newStrips(r).nodes(r.Scenario, &first.Results[0])
	return nil
}

// nodes draws the nodes of a policy's first run.
func (a strips) nodes(sc *sim.Scenario, p *sim.PolicyResult) *templates.Nodes {
	var runs []*sim.FirstRun
	a.top = 0
	if a.whole {
		a.unit, _ = oneNode(sc).Throughput()
		a.top = 1
	}
	for _, nd := range p.Run.Nodes {
		bins := min(len(nd.Arrivals), a.columns()*a.per)
		run := &sim.FirstRun{BinSeconds: p.Run.BinSeconds, Arrivals: nd.Arrivals[:bins], Served: nd.Served[:bins], Refused: nd.Refused[:bins],
			TimedOut: make([]int64, bins), Down: nd.Down} // the node does not know who has given up
		for i := range bins {
			a.top = max(a.top, a.load(run, i))
		}
		runs = append(runs, run)
	}
	n := &templates.Nodes{Load: a.loadAxis(), Time: a.timeAxis(), Spans: a.spanHead()}
	if a.whole {
		n.Load.Title = "Load in multiples of what a node can serve (1× is " + brief(a.unit) + " a second), square-root scale"
	}
	of := sc.Server.Nodes.Count
	if left := of - len(runs); left > 0 {
		n.Left = "The first " + count(float64(len(runs))) + " of " + count(float64(of)) + " nodes."
	}
	for i, run := range runs {
		name := "Node " + strconv.Itoa(i+1)
		its := &sim.PolicyResult{Policy: strategies.Policy{Name: name}, Run: *run}
		n.Strips = append(n.Strips, templates.NodeStrip{Name: name, Says: saysOf(run), Strip: a.strip(its), Rows: a.spanRows(its)})
	}
	return n
}

// saysOf is what became of a node, in short: "served 312, crashed 4 times".
func saysOf(run *sim.FirstRun) string {
	served, crashed := int64(0), 0
	for _, n := range run.Served {
		served += n
	}
	for _, d := range run.Down {
		if d.Why == "crash" {
			crashed++
		}
	}
	return "served " + count(float64(served)) + ", " + plural(float64(crashed), "crash", "crashes")
}
