package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// The page that searches for policies. Its address holds the demands; with "search" the answer waits for what is found,
// which is what the form asks for without the script. The script asks for the same with Accept: text/event-stream, and
// gets the page's main part as events "page", again and again as policies are found, with "progress" in between.

// searchKey says in an address that the answer is to have the result.
const searchKey = "search"

// tunePage answers GET /tune.
func (s *Server) tunePage(w http.ResponseWriter, r *http.Request) {
	asked, unread := askedIn(r)
	w.Header().Add("Vary", "Accept")
	query := url.Values{}
	for key, values := range asked {
		query[key] = []string{values[len(values)-1]}
	}
	for _, f := range new(sim.Tune).Fields() {
		if query.Has(f.Key) {
			query.Set(f.Key, withUnit(f.Param, strings.TrimSpace(query.Get(f.Key))))
		}
	}
	search := query.Has(searchKey)
	query.Del(searchKey)
	tune, err := takeFields[sim.Tune](query)
	a := &tuneAnswering{Server: s, w: w, r: r, tune: &tune, asked: asked, faults: allFaults(unread, err, unknownParams(query))}
	switch {
	case static.Quality(r, "Accept", "text/event-stream") > 0:
		a.stream()
	case a.faults == nil && encode(asked) != a.query(search):
		http.Redirect(w, r, "/tune"+address(a.query(search))[1:], http.StatusSeeOther)
	default:
		a.page(search)
	}
}

// tuneAnswering is one answer under way.
type tuneAnswering struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	tune   *sim.Tune
	asked  url.Values
	faults error // of what was asked for

	result *sim.TuneResult
	found  []sim.TunedPolicy // so far
}

// query is the canonical one.
func (a *tuneAnswering) query(search bool) string {
	query := url.Values{}
	writeFields(query, a.tune)
	if search {
		query.Set(searchKey, "1")
	}
	return encode(query)
}

// page answers with the whole page: with the result if that is asked for, or at hand.
func (a *tuneAnswering) page(search bool) {
	err := a.faults
	if err == nil && search {
		a.result, err = a.Server.tune(a.r.Context(), a.tune, tuneWatch{})
	} else if err == nil {
		a.result, _, err = keptAtLength(a.simulator, a.tune, &a.tunes)
	}
	if gone(a.r) {
		return
	}
	page, status := a.view(err), http.StatusOK
	if err != nil {
		status = a.problem(a.r, err).Status
	}
	a.sendPage(a.w, a.r, status, templates.Tune(page))
}

// stream answers with events.
func (a *tuneAnswering) stream() {
	events := &eventStream{w: a.w, control: http.NewResponseController(a.w)}
	err := a.faults
	if err == nil {
		var painted time.Time
		done, total := 0, 0
		watch := tuneWatch{idle: func() { events.progress(done, total) }}
		watch.progress = func(p sim.TuneProgress) {
			done, total = p.Done, p.Total
			events.progress(done, total)
			if p.Found != nil {
				a.found = append(a.found, *p.Found)
			}
			if p.Found != nil && time.Since(painted) >= paintEvery {
				painted = time.Now()
				a.paint(events, nil)
			}
		}
		a.result, err = a.Server.tune(a.r.Context(), a.tune, watch)
	}
	if gone(a.r) {
		return
	}
	if err != nil && !events.begun && problemOf(err).Status >= 500 {
		a.fail(a.w, a.r, err) // the script tries again
		return
	}
	a.paint(events, err)
}

// paint sends the main part of the page.
func (a *tuneAnswering) paint(events *eventStream, err error) {
	var b bytes.Buffer
	page := a.view(err)
	page.Searching = a.result == nil && err == nil
	if err := templates.TuneMain(page).Render(a.r.Context(), &b); err != nil {
		a.log.ErrorContext(a.r.Context(), "failed", "path", a.r.URL.Path, "error", err)
		return
	}
	html, _ := json.Marshal(b.String()) // a string
	events.send("event: page\ndata: %s\n\n", html)
}

// view makes the page of what there is so far, and of what is wrong.
func (a *tuneAnswering) view(err error) templates.TunePage {
	page := templates.TunePage{Static: static.URL, State: a.query(false), Alone: "/tune" + address(a.query(true))[1:], Curl: a.curl()}
	for _, item := range spec.Items(a.tune) {
		page.Form.Plain = append(page.Form.Plain, fieldOf(item))
	}
	if faults := faultsOf(err); faults != nil {
		page.Problems = []templates.Problem{{Detail: "Not all of that can be asked for."}}
		page.Problems = append(page.Problems, blame(&page.Form, a.asked, atNames(faults))...)
	} else if err != nil {
		page.Problems = []templates.Problem{{Detail: sentence(a.problem(a.r, err).Detail)}}
		if is[*sim.TooCostlyError](err) {
			page.Problems = append(page.Problems, templates.Problem{Detail: "Ask for fewer clients or repetitions."})
		}
	}
	switch {
	case a.result != nil:
		page.Results = tuneResults(a.result)
	case len(a.found) > 0:
		r := &sim.TuneResult{Tune: a.tune, Scenario: a.tune.Scenario(), Needed: a.tune.Needed().Seconds(), Found: a.found}
		page.Results = &templates.TuneResults{Found: tuneTable(r)}
	}
	return page
}

// atNames makes faults point to controls instead of parameters.
func atNames(faults spec.Faults) spec.Faults {
	list := make(spec.Faults, len(faults))
	for i, f := range faults {
		list[i] = spec.Fault{Pointer: "/" + strings.TrimLeft(f.Pointer, "/?"), Detail: f.Detail}
	}
	return list
}

// curl is how to ask for the same in a shell.
func (a *tuneAnswering) curl() string {
	document := map[string]json.RawMessage{}
	whole, _ := json.Marshal(a.tune) // of plain fields
	json.Unmarshal(whole, &document)
	for _, item := range spec.Items(a.tune) {
		if item.Default {
			delete(document, item.Path)
		}
	}
	return "curl -d '" + strings.TrimSpace(string(asJSON(document))) + "' " + a.origin(a.r) + apiPrefix + "/tune"
}

// tuneAddress is that of a search for other policies for a study's trial.
func (s *study) tuneAddress() string {
	query := url.Values{}
	said := url.Values{}
	s.trial.write(said)
	for _, key := range []string{sim.DemandClients, sim.DemandCapacity, sim.DemandOutage, "roundTrip"} {
		if said.Has(key) {
			query.Set(key, said.Get(key))
		}
	}
	return "/tune" + address(encode(query))[1:]
}
