package web

import (
	"testing"
)

// The page of one policy in a real browser.

// policyPaths are policies of every kind of page.
var policyPaths = map[string]string{
	"plain":        "/policy",
	"limited":      "/policy?p=exponential,base=500ms,cap=10s,capAfterJitter=true,jitter=percentage,fraction=0.5,maxAttempts=7,deadline=20s&outage=12s",
	"decorrelated": "/policy?p=constant,base=100ms,cap=10s,jitter=decorrelated&clients=5000&outage=4m10s",
	"guarded":      "/policy?p=exponential,base=1s,cap=30s,jitter=full,maxAttempts=6,breaker.failures=5,budget.kind=aws,throttle.k=2",
	"fault":        "/policy?p=exponential,base=1s,cap=x,maxAttempts=1&outage=-1s",
}

func TestBrowserPolicy(t *testing.T) {
	b := startBrowser(t)
	s := newTestServer(nil)
	says := func(id string) string {
		return `document.getElementById("says-` + id + `") !== null`
	}
	t.Run("follows its controls, and the address with it", func(t *testing.T) {
		p := b.open(t, s, "/policy", desktop)
		p.await(chartsDrawn + " && " + says("no-limit"))
		p.fill("edit.maxAttempts", "4")
		p.await(says("gives-up") + ` && location.search === "?p=exponential,base=100ms,cap=10s,jitter=full,maxAttempts=4"`)
		p.await(`document.querySelectorAll("#retries > .scroll tbody tr").length === 3`)
		p.await(`document.querySelector("#chart-waits svg").textContent.includes("3") && !document.querySelector("#chart-waits svg").textContent.includes("10 ")`)
		p.fill("outage", "1")
		p.await(says("perishes") + ` && location.search.includes("outage=1s")`)
		eval[bool](p, `(history.back(), true)`)
		p.await(`!location.search.includes("outage") && document.getElementsByName("outage")[0].value === "10s"`)
		p.click("#undo")
		p.await(says("no-limit") + ` && location.search === ""`)
		p.click("#redo")
		p.await(says("gives-up") + ` && document.getElementsByName("edit.maxAttempts")[0].value === "4"`)
	})
	t.Run("says what failed, and asks again", func(t *testing.T) {
		s := newTestServer(nil)
		busy := overloadable(s, "/policy")
		p := b.open(t, s, "/policy", desktop)
		p.await(chartsDrawn)
		busy.Store(true)
		p.fill("edit.maxAttempts", "4")
		p.await(`document.querySelector("#status:not([hidden]) span")?.textContent === "The server answered 503."`)
		eval[bool](p, `(window.fetched = fetch, window.fetch = () => Promise.reject(new TypeError("Failed to fetch")), true)`)
		p.click("#status button")
		p.await(`document.querySelector("#status span").textContent === "The server does not answer."`)
		eval[bool](p, `(window.fetch = fetched, true)`)
		busy.Store(false)
		p.click("#status button")
		p.await(says("gives-up") + ` && document.getElementById("status").hidden`)
		p.hear() // the refusal
	})
	t.Run("offers what a kind has", func(t *testing.T) {
		p := b.open(t, s, "/policy", desktop)
		p.await(chartsDrawn)
		eval[bool](p, `(() => {
			const select = document.getElementsByName("edit.jitter.kind")[0];
			select.value = "percentage";
			select.dispatchEvent(new Event("input", {bubbles: true}));
			select.dispatchEvent(new Event("change", {bubbles: true}));
			return true;
		})()`)
		p.await(`document.getElementsByName("edit.jitter.fraction")[0]?.value === "0.1" && location.search.includes("jitter=percentage")`)
		p.click(`[name="edit.retryOn"][value="permanent"]`)
		p.await(says("retries-lasting") + ` && location.search.includes("permanent")`)
		p.click("#group-edit\\.breaker button")
		p.await(`location.search.includes("breaker") && document.getElementById("warnings").textContent.includes("left out here")`)
	})
	t.Run("says what cannot be, and keeps the figures", func(t *testing.T) {
		p := b.open(t, s, "/policy", desktop)
		p.await(chartsDrawn)
		p.fill("edit.cap", "soon")
		p.await(`document.getElementById("error-edit.cap")?.textContent.includes("not \"soon\"")`)
		if got := eval[string](p, `document.getElementsByName("edit.cap")[0].value + location.search`); got != "soon" {
			t.Errorf("the field and the address say %q", got)
		}
		p.fill("edit.cap", "20s")
		p.await(`document.getElementById("error-edit.cap") === null && location.search.includes("cap=20s")`)
	})
	t.Run("without script", func(t *testing.T) {
		p := b.open(t, s, "/policy", look{width: 1280, height: 900})
		eval[bool](p, `(document.getElementsByName("edit.maxAttempts")[0].value = "3", true)`)
		p.click("#run")
		p.await(says("gives-up") + ` && location.search === "?p=exponential,base=100ms,cap=10s,jitter=full,maxAttempts=3"`)
		p.await(`document.querySelectorAll("#retries > .scroll tbody tr").length === 2`)
	})
	t.Run("rows lead there, and it leads back", func(t *testing.T) {
		p := b.open(t, s, "/?clients.count=20&replications=1&p=constant,base=2s,maxAttempts=3&p=immediate,maxAttempts=2", desktop)
		p.await(chartsDrawn)
		p.click("#policy-page-constant")
		p.await(`location.pathname === "/policy" && location.search.includes("clients=20") && ` + chartsDrawn)
		p.click(".policy-text a")
		p.await(`location.pathname === "/" && document.querySelector("h1").textContent.startsWith("20") && document.getElementById("policy-constant") !== null`)
		p.await(chartsDrawn)
	})
	t.Run("accessible, and nothing overflows", func(t *testing.T) {
		for name, path := range policyPaths {
			p := b.open(t, s, path, look{width: 390, height: 900, script: true})
			p.await(chartsDrawn)
			eval[bool](p, unfold)
			p.wantAccessible(name)
			p.wantWidth(name, 390)
			p.resize(1280, 900)
			if eval[bool](p, `document.querySelector("#retries > .scroll")?.scrollWidth > document.querySelector("#retries > .scroll")?.clientWidth`) {
				t.Errorf("%s: the table of retries is wider than its place on a screen of 1280 px", name)
			}
			if label := eval[string](p, `[...document.querySelectorAll(".field > label")].find((l) => l.offsetHeight > 60)?.textContent ?? ""`); label != "" {
				t.Errorf("%s: no room for the label %q on a screen of 1280 px", name, label)
			}
		}
	})
}
