package web

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim/published"
)

// The page has every entry with every figure, and a link to its scenario at an address that leads nowhere else.
func TestPublishedPage(t *testing.T) {
	page := pageAt(t, "/published", http.StatusOK)
	view := publishedView()
	for i := range published.Entries {
		e, shown := &published.Entries[i], view.Entries[i]
		for _, want := range []string{e.Title, e.Says, e.Source, e.Differs, e.Lacks} {
			if !strings.Contains(page, html.EscapeString(want)) {
				t.Errorf("%s: the page lacks %s", e.ID, want)
			}
		}
		if len(shown.Figures) != len(e.Figures) || !shown.Agrees {
			t.Errorf("%s: %+v", e.ID, shown)
		}
		link, err := url.Parse(shown.Compare)
		must(t, err)
		st, err := parseState(link.Query())
		must(t, err)
		if got := address(st.address); got != shown.Compare {
			t.Errorf("%s: the link is %s, the canonical address %s", e.ID, shown.Compare, got)
		}
	}
	if strings.Contains(page, "does not agree") || strings.Contains(page, "NaN") || published.LastRun().Date == "" || published.LastRun().Version == "" {
		t.Error("the last full run is not fit to be shown: make published")
	}
}

// Figures are written as they were published, ours to what their intervals support.
func TestPublishedFigures(t *testing.T) {
	half := 0.05
	for _, c := range []struct {
		f    published.Figure
		m    published.Measured
		want string
	}{
		{published.Figure{Value: 9436, Error: 1.838}, published.Measured{Mean: 9437.123, Low: new(9437.123 - half), High: new(9437.123 + half)}, "9436 ± 1.84 | 9437.123 | 9437.073 to 9437.173"},
		{published.Figure{Value: 0.9999}, published.Measured{Mean: 1}, "0.9999 | 1 | in every run"},
		{published.Figure{Value: 3, Relation: published.Below, Unit: "×"}, published.Measured{Mean: 2.9, Low: new(2.8), High: new(3.0)}, "less than 3 × | 2.90 | 2.80 to 3.00"},
	} {
		if got := plainSpaces.Replace(saidFigure(c.f) + " | " + fine(c.m) + " | " + spread95(c.m)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// It is accessible, and fits on a narrow screen.
func TestBrowserPublished(t *testing.T) {
	p := startBrowser(t).open(t, newTestServer(nil), "/published", look{width: 390, height: 900, script: true})
	p.wantAccessible("published")
	if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("it is %d px wide at 390", wide)
	}
}
