// Package templates renders the compare page from plain structs. Whoever fills them decides every word and number;
// here is only markup, so that the full page and the update after a change are the same components.
package templates

import (
	"slices"
	"strconv"
	"strings"
)

// Page is the compare page.
type Page struct {
	Static   func(name string) string // address of a static file
	Headline string                   // what the scenario is, in one sentence
	Form     Form
	Share    Share
	Problems []Problem // faults that no field shows, and other reasons for not having what was asked for
	Results  *Results  // nil if there are none
	WhatIf   *WhatIf   // nil: the page has it already
	Starts   []Link    // scenarios to start from; part of the frame, for no change touches them
	Start    string    // address of the scenario by itself, which is that of one of Starts until it is changed
}

// Problem is one thing that is wrong.
type Problem struct {
	Where  string // the field's label or name; empty if it is not about one
	Detail string
}

// Form holds the controls. It is submitted by GET: State says what the page shows now, and every control that differs
// from it is a change.
type Form struct {
	State    string // the query of what the page shows
	Workload Switch
	Plain    []Field // the first controls, in the reader's words
	Policies []Field // applied to all policies
	More     []Group // the rest of the scenario
	Editor   *Editor // of one policy; nil: closed
	Adding   Adding
}

// Switch chooses one of a few; Why says what the one that is on does.
type Switch struct {
	Label, Why string
	Choices    []Choice
}

// Choice is one side of a switch.
type Choice struct {
	Action
	On bool
}

// The kinds of control.
const (
	TextInput   = "text"
	NumberInput = "number"
	SelectInput = "select"
	AreaInput   = "area"   // some lines of text
	ChecksInput = "checks" // any number of the options; Value has them joined by "/"
)

// Field is one control.
type Field struct {
	Name, Label, Help, Unit string
	Input                   string // a kind of control
	Value, Placeholder      string
	Keep                    bool     // its content is the script's, which sends it when it is asked to
	Stops                   string   // the values of a slider beside it, separated by spaces; empty: no slider
	Options                 []Option // of a select
	Error                   string   // what is wrong
	Refused                 bool     // Value is not that of the state, but what was sent instead of Was
	Was                     string
	Form                    string // id of the form that it belongs to; empty: the one around it
}

// has reports whether a box is ticked.
func (f Field) has(option string) bool { return slices.Contains(strings.Split(f.Value, "/"), option) }

// Option is one choice of a select.
type Option struct{ Value, Label string }

// Group is a part of the scenario: fields, and groups within.
type Group struct {
	ID, Title, Help string
	Open            bool // shown unfolded, for it holds an error
	Fields          []Field
	Groups          []Group
	Actions         []Action
}

// Action is a button: submitting it does one thing to the state.
type Action struct {
	Do    string // such as "remove:every-second"
	Label string
	Title string // in full, where Label is short
}

// Adding is what can be added to the policies.
type Adding struct {
	Offers *Offers // nil: those that are on the page already

	Paste    Field     // takes a document
	Problems []Problem // of that
	Notes    []string  // on the one that was taken: defaults that were filled in, what was left out
	Open     bool      // shown unfolded
}

// Offers are policies to pick from.
type Offers struct {
	Full    string   // why none can be added; empty if one can
	Jitters []string // the grid's columns
	Rows    []GridRow
	Presets []Action // Title says what it is for
	Groups  []Group  // of libraries at their defaults: title and actions
}

// GridRow is a schedule with every jitter.
type GridRow struct {
	Schedule, Formula string
	Cells             []GridCell // one a jitter
}

// GridCell is a schedule with a jitter.
type GridCell struct {
	Action
	There bool // such a policy is on the page
}

// Results are the figures and pictures of one run.
type Results struct {
	Fixed     bool     // nothing of them can be changed: there are no buttons
	Verdict   []string // sentences
	Why       string   // the arithmetic behind them; empty if there is none
	Footing   string   // what the figures rest on
	Warnings  []Warning
	Load      LoadAxis
	Time      TimeAxis
	Rows      []Row
	Spans     []string // of the strips' table
	Tabs      []Tab
	Charts    []Chart     // of the tab that is shown
	Clients   *Clients    // nil on the other tabs
	Stages    []StageView // none on the other tabs
	Downloads []Download
}

// Warning is what a result says of itself.
type Warning struct {
	About  string // the policies it is about; empty: all
	Detail string
}

// LoadAxis is the vertical axis that all strips share.
type LoadAxis struct {
	Title    string // with its unit
	Capacity string // y of the line at 1 as a percentage; empty if there is no capacity
	Ticks    []Tick
}

// TimeAxis is the horizontal axis that all strips share.
type TimeAxis struct {
	Title string
	Ticks []Tick
}

// Tick is a label at a place, a percentage such as "12.5%".
type Tick struct{ At, Label string }

// Row is what one policy did.
type Row struct {
	ID, Name      string
	Details, Text string // what the name leaves out; the policy in full
	Mark          Mark
	Rank          string // "1"; "2=" where tied
	Tied          bool
	Strip         Strip
	Figures       []Figure
	Shown         bool // in the charts
	ShowDo        string
	EditDo        string
	Editing       bool // in the editor
	RemoveDo      string
	Place         int    // in the scenario, from 1
	Baseline      bool   // the others are compared with it
	BaselineDo    string // empty: there is nothing to compare
	OpenDo        string
	PolicyHref    string   // of the page of this policy alone
	All           *Details // all its figures; nil: folded
	SpanRows      []SpanRow
}

// Mark tells policies apart: by colour, shape and dash, all three its own while it is on the page.
type Mark struct {
	Colour int    // 1 to 8
	Shape  string // an SVG path around the origin, about 8 units wide
	Dash   string // an SVG dash pattern, empty: solid
}

// Figure is one number with its interval.
type Figure struct {
	Label, Value, Unit string
	Interval           string // in words; empty if there is none
	Note               string
	Bad                bool // Note tells of harm
	Difference         *Difference
}

// Strip is a small picture of the load over time. Paths are in a box Columns wide and 100 high.
type Strip struct {
	Title                     string // in words
	Columns                   int
	Refused, Served, Arrivals string // paths: refused and served stacked, arrivals as a line
	Down                      []Span
	Cut                       Tick // at the highest column that does not fit, its load; empty: all fit
}

// Span is a stretch of a strip, in percentages.
type Span struct{ X, Width, Title string }

// SpanRow is one row of the strips' table: a number for each span.
type SpanRow struct {
	What   string
	Values []string
}

// Chart is one large chart: an ECharts option as JSON, and the same numbers as a table.
type Chart struct {
	ID, Title, Note string
	Wide            bool // takes the whole row
	Points          bool // a click on a point opens what its link leads to
	Zooms           bool // what of its time shows can be changed
	Option          string
	Key             []ChartKey // for where the chart has no room for names
	Table           Table
}

// Table is a plain table; its first column heads the rows.
type Table struct {
	Caption string
	Groups  []Columns // of the columns, all of them in order; none: they stand for themselves
	Head    []string
	Rows    [][]string
}

// Columns are some of a table under one heading, "" where they have none in common.
type Columns struct {
	Head string
	Span int
}

// Download is a link to a document.
type Download struct {
	Kind               string // "table", "scenario", "result", "policy" or "export"
	Href, Label, Title string
	Page               bool // it leads to a page, and is not saved itself
}

// markClass names a mark's colour for the style sheet.
func markClass(m Mark) string { return "mark-" + strconv.Itoa(m.Colour) }

// Link leads to another page; Title says what is there.
type Link struct{ Href, Label, Title string }
