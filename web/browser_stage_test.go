package web

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Stages in a real browser.

// stagesPath has two stages: 40 clients lose a server of 4 workers for 2 s.
const stagesPath = embedStagePath + "?clients.count=40&server.outages.0.end=2s&server.outages.0.endSpread=0s&server.workers=4&server.queue=20" +
	"&server.warmup.duration=1s&server.crash.restart=1s&horizon=20s&show=exponential-percentage&show=exponential-full"

// stage evaluates an expression with the page's first group of stages and the first two of them at hand.
func stage[T any](p *tab, expression string) T {
	p.Helper()
	return eval[T](p, `(async () => {
		const {groups} = await import(new URL("stage.js", document.querySelector("script[src]").src));
		const group = [...groups.values()][0];
		const [one, two] = group.stages;
		const frames = async (n) => { while (n-- > 0) await new Promise(requestAnimationFrame); };
		`+expression+`
	})()`)
}

// stagesReady is true once every stage has its run.
const stagesReady = `document.querySelector("figure.stage") && [...document.querySelectorAll("figure.stage")].every((e) => e.querySelector("canvas"))`

func TestBrowserStage(t *testing.T) {
	b := startBrowser(t)
	s := newTestServer(nil)
	s.slotWait = patience // two stages ask at once, on a machine that may be busy
	open := func(path string, l look) *tab { return b.open(t, s, path, l) }
	for _, test := range []struct {
		name string
		run  func(*testing.T, browserTab)
	}{
		{"plays, pauses, steps and is scrubbed", stagePlays},
		{"its clock is the run's", stageKeepsTime},
		{"follows a client", stageFollows},
		{"stops off screen", stageStopsOffScreen},
		{"keeps still for those who want that", stageKeepsStill},
		{"is what the page shows", stageOnThePage},
		{"tells why there is nothing to play", stageTells},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
	t.Run("bears the longest trace", func(t *testing.T) { stageBearsMuch(t, open) })
	t.Run("fits, and is accessible", func(t *testing.T) { stageFits(t, open) })
	t.Run("plays in a frame of another origin", func(t *testing.T) { stageInAFrame(t, b) })
}

func stagePlays(t *testing.T, open browserTab) {
	p := open(stagesPath, desktop)
	p.await(stagesReady)
	p.click(".stage-play")
	p.await(`document.querySelector(".stage-play").textContent.includes("Pause") && parseFloat(document.querySelector(".stage-time").textContent) > 0.3`)
	p.do(chromedp.Focus(chromedp.CSS(".stage-canvas")), chromedp.KeyEvent(" "))
	p.await(`document.querySelector(".stage-play").textContent.includes("Play")`)
	if apart := stage[string](p, `return one.drawn.time === two.drawn.time && one.drawn.time === group.time ? "" : [one.drawn.time, two.drawn.time, group.time].join(" ")`); apart != "" {
		t.Errorf("out of step: %s", apart)
	}
	// Home, then twice on: to the first moments of either run, which are those of the API.
	p.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	want := stage[float64](p, `return [...new Set([...one.run.moments, ...two.run.moments])].sort((a, b) => a - b).filter((t) => t > 0)[1]`)
	if got := stage[float64](p, `return group.time`); got != want || want <= 0 {
		t.Errorf("two steps lead to %v s, want %v", got, want)
	}
	p.await(`document.querySelector(".stage-event").textContent.includes("` + fmt.Sprintf("%.3f s", want) + `")`)
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	if got := stage[float64](p, `return group.time`); got >= want || got <= 0 {
		t.Errorf("a step back leads to %v s from %v", got, want)
	}
	p.do(chromedp.KeyEvent(kb.End))
	p.await(`document.querySelector(".stage-now").textContent.includes("served")`)
	// The strip is a scrubber, and the slider another.
	at := eval[[]float64](p, `(() => { const box = document.querySelector(".stage-strip .strip").getBoundingClientRect(); return [box.x + box.width / 4, box.y + 20]; })()`)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
	if share := stage[float64](p, `return group.time / Number(one.figure.dataset.end)`); math.Abs(share-0.25) > 0.01 {
		t.Errorf("a quarter of the strip is %v of the time", share)
	}
	before := stage[float64](p, `return group.time`)
	p.do(chromedp.Focus(chromedp.CSS(".stage-scrub")), chromedp.KeyEvent(kb.ArrowRight))
	if after := stage[float64](p, `return group.time`); after <= before {
		t.Errorf("the slider's key leads from %v to %v s", before, after)
	}
	// Played at 20 times the speed it comes to its end, stays there, and the address says all that.
	eval[bool](p, `(() => { const s = document.querySelector(".stage-buttons select"); s.value = "20"; s.dispatchEvent(new Event("change")); return true; })()`)
	p.click(".stage-play")
	p.await(`document.querySelector(".stage-play").textContent.includes("Play")`)
	if got := stage[bool](p, `return group.time === group.length`); !got {
		t.Error("it stopped before the end")
	}
	p.await(`new URLSearchParams(location.search).get("speed") === "20" && new URLSearchParams(location.search).has("at")`)
	p.do(chromedp.Navigate(p.url + stagesPath + "&speed=2.5"))
	p.await(stagesReady)
	if got := eval[string](p, `document.querySelector(".stage-buttons select").selectedOptions[0].text`); got != "2.5 ×" || stage[float64](p, `return group.speed`) != 2.5 {
		t.Errorf("opened at 2.5 times the speed it says %s", got)
	}
}

// The snippet that a lesson offers, pasted into a page of another origin: it plays, breaks no policy, leaves no cookie, and
// has room for what it shows, side by side and one above the other.
func stageInAFrame(t *testing.T, b chromium) {
	stampede := httptest.NewServer(quick())
	t.Cleanup(stampede.Close)
	res, err := http.Get(stampede.URL + "/learn/how-much-jitter?guess=0")
	must(t, err)
	snippet := regexp.MustCompile(`id="share-stages" value="([^"]+)"`).FindSubmatch(bodyOf(t, res))
	if snippet == nil {
		t.Fatal("the lesson offers nothing to embed")
	}
	other := New(Config{})
	other.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><meta name=viewport content=width=device-width><title>x</title><link rel=icon href=data:,><body>%s", html.UnescapeString(string(snippet[1])))
	})
	p := b.open(t, other, "/", desktop)
	p.await(`performance.getEntriesByType("resource").some((e) => e.initiatorType === "iframe")`)
	frame := call(p, page.GetFrameTree, cdp.Empty{}).FrameTree.ChildFrames[0].Frame
	inside := call(p, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame.ID}).ExecutionContextID
	within := func(expression string) string {
		t.Helper()
		ctx, cancel := p.within()
		defer cancel()
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => {
			const once = async (met) => { while (!met()) await new Promise(requestAnimationFrame); };
			`+expression+`
		})()`, chromedp.EvalAwaitPromise, func(e *runtime.EvaluateParams) { e.ContextID = inside }))
		must(t, err)
		return got
	}
	got := within(`await once(() => document.querySelector(".stage-play")?.disabled === false);
		document.querySelector(".stage-play").click();
		await once(() => parseFloat(document.querySelector(".stage-time").textContent) > 0.1);
		return location.origin + document.querySelectorAll("canvas").length + document.cookie;`)
	if got != stampede.URL+"2" {
		t.Errorf("origin, stages and cookies in the frame: %s", got)
	}
	for _, width := range []int64{1280, 720, 390} {
		p.resize(width, 844)
		if spare := within(fmt.Sprintf(`await once(() => innerWidth > %d && innerWidth < %d && [...document.querySelectorAll("canvas")].every((c) => c.width === c.clientWidth));
			return String(innerHeight - document.body.offsetHeight);`, width-50, width)); strings.HasPrefix(spare, "-") || len(spare) > 3 {
			t.Errorf("%d px across, %s px are spare in the frame", width, spare)
		}
	}
	if cookies := call(p, network.GetCookies, network.GetCookiesParams{URLs: []string{stampede.URL, p.url}}).Cookies; len(cookies) > 0 {
		t.Errorf("%d cookies", len(cookies))
	}
}

// Between two frames so much of the run passes as time does, and what is drawn at a frame's time is what had happened by
// then: the first client to be served is drawn so in the first frame at or after it learns of that, and not before.
func stageKeepsTime(t *testing.T, open browserTab) {
	p := open(stagesPath, desktop)
	p.await(stagesReady)
	var got struct {
		Frames          [][3]float64 // when, what time was drawn, how many had been served then
		Served          []float64    // by the API
		Before, After   [4]float64   // the pixel of the first one
		Colour          string
		Speed, Mistaken float64
	}
	must(t, json.Unmarshal([]byte(stage[string](p, `
		const run = await (await fetch(one.figure.dataset.trace)).json();
		const {trace} = run;
		const served = trace.seenSeconds.filter((_, i) => trace.outcome[i] === "ok").sort((a, b) => a - b);
		group.speed = 0.5;
		group.seek(served[0] - 0.1);
		group.play();
		const all = [];
		while (one.drawn.time < served[0] + 0.1 || all.length < 4) { // a busy machine draws few frames in that time
			const at = await new Promise(requestAnimationFrame);
			all.push([at, one.drawn.time, one.drawn.counts[3]]);
		}
		group.pause();
		const client = trace.client[trace.seenSeconds.findIndex((t, i) => t === served[0] && trace.outcome[i] === "ok")];
		const pixel = (t) => {
			group.seek(t);
			const [x, y] = [one.scene.x[client] - one.scene.dot * 0.3, one.scene.y[client] - one.scene.dot * 0.8];
			return [...one.ctx.getImageData(Math.round(x * one.scale), Math.round(y * one.scale), 1, 1).data];
		};
		const before = pixel(served[0] - 1e-6), after = pixel(served[0]);
		let mistaken = 0;
		for (const t of one.run.moments.filter((_, k) => k % 7 === 0)) {
			group.seek(t);
			if (one.drawn.counts[3] !== served.filter((s) => s <= t).length) mistaken++;
		}
		return JSON.stringify({frames: all, served, before, after, colour: getComputedStyle(one.figure).getPropertyValue("--served"), speed: group.speed, mistaken});`)), &got))
	if len(got.Frames) < 3 || len(got.Served) == 0 {
		t.Fatalf("%d frames, %d served", len(got.Frames), len(got.Served))
	}
	drawn := 0
	for i, f := range got.Frames {
		if n := countUpTo(got.Served, f[1]); float64(n) != f[2] {
			t.Errorf("at %v s %v are drawn as served, by the trace %d had been", f[1], f[2], n)
		}
		if i == 0 {
			continue
		}
		before := got.Frames[i-1]
		if passed, ran := (f[0]-before[0])/1000*got.Speed, f[1]-before[1]; math.Abs(passed-ran) > 1e-6 {
			t.Errorf("frame %d: %v s have passed and %v s of the run", i, passed, ran)
		}
		if before[1] < got.Served[0] && got.Served[0] <= f[1] {
			drawn++
		}
	}
	if drawn != 1 {
		t.Errorf("%d frames are the first after the first success", drawn)
	}
	if !isColour(got.After, got.Colour) || isColour(got.Before, got.Colour) {
		t.Errorf("the client's place is %v before and %v after it is served; served is %s", got.Before, got.After, got.Colour)
	}
	if got.Mistaken > 0 {
		t.Errorf("at %v moments others are drawn as served than the trace says", got.Mistaken)
	}
}

func countUpTo(sorted []float64, t float64) (n int) {
	for _, s := range sorted {
		if s <= t {
			n++
		}
	}
	return n
}

// isColour reports whether a pixel has nearly a colour such as #3d7ea6: its edge is blended.
func isColour(pixel [4]float64, hex string) bool {
	var c [3]int
	if _, err := fmt.Sscanf(strings.TrimSpace(hex), "#%2x%2x%2x", &c[0], &c[1], &c[2]); err != nil {
		return false
	}
	for i := range c {
		if math.Abs(pixel[i]-float64(c[i])) > 24 {
			return false
		}
	}
	return true
}

func stageFollows(t *testing.T, open browserTab) {
	p := open(stagesPath, desktop)
	p.await(stagesReady)
	p.do(chromedp.Focus(chromedp.CSS(".stage-client")), chromedp.KeyEvent("5"))
	p.await(`document.querySelector(".stage-log").checkVisibility()`)
	p.do(chromedp.Focus(chromedp.CSS(".stage-canvas")), chromedp.KeyEvent(kb.End))
	lines := stage[[]string](p, `return [...two.log.children].map((e) => e.textContent)`)
	made := stage[int](p, `return two.run.trace.client.filter((c) => c === 4).length`)
	if len(lines) != min(made, 13) || made < 3 || !strings.Contains(lines[0], fmt.Sprintf("client 5, attempt %d: served after ", made)) {
		t.Errorf("client 5 made %d attempts; its history: %q", made, lines)
	}
	if !strings.Contains(lines[1], "server down after ") || !strings.Contains(lines[1], "It waited ") {
		t.Errorf("its attempt before the last: %q", lines[1])
	}
	// Steps are now the client's own, in whichever stage they come first.
	p.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
	if wrong := stage[string](p, `const own = [one, two].flatMap((s) => s.moments(4)).filter((t) => t > 0);
		return group.time === Math.min(...own) ? "" : group.time + " " + Math.min(...own)`); wrong != "" {
		t.Errorf("a step leads to %s", wrong)
	}
	// The address leads back to all that.
	p.await(`location.search.includes("client=5") && new URLSearchParams(location.search).get("at") === String(Number(` + fmt.Sprint(stage[float64](p, `return group.time`)) + `.toFixed(3)))`)
	before := stage[float64](p, `return group.time`)
	p.do(chromedp.Reload())
	p.await(stagesReady)
	if got := stage[[]float64](p, `return [group.time, group.followed]`); math.Abs(got[0]-before) > 1e-3 || got[1] != 4 {
		t.Errorf("after a reload: %v s, client %v; before %v s", got[0], got[1]+1, before)
	}
	for _, nobody := range []string{"1.5", "0", "41", ""} {
		if got := stage[int](p, `const field = document.querySelector(".stage-client");
			group.follow(4);
			field.value = "`+nobody+`";
			field.dispatchEvent(new Event("input"));
			return group.followed`); got != -1 {
			t.Errorf("asked for %q client %d is followed", nobody, got+1)
		}
	}
	// A click on a client follows it, another no more.
	for _, want := range []int{7, -1} {
		at := stage[[]float64](p, `const box = one.canvas.getBoundingClientRect(); return [box.x + one.scene.x[7], box.y + one.scene.y[7]]`)
		p.do(chromedp.MouseClickXY(at[0], at[1]))
		if got := stage[int](p, `return group.followed`); got != want {
			t.Errorf("client %d is followed, want %d", got, want)
		}
	}
}

func stageStopsOffScreen(t *testing.T, open browserTab) {
	p := open(stagesPath, desktop)
	p.await(stagesReady)
	eval[bool](p, `(document.body.style.paddingBottom = "4000px", true)`)
	p.click(".stage-play")
	p.await(`parseFloat(document.querySelector(".stage-time").textContent) > 0.1`)
	eval[bool](p, `(scrollTo(0, 3500), true)`)
	if moved := stage[float64](p, `while (one.shown || two.shown) await frames(1);
		const before = group.time;
		await frames(10);
		return group.time - before;`); moved != 0 {
		t.Errorf("off screen it goes on for %v s", moved)
	}
	eval[bool](p, `(scrollTo(0, 0), true)`)
	if jumped := stage[float64](p, `const before = group.time;
		let last = before, most = 0, waited = 0;
		while (group.time < before + 0.2) {
			const began = performance.now();
			await frames(1);
			most = Math.max(most, group.time - last - (performance.now() - began) / 1000);
			last = group.time;
		}
		return most;`); jumped > 0.5 {
		t.Errorf("back on screen it jumps by %v s", jumped)
	}
	// So it does in a tab that is hidden, and goes on from there.
	if wrong := stage[string](p, `const hide = (yes) => {
			Object.defineProperty(document, "hidden", { value: yes, configurable: true });
			document.dispatchEvent(new Event("visibilitychange"));
		};
		hide(true);
		const before = group.time;
		await frames(10);
		const hidden = group.time;
		hide(false);
		await frames(1);
		const back = group.time;
		await frames(2);
		return hidden === before && back === before && group.time > before ? "" : [before, hidden, back, group.time].join(" ");`); wrong != "" {
		t.Errorf("before, in, after and two frames after a hidden tab it stands at %s s", wrong)
	}
}

func stageKeepsStill(t *testing.T, open browserTab) {
	p := open("/healthz", desktop)
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: "light"}},
	})
	p.do(chromedp.Navigate(p.url + stagesPath))
	p.await(stagesReady)
	p.await(`document.querySelector(".stage-play").hidden && !document.querySelector(".stage-scrub").disabled`)
	p.do(chromedp.Focus(chromedp.CSS(".stage-canvas")), chromedp.KeyEvent(" "))
	drawn := `[...one.ctx.getImageData(0, 0, one.canvas.width, one.canvas.height).data].reduce((h, v) => (h * 31 + v) >>> 0, 7)`
	if moves := stage[string](p, `const picture = `+drawn+`; await frames(5); return group.playing || group.time > 0 || picture !== `+drawn+` ? "moves" : ""`); moves != "" {
		t.Error("it moves")
	}
	if same := stage[bool](p, `const picture = `+drawn+`; group.seek(5); return picture === `+drawn+``); same {
		t.Error("the picture does not show the time")
	}
	p.await(`document.querySelector(".stage-now").textContent.startsWith("5.00 s: ")`)
	if alike := stage[bool](p, `const marks = Object.values(one.look.outcomes);
		for (const mark of marks) mark.colour = "black";
		group.seek(6);
		const picture = `+drawn+`;
		for (const mark of marks) mark.path = marks[0].path;
		group.seek(7);
		group.seek(6);
		return picture === `+drawn+``); alike {
		t.Error("colour alone tells the outcomes apart")
	}
	if key := eval[string](p, `document.querySelector(".stage-key").innerText`); strings.Contains(key, "ring") || !strings.HasPrefix(key, "a line for each client") {
		t.Errorf("the key is that of a moving picture: %s", key)
	}
}

// On the compare page the stages are those of the rows in the charts, and change with the scenario.
func stageOnThePage(t *testing.T, open browserTab) {
	p := open("/?tab=watch&clients.count=30&replications=2&show=exponential", desktop)
	p.await(`(document.querySelector("figure.stage")?.scrollIntoView(), ` + stagesReady + `)`)
	if got := eval[string](p, `[...document.querySelectorAll("figure.stage")].map((e) => e.id).join(" ")`); got != "stage-exponential" {
		t.Errorf("the stages are %s", got)
	}
	p.click("#show-exponential-full")
	p.await(`document.querySelectorAll("figure.stage").length === 2 && (document.querySelector("figure.stage").scrollIntoView(), ` + stagesReady + `)`)
	p.fill("clients.count", "20")
	p.await(`document.querySelector("figure.stage").dataset.trace.includes("clients.count=20")`)
	p.await(`(document.querySelector("figure.stage").scrollIntoView(), ` + stagesReady + `)`)
	if got := stage[string](p, `while (!(one.run && two.run)) await frames(1); return [groups.size, one.run.count, two.run.count].join(" ")`); got != "1 20 20" {
		t.Errorf("groups and clients: %s", got)
	}
	p.click("#tab-work")
	p.await(chartsDrawn)
	if got := eval[int](p, `import(new URL("stage.js", document.querySelector("script[src]").src)).then(({groups}) => groups.size)`); got != 0 {
		t.Errorf("%d groups are left", got)
	}
}

func stageTells(t *testing.T, open browserTab) {
	p := open(stagesPath, desktop)
	p.await(stagesReady)
	eval[bool](p, `(document.querySelector("figure.stage").dataset.trace = "/api/v1/traces?trace=0", true)`)
	p.await(`document.querySelector(".stage-loading")?.textContent.includes("cannot be shown") && document.querySelector(".stage-view button")`)
	// A server that goes away, one whose answer breaks off, and one that is back.
	eval[bool](p, `(window.fetched = fetch, true)`)
	for answer, says := range map[string]string{
		`Promise.reject(new TypeError("Failed to fetch"))`:                                              "does not answer",
		`Promise.resolve(new Response('{"trace": {', {headers: {"Content-Type": "application/json"}}))`: "broke off",
	} {
		eval[bool](p, `(window.fetch = () => `+answer+`, document.querySelector(".stage-view button").onclick(), true)`)
		p.await(`document.querySelector(".stage-loading").textContent === "The run cannot be shown: The server ` + says + `. "`)
	}
	if got := stage[bool](p, `group.play(); one.scrub({preventDefault() {}, clientX: 400}); return group.playing || !(group.time > 0)`); got {
		t.Error("without a run it plays, or is not scrubbed")
	}
	eval[bool](p, `(window.fetch = fetched, document.querySelector("figure.stage").dataset.trace = document.querySelectorAll("figure.stage")[1].dataset.trace, true)`)
	p.await(stagesReady)
}

// One client that makes more attempts than are traced.
func stageBearsMuch(t *testing.T, open browserTab) {
	p := open(embedStagePath+"?clients.count=1&horizon=100s&server.outages.0.end=100s&p=constant,base=1ms,id=fast&network.latency.kind=constant&network.latency.mean=0s", desktop)
	p.await(stagesReady)
	if n := stage[int](p, `return one.run.trace.client.length`); n != 50_000 {
		t.Errorf("%d attempts", n)
	}
	if took := stage[float64](p, `const began = performance.now(); group.follow(0); for (let k = 0; k < 10; k++) group.seek(k * 5 + 1); return (performance.now() - began) / 10;`); took > 1000 {
		t.Errorf("a picture takes %v ms", took)
	}
	// However many attempts fade, only a client's last one can be seen.
	if strokes := stage[int](p, `let n = 0;
		const { stroke } = one.ctx;
		one.ctx.stroke = function (...path) { n++; stroke.apply(this, path); };
		group.speed = 20;
		group.seek(20);
		return n;`); strokes > 50 {
		t.Errorf("%d strokes for one client", strokes)
	}
	p.await(`document.querySelector(".stage-note").textContent.includes("too many attempts to draw all")`)
}

func stageFits(t *testing.T, open browserTab) {
	p := open(stagesPath, desktop)
	p.await(stagesReady)
	eval[bool](p, unfold)
	stage[bool](p, `group.follow(3); group.seek(2.5); return true`)
	p.wantAccessible(stagesPath)
	for _, width := range []int64{390, 768, 1280} {
		p.resize(width, 844)
		p.await(fmt.Sprintf("innerWidth === %d", width))
		p.await(`[...document.querySelectorAll(".stage-canvas")].every((e) => Math.abs(e.width - e.clientWidth * devicePixelRatio) < 1)`)
		if wide := eval[int](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
			t.Errorf("at %d px it is %d px too wide", width, wide)
		}
	}
	plain := open(stagesPath, look{width: 1280, height: 900})
	plain.await(`document.querySelectorAll(".stage-strip .strip .served").length === 2`)
	if got := eval[string](plain, `[...document.querySelectorAll(".stage-view, .stage-controls, .stage-key")].some((e) => e.checkVisibility()) + " " +
		[...document.querySelectorAll(".stage .numbers table")].every((e) => e.rows.length > 3)`); got != "false true" {
		t.Errorf("without script: %s", got)
	}
}
