package templates

// StageView is one run to be watched: what the script plays, and the same as a picture and in words.
type StageView struct {
	ID, Title string
	Mark      Mark
	Trace     string // address of the run, attempt by attempt
	Server    string // what the server can do, in few words
	Reasons   string // JSON: why a request gives up, in words, by name
	Key       []RasterMarks
	GaveUp    bool   // some client did
	Note      string // what of it is drawn
	Says      string // the run in a few sentences
	Strip     Strip
	Load      LoadAxis
	Time      TimeAxis
	End       string // of the time axis, seconds
	Moments   Table  // what happens when
	Numbers   Table  // the strip's
}

// StagePage is the page with nothing but stages that others frame.
type StagePage struct {
	Static   func(name string) string // address of a static file
	Title    string
	Link     string // to the whole page
	Player   string // the query of how the stages stand
	Problems []Problem
	Stages   []StageView
}
