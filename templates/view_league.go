package templates

// LeaguePage sets libraries at their defaults side by side in one outage.
type LeaguePage struct {
	Static    func(name string) string
	Share     Share
	Title     string
	Scenario  string // in a sentence or two
	Says      string
	ID, By    string   // of the scenario; "server" if ranked by what becomes of that
	Divisions []Choice // addresses of the page with another scenario
	Orders    []Choice // and in another order
	Wait      string   // what the figure of time is called
	Horizon   string   // when the count of those served ends
	Rows      []LeagueRow
	Problems  []Problem
	Notes     []string // on the document that was read
	Address   string   // of the page as it is
	Line      string   // the own policy
	Document  string   // what was sent in vain
}

// LeagueRow is a library, or the reader's own policy.
type LeagueRow struct {
	ID, Name, Text          string
	Own                     bool
	RequestRank, ServerRank string
	Cells                   []LeagueCell // what became of the requests: share served, time
	Server                  []LeagueCell // of the server: crashes, load, attempts a request
	Policy, Compare         string       // addresses
	Evidence                LeagueEvidence
}

// LeagueCell is a number with its interval.
type LeagueCell struct {
	WhatIfCell
	Bad bool
}

// LeagueEvidence is what a row rests on.
type LeagueEvidence struct {
	Label                                string
	Tested                               bool
	Group, Version, Source, Differs, Ran string
}

// posts is where a document is sent to.
func (p LeaguePage) posts() string {
	to := "/league?scenario=" + p.ID
	if p.By != "" {
		to += "&by=" + p.By
	}
	return to
}
