package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// This file draws what single clients did: a raster a policy, one line a client, time across on the axis of the load
// strips, a mark where each attempt left. It comes from a run of the charted policies alone in the first replication
// alone, which gives the same attempts as the whole: no draw depends on company.

const (
	tabClients   = "clients"
	maxTraced    = 300  // clients in a raster
	rasterWidth  = 1000 // units across; of the same marks on one unit of a line, one is drawn
	rasterHeight = 300  // pixels, at most
	lineHeight   = 12   // pixels a client, at most
)

// outcome is how an attempt can end: its name in a trace, what the key calls it, and its mark, whose shape is drawn from
// the middle, 1 to each side: where it starts, and an SVG path from there with %v for the lengths.
type outcome struct {
	name, label string
	x, y        float64
	path        string
	lengths     []float64
}

// outcomes are in the order of drawing: what never left is below all that did, and those that were served are on top.
var outcomes = []outcome{
	{"notSent", "held back by a guard", -1, -1, "l%v %vl%v %v", []float64{1, 2, 1, -2}},
	{"unavailable", "server down", 0, -1, "v%v", []float64{2}},
	{"overloaded", "turned away: full", -1, -1, "l%v %vm0 %vl%v %v", []float64{2, 2, -2, -2, 2}},
	{"rateLimited", "turned away: too many", -1, 1, "l%v %vl%v %v", []float64{1, -2, 1, 2}},
	{"conflict", "overtaken", -1, -1, "h%vv%vh%vz", []float64{2, 2, -2}},
	{"transient", "passing error", 0, -1, "v%vm%v %vh%v", []float64{2, -1, -1, 2}},
	{"permanent", "error for good", -1, 1, "l%v %v", []float64{2, -2}},
	{"timeout", "timed out", -1, 0, "h%v", []float64{2}},
	{"inFlight", "no answer by the end", -1, -1, "l%v %vl%v %v", []float64{2, 1, -2, 1}},
	{"ok", "served", 0, 0, "h0", nil}, // a dot, by its round ends
}

// mark is the outcome's mark at a size: where it starts from its middle, and its path from there.
func (o outcome) mark(r float64) (x, y float64, path string) {
	lengths := make([]any, len(o.lengths))
	for i, l := range o.lengths {
		lengths[i] = short(l * r)
	}
	return o.x * r, o.y * r, fmt.Sprintf(o.path, lengths...)
}

// trace adds the tab of single clients to the results.
func (p *pageAnswer) trace(to *templates.Results, r *sim.Result, st state) error {
	charted := charted(st.standings(r), st.shown)
	var policies []strategies.Policy
	for _, s := range charted {
		policies = append(policies, s.Policy)
	}
	traced, err := p.traceFirst(p.r.Context(), r.Scenario, policies)
	if err != nil {
		return err
	}
	to.Clients = newRasters(r, charted, traced).view(st.client)
	return nil
}

// rasters are what the tab of single clients shows.
type rasters struct {
	axes    strips
	clients int
	one     bool // each client has one request
	of      []traced
}

// traced is one policy's part: its attempts by client, as places in the trace.
type traced struct {
	standing
	run      *sim.FirstRun
	trace    *sim.Trace
	attempts [][]int
	nodes    bool // there are several
}

func newRasters(r *sim.Result, charted []standing, alone *sim.Result) rasters {
	sc := r.Scenario
	all := rasters{axes: newStrips(r), clients: min(maxTraced, sc.Clients.Count), one: sc.Clients.Workload.Kind == sim.Burst}
	for i, s := range charted {
		of := traced{s, &alone.Results[i].Run, alone.Results[i].Trace, make([][]int, all.clients), sc.Server.Nodes.Count > 1}
		for i, client := range of.trace.Client {
			of.attempts[client] = append(of.attempts[client], i)
		}
		all.of = append(all.of, of)
	}
	return all
}

// view is the tab with one client's log, numbered from 1; 0 leaves the choice to the page.
func (all rasters) view(client int) *templates.Clients {
	if client < 1 || client > all.clients {
		client = all.of[0].latest() + 1
	}
	view := &templates.Clients{
		Title: "Each attempt of " + plural(float64(all.clients), "client", "clients"), Note: all.note(),
		Count: all.clients, Client: client, Time: all.axes.timeAxis(), Lines: all.lineLabels(), Key: all.key(),
		Table: all.table(),
	}
	height := min(rasterHeight, all.clients*lineHeight)
	for _, of := range all.of {
		view.Rasters = append(view.Rasters, of.raster(all, height))
		view.Logs = append(view.Logs, of.log(client-1, all.one))
	}
	return view
}

