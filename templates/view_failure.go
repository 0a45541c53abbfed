package templates

// FailurePage says why there is nothing to show.
type FailurePage struct {
	Static   func(string) string
	Title    string
	Problems []Problem
}
