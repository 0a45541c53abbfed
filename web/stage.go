package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes stages: single runs to watch, each a picture and a text of its own that the script brings to life. They
// show the first replication, on axes that stages side by side share.

const (
	tabWatch   = "watch"
	maxStages  = maxShown // side by side
	maxMoments = 40       // in a stage's table
)

// stagesOf makes a stage of each of some policies of a scenario, by their ids; none: of the first. The marks are those
// that the policies have elsewhere on the page.
func (s *Server) stagesOf(ctx context.Context, sc *sim.Scenario, given marks, ids ...string) ([]templates.StageView, error) {
	var policies []strategies.Policy
	for _, id := range ids {
		i := slices.IndexFunc(sc.Policies, func(p strategies.Policy) bool { return p.ID == id })
		if i < 0 {
			return nil, spec.Faults{{Pointer: "?show", Detail: fmt.Sprintf("show must be the id of one of the policies, not %.40q", id)}}
		}
		policies = append(policies, sc.Policies[i])
	}
	if len(policies) == 0 {
		policies = sc.Policies[:1]
	}
	result, err := s.traceFirst(ctx, sc, policies)
	if err != nil {
		return nil, err
	}
	axes, all := newStrips(result), rank(result)
	slices.SortFunc(all, func(a, b standing) int { return a.position - b.position })
	var views []templates.StageView
	for _, of := range all {
		of.mark = given[of.Policy.ID]
		views = append(views, stageOf(result.Scenario, axes, of))
	}
	return views, nil
}

// idsOf are the ids of policies.
func idsOf(all []standing) []string {
	var ids []string
	for _, s := range all {
		ids = append(ids, s.Policy.ID)
	}
	return ids
}

func stageOf(sc *sim.Scenario, axes strips, of standing) templates.StageView {
	query := encode(firstRunOf(sc, of.Policy).Query())
	return templates.StageView{
		ID: of.Policy.ID, Title: nameOf(of), Mark: markOf(of.mark),
		Trace:   apiPrefix + "/traces?" + query,
		Server:  serverLine(sc),
		Reasons: string(asJSON(reasonsOf(of))),
		Key:     outcomeKey(of.Trace),
		GaveUp:  slices.ContainsFunc(of.Trace.Failed, func(reason string) bool { return reason != "" }),
		Note:    drawnNote(sc, of.Trace),
		Says:    runInWords(of),
		Strip:   axes.strip(of.PolicyResult),
		Load:    axes.loadAxis(),
		Time:    axes.timeAxis(),
		End:     strconv.FormatFloat(float64(axes.columns()*axes.per)*axes.bin, 'f', -1, 64),
		Moments: moments(sc, axes, of),
		Numbers: axes.numbers(of.PolicyResult),
	}
}

// serverLine is the server in so few words that they fit into its picture.
func serverLine(sc *sim.Scenario) string {
	if sc.Server.Kind == sim.OCC {
		return "One row: a write conflicts if another came after its read"
	}
	line := "The server"
	if n := sc.Server.Workers; n > 0 {
		line = "The server: " + plural(float64(n), "worker", "workers")
		if nodes := sc.Server.Nodes.Count; nodes > 1 {
			line = "The server: " + plural(float64(nodes), "node", "nodes") + " of " + plural(float64(n), "worker", "workers")
		}
	}
	if capacity, ok := sc.Throughput(); ok && capacity > 0 {
		line += ", " + brief(capacity) + " a second at most"
	}
	return line
}

// reasonsOf are the reasons for which a request can fail, in words.
func reasonsOf(of standing) map[string]string {
	words := map[string]string{}
	for _, m := range of.Metrics {
		if name, ok := strings.CutPrefix(m.Name, "failed."); ok {
			words[name] = traced{standing: of}.reason(name)
		}
	}
	return words
}

// drawnNote says what of a run is drawn.
func drawnNote(sc *sim.Scenario, trace *sim.Trace) string {
	note := "This is the first run."
	if n := sc.Clients.Count; n > maxTraced {
		note += fmt.Sprintf(" %d of the %s clients are drawn, those that come first; the server and the load are those of all.", maxTraced, count(float64(n)))
	}
	if trace.Cut() {
		note += " They make too many attempts to draw all: the clients move up to " + seconds(trace.LeftSeconds[len(trace.LeftSeconds)-1]) + "."
	}
	return note
}

// runInWords says what one run came to.
func runInWords(of standing) string {
	value := func(name string) (float64, bool) {
		m := of.Metrics.Get(name).Mean
		if m == nil {
			return 0, false
		}
		return *m, true
	}
	served, _ := value("succeeded")
	requests, _ := value("requests")
	said := count(served) + " of " + plural(requests, "request", "requests") + " served"
	if within, ok := value("within.p99"); ok {
		said += ", 99" + nbsp + "% within " + seconds(within)
	}
	if attempts, ok := value("amplification"); ok {
		said += "; " + brief(attempts) + " attempts each"
	}
	switch crashes, _ := value("crashes"); crashes {
	case 0:
	case 1:
		said += "; the server was knocked over once"
	default:
		said += "; the server was knocked over " + count(crashes) + " times"
	}
	return said + "."
}

// numbers is a strip as a table.
func (a strips) numbers(p *sim.PolicyResult) templates.Table {
	t := templates.Table{Caption: nameOf(standing{PolicyResult: p}) + ": attempts by time, and how long the server was down", Head: append([]string{""}, a.spanHead()...)}
	for _, row := range a.spanRows(p) {
		t.Rows = append(t.Rows, append([]string{row.What}, row.Values...))
	}
	return t
}
