package templates

import "strings"

// TunePage is the page that searches for policies.
type TunePage struct {
	Static    func(name string) string
	State     string // the query of what is asked for
	Alone     string // address of the page with the result
	Curl      string // how to ask for the same in a shell
	Form      Form
	Problems  []Problem
	Searching bool         // more will come
	Results   *TuneResults // nil if there are none yet
}

// complete reports whether there is nothing to wait for.
func (p TunePage) complete() bool {
	return !p.Searching && (p.Results != nil || len(p.Problems) > 0)
}

// TuneResults are what a search has given.
type TuneResults struct {
	Says, Why []string
	Compare   string // address of the compare page with all policies
	Found     TuneTable
	InTheWay  []TuneRelaxed
}

// TuneTable has a row for each policy.
type TuneTable struct {
	Caption string
	Head    []string
	Rows    []TuneRow
}

// TuneRow is one policy.
type TuneRow struct {
	Text                    string
	Policy, Compare, Export string // addresses
	BestAt                  []string
	Cells                   []WhatIfCell
}

// TuneRelaxed is one demand, relaxed alone.
type TuneRelaxed struct {
	Demand, Asked, Met string
	By                 string // the policy that would do then
	Href               string // address of the search for it
}

// parts are the policy's line cut where it may be broken.
func (r TuneRow) parts() []string { return strings.SplitAfter(r.Text, ",") }
