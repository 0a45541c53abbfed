package web

import (
	"html"
	"net/http"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/templates"
)

// This file is about the page in other places: link previews, snippets to paste, and /embed, the rows for a frame in
// someone else's page.

// shareOf says how a state is shared; verdict is empty where there is none.
func (s *Server) shareOf(r *http.Request, st state, verdict []string) templates.Share {
	title, origin := headline(st.scenario), s.origin(r)
	out := templates.Share{Title: title, Description: strings.Join(verdict, " "), Scenario: scenarioLine(st.scenario)}
	if origin == "" {
		return out
	}
	at := func(path string) string { return origin + path + strings.TrimPrefix(st.rowsAddress(), "/") }
	out.Page = origin + address(st.address)
	if verdict == nil {
		return out
	}
	out.Picture = at("/chart.png")
	frame := `<iframe src="` + html.EscapeString(at("/embed")) + `" title="` + html.EscapeString(title) + `" width="100%" height="` +
		strconv.Itoa(300+70*len(st.scenario.Policies)) + `" loading="lazy" frameborder="0"></iframe>`
	out.Snippets = []templates.Snippet{
		{ID: "link", Label: "Link", Text: out.Page},
		{ID: "markdown", Label: "Picture for Markdown", Text: "[![" + markdown(title) + "](" + out.Picture + ")](" + out.Page + ")"},
		{ID: "frame", Label: "Rows for a web page", Text: frame},
	}
	return out
}

// scenarioLine is a scenario in so few words that they fit under a chart.
func scenarioLine(sc *sim.Scenario) string {
	parts := []string{headline(sc)}
	if capacity, ok := sc.Throughput(); ok {
		parts = append(parts, "it can serve "+brief(capacity)+" a second")
	}
	return strings.Join(append(parts, plural(float64(sc.Replications), "run", "runs"), "seed "+strconv.FormatUint(sc.Seed, 10)), "; ") + "."
}

// rowsAddress is the address of a page with the same rows and nothing else chosen.
func (s state) rowsAddress() string {
	return address(encode(state{scenario: s.scenario, marks: s.marks, said: s.said}.query()))
}

// embedPolicy is the Content-Security-Policy of /embed: anyone may frame it, and it runs nothing.
const embedPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"

// embed answers GET /embed.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", embedPolicy)
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	query, unread := askedIn(r)
	st, err := parseState(query)
	err = allFaults(unread, err)
	page := templates.Embedded{Static: static.URL}
	if err == nil {
		page.Results, err = s.fixedResults(r, st)
	}
	if gone(r) {
		return
	}
	status := http.StatusOK
	if err == nil {
		page.Share = s.shareOf(r, st, page.Results.Verdict)
	} else {
		p := s.problem(r, err)
		page.Share.Title, page.Problems, status = nothingToShow, unshown(p), p.Status
		st.address = query.Encode() // the page says more
	}
	page.Link = s.origin(r) + address(st.address)
	s.sendPage(w, r, status, templates.Embed(page))
}

// fixedResults are the results without anything that changes them.
func (s *Server) fixedResults(r *http.Request, st state) (*templates.Results, error) {
	result, err := s.simulate(r.Context(), st.scenario, options{})
	if err != nil {
		return nil, err
	}
	out := results(result, st)
	out.Fixed = true
	return out, nil
}

// unshown says why there is nothing to show.
func unshown(p problem) []templates.Problem {
	if len(p.Errors) > 0 {
		return problemsOf(p.Errors)
	}
	return []templates.Problem{{Detail: plainly(p)}}
}
