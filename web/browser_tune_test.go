package web

import "testing"

// The search for policies in a real browser.
func TestBrowserTune(t *testing.T) {
	b := startBrowser(t)
	s := newTestServer(nil)
	const found, none = `document.getElementById("tune-compare") !== null && document.getElementById("main").dataset.complete === "true"`, `document.getElementById("tune-relaxed") !== null`
	p := b.open(t, s, smallTunePath, look{width: 390, height: 900, script: true})
	p.await(found)
	p.wantAccessible("found")
	p.wantWidth("found", 390)
	p.fill("mostAttempts", "1")
	p.await(`document.body.classList.contains("stale")`)
	p.click("#run")
	p.await(none + ` && location.search === "?capacity=4&clients=20&mostAttempts=1&replications=2"`)
	p.wantAccessible("none")
	p.fill("clients", "0")
	p.click("#run")
	p.await(`document.getElementById("error-clients")?.textContent.includes("at least 1")`)
	eval[bool](p, `(history.back(), true)`)
	p.await(found)

	p = b.open(t, s, smallTunePath+"&seed=2", look{width: 1280, height: 900})
	p.click("#run")
	p.await(found)
}
