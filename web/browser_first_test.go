package web

import "testing"

// What a first visit costs, and that nothing jumps while it comes together.

// shifted sums the layout shifts since a page has been there as a whole.
const shifted = `new Promise((done) => {
	new PerformanceObserver((list) => {
		const whole = performance.getEntriesByType("navigation")[0].domInteractive;
		done(list.getEntries().filter((e) => e.startTime > whole).reduce((sum, e) => sum + e.value, 0));
	}).observe({type: "layout-shift", buffered: true});
	setTimeout(() => done(0), 200); // there is none
})`

func TestFirstViewIsSmallAndStandsStill(t *testing.T) {
	b := startBrowser(t)
	for _, width := range []int64{1280, 390} {
		p := b.open(t, newTestServer(nil), "/", look{width: width, height: 900, script: true})
		p.await(chartsDrawn)
		p.await(`document.readyState === "complete"`)
		sent := eval[float64](p, `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, e) => sum + e.transferSize, 0)`)
		if sent < 50_000 || sent > 350_000 {
			t.Errorf("%.0f bytes are sent", sent)
		}
		if shift := eval[float64](p, shifted); shift > 0.001 { // 0.1 counts as good; a control of 28 px that comes late gives 0.006
			t.Errorf("at %d px the layout shifts by %g", width, shift)
		}
	}
}

// BenchmarkFirstView measures what a first visit waits for: until the script has taken over, and until the charts are
// drawn, with the result in the server's cache. It reports milliseconds since the address was entered.
func BenchmarkFirstView(b *testing.B) {
	browser := startBrowser(b)
	s := newTestServer(nil)
	var live, drawn float64
	for b.Loop() {
		p := browser.open(b, s, "/", desktop)
		p.await(chartsDrawn)
		live += eval[float64](p, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`)
		drawn += eval[float64](p, `performance.now()`)
	}
	b.ReportMetric(live/float64(b.N), "ms/interactive")
	b.ReportMetric(drawn/float64(b.N), "ms/drawn")
	b.ReportMetric(0, "ns/op")
}
