package web

import (
	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// While a long run goes on, the script gets rows from fewer replications first. They are the run's own first ones, since
// a replication depends on its number and the seed alone. There is no verdict on them.

const (
	previewAbove = 5_000_000 // events that a run must take for a preview to come well before it
	previewCost  = 1_000_000 // events that a preview takes, unless a single replication takes more
)

// previewOf returns the scenario with fewer replications, and false where that would not be much sooner, or where the
// whole takes more than limit events, unless that is 0, and is refused.
func previewOf(sc *sim.Scenario, limit int64) (*sim.Scenario, bool) {
	all := sim.Estimate(sc)
	if all < previewAbove || sc.Replications < 4 || limit > 0 && all > limit {
		return nil, false
	}
	few := *sc
	few.Replications = min(max(1, int(previewCost*int64(sc.Replications)/all)), sc.Replications/4)
	return &few, true
}

// preview sends the rows of a preview, if one is worth while. Whatever goes wrong here goes wrong with the whole run
// too, which says so.
func (p *pageAnswer) preview(page templates.Page, st state, o options, events *eventStream) {
	few, ok := previewOf(st.scenario, p.maxEvents)
	if !ok || p.has(st.scenario, o) {
		return
	}
	result, err := p.simulate(p.r.Context(), few, o)
	if err == nil {
		page.Results, err = p.results(result, st)
	}
	if err != nil {
		return
	}
	page.Share = p.shareOf(p.r, st, page.Results.Verdict)
	page.Results.Verdict, page.Results.Why = nil, ""
	if html, err := p.render(page); err == nil {
		events.send("event: preview\ndata: %s\n", asJSON(string(html)))
	}
}
