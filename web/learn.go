package web

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// The lessons. A screen's address is its state: which screen it is, what was guessed, where the controls and the stages
// stand, and whether it is on a projector. Forms send all of that by GET and are led to the canonical address; the script asks for
// the same page and takes from it what has changed.

// learnKeys are what an address says besides the controls of the screen.
var learnKeys = []string{"screen", "guess", "projector"}

// unguessed and skipped stand for no guess: the question is open, or was passed over.
const (
	unguessed = -1
	skipped   = 0
)

// lessonState is what an address of a screen says.
type lessonState struct {
	lesson    *lesson
	at        int   // which screen, from 0
	guess     int   // which answer, from 1; or unguessed, skipped
	settings  []int // which choice of each control
	projector bool
	player    player // how its stages stand
}

func (st lessonState) screen() *screen { return st.lesson.screen[st.at] }

// open is the state of another screen of the same lesson, as it opens.
func (st lessonState) open(at int) lessonState {
	st.at, st.guess, st.player = at, unguessed, atStart
	st.settings = st.screen().opening()
	return st
}

// query writes no more than it must.
func (st lessonState) query() string {
	q := st.player.query()
	for _, c := range append(st.carried(), st.moved()...) {
		q.Set(c.Name, c.Value)
	}
	return encode(q)
}

// moved are the controls that do not stand where the screen opens.
func (st lessonState) moved() []templates.Carried {
	var all []templates.Carried
	for i, c := range st.screen().controls {
		if st.settings[i] != c.start {
			all = append(all, templates.Carried{Name: c.name, Value: c.choices[st.settings[i]].value})
		}
	}
	return all
}

// carried is what an address says of everything but the controls and the stages, whose run changes with these.
func (st lessonState) carried() []templates.Carried {
	var all []templates.Carried
	if st.at > 0 {
		all = append(all, templates.Carried{Name: "screen", Value: strconv.Itoa(st.at + 1)})
	}
	if st.guess != unguessed {
		all = append(all, templates.Carried{Name: "guess", Value: strconv.Itoa(st.guess)})
	}
	if st.projector {
		all = append(all, templates.Carried{Name: "projector", Value: "1"})
	}
	return all
}

func (st lessonState) address() string {
	return "/learn/" + st.lesson.slug + address(st.query())[1:]
}

// parseLessonState reads what it can of an address. Its error holds spec.Faults for the rest.
func parseLessonState(l *lesson, query url.Values) (lessonState, error) {
	var faults spec.Collector
	number := func(key string, least, most, otherwise int) int {
		text := query.Get(key)
		if text == "" {
			return otherwise
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			faults.Addf("?"+key, "%s must be a whole number from %d to %d, not %.40q", key, least, most, text)
			return otherwise
		}
		return n
	}
	st, query := lessonState{lesson: l}, maps.Clone(query)
	st = st.open(number("screen", 1, len(l.screen), 1) - 1)
	s := st.screen()
	if s.question != nil {
		st.guess = number("guess", skipped, len(s.question.options), unguessed)
	}
	st.projector = number("projector", 0, 1, 0) == 1
	var err error
	st.player, err = takePlayer(query)
	faults.Merge("", err)
	known := slices.Clone(learnKeys)
	for i, c := range s.controls {
		known = append(known, c.name)
		if !query.Has(c.name) {
			continue
		}
		at := slices.IndexFunc(c.choices, func(o controlChoice) bool { return o.value == query.Get(c.name) })
		if at < 0 {
			faults.Addf("?"+c.name, "%s must be one of the choices, not %.40q", c.name, query.Get(c.name))
			continue
		}
		st.settings[i] = at
	}
	rest := url.Values{}
	for key, values := range query {
		if !slices.Contains(known, key) {
			rest[key] = values
		}
	}
	faults.Merge("", unknownParams(rest))
	return st, faults.Err()
}

// learn answers GET /learn.
func (s *Server) learn(w http.ResponseWriter, r *http.Request) {
	page := learnView()
	var status int
	page.Problems, status = unasked(r)
	s.sendPage(w, r, status, templates.Learning(page))
}

// lessonPage answers GET /learn/{lesson}.
func (s *Server) lessonPage(w http.ResponseWriter, r *http.Request) {
	l := lessonOf(chi.URLParam(r, "lesson"))
	if l == nil {
		s.fail(w, r, errNotFound)
		return
	}
	asked, unread := askedIn(r)
	st, err := parseLessonState(l, asked)
	err = allFaults(unread, err)
	if err == nil && encode(asked) != st.query() {
		http.Redirect(w, r, st.address(), http.StatusSeeOther)
		return
	}
	page, status := lessonFrame(st), http.StatusOK
	if err != nil {
		status = problemOf(err).Status
		page.Problems = append([]templates.Problem{{Detail: "Not all of this address can be read. The page shows what can."}}, problemsOf(faultsOf(err))...)
	}
	page.Blocks, err = s.lessonBlocks(r.Context(), s.origin(r), st)
	if gone(r) {
		return
	}
	if err != nil {
		p := s.problem(r, err)
		status = p.Status
		page.Problems = append(page.Problems, unshown(p)...)
	}
	s.sendPage(w, r, status, templates.LessonPage(page))
}

// factsOf runs a screen with its controls at some setting.
func (s *Server) factsOf(ctx context.Context, sc *screen, at []int) (*facts, error) {
	chosen := sc.choices(at)
	scenario, err := sc.run.scenario(chosen)
	if err != nil {
		return nil, err
	}
	result, err := s.simulate(ctx, scenario, options{})
	if err != nil {
		return nil, err
	}
	return &facts{result, chosen}, nil
}

// glossaryPage answers GET /glossary.
func (s *Server) glossaryPage(w http.ResponseWriter, r *http.Request) {
	problems, status := unasked(r)
	page := templates.Glossary{Static: static.URL, Problems: problems}
	list, _ := glossaryTerms(lessonFiles) // whose faults are those of the lessons
	for _, t := range list {
		meaning, err := t.meaning.html(nil)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		page.Terms = append(page.Terms, templates.GlossaryTerm{ID: t.id, Name: t.name, HTML: meaning})
	}
	s.sendPage(w, r, status, templates.GlossaryPage(page))
}
