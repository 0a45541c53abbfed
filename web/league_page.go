package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// The league's page and its picture. The address is the state; a policy of one's own comes as a line of text or, posted,
// as a document of any format that can be read.

// league answers GET /league, and POST /league of a form with a document.
func (s *Server) league(w http.ResponseWriter, r *http.Request) {
	asked, unread := askedIn(r)
	document := strings.TrimSpace(asked.Get("document"))
	asked.Del("document")
	line := asked.Get("p")
	st, err := takeLeague(asked)
	err = allFaults(unread, err)
	var notes []string
	if r.Method == http.MethodPost && unread == nil && document != "" {
		line = ""
		read, wrong := readOwn(document)
		if wrong == nil {
			st.own, notes = &read.Policy, read.Notes
			wrong = st.check()
		}
		err = allFaults(err, wrong)
	}
	if err == nil && len(notes) == 0 && (r.Method == http.MethodPost || encode(r.URL.Query()) != st.query()) {
		http.Redirect(w, r, "/league"+address(st.query())[1:], http.StatusSeeOther)
		return
	}
	own, wrong := s.runOwn(r.Context(), &st)
	if gone(r) {
		return
	}
	err = allFaults(err, wrong)
	page, status := leagueView(&st, st.table(own)), http.StatusOK
	page.Share = s.leagueShare(r, &st, page)
	page.Notes = notes
	if err != nil {
		problem := s.problem(r, err)
		page.Problems, status = unshown(problem), problem.Status
		page.Document = document
		if line != "" {
			page.Line = line
		}
	}
	s.sendPage(w, r, status, templates.League(page))
}

// runOwn runs the reader's own policy; its result is nil if there is none.
func (s *Server) runOwn(ctx context.Context, st *leagueState) (*sim.Result, error) {
	if st.own == nil {
		return nil, nil
	}
	return s.simulate(ctx, st.trial(), options{})
}

// readOwn reads a policy from a document: JSON of any format that can be read, or its line of text.
func readOwn(document string) (export.Imported, error) {
	if !strings.ContainsAny(document, "{[") {
		p, err := takePolicy(url.Values{"p": {document}})
		if guess := export.Guess([]byte(document)); err != nil && guess != "" {
			err = fault(guess)
		}
		return export.Imported{Policy: p}, err
	}
	read, err := export.Import("", []byte(document))
	if is[*spec.SyntaxError](err) { // on a page, a fault among others
		err = spec.Faults{{Detail: err.Error()}}
	}
	return read, err
}

// leagueShare is what a link to the page shows where it is unfolded.
func (s *Server) leagueShare(r *http.Request, st *leagueState, page templates.LeaguePage) templates.Share {
	out := templates.Share{Title: page.Title, Description: page.Says}
	if origin := s.origin(r); origin != "" {
		query := address(st.query())[1:]
		out.Page, out.Picture = origin+"/league"+query, origin+"/league.png"+query
	}
	return out
}

// leaguePicture answers GET /league.png: the league with the own row, as a picture.
func (s *Server) leaguePicture(w http.ResponseWriter, r *http.Request) {
	query, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	width, widthErr := takeInt(query, "width", int(pictureWidth), leastWidth, mostWidth)
	theme, themeErr := takeChoice(query, "theme", "light", "dark")
	st, err := takeLeague(query)
	if err := allFaults(err, widthErr, themeErr); err != nil {
		s.fail(w, r, err)
		return
	}
	origin := s.origin(r)
	k := key(sha256.Sum256(fmt.Appendf(nil, "league %d %s %s %s", width, theme, origin, st.query())))
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other people's pages may show it
	if s.held(w, r, k) {
		return
	}
	body := s.album.get(k)
	if body == nil {
		if body, err = s.paintLeague(r, &st, width, theme, origin); err != nil {
			s.fail(w, r, err)
			return
		}
		s.album.add(k, body)
	}
	send(w, r, http.StatusOK, "image/png", body)
}

// paintLeague draws the picture, in a slot as all pictures are.
func (s *Server) paintLeague(r *http.Request, st *leagueState, width int, theme, origin string) ([]byte, error) {
	own, err := s.runOwn(r.Context(), st)
	if err != nil {
		return nil, err
	}
	release, err := s.acquire(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	colours := palettes[theme]
	image := newImageSurface(pictureWidth, pictureHeight, float64(width)/pictureWidth, colours.ground)
	_, host, _ := strings.Cut(origin, "://")
	painter{image, colours}.league(leagueView(st, st.table(own)), host)
	return image.png()
}
