package templates

// Share is how the page is shown elsewhere: what link previews need, and snippets to copy.
type Share struct {
	Title, Description string
	Scenario           string // in a line, for charts that stand alone
	Page, Picture      string // absolute addresses; empty if it is not known where the page is
	Snippets           []Snippet
}

// Snippet is a text to copy into something else.
type Snippet struct{ ID, Label, Text string }

// Embedded is the page that others frame: the rows and where they come from.
type Embedded struct {
	Static   func(name string) string // address of a static file
	Share    Share
	Link     string // to the whole page
	Problems []Problem
	Results  *Results
}
