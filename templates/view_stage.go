package templates

// StageView is one run to be watched: what the script plays, and the same as a picture and in words.
type StageView struct {
	ID, Title string
	Mark      Mark
	Trace     string // address of the run, attempt by attempt
	Note      string // what of it is drawn
	Says      string // the run in a few sentences
	Strip     Strip
	Load      LoadAxis
	Time      TimeAxis
	End       string // of the time axis, seconds
	Moments   Table  // what happens when
	Numbers   Table  // the strip's
}

// target is where a link leads from a page that others may frame: never into their frame.
func target(embedded bool) string {
	if embedded {
		return "_blank"
	}
	return "_self"
}

// StagePage is a page with nothing but stages.
type StagePage struct {
	Static   func(name string) string // address of a static file
	Title    string
	Link     string // to the whole page
	Embedded bool   // in someone else's page
	Problems []Problem
	Stages   []StageView
}
