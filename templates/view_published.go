package templates

// PublishedPage compares what others published with what runs give.
type PublishedPage struct {
	Static   func(name string) string
	Problems []Problem
	Says     string // how many agree
	Ran      string // when, and with which version
	Entries  []Published
}

// Published is one thing published.
type Published struct {
	ID, Title   string
	Says        string
	Source, URL string
	Differs     string // where their program and prose differ
	Lacks       string // what the model cannot express
	Agrees      bool
	Figures     []PublishedFigure
	Compare     string // address of the scenario
	Runs        string
}

// PublishedFigure is one number.
type PublishedFigure struct {
	What, Published, Ours, Interval string
	Agrees                          bool
}
