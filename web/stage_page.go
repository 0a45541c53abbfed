package web

import (
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies/spec"
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
	query, unread := askedIn(r)
	at, speed, playerErr := takePlayer(query)
	st, err := parseState(query)
	err = allFaults(unread, err, playerErr)
	page := templates.StagePage{Static: static.URL, Title: headline(st.scenario), At: at, Speed: speed, Client: st.client}
	if err == nil {
		page.Stages, err = s.stagesOf(r.Context(), st.scenario, st.marks, shownIn(query, st)...)
	}
	if gone(r) {
		return
	}
	status := http.StatusOK
	if err != nil {
		p := s.problem(r, err)
		page.Title, page.Problems, status = nothingToShow, unshown(p), p.Status
	}
	st.tab = tabWatch
	page.Link = s.origin(r) + address(encode(st.query()))
	s.sendPage(w, r, status, templates.EmbedStages(page))
}

// The speeds at which stages play.
const slowest, fastest = 0.1, 20

// takePlayer takes from a query where its stages begin, in seconds of the run, and how many times as fast they play.
func takePlayer(query url.Values) (at, speed float64, err error) {
	var faults spec.Collector
	if query.Has("at") {
		d, problem := secondsOf(query.Get("at"))
		if problem != "" {
			faults.Add("?at", "at "+problem)
		}
		at = d.Seconds()
	}
	speed = 1
	if text := query.Get("speed"); query.Has("speed") {
		x, err := strconv.ParseFloat(text, 64)
		if err == nil && x >= slowest && x <= fastest {
			speed = x
		} else {
			faults.Addf("?speed", "speed must be a number from %v to %v, not %.40q", slowest, fastest, text)
		}
	}
	query.Del("at")
	query.Del("speed")
	return at, speed, faults.Err()
}

// shownIn are the ids of the policies that an address says to show, wrong ones too: a stage shows what is asked for.
func shownIn(query url.Values, st state) []string {
	if len(query["show"]) == 0 {
		return st.shown
	}
	return query["show"][:min(len(query["show"]), maxStages)]
}

// stagesSnippet frames the stages that a page shows.
func stagesSnippet(origin string, st state, shown []templates.StageView) templates.Snippet {
	alone := state{scenario: st.scenario, marks: st.marks, said: st.said}
	for _, v := range shown {
		alone.shown = append(alone.shown, v.ID)
	}
	at := origin + embedStagePath + strings.TrimPrefix(address(encode(alone.query())), "/")
	return templates.Snippet{ID: "stages", Label: "Runs for a web page", Text: `<iframe src="` + html.EscapeString(at) + `" title="` +
		html.EscapeString(headline(st.scenario)) + `" width="100%" height="960" loading="lazy" frameborder="0"></iframe>`}
}
