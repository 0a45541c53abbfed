package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Behind the rows, and what leads to other rows, in a real browser.

func TestBrowserRows(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	open := func(path string, l look) *tab { return b.open(t, s, path, l) }
	t.Run("scenarios to start from", func(t *testing.T) { scenariosToStartFrom(t, open) })
	t.Run("the scenario that is shown is marked", func(t *testing.T) { startIsMarked(t, open) })
	t.Run("rows are compared and unfolded", func(t *testing.T) { rowsUnfold(t, open) })
	t.Run("requests come in another way", func(t *testing.T) { workloadSwitches(t, open) })
}

func scenariosToStartFrom(t *testing.T, open browserTab) {
	p := open("/", look{width: 390, height: 844})
	p.click("#starts summary")
	p.await(`document.getElementById("starts").open`)
	p.wantWidth("unfolded", 390)
	p.click(`#starts li:nth-child(2) a`)
	p.await(`location.search.includes("clients.workload.spread=5s") && document.querySelectorAll(".policy").length === 8`)
	p.await(startIs + ` === "/" + location.search`)
}

// startIs is the address of the scenario that the gallery marks as shown, null if it is none of them.
const startIs = `(([first, ...more]) => more.length ? "several" : first?.getAttribute("href") ?? null)(document.querySelectorAll("#starts [aria-current]"))`

// startIsMarked has the mark follow the scenario, and nothing else of the address.
func startIsMarked(t *testing.T, open browserTab) {
	p := open("/?tab=load&open=exponential-full", desktop)
	p.await(`!document.querySelector(".slider").hidden && ` + startIs + ` === "/"`)
	slide(p, "clients.count", 2000)
	p.await(`location.search.includes("clients.count=2000") && ` + startIs + ` === null`)
	p.click("#undo")
	p.await(`!location.search.includes("clients.count") && ` + startIs + ` === "/"`)
}

// Without the script and with it, the same two buttons do the same.
func rowsUnfold(t *testing.T, open browserTab) {
	for _, l := range []look{{width: 390, height: 844}, desktop} {
		p := open("/", l)
		p.click("#open-exponential-full")
		p.await(`location.search === "?open=exponential-full" && !!document.getElementById("figures-exponential-full")`)
		p.click("#baseline-exponential-equal")
		p.await(`location.search === "?baseline=exponential-equal&open=exponential-full" && document.querySelector("#baseline-exponential-equal").getAttribute("aria-pressed") === "true"`)
		if n := eval[int](p, `document.querySelectorAll("#policy-exponential-full .difference").length`); n != 4 {
			t.Errorf("%d of 4 figures are compared", n)
		}
		p.wantWidth("compared", int(l.width))
		if l.script {
			p.await(`document.activeElement.id === "baseline-exponential-equal"`)
		}
		p.click("#open-exponential-full")
		p.await(`location.search === "?baseline=exponential-equal" && !document.getElementById("figures-exponential-full")`)
	}
}

// On a narrow screen the controls are folded until they are asked for; the script keeps them unfolded.
func workloadSwitches(t *testing.T, open browserTab) {
	for _, script := range []bool{false, true} {
		p := open("/", look{width: 390, height: 844, script: script})
		unfolded := func() {
			p.await(`document.readyState === "complete"`)
			if !eval[bool](p, `document.getElementById("fold").checked`) {
				p.click("label.fold")
			}
		}
		unfolded()
		p.set("clients.count", "500")
		p.do(chromedp.Focus(chromedp.CSS(`[name="clients.count"]`)), chromedp.KeyEvent(kb.Enter))
		p.await(`location.search === "?clients.count=500"`) // Enter presses none of the switch's buttons
		unfolded()
		p.click(`#workload button:nth-child(3)`)
		p.await(`location.search.includes("clients.workload.kind=open") && document.querySelector("h1")?.textContent.startsWith("160 requests a second")`)
		p.await(`document.querySelector("#workload [aria-pressed=true]").textContent === "steadily" && document.getElementById("why-workload").textContent.includes("1600 undone")`)
		unfolded()
		p.click(`#workload button:nth-child(1)`)
		p.await(`location.search === "?clients.count=500" && document.querySelector("h1")?.textContent.startsWith("500")`)
	}
}
