package templates

// LayersPage is the page of layers that each retry.
type LayersPage struct {
	Static   func(name string) string
	State    string // the query of what the page shows
	Title    string
	Says     []string
	Form     Form // Plain
	Problems []Problem
	Facts    []Fact
	Layers   Table
	Chart    Chart
	Compare  string // address of the compare page with the same
}