func (all rasters) note() string {
	note := "A line a client, a mark where an attempt left, in the first run."
	for _, of := range all.of {
		if of.trace.Cut() {
			last := of.trace.LeftSeconds[len(of.trace.LeftSeconds)-1]
			note += fmt.Sprintf(" %s makes too many attempts to show all: they are drawn up to %s.", nameOf(of.standing), seconds(last))
		}
	}
	return note
}

// lineLabels number some of the lines.
func (all rasters) lineLabels() []templates.Tick {
	step := max(1, int(step125(float64(all.clients)/6)))
	ticks := []templates.Tick{{At: all.line(0), Label: "1"}}
	for n := step; n <= all.clients; n += step {
		if n > 1 {
			ticks = append(ticks, templates.Tick{At: all.line(n - 1), Label: strconv.Itoa(n)})
		}
	}
	return ticks
}

// line is the middle of a client's line.
func (all rasters) line(client int) string {
	return place(100 * (float64(client) + 0.5) / float64(all.clients))
}

// key explains the marks that occur.
func (all rasters) key() []templates.RasterMarks {
	var traces []*sim.Trace
	for _, of := range all.of {
		traces = append(traces, of.trace)
	}
	return outcomeKey(traces...)
}

func outcomeKey(traces ...*sim.Trace) []templates.RasterMarks {
	var key []templates.RasterMarks
	for _, o := range outcomes {
		if slices.ContainsFunc(traces, func(t *sim.Trace) bool { return slices.Contains(t.Outcome, o.name) }) {
			x, y, path := o.mark(4)
			key = append(key, templates.RasterMarks{Outcome: o.name, Label: o.label, D: "M" + short(7+x) + " " + short(7+y) + path, Dot: "8"})
		}
	}
	return key
}

func (of traced) raster(all rasters, height int) templates.Raster {
	line := float64(height) / float64(all.clients)
	r := min(max(line*0.4, 1.5), 4)
	strip := all.axes.strip(&sim.PolicyResult{Policy: of.Policy, Run: *of.run})
	raster := templates.Raster{ID: of.Policy.ID, Name: nameOf(of.standing), Mark: markOf(of.mark), Height: height, Width: rasterWidth, Down: strip.Down}
	for kind, o := range outcomes {
		if d := of.marks(all, kind, line, r); d != "" {
			raster.Marks = append(raster.Marks, templates.RasterMarks{Outcome: o.name, D: d, Dot: short(2*r + 1)})
		}
	}
	return raster
}

// marks is the path of all attempts that ended in one way.
func (of traced) marks(all rasters, kind int, line, r float64) string {
	name := outcomes[kind].name
	dx, dy, path := outcomes[kind].mark(r)
	var d []byte
	for client, attempts := range of.attempts {
		y, last := short((float64(client)+0.5)*line+dy), -1
		for _, i := range attempts {
			x := int(all.axes.x(of.trace.LeftSeconds[i]) * rasterWidth / 100)
			if of.trace.Outcome[i] == name && x != last {
				d = append(d, 'M')
				d = append(d, short(float64(x)+dx)...)
				d = append(d, ' ')
				d = append(d, y...)
				d = append(d, path...)
				last = x
			}
		}
	}
	return string(d)
}

// latest is the client whose last attempt left last.
func (of traced) latest() int {
	if n := len(of.trace.Client); n > 0 {
		return of.trace.Client[n-1]
	}
	return 0
}

