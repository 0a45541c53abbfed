package web

import (
	"bytes"
	"net/http"
	"net/url"

	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/templates"
)

// The page that shows stages and nothing else, for a frame in someone else's page.

const embedStagePath = "/embed/stage"

// stagePolicy is the Content-Security-Policy of /embed/stage: anyone may frame it, and it runs the player alone.
const stagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"

// embedStage answers GET /embed/stage: one or two stages for a frame in someone else's page.
func (s *Server) embedStage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", stagePolicy)
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	query, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	st, err := parseState(query)
	page := templates.StagePage{Static: static.URL, Title: headline(st.scenario)}
	if err == nil {
		page.Stages, err = s.stagesOf(r.Context(), st.scenario, st.marks, shownIn(query, st)...)
	}
	if gone(r) {
		return
	}
	status := http.StatusOK
	w.Header().Set("Cache-Control", "no-cache")
	if err != nil {
		p := s.problem(r, err)
		page.Title, page.Problems, status = "There is nothing to show", unshown(p), p.Status
		w.Header().Set("Cache-Control", "no-store")
	}
	st.tab = tabWatch
	page.Link = s.origin(r) + address(encode(st.query()))
	var b bytes.Buffer
	if err := templates.EmbedStages(page).Render(r.Context(), &b); err != nil {
		s.fail(w, r, err)
		return
	}
	send(w, r, status, "text/html; charset=utf-8", b.Bytes())
}

// shownIn are the ids of the policies that an address says to show, wrong ones too: a stage shows what is asked for.
func shownIn(query url.Values, st state) []string {
	if len(query["show"]) == 0 {
		return st.shown
	}
	return query["show"][:min(len(query["show"]), maxStages)]
}
