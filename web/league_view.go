package web

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the league's page of its rows.

func leagueView(st *leagueState, rows []entrant) templates.LeaguePage {
	page := templates.LeaguePage{Static: static.URL, Title: "How retry libraries fare at their defaults: " + lower(st.division.label), Scenario: st.division.says, ID: st.division.id}
	for _, d := range divisions {
		other := *st
		other.division = d
		page.Divisions = append(page.Divisions, leagueChoice(&other, d.label, d.id == st.division.id))
	}
	for _, by := range []bool{false, true} {
		other := *st
		other.byServer = by
		page.Orders = append(page.Orders, leagueChoice(&other, map[bool]string{false: "by requests", true: "by server"}[by], by == st.byServer))
	}
	page.Address = leagueChoice(st, "", true).Do
	if st.own != nil {
		page.Line = textIn(*st.own)
	}
	if st.byServer {
		page.By = "server"
	}
	sc := st.division.scenario()
	page.Wait, page.Horizon = "99"+nbsp+"% within", length(sc.Horizon)
	if !st.burst() {
		page.Wait = "those served: 99" + nbsp + "% within"
	}
	for _, e := range rows {
		page.Rows = append(page.Rows, st.row(sc, e))
	}
	page.Says = leagueSays(st, rows)
	return page
}

func leagueChoice(st *leagueState, label string, on bool) templates.Choice {
	return templates.Choice{Action: templates.Action{Do: "/league" + address(st.query())[1:], Label: label}, On: on}
}

// row is one line of the league.
func (st *leagueState) row(sc *sim.Scenario, e entrant) templates.LeagueRow {
	m := e.requests.Metrics
	row := templates.LeagueRow{
		ID: e.policy.ID, Name: title(e.policy), Text: bare(e.policy).Text(), RequestRank: e.requests.Rank(), ServerRank: e.server.Rank(),
		Policy: "/policy?" + encode(url.Values{"p": {textIn(e.policy)}}), Compare: compareIn(sc, withID(e.policy)),
	}
	served := cellOf(m.Get("successRate"), 100, 100)
	served.Text = percent(m.Get("successRate")) + nbsp + "%"
	row.Cells = []templates.LeagueCell{{WhatIfCell: served, Bad: *orZero(m.Get("successRate").Mean) < 0.99}, st.wait(m)}
	crashes := cellOf(m.Get("crashes"), 1, math.Inf(1))
	load := cellOf(m.Get("overshoot"), 1, math.Inf(1))
	load.Text += nbsp + "×"
	row.Server = []templates.LeagueCell{
		{WhatIfCell: crashes, Bad: *orZero(m.Get("crashes").Mean) > 0}, {WhatIfCell: load}, {WhatIfCell: cellOf(m.Get("amplification"), 1, math.Inf(1))},
	}
	if e.library == nil {
		row.ID, row.Own, row.Evidence = ownID, true, templates.LeagueEvidence{Label: "simulated just now"}
		if row.Name == row.Text || e.policy.Name == "" {
			row.Name = "Yours"
		}
		return row
	}
	row.Evidence = evidenceOf(*e.library)
	return row
}

func (st *leagueState) wait(m sim.Metrics) templates.LeagueCell {
	name := "completion.p99"
	if st.burst() {
		name = "within.p99"
	}
	x := m.Get(name)
	switch {
	case x.Mean == nil && st.burst():
		return templates.LeagueCell{WhatIfCell: templates.WhatIfCell{Text: "never"}, Bad: true}
	case x.Mean == nil:
		return templates.LeagueCell{WhatIfCell: templates.WhatIfCell{Text: noValue}}
	}
	u := unitFor(x)
	cell := cellOf(x, u.scale, math.Inf(1))
	cell.Text += nbsp + u.name
	return templates.LeagueCell{WhatIfCell: cell}
}

func withID(p strategies.Policy) strategies.Policy {
	if p.ID == "" {
		p.ID = ownID
	}
	return p
}

// evidenceOf says what a library's row rests on.
func evidenceOf(l strategies.Library) templates.LeagueEvidence {
	e := templates.LeagueEvidence{Label: "read from its code or documentation", Version: l.Version, Source: l.Source, Differs: l.Differs, Group: l.Group}
	if c, ok := l.Conformance(); ok {
		e.Label, e.Tested = "conformance-tested", true
		e.Ran = fmt.Sprintf("%s %s was run, and this was found equal: %s.", c.Module, c.Version, strings.Join(c.Checks, "; "))
	} else {
		e.Ran = "It has not been run beside the preset."
	}
	return e
}

// leagueSays sums the league up.
func leagueSays(st *leagueState, rows []entrant) string {
	through, spared, both, libraries := 0, 0, 0, 0
	for _, e := range rows {
		if e.library == nil {
			continue
		}
		libraries++
		m := e.requests.Metrics
		served, calm := *orZero(m.Get("successRate").Mean) >= 0.99, *orZero(m.Get("crashes").Mean) == 0
		if served {
			through++
		}
		if calm {
			spared++
		}
		if served && calm {
			both++
		}
	}
	says := fmt.Sprintf("Of %d libraries at their defaults, %d bring 99"+nbsp+"%% of the requests through", libraries, through)
	if st.division.scenario().Server.Crash != nil {
		says += fmt.Sprintf(", %d never knock the server over, and %d do both", spared, both)
	}
	says += "."
	for _, e := range rows {
		if e.library == nil {
			says += fmt.Sprintf(" Yours ranks %s of %d by its requests, %s by the server.", e.requests.Rank(), len(rows), e.server.Rank())
		}
	}
	return says
}