// table says for each client what its line shows.
func (all rasters) table() templates.Table {
	t := templates.Table{Caption: "What became of each client in the first run", Head: []string{"Client"}}
	for _, of := range all.of {
		t.Head = append(t.Head, nameOf(of.standing)+": attempts", "and then")
	}
	for client := range all.clients {
		row := []string{strconv.Itoa(client + 1)}
		for _, of := range all.of {
			row = append(row, strconv.Itoa(len(of.attempts[client])), of.fate(client, all.one))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// fate is what became of a client.
func (of traced) fate(client int, one bool) string {
	attempts := of.attempts[client]
	if len(attempts) == 0 {
		return "sent nothing"
	}
	if last := attempts[len(attempts)-1]; one {
		return of.end(last)
	}
	served, requests := 0, int64(0)
	for _, i := range attempts {
		requests = max(requests, of.trace.Request[i])
		if of.trace.Outcome[i] == "ok" {
			served++
		}
	}
	return fmt.Sprintf("%d of %s served", served, plural(float64(requests), "request", "requests"))
}

// end is how the last attempt of a request ended it, or why it did not.
func (of traced) end(i int) string {
	t := of.trace
	switch {
	case t.Outcome[i] == "ok":
		return "served at " + moment(*t.SeenSeconds[i])
	case t.Failed[i] != "":
		return "gave up at " + moment(*t.SeenSeconds[i]) + ": " + of.reason(t.Failed[i])
	case t.Outcome[i] == "inFlight":
		return "no answer by the end"
	case t.Cut():
		return "not followed further"
	default:
		return "still waiting at the end"
	}
}

// reason is why a request failed.
func (of traced) reason(name string) string {
	switch name {
	case "notRetryable":
		return "not worth a retry"
	case "attempts":
		return "no attempts left of " + strconv.FormatInt(of.Policy.MaxAttempts, 10)
	case "deadline":
		return "the next attempt would be past its deadline of " + span(of.Policy.Deadline)
	case "retryAfter":
		return "told to wait for longer than its cap of " + span(of.Policy.Cap)
	case "budget":
		return "nothing left in the retry budget"
	case "breaker":
		return "the circuit breaker is open"
	case "throttled":
		return "dropped by throttling"
	}
	return name
}

// moment writes a time as exactly as a log does.
func moment(seconds float64) string { return numeral(seconds, 3) + nbsp + "s" }

// maxLog bounds the lines of a log: one client can make tens of thousands of attempts.
const maxLog = 200

// log lists a client's attempts.
func (of traced) log(client int, one bool) templates.Log {
	attempts, t := of.attempts[client], of.trace
	log := templates.Log{Mark: markOf(of.mark), Table: templates.Table{
		Caption: nameOf(of.standing) + ": client " + strconv.Itoa(client+1), Head: []string{"Attempt", "Left at", "What came back", "After", "And then"},
	}}
	next := map[int]int{} // the attempt that follows another of the same request
	last := map[int64]int{}
	for _, i := range attempts {
		if before, ok := last[t.Request[i]]; ok {
			next[before] = i
		}
		last[t.Request[i]] = i
	}
	for _, i := range attempts[:min(len(attempts), maxLog)] {
		number := strconv.FormatInt(t.Attempt[i], 10)
		if !one {
			number += " of request " + strconv.FormatInt(t.Request[i], 10)
		}
		row := []string{number, moment(t.LeftSeconds[i]), of.answer(i), noValue, ""}
		if seen := t.SeenSeconds[i]; seen != nil {
			row[3] = seconds(*seen - t.LeftSeconds[i])
		}
		if j, ok := next[i]; ok {
			row[4] = "waited " + seconds(t.LeftSeconds[j]-*t.SeenSeconds[i])
		} else {
			row[4] = of.end(i)
		}
		log.Table.Rows = append(log.Table.Rows, row)
	}
	if more := len(attempts) - maxLog; more > 0 {
		log.More = plural(float64(more), "more attempt", "more attempts") + ", up to " + moment(t.LeftSeconds[attempts[len(attempts)-1]])
	}
	if len(attempts) == 0 {
		log.More = "It sent nothing."
	}
	return log
}

// answer is what came back of an attempt.
func (of traced) answer(i int) string {
	name := of.trace.Outcome[i]
	label := outcomes[slices.IndexFunc(outcomes, func(o outcome) bool { return o.name == name })].label
	if node := of.trace.Node[i]; of.nodes && node > 0 {
		label += ", node " + strconv.Itoa(node)
	}
	if class, ok := classOf(name); ok && !of.Policy.RetryOn.Has(class) {
		label += ", which it does not retry"
	}
	return label
}

// classOf is the failure class of a name.
func classOf(name string) (strategies.Class, bool) {
	i := slices.Index(strategies.ClassNames(), name)
	return strategies.Class(max(i, 0)), i >= 0
}

// clientOf reads the number of a client; 0 is the one that the page chooses. The problem says why it is none that can be in
// a raster.
func clientOf(text string) (n int, problem string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, ""
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxTraced {
		return 0, fmt.Sprintf("client must be a whole number from 1 to %d, not %.40q", maxTraced, text)
	}
	return n, ""
}
