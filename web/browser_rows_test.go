package web

import (
	"testing"
)

// Behind the rows, and what leads to other rows, in a real browser.

func TestBrowserRows(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	open := func(path string, l look) *tab { return b.open(t, s, path, l) }
	t.Run("scenarios to start from", func(t *testing.T) { scenariosToStartFrom(t, open) })
}

func scenariosToStartFrom(t *testing.T, open browserTab) {
	p := open("/", look{width: 390, height: 844})
	p.click("#starts summary")
	p.await(`document.getElementById("starts").open`)
	if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("unfolded, the page is %d px wide", wide)
	}
	p.click(`#starts li:nth-child(2) a`)
	p.await(`location.search.includes("clients.workload.spread=5s") && document.querySelectorAll(".policy").length === 8`)
}
