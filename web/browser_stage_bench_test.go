package web

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
)

// BenchmarkStage measures two stages of 300 clients each in lock-step, where most goes on. It reports milliseconds: how far
// apart the frames come while it plays, what processor time the page's own thread takes for one, and what it takes to draw
// both pictures down to their pixels. At 60 frames a second there are 16.7.
func BenchmarkStage(b *testing.B) {
	browser := startBrowser(b)
	s := newTestServer(nil)
	s.slotWait = patience
	p := browser.open(b, s, embedStagePath+"?show=every-second&show=exponential-full", desktop)
	p.await(stagesReady)
	call(p, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	busy := func() float64 { // seconds of processor time
		for _, m := range call(p, performance.GetMetrics, cdp.Empty{}).Metrics {
			if m.Name == "TaskDuration" {
				return m.Value
			}
		}
		b.Fatal("the browser does not say how busy it is")
		return 0
	}
	const frames, pictures = 120, 200
	var apart, work, draw []float64
	for b.Loop() {
		before := busy()
		apart = append(apart, stage[[]float64](p, `
			const ats = [];
			group.seek(10);
			group.play();
			for (let k = 0; k < 120; k++) ats.push(await new Promise(requestAnimationFrame));
			group.pause();
			return ats.slice(1).map((at, k) => at - ats[k]);`)...)
		work = append(work, 1000*(busy()-before)/frames)
		before = busy()
		stage[bool](p, `
			for (let k = 0; k < 200; k++) {
				group.time = (k / 200) * 20;
				for (const s of group.stages) {
					s.paint();
					s.ctx.getImageData(0, 0, 1, 1);
				}
			}
			return true;`)
		draw = append(draw, 1000*(busy()-before)/pictures)
	}
	slices.Sort(apart)
	b.ReportMetric(apart[len(apart)/2], "ms/frame-median")
	b.ReportMetric(apart[len(apart)*95/100], "ms/frame-p95")
	b.ReportMetric(slices.Min(work), "cpu-ms/frame")
	b.ReportMetric(slices.Min(draw), "cpu-ms/drawing")
	b.ReportMetric(0, "ns/op")
}
