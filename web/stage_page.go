package web

import (
	"fmt"
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
	player, playerErr := takePlayer(query)
	st, err := parseState(query)
	err = allFaults(unread, err, playerErr)
	page := templates.StagePage{Static: static.URL, Title: headline(st.scenario), Player: encode(player.query())}
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
	st.tab, st.client = tabWatch, player.client
	page.Link = s.origin(r) + address(encode(st.query()))
	s.sendPage(w, r, status, templates.EmbedStages(page))
}

// The speeds at which stages play.
const slowest, fastest = 0.1, 20

// player is how stages stand.
type player struct {
	at     float64 // seconds of the run
	speed  float64 // how many times as fast they play
	client int     // whom they follow, from 1; 0: nobody
}

// atStart is how stages stand if nothing is said of them.
var atStart = player{speed: 1}

// playerKeys are what an address says of its stages.
var playerKeys = []string{"at", "speed", "client"}

// query writes no more than it must.
func (p player) query() url.Values {
	q := url.Values{}
	if p.at != atStart.at {
		q.Set("at", strconv.FormatFloat(p.at, 'f', -1, 64))
	}
	if p.speed != atStart.speed {
		q.Set("speed", strconv.FormatFloat(p.speed, 'f', -1, 64))
	}
	if p.client != atStart.client {
		q.Set("client", strconv.Itoa(p.client))
	}
	return q
}

// takePlayer takes from a query how its stages stand. Its error holds spec.Faults for what cannot be read.
func takePlayer(query url.Values) (player, error) {
	var faults spec.Collector
	p := atStart
	if text := query.Get("at"); text != "" {
		d, problem := secondsOf(text)
		if problem != "" {
			faults.Add("?at", "at "+problem)
		}
		p.at = d.Seconds()
	}
	if text := query.Get("speed"); text != "" {
		x, err := strconv.ParseFloat(text, 64)
		if err == nil && x >= slowest && x <= fastest {
			p.speed = x
		} else {
			faults.Addf("?speed", "speed must be a number from %v to %v, not %.40q", slowest, fastest, text)
		}
	}
	client, problem := clientOf(query.Get("client"))
	p.client = client
	if problem != "" {
		faults.Add("?client", problem)
	}
	for _, key := range playerKeys {
		query.Del(key)
	}
	return p, faults.Err()
}

// shownIn are the ids of the policies that an address says to show, wrong ones too: a stage shows what is asked for.
func shownIn(query url.Values, st state) []string {
	if len(query["show"]) == 0 {
		return st.shown
	}
	return query["show"][:min(len(query["show"]), maxStages)]
}

// How high a frame of stages is, in pixels: of one, or of two side by side, and of two where no more than
// narrowest pixels across leave them one above the other (stage.css).
const (
	frameHeight   = 1120
	stackedHeight = 1960
	narrowest     = 680
)

// stagesSnippet frames the stages that a page shows. A frame cannot ask what it holds for its height, but the page that
// it is in can be too narrow for stages side by side.
func stagesSnippet(origin string, st state, shown []templates.StageView) templates.Snippet {
	alone := state{scenario: st.scenario, marks: st.marks, said: st.said}
	for _, v := range shown {
		alone.shown = append(alone.shown, v.ID)
	}
	style := ""
	if len(shown) > 1 {
		style = fmt.Sprintf(` style="height:clamp(%dpx,(%dpx - 100vw)*9999,%dpx)"`, frameHeight, narrowest, stackedHeight)
	}
	at := origin + embedStagePath + strings.TrimPrefix(address(encode(alone.query())), "/")
	return templates.Snippet{ID: "stages", Label: "Runs for a web page", Text: `<iframe src="` + html.EscapeString(at) + `" title="` +
		html.EscapeString(headline(st.scenario)) + `" width="100%" height="` + strconv.Itoa(frameHeight) + `"` + style + ` loading="lazy" frameborder="0"></iframe>`}
}
