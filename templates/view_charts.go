package templates

// Tab leads to some of the large charts.
type Tab struct {
	ID, Label, Href string
	Shown           bool
}
