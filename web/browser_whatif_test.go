package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// "What if" in a real browser.

// fewPath is a scenario that is swept in no time.
const fewPath = "/?clients.count=20&replications=2&p=exponential,base=100ms,cap=1s,jitter=full&p=constant,base=2s&"

// swept is true once every point is there.
const swept = `document.getElementById("what-if").dataset.complete === "true" && document.querySelector("#what-if-results figure svg path") !== null && !document.querySelector("#what-if-status progress")`

// lookAtWhatIf scrolls there, which is what makes the page ask.
func lookAtWhatIf(p *tab) {
	p.Helper()
	p.await(`document.getElementById("what-if").dataset.live !== undefined`)
	eval[bool](p, `(document.getElementById("what-if").scrollIntoView(), true)`)
}

func TestBrowserWhatIf(t *testing.T) {
	b := startBrowser(t)
	s := newTestServer(nil)
	openIn := func(t *testing.T) browserTab { return func(path string, l look) *tab { return b.open(t, s, path, l) } }
	t.Run("comes when it is looked at, and follows the scenario", func(t *testing.T) {
		p := openIn(t)(fewPath, desktop)
		p.await(chartsDrawn)
		if eval[bool](p, `document.querySelector("#what-if-results figure") !== null`) {
			t.Error("it is there before anyone looks")
		}
		lookAtWhatIf(p)
		p.await(swept)
		if got := eval[string](p, `[...document.querySelectorAll("[data-point]")].map((e) => e.textContent).join(" ")`); got != "10 20 30 40 50 60 70 80" {
			t.Errorf("the points are %s", got)
		}
		if search := eval[string](p, `location.search`); strings.Contains(search, "sweep") {
			t.Errorf("what the page chose is in the address: %s", search)
		}
		p.fill("clients.count", "40")
		p.await(`document.querySelector("[data-point='7']")?.textContent === "160"`)
		p.await(swept)
	})
	t.Run("choices are in the address, back and forward", func(t *testing.T) {
		p := openIn(t)(fewPath, desktop)
		lookAtWhatIf(p)
		p.await(swept)
		choose := func(name, value string) {
			t.Helper()
			eval[bool](p, fmt.Sprintf(`(() => {
				const select = document.getElementsByName(%s)[0];
				select.value = %s;
				select.dispatchEvent(new Event("change", {bubbles: true}));
				return true;
			})()`, quote(name), quote(value)))
		}
		choose("x", "policies.cap")
		p.await(`location.search.includes("sweep=policies.cap,scale=log,from=250ms,to=4s,steps=5")`)
		p.await(swept + ` && document.querySelector("#what-if-results figcaption b").textContent === "Served against at most"`)
		choose("measure", "attempts")
		p.await(`location.search.includes("measure=attempts")`)
		p.await(swept + ` && document.querySelector("#what-if-results figcaption b").textContent === "Attempts each against at most"`)
		p.fill("x.to", "8s")
		p.await(`location.search.includes("to=8s")`)
		choose("y", "clients.count")
		p.await(`document.querySelectorAll("#what-if-results figure").length === 2`)
		p.await(swept)
		if n := eval[int](p, `document.querySelectorAll("[data-point]").length`); n != 40 {
			t.Errorf("%d points, want 5 by 8", n)
		}
		// The main form knows what the section changed.
		p.fill("clients.count", "30")
		p.await(`location.search.includes("clients.count=30") && location.search.includes("to=8s")`)
		p.await(swept)
		eval[bool](p, `(history.back(), true)`)
		p.await(`location.search.includes("clients.count=20") && document.querySelector("h1").textContent.startsWith("20")`)
		eval[bool](p, `(history.back(), true)`)
		p.await(`location.search.includes("to=8s") && !location.search.includes("sweep=clients.count")`)
		p.await(`document.getElementsByName("y")[0].value === ""`)
		p.await(swept + ` && document.querySelectorAll("#what-if-results figure").length === 1`)
	})
	t.Run("a click on a point opens its scenario", func(t *testing.T) {
		p := openIn(t)(fewPath+"sweep=clients.count,from=10,to=30,steps=3", desktop)
		lookAtWhatIf(p)
		p.await(swept)
		at := eval[[]float64](p, `(() => {
			const svg = document.querySelector("#chart-sweep svg");
			svg.scrollIntoView({block: "center", behavior: "instant"});
			const circle = [...svg.querySelectorAll("path")].filter((e) => getComputedStyle(e).cursor === "pointer" || /^M1 0A1 1/.test(e.getAttribute("d"))).at(-1);
			const box = circle.getBoundingClientRect();
			return [box.x + box.width / 2, box.y + box.height / 2];
		})()`)
		p.do(chromedp.MouseClickXY(at[0], at[1]))
		p.await(`location.search.includes("clients.count=30") && document.querySelector("h1").textContent.startsWith("30")`)
		if search := eval[string](p, `location.search`); !strings.Contains(search, "sweep=clients.count,from=10,to=30,steps=3") {
			t.Errorf("the sweep is lost: %s", search)
		}
	})
	t.Run("stopped, it keeps the points that are done", func(t *testing.T) {
		p := openIn(t)("/?replications=1&clients.count=10&p=constant,base=1s&sweep=clients.count,scale=list,values=10/20/500000/900000&runs=9", desktop)
		lookAtWhatIf(p)
		p.await(`document.querySelector("#what-if-status button")?.textContent === "Stop" && document.querySelector("#what-if td")?.textContent.includes("%")`)
		p.click("#what-if-status button")
		p.await(`document.querySelector("#what-if-status").textContent.startsWith("Stopped. The points that are done stay.")`)
		if cells := eval[[]string](p, `[...document.querySelectorAll("#what-if td")].map((e) => e.textContent.trim())`); len(cells) != 4 || !strings.Contains(cells[0], "%") || cells[3] != "…" {
			t.Errorf("the table has %q", cells)
		}
		for deadline := time.Now().Add(patience); len(s.slots) > 0; time.Sleep(time.Millisecond) { // the server stops as well
			if time.Now().After(deadline) {
				t.Fatal("the sweep runs on")
			}
		}
	})
	t.Run("faults are told at their place", func(t *testing.T) {
		p := openIn(t)(fewPath, desktop)
		lookAtWhatIf(p)
		p.await(swept)
		p.fill("x.steps", "1000000000")
		p.await(`document.getElementById("error-x.steps")?.textContent === "Values must be at most 101, not 1000000000."`)
		if n := eval[int](p, `document.querySelectorAll("#what-if-results figure").length`); n != 1 {
			t.Error("the figures of before are gone")
		}
		p.fill("x.steps", "4")
		p.await(swept + ` && document.querySelectorAll("[data-point]").length === 4`)
	})
	t.Run("accessible, and nothing overflows", func(t *testing.T) {
		for _, path := range []string{fewPath, fewPath + "sweep=clients.count,from=10,to=30,steps=3&sweep=policies.cap,from=1s,to=9s"} {
			p := openIn(t)(path, look{width: 390, height: 900, script: true})
			lookAtWhatIf(p)
			p.await(swept)
			eval[bool](p, unfold)
			p.wantAccessible(path)
			p.wantWidth(path, 390)
		}
	})
}
