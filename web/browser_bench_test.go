package web

import (
	"fmt"
	"slices"
	"testing"
)

// pause lets the page draw its charts, as a reader's next move does.
const pause = `new Promise((done) => requestIdleCallback(() => setTimeout(() => done(true), 100)))`

// BenchmarkPageUpdate measures what a reader waits for: from a slider's move to the frame with the new rows, with 8
// policies × about 1000 clients × 5 replications, none of them from the cache. It reports milliseconds.
func BenchmarkPageUpdate(b *testing.B) {
	browser := startBrowser(b)
	s := newTestServer(nil)
	p := browser.open(b, s, "/?replications=5", desktop)
	p.await(chartsDrawn)
	var took []float64
	for n := 0; b.Loop(); n++ {
		took = append(took, eval[float64](p, fmt.Sprintf(`new Promise((done) => {
			const field = document.getElementsByName("clients.count")[0];
			const slider = document.querySelector("[data-for='in-clients.count']");
			slider.dataset.stops = "%[1]d";
			slider.value = 0;
			const began = performance.now();
			slider.dispatchEvent(new Event("input", {bubbles: true}));
			slider.dispatchEvent(new Event("change", {bubbles: true}));
			const look = () => {
				if (!document.querySelector("h1").textContent.startsWith("%[1]d")) requestAnimationFrame(look);
				else setTimeout(() => done(performance.now() - began)); // this frame has been painted by then
			};
			look();
		})`, 1001+n)))
		eval[bool](p, pause)
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "ms/median")
	b.ReportMetric(took[len(took)*95/100], "ms/p95")
	b.ReportMetric(0, "ns/op")
}
