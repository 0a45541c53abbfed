package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// "What if": the sweep under the rows. GET /what-if takes an address of the page, or the form's controls on top of one,
// and runs the sweep of that state. Without the script it is a page of its own, which the form on the compare page leads
// to. The script asks for the same with Accept: text/event-stream, and gets the section as events "page", again and
// again as points are finished, with "progress" in between.

// usualRuns is how often each point is run if nothing else is said: enough to see where the answer flips.
const usualRuns = 5

// surelyRuns is the same where what is shown is the share of the runs that recovered.
const surelyRuns = 20

// paintEvery is how often the section is sent while points come in.
const paintEvery = 500 * time.Millisecond

// sweep is the sweep that a state shows.
func (s state) sweep() *sim.Sweep {
	sweep := &sim.Sweep{Scenario: *s.scenario, Axes: s.whatIf.axesOf(s.scenario), Metrics: measured()}
	sweep.Scenario.Replications = s.whatIf.runsOf(s.scenario)
	return sweep
}

// whatIf answers GET /what-if.
func (s *Server) whatIf(w http.ResponseWriter, r *http.Request) {
	asked, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Add("Vary", "Accept")
	script := static.Quality(r, "Accept", "text/event-stream") > 0
	st, err := whatIfState(asked)
	if err == nil && !script && encode(asked) != st.address {
		http.Redirect(w, r, whatIfAddress(st), http.StatusSeeOther)
		return
	}
	a := &whatIfAnswer{Server: s, w: w, r: r, state: st, asked: asked, faults: err}
	if script {
		a.stream()
	} else {
		a.page()
	}
}

func whatIfAddress(st state) string { return "/what-if" + address(st.address)[1:] }

// whatIfState is the state that a request asks for: an address, or the section's controls on top of one. An error says
// what of it cannot be.
func whatIfState(asked url.Values) (state, error) {
	if !asked.Has("from") {
		return parseState(asked)
	}
	from, _ := url.ParseQuery(asked.Get("from"))
	st, old := parseState(from)
	changed, err := st.whatIf.edit(st.scenario, asked)
	st.whatIf = changed
	st.address = encode(st.query())
	return st, allFaults(old, err)
}

// whatIfAnswer is one answer under way.
type whatIfAnswer struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	state  state
	asked  url.Values
	faults error // of what was asked for

	axes   []sim.SweptAxis
	points []sim.SweepPoint // those without results are not finished yet
}

// run runs the sweep. What was asked for in vain is in the way of it.
func (a *whatIfAnswer) run(watch sweepWatch) error {
	if a.faults != nil {
		return a.faults
	}
	result, err := a.sweep(a.r.Context(), a.state.sweep(), watch)
	if err == nil {
		a.axes, a.points = result.Axes, result.Points
	}
	return err
}

// page answers with a page that has the whole sweep.
func (a *whatIfAnswer) page() {
	err := a.run(sweepWatch{})
	if gone(a.r) {
		return
	}
	section := a.section(err, true)
	if section.Results != nil {
		section.Results.Charts, section.Results.Key = nil, nil // there is no script to draw them
	}
	status := http.StatusOK
	if err != nil {
		status = a.problem(a.r, err).Status
	}
	page := templates.WhatIfPage{Static: static.URL, Headline: "What if " + lower(headline(a.state.scenario)), Back: address(a.state.address), Section: section}
	a.sendPage(a.w, a.r, status, templates.WhatIfAlone(page))
}

// stream answers with events.
func (a *whatIfAnswer) stream() {
	events := &eventStream{w: a.w, control: http.NewResponseController(a.w)}
	var painted time.Time
	news, share := false, 0.0
	tell := func() {
		if news && time.Since(painted) >= paintEvery {
			a.paint(events, a.section(nil, false))
			news, painted = false, time.Now()
		}
		if a.points != nil { // it has begun: until then an error is an ordinary answer
			events.progress(int(share*1000), 1000)
		}
	}
	err := a.run(sweepWatch{idle: tell, progress: func(p sim.SweepProgress) {
		a.take(p)
		news, share = true, p.Share
		tell()
	}})
	if gone(a.r) {
		return
	}
	if err != nil && !events.begun && problemOf(err).Status >= 500 {
		a.fail(a.w, a.r, err) // the script tries again
		return
	}
	a.paint(events, a.section(err, true))
}

// take notes the point that was finished.
func (a *whatIfAnswer) take(p sim.SweepProgress) {
	if p.Point == nil {
		a.axes, a.points = p.Axes, make([]sim.SweepPoint, p.Total)
		return
	}
	a.points[p.Point.Index] = *p.Point
}

// paint sends the section.
func (a *whatIfAnswer) paint(events *eventStream, section templates.WhatIf) {
	var b bytes.Buffer
	if err := templates.WhatIfSection(section).Render(a.r.Context(), &b); err != nil {
		a.log.ErrorContext(a.r.Context(), "failed", "path", a.r.URL.Path, "error", err)
		return
	}
	html, _ := json.Marshal(b.String()) // a string
	events.send("event: page\ndata: %s\n\n", html)
}

// section is the section with the points that there are, and what is wrong. It is complete when no more will come.
func (a *whatIfAnswer) section(err error, complete bool) templates.WhatIf {
	section := whatIfForm(a.state)
	section.Complete = complete
	if faults, ok := errors.AsType[spec.Faults](err); ok {
		section.Problems = blameWhatIf(&section, a.asked, faults)
	} else if err != nil {
		section.Problems = []string{sentence(a.problem(a.r, err).Detail)}
		if is[*sim.TooCostlyError](err) {
			section.Problems = append(section.Problems, "Ask for fewer values, fewer runs or fewer clients.")
		}
	}
	if a.points != nil {
		section.Results = a.state.whatIfResults(a.axes, a.points)
	}
	return section
}
