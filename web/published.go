package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/published"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/templates"
)

// The page of published results shows the last full run, which is part of the program: it takes no simulation.

// publishedPage answers GET /published.
func (s *Server) publishedPage(w http.ResponseWriter, r *http.Request) {
	page := publishedView()
	page.Static = static.URL
	var status int
	page.Problems, status = unasked(r)
	s.sendPage(w, r, status, templates.PublishedResults(page))
}

var publishedView = sync.OnceValue(func() templates.PublishedPage {
	last := published.LastRun()
	var page templates.PublishedPage
	agree := 0
	for i := range published.Entries {
		entry := publishedEntry(&published.Entries[i], last)
		if entry.Agrees {
			agree++
		}
		page.Entries = append(page.Entries, entry)
	}
	page.Says = fmt.Sprintf("%d of %d published results come out here as well.", agree, len(page.Entries))
	if agree == len(page.Entries) {
		page.Says = fmt.Sprintf("All of these %d published results come out here as well.", agree)
	}
	page.Ran = fmt.Sprintf("The figures are those of the last full run, on %s with version %s.", last.Date, last.Version)
	return page
})

func publishedEntry(e *published.Entry, last published.Full) templates.Published {
	out := templates.Published{
		ID: e.ID, Title: e.Title, Says: e.Says, Source: e.Source, URL: e.URL, Differs: e.Differs, Lacks: e.Lacks, Agrees: true,
		Compare: address(encode(publishedScenario(e).Query())), Runs: fmt.Sprintf("Means of %d runs", e.Runs()),
	}
	for _, f := range e.Figures {
		m := last.Figures[published.Key(e.ID, f.ID)]
		out.Agrees = out.Agrees && m.Agrees
		out.Figures = append(out.Figures, templates.PublishedFigure{What: f.What, Published: saidFigure(f), Ours: fine(m) + unitAfter(f.Unit), Interval: spread95(m), Agrees: m.Agrees})
	}
	return out
}

// mostOpened is how many runs the compare page makes of an entry at once: some are run hundreds of times in full.
const mostOpened = 20

func publishedScenario(e *published.Entry) *sim.Scenario {
	sc := e.Scenario()
	sc.Replications = min(sc.Replications, mostOpened)
	return sc
}

// saidFigure writes what was published, with what it is known to.
func saidFigure(f published.Figure) string {
	text := asPublished(f.Value)
	switch {
	case f.Relation == published.Below:
		text = "less than " + text
	case f.Relation == published.Above:
		text = "more than " + text
	case f.Error > 0:
		text += " ± " + brief(f.Error)
	}
	return text + unitAfter(f.Unit)
}

func unitAfter(unit string) string {
	if unit == "" {
		return ""
	}
	return nbsp + unit
}

// asPublished writes a figure as it was published: up to six digits, without trailing zeros.
func asPublished(x float64) string {
	if x == math.Trunc(x) {
		return numeral(x, 0)
	}
	text := strconv.FormatFloat(x, 'g', 6, 64)
	if x >= 1000 {
		text = numeral(x, 1)
	}
	return text
}

// fine writes a mean to the first two digits of its interval.
func fine(m published.Measured) string {
	if m.Low == nil {
		return asPublished(m.Mean)
	}
	return numeral(m.Mean, significant((*m.High-*m.Low)/2, 2))
}

func spread95(m published.Measured) string {
	if m.Low == nil {
		return "in every run"
	}
	d := significant((*m.High-*m.Low)/2, 2)
	return numeral(*m.Low, d) + " to " + numeral(*m.High, d)
}
