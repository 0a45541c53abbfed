package web

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// Every scenario is offered with its sentence, at an address that is canonical: it leads nowhere else.
func TestGalleryOffersEveryScenario(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	page := get(s, "", false).Body.String()
	for i, preset := range sim.Presets() {
		link := starts()[i]
		shows := strings.ReplaceAll(preset.Shows, " %", nbsp+"%")
		if link.Title != shows || !strings.Contains(page, html.EscapeString(shows)) {
			t.Errorf("%s: the page does not say %q", preset.ID, shows)
		}
		st, err := parseState(preset.Scenario.Query())
		must(t, err)
		if got := address(st.address); got != link.Href {
			t.Errorf("%s: the link is %s, the canonical address %s", preset.ID, link.Href, got)
		}
	}
	if w := get(s, strings.TrimPrefix(starts()[1].Href, "/?"), false); w.Code != http.StatusOK {
		t.Errorf("%s is answered %d", starts()[1].Href, w.Code)
	}
	if strings.Contains(get(s, "", true).Body.String(), `id="starts"`) {
		t.Error("the scenarios go over the wire with every change")
	}
}
