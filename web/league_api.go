package web

import (
	"net/http"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// leagueTable is the league for programs: the figures of the page.
type leagueTable struct {
	Scenario string        `json:"scenario"` // its id
	About    string        `json:"about"`    // the scenario in words
	Says     string        `json:"says"`     // what the table comes to
	Rows     []leagueEntry `json:"rows"`     // best first
}

// leagueEntry is a row. Library is what its figures rest on; nil for the reader's own policy, which has just been run.
type leagueEntry struct {
	Policy   strategies.Policy `json:"policy"`
	Requests leagueRank        `json:"requests"`
	Server   leagueRank        `json:"server"`
	Metrics  sim.Metrics       `json:"metrics"`
	Compare  string            `json:"compare"` // address of the page that has the policy in the scenario
	Library  *leagueLibrary    `json:"library"`
}

// leagueRank is from 1; who is level shares one.
type leagueRank struct {
	Rank int  `json:"rank"`
	Tied bool `json:"tied"`
}

type leagueLibrary struct {
	Group       string                  `json:"group"`
	Version     string                  `json:"version"`
	Source      string                  `json:"source"`
	Differs     string                  `json:"differs"`
	Conformance *strategies.Conformance `json:"conformance"` // nil: it was only read
}

// getLeague answers GET /league with the table of the page with the same query.
func (s *Server) getLeague(w http.ResponseWriter, r *http.Request) {
	query, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	st, err := takeLeague(query)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	own, err := s.runOwn(r.Context(), &st)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.sendJSON(w, r, leagueTableOf(&st, st.table(own)))
}

func leagueTableOf(st *leagueState, rows []entrant) leagueTable {
	sc := st.division.scenario()
	t := leagueTable{Scenario: st.division.id, About: st.division.says, Says: plainSpaces.Replace(leagueSays(st, rows))}
	for _, e := range rows {
		row := leagueEntry{
			Policy:   e.policy,
			Requests: leagueRank{e.requests.rank, e.requests.tied},
			Server:   leagueRank{e.server.rank, e.server.tied},
			Compare:  compareIn(sc, withID(e.policy)),
		}
		for _, name := range leagueMetrics { // the own result has more
			row.Metrics = append(row.Metrics, sim.NamedMetric{Name: name, Metric: e.requests.Metrics.Get(name)})
		}
		if l := e.library; l != nil {
			row.Library = &leagueLibrary{Group: l.Group, Version: l.Version, Source: l.Source, Differs: l.Differs}
			if c, ok := l.Conformance(); ok {
				row.Library.Conformance = &c
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
