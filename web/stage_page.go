package web

import (
	"bytes"
	"net/http"
	"net/url"

	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/templates"
)

// The pages that show stages and nothing else: /watch, and /embed/stage for a frame in someone else's page.

const (
	stagePath      = "/watch"
	embedStagePath = "/embed/stage"
)

// stagePolicy is the Content-Security-Policy of /embed/stage: anyone may frame it, and it runs the player alone.
const stagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"

// embedStage answers GET /embed/stage: one or two stages for a frame in someone else's page.
func (s *Server) embedStage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", stagePolicy)
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	s.stagePage(w, r, true)
}

// watch answers GET /watch: the same with a window of its own.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) { s.stagePage(w, r, false) }

func (s *Server) stagePage(w http.ResponseWriter, r *http.Request, embedded bool) {
	query, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	st, err := parseState(query)
	page := templates.StagePage{Static: static.URL, Title: headline(st.scenario), Embedded: embedded}
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
	page.Link = address(st.address)
	if embedded {
		page.Link = s.origin(r) + page.Link
	}
	var b bytes.Buffer
	if err := templates.StageDocument(page).Render(r.Context(), &b); err != nil {
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
