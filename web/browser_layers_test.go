package web

import "testing"

// The page of layers in a real browser: with its script it follows its controls, without it leads to another; and it is
// accessible and fits on a narrow screen, faults included.
func TestBrowserLayers(t *testing.T) {
	b := startBrowser(t)
	s := newTestServer(nil)
	p := b.open(t, s, "/layers", look{width: 390, height: 900, script: true})
	p.await(chartsDrawn)
	p.fill("layer4", "2")
	p.await(`document.querySelector("h1").textContent.includes("128") && location.search === "?layer4=2"`)
	p.click("#undo")
	p.await(`document.querySelector("h1").textContent.includes("64") && location.search === ""`)
	p.fill("layer4", "200")
	p.await(`document.getElementById("error-layer4")?.textContent.includes("at most 100, not 200")`)
	p.wantAccessible("layers")
	p.wantWidth("layers", 390)
	p = b.open(t, s, "/layers", look{width: 1280, height: 900})
	eval[bool](p, `(document.getElementsByName("layer3")[0].value = "2", true)`)
	p.click("#run")
	p.await(`location.search === "?layer3=2" && document.querySelectorAll("#layers tbody tr").length === 3`)
}
