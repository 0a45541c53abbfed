package web

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// The compare page. Its address is its state. The form sends the state that it was made from and its controls; what
// differs is applied, and the answer leads to the new address.
// The script asks for the same with Accept: text/event-stream, and gets the part of the page that changes: as HTML,
// or after a while as events: "progress", of a long run a "preview", and at last "page".

// announceAfter is how long a run may take before the script is told how far it is.
const announceAfter = 200 * time.Millisecond

// compare answers GET /, and POST / of a form with a document, which is too long for an address.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	script := static.Quality(r, "Accept", "text/event-stream") > 0
	w.Header().Add("Vary", "Accept")
	asked, unread := askedIn(r)
	if unread != nil && script && r.Method == http.MethodPost {
		s.fail(w, r, unread) // the script keeps what is on the page
		return
	}
	st, err := stateOf(asked)
	st.offered = st.offered && script
	if err == nil && unread == nil && !script && len(st.notes) == 0 && (asked.Has("from") || st.address != encode(asked)) {
		http.Redirect(w, r, address(st.address)+fragment(asked), http.StatusSeeOther)
		return
	}
	p := pageAnswer{Server: s, w: w, r: r, script: script, status: http.StatusOK}
	p.answer(st, asked, allFaults(unread, err))
}

// askedIn reads what is asked for, as far as it can be read.
func askedIn(r *http.Request) (asked url.Values, err error) {
	if r.Method == http.MethodPost {
		return postedIn(r)
	}
	asked, err = url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = spec.Faults{{Detail: fmt.Sprintf("a part of the address is left out: %v", err)}}
	}
	return asked, err
}

// unasked is what a page that takes no parameters says of those in its address, and the status that it then has.
func unasked(r *http.Request) ([]templates.Problem, int) {
	asked, unread := askedIn(r)
	err := allFaults(unread, unknownParams(asked))
	if err == nil {
		return nil, http.StatusOK
	}
	return problemsOf(faultsOf(err)), problemOf(err).Status
}

// stateOf is the state that a request asks for. An error says what of it cannot be.
func stateOf(asked url.Values) (state, error) {
	if !asked.Has("from") {
		return parseState(asked)
	}
	from, _ := url.ParseQuery(asked.Get("from"))
	before, old := parseState(from)
	after, err := before.edit(asked)
	after.offered = old == nil && err == nil && reflect.DeepEqual(before.scenario.Policies, after.scenario.Policies)
	return after, allFaults(old, err)
}

// fragment is the place on the page that a button leads to.
func fragment(asked url.Values) string {
	if do := asked.Get("do"); strings.HasPrefix(do, "copy:") || strings.HasPrefix(do, "edit:") && do != "edit:" {
		return "#editor"
	}
	return ""
}

func address(query string) string {
	if query == "" {
		return "/"
	}
	return "/?" + query
}

// pageAnswer is one answer under way.
type pageAnswer struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	script bool
	status int
}

// answer runs the state's scenario and sends the page. asked holds controls that differ from the state because of err.
func (p *pageAnswer) answer(st state, asked url.Values, err error) {
	page := templates.Page{Static: static.URL, Headline: headline(st.scenario), Form: formOf(st), Starts: starts(), Start: address(encode(st.scenarioQuery()))}
	p.complain(&page, asked, err)

	events := &eventStream{w: p.w, control: http.NewResponseController(p.w)}
	start := time.Now()
	o := options{values: st.baseline != ""}
	if p.script && p.status == http.StatusOK {
		o.progress = func(done, total int) {
			if time.Since(start) >= announceAfter {
				events.progress(done, total)
			}
		}
		p.preview(page, st, o, events)
		if gone(p.r) {
			return
		}
	}
	result, err := p.simulate(p.r.Context(), st.scenario, o)
	if gone(p.r) {
		return
	}
	if err != nil && p.script && problemOf(err).Status >= 500 { // the script tries again
		if events.begun {
			events.send("event: error\ndata: %s\n", asJSON(p.problem(p.r, err)))
		} else {
			p.fail(p.w, p.r, err)
		}
		return
	}
	var says []string
	if err == nil {
		page.Results, err = p.results(result, st)
		says = page.Results.Verdict
	}
	page.Share = p.shareOf(p.r, st, says)
	if page.Results != nil && len(page.Results.Stages) > 0 && len(page.Share.Snippets) > 0 {
		page.Share.Snippets = append(page.Share.Snippets, stagesSnippet(p.origin(p.r), st, page.Results.Stages))
	}
	if !p.script {
		whatIf := whatIfForm(st)
		page.WhatIf = &whatIf
	}
	p.complain(&page, nil, err)
	p.send(page, events)
}

// results are what the page shows of a result. With an error they lack the single clients.
func (p *pageAnswer) results(r *sim.Result, st state) (shown *templates.Results, err error) {
	shown = results(r, st)
	if err = p.nodes(shown, r, st); err != nil {
		return shown, err
	}
	switch st.tab {
	case tabClients:
		err = p.trace(shown, r, st)
	case tabWatch:
		shown.Stages, err = p.stagesOf(p.r.Context(), st.scenario, st.marks, idsOf(charted(st.standings(r), st.shown))...)
	}
	return shown, err
}

// complain puts an error where it belongs: faults at the controls they name, the rest over the results.
func (p *pageAnswer) complain(page *templates.Page, asked url.Values, err error) {
	if err == nil {
		return
	}
	problem := p.problem(p.r, err)
	p.status = problem.Status
	sayWhenToRetry(p.w, p.status)
	if is[*http.MaxBytesError](err) {
		err = spec.Faults{{Pointer: "/document", Detail: tooLong}}
	}
	if faults, ok := errors.AsType[spec.Faults](err); ok {
		said := "Not all of that can be simulated. The figures are without it."
		rest := blame(&page.Form, asked, faults)
		if !asked.Has("from") { // the reader of a link knows nothing of the fields
			said = "Not all of this address can be read. The page shows what can, and the opening scenario for the rest."
			rest = problemsOf(faults)
		}
		page.Problems = append(page.Problems, templates.Problem{Detail: said})
		page.Problems = append(page.Problems, rest...)
		return
	}
	page.Problems = append(page.Problems, templates.Problem{Detail: plainly(problem)})
}

// plainly says for readers of pages what is wrong.
func plainly(p problem) string {
	if p.Limit == 0 {
		return sentence(p.Detail)
	}
	about := (&sim.TooCostlyError{Stopped: p.Stopped}).About()
	return "This would cost " + about + " " + count(float64(p.Estimate)) + " events; at most " + count(float64(p.Limit)) +
		" are allowed. Fewer clients, requests, runs or policies, or a shorter horizon, cost less."
}

// sentence makes an error's text one.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// render renders the page, or what the script puts in place.
func (p *pageAnswer) render(page templates.Page) ([]byte, error) {
	component := templates.Compare(page)
	if p.script {
		component = templates.Main(page)
	}
	var b bytes.Buffer
	err := component.Render(p.r.Context(), &b)
	return b.Bytes(), err
}

func (p *pageAnswer) send(page templates.Page, events *eventStream) {
	html, err := p.render(page)
	if err != nil {
		p.fail(p.w, p.r, err)
		return
	}
	if events.begun {
		events.send("event: page\ndata: %s\n", asJSON(string(html)))
		return
	}
	p.w.Header().Set("Cache-Control", "no-cache")
	if p.script || p.status != http.StatusOK {
		p.w.Header().Set("Cache-Control", "no-store")
	}
	send(p.w, p.r, p.status, "text/html; charset=utf-8", html)
}
