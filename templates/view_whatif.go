package templates

// WhatIf is the section that shows what happens where something of the scenario varies.
type WhatIf struct {
	State    string // the query of the page with this sweep
	Alone    string // address of the page that has the section alone, with its figures
	Axes     []WhatIfAxis
	Measure  Field
	Runs     Field
	Problems []string
	Complete bool           // every point is there, or none will come
	Results  *WhatIfResults // nil if there are none yet
}

// WhatIfAxis are the controls of one parameter.
type WhatIfAxis struct {
	Name   string
	What   Field   // which parameter
	Was    string  // the parameter that Fields are for
	Fields []Field // its range
}

// WhatIfResults are the figures of a sweep.
type WhatIfResults struct {
	Says      []string // where the answer changes
	Note      string
	Charts    []Chart // without tables
	Key       []Marked
	Table     WhatIfTable
	Downloads []Download
}

// Marked is a policy as charts know it.
type Marked struct {
	Mark Mark
	Name string
}

// WhatIfTable has a row for each point.
type WhatIfTable struct {
	Caption string
	Head    []string
	Rows    []WhatIfRow
}

// WhatIfRow is one point.
type WhatIfRow struct {
	Point      string // its number, which charts know it by
	Name, Href string
	Cells      []WhatIfCell // one a policy
}

// WhatIfCell is a number with its interval, in words.
type WhatIfCell struct{ Text, Interval string }

// WhatIfPage is the page that has the section alone.
type WhatIfPage struct {
	Static   func(name string) string
	Headline string
	Back     string // address of the page with everything else
	Section  WhatIf
}
