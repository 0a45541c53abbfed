package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// The compare page in a real browser. No test sleeps: each waits until something is true, for as long as patience allows.

// Addresses that tests open.
const (
	steadyPath   = "/?clients.workload.kind=open&clients.workload.rate=160"
	faultPath    = "/?clients.count=0&server.queue=many"
	comparedPath = "/?baseline=exponential-equal&open=exponential-full"
)

// chartsDrawn is true once there are charts and every one of them has been drawn.
const chartsDrawn = `(() => {
	const all = [...document.querySelectorAll("[data-chart], .raster")];
	return all.length > 0 && all.every((e) => e.querySelectorAll("path").length > (e.matches(".raster") ? 0 : 5));
})()`

func TestBrowser(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	for _, test := range []struct {
		name string
		run  func(*testing.T, browserTab)
	}{
		{"strips are not blank", stripsAreNotBlank},
		{"a slider moves the rows", sliderMovesRows},
		{"every tab shows its charts", tabsShowCharts},
		{"tabs are moved through by keys", tabsByKey},
		{"the load is zoomed into by key", loadIsZoomed},
		{"clients are chosen in the raster", clientsAreChosen},
		{"labels keep apart", labelsKeepApart},
		{"charts say what is pointed at", chartsSayWhatIsPointedAt},
		{"policies are added, shown and removed", policiesComeAndGo},
		{"back and forward restore", backAndForward},
		{"typing keeps the focus and names faults", typingAndFaults},
		{"the keyboard is enough", keyboardIsEnough},
		{"everything can be downloaded", downloadsWork},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, func(path string, l look) *tab { return b.open(t, s, path, l) }) })
	}
	t.Run("breaches of the policy are noticed", func(t *testing.T) { breachesAreNoticed(t, b, s) })
	t.Run("complete without script", func(t *testing.T) { completeWithoutScript(t, b, s) })
}

func TestBrowserWaits(t *testing.T) {
	b := startBrowser(t)
	t.Run("an older answer never overwrites a newer one", func(t *testing.T) { olderAnswers(t, b) })
	t.Run("a change soon after another need not wait for its run", func(t *testing.T) { soonAfter(t, b) })
	t.Run("undoing gives up what is under way", func(t *testing.T) { undoneUnderWay(t, b) })
	t.Run("a document in a long run is taken with what follows", func(t *testing.T) { documentUnderWay(t, b) })
	t.Run("a long run can be stopped", func(t *testing.T) { longRun(t, b) })
	t.Run("a long run shows its first rows", func(t *testing.T) { firstRows(t, b) })
	t.Run("a server that has gone is asked again", func(t *testing.T) { serverGone(t, b) })
}

// browserTab opens a path.
type browserTab func(path string, l look) *tab

func stripsAreNotBlank(t *testing.T, open browserTab) {
	p := open("/", desktop)
	colours := eval[[]string](p, `[...document.querySelectorAll(".strip")].map((s) => getComputedStyle(s.querySelector(".served")).fill + s.querySelector(".served").getBBox().height)`)
	if len(colours) != len(sim.Default().Policies) {
		t.Errorf("%d strips", len(colours))
	}
}

// rows are the names in the order of the page.
func rows(p *tab) []string {
	p.Helper()
	return eval[[]string](p, `[...document.querySelectorAll(".policy .c-name b")].map((e) => e.textContent)`)
}

func sliderMovesRows(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	before := eval[string](p, `document.querySelector(".policies").innerText`)
	strip := eval[string](p, `document.querySelector(".strip path").getAttribute("d")`)
	eval[bool](p, `(() => {
		const ask = fetch;
		window.asked = [];
		window.fetch = (url, ...more) => (asked.push(String(url)), ask(url, ...more));
		return true;
	})()`)
	slide(p, "clients.count", 2000)
	p.await(`location.search === "?clients.count=2000"`)
	p.await(`document.querySelector("h1").textContent.startsWith("2000")`)
	if asked := eval[[]string](p, `asked.filter((url) => url.startsWith("/?from="))`); len(asked) != 1 {
		t.Errorf("one move of the slider asks for %q", asked)
	}
	if after := eval[string](p, `document.querySelector(".policies").innerText`); after == before {
		t.Error("twice the clients, the same figures")
	}
	if eval[string](p, `document.querySelector(".strip path").getAttribute("d")`) == strip {
		t.Error("twice the clients, the same strips")
	}
	if got := eval[string](p, `document.querySelector(".slider").getAttribute("aria-valuetext")`); got != "2000" {
		t.Errorf("the slider says %q", got)
	}
}

// slide drags the slider beside a field to a value, as a pointer does.
func slide(p *tab, name string, values ...int) {
	p.Helper()
	stops, _ := json.Marshal(values)
	eval[bool](p, fmt.Sprintf(`(() => {
		const slider = document.querySelector("[data-for='in-%s']");
		slider.focus();
		for (const value of %s) {
			slider.value = slider.dataset.stops.split(" ").indexOf(String(value));
			slider.dispatchEvent(new Event("input", {bubbles: true}));
		}
		slider.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`, name, stops))
}

func policiesComeAndGo(t *testing.T, open browserTab) {
	p := open("/?server.crash=&show=every-second&show=decorrelated", desktop)
	before := rows(p)
	p.click("#adding summary")
	p.click(`button[aria-label="Add: Fibonacci, equal jitter"]`)
	p.await(fmt.Sprintf(`document.querySelectorAll(".policy").length === %d`, len(before)+1))
	if got := strings.Join(rows(p), "|"); !strings.Contains(got, "Fibonacci, equal jitter") {
		t.Errorf("the rows are %s", got)
	}
	if !eval[bool](p, `document.getElementById("adding").open`) {
		t.Error("adding one folds the grid")
	}
	p.click("#show-exponential")
	p.await(`document.getElementById("show-exponential").getAttribute("aria-pressed") === "true"`)
	p.await(`new URLSearchParams(location.search).getAll("show").join() === "exponential,decorrelated"`)
	p.await(chartsDrawn)
	p.await(`[...document.querySelectorAll("[data-chart] text")].some((e) => e.textContent === "Exponential, no jitter")`)
	// Two presses one after the other: neither may undo the other.
	eval[bool](p, `(document.getElementById("remove-exponential").click(), document.getElementById("remove-every-second").click(), true)`)
	p.await(fmt.Sprintf(`document.querySelectorAll(".policy").length === %d`, len(before)-1))
	if got := strings.Join(rows(p), "|"); strings.Contains(got, "Every second") || strings.Contains(got, "Exponential, no jitter") {
		t.Errorf("the rows are %s", got)
	}
	p.click("#remove-exponential-full")
	p.await(fmt.Sprintf(`document.querySelectorAll(".policy").length === %d`, len(before)-2))
	if focus := eval[string](p, `document.activeElement.id`); !strings.HasPrefix(focus, "remove-") {
		t.Errorf("after removing a row the focus is at %q", focus)
	}
}

func backAndForward(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(chartsDrawn)
	opening := strings.Join(rows(p), "|")
	slide(p, "clients.count", 1500, 2000, 3000) // one gesture, one entry
	p.await(`location.search === "?clients.count=3000"`)
	p.fill("down", "5")
	p.await(`location.search === "?clients.count=3000&server.outages.0.end=5s"`)
	after := strings.Join(rows(p), "|")

	eval[bool](p, `(history.back(), true)`)
	p.await(`location.search === "?clients.count=3000" && document.getElementsByName("down")[0].value === "10"`)
	eval[bool](p, `(history.back(), true)`)
	p.await(`location.search === "" && document.getElementsByName("clients.count")[0].value === "1000"`)
	p.await(`document.querySelector("h1").textContent.startsWith("1000")`)
	if got := strings.Join(rows(p), "|"); got != opening {
		t.Errorf("back leads to %s, from %s", got, opening)
	}
	eval[bool](p, `(history.go(2), true)`)
	p.await(`location.search.includes("5s") && document.getElementsByName("down")[0].value === "5" && document.querySelector("h1").textContent.includes("5\u00a0s")`)
	if got := strings.Join(rows(p), "|"); got != after {
		t.Errorf("forward leads to %s, not %s", got, after)
	}
}

func typingAndFaults(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	eval[bool](p, `(document.getElementsByName("clients.count")[0].select(), true)`)
	p.do(chromedp.KeyEvent("12x"))
	p.await(`document.getElementById("error-clients.count")?.textContent.startsWith("Clients must be a whole number")`)
	if got := eval[string](p, `document.activeElement.name + "=" + document.activeElement.value + " " + document.activeElement.getAttribute("aria-invalid")`); got != "clients.count=12x true" {
		t.Errorf("while typing what is wrong, the page has %q", got)
	}
	if n := len(rows(p)); n != len(sim.Default().Policies) {
		t.Errorf("a fault takes the figures away: %d rows are left", n)
	}
	// Another change is taken up, what is wrong stays where it is.
	p.fill("down", "8")
	p.await(`new URLSearchParams(location.search).get("server.outages.0.end") === "8s"`) // and "1", if there was time for it
	p.await(`document.getElementsByName("clients.count")[0].value === "12x" && !!document.getElementById("error-clients.count")`)
	p.do(chromedp.Focus(chromedp.CSS(`[name="clients.count"]`)), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Backspace))
	p.await(`location.search === "?clients.count=12&server.outages.0.end=8s" && !document.getElementById("error-clients.count")`)
	p.await(`document.activeElement.value === "12"`)
}

func keyboardIsEnough(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	// From the top: skip link, brand, what else the header has, and soon the first field and its slider.
	var stops []string
	for len(stops) < 20 && !slices.Contains(stops, "slider") {
		p.do(chromedp.KeyEvent(kb.Tab))
		stops = append(stops, eval[string](p, `document.activeElement.className || document.activeElement.name || document.activeElement.id || document.activeElement.localName`))
	}
	if got := strings.Join(stops, " "); !strings.HasPrefix(got, "skip brand ") || !strings.HasSuffix(got, " clients.count slider") || len(stops) > 17 {
		t.Errorf("tab leads to %s", got)
	}
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.await(`location.search === "?clients.count=1500"`)
	if got := eval[string](p, `document.activeElement.className`); got != "slider" {
		t.Errorf("the answer takes the focus from the slider to %s", got)
	}
	p.do(chromedp.Focus(chromedp.CSS("#show-decorrelated")), chromedp.KeyEvent(kb.Enter))
	p.await(`document.getElementById("show-decorrelated").getAttribute("aria-pressed") === "true"`)
	p.await(`document.activeElement.id === "show-decorrelated"`)
	p.await(`getComputedStyle(document.querySelector("#policy-decorrelated .interval")).opacity === "1"`) // the focus shows intervals
}

func downloadsWork(t *testing.T, open browserTab) {
	p := open("/?clients.count=300&show=exponential", desktop)
	download := func(label string) []byte {
		t.Helper()
		return saved(p, fmt.Sprintf(`a[data-download="%s"]`, label))
	}
	sc, err := sim.ParseScenario(download("scenario"))
	must(t, err)
	if sc.Clients.Count != 300 || len(sc.Policies) != len(sim.Default().Policies) {
		t.Errorf("the scenario has %d clients and %d policies", sc.Clients.Count, len(sc.Policies))
	}
	var result struct {
		Results []struct {
			Policy  strategies.Policy
			Metrics map[string]sim.Metric
		}
	}
	must(t, json.Unmarshal(download("result"), &result))
	if n := len(result.Results); n != len(sc.Policies) || *result.Results[0].Metrics["requests"].Mean != 300 {
		t.Errorf("the result has %d policies", n)
	}
	policy, err := strategies.ParsePolicy(download("policy"))
	must(t, err)
	if policy.ID != "exponential" {
		t.Errorf("the policy is %s", policy.ID)
	}
	if table := string(download("table")); !strings.HasPrefix(table, "policy,definition,requests,") {
		t.Errorf("the table starts %.60s", table)
	}
}

// breachesAreNoticed tests the tests: an inline style is a breach of the Content-Security-Policy.
func breachesAreNoticed(t *testing.T, b chromium, s *Server) {
	p := b.open(t, s, "/", desktop)
	eval[bool](p, `(document.body.setAttribute("style", "color: red"), true)`)
	for deadline := time.Now().Add(patience); ; {
		if heard := strings.Join(p.hear(), "\n"); strings.Contains(heard, "Content Security Policy") {
			return
		} else if heard != "" || time.Now().After(deadline) {
			t.Fatalf("instead of a breach the page complains of %q", heard)
		}
		p.await("true")
	}
}

// unfold shows what is folded away.
const unfold = `(document.querySelectorAll("details").forEach((d) => d.open = true), document.querySelectorAll("#fold").forEach((f) => f.checked = true), true)`

func TestBrowserIsAccessible(t *testing.T) {
	b, s := startBrowser(t), quick()
	for _, page := range []struct{ path, within string }{
		{"/", ""}, {faultPath, ""}, {comparedPath, ""}, {editorPath, ""},
		{"/?tab=clients", "#panel"}, {"/?tab=load", "#panel"}, {"/?tab=delays", "#panel"}, {"/?tab=work", "#panel"},
	} {
		p := b.open(t, s, page.path, desktop)
		p.await(chartsDrawn)
		eval[bool](p, unfold)
		p.wantAccessibleWithin(page.within, page.path)
	}
}

// wantAccessible has axe look at the page, in light and dark.
func (p *tab) wantAccessible(what string) {
	p.Helper()
	p.wantAccessibleWithin("", what)
}

// wantAccessibleWithin has axe look at the element that a selector names; "" names the page.
func (p *tab) wantAccessibleWithin(selector, what string) {
	p.Helper()
	axe, err := os.ReadFile("testdata/axe/axe.min.js")
	must(p, err)
	p.do(chromedp.Evaluate[chromedp.Void](string(axe)))
	within := ""
	if selector != "" {
		within = quote(selector) + ", "
	}
	for _, dark := range []bool{false, true} {
		p.shade(dark)
		options := `{resultTypes: ["violations"]}`
		if dark { // which changes colours and nothing else
			options = `{resultTypes: ["violations"], runOnly: {type: "rule", values: ["color-contrast"]}}`
		}
		for _, fault := range eval[[]string](p, `axe.run(`+within+options+`).then((r) =>
			r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join("\n")))`) {
			p.Errorf("%s, dark %t: %s", what, dark, fault)
		}
	}
}

func TestBrowserNothingOverflows(t *testing.T) {
	b, s := startBrowser(t), quick()
	for _, path := range []string{"/", "/?tab=clients", "/?tab=load", "/?tab=delays", "/?tab=work", steadyPath, faultPath, comparedPath, editorPath, brokenPath} {
		p := b.open(t, s, path, look{width: 390, height: 844, script: true})
		p.await(chartsDrawn)
		eval[bool](p, unfold)
		for _, width := range []int64{390, 768, 1000, 1280} {
			p.resize(width, 844)
			p.await(fmt.Sprintf("innerWidth === %d", width))
			for _, wide := range eval[[]string](p, `(() => {
				const width = document.documentElement.clientWidth;
				if (document.documentElement.scrollWidth <= width) return [];
				return [...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll, .unseen, .skip, svg") &&
					e.getBoundingClientRect().right > width + 1).map((e) => e.outerHTML.slice(0, 120)).slice(0, 3);
			})()`) {
				t.Errorf("%s at %d px: %s", path, width, wide)
			}
		}
	}
}

func completeWithoutScript(t *testing.T, b chromium, s *Server) {
	p := b.open(t, s, "/", look{width: 1280, height: 900})
	// The tab evaluates for us, the page runs nothing.
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	if n := len(rows(p)); n != len(sim.Default().Policies) {
		t.Fatalf("%d rows", n)
	}
	if got := eval[string](p, `[document.querySelectorAll(".strip .served").length, document.querySelectorAll("figure table").length,
		getComputedStyle(document.getElementById("run")).display !== "none", document.querySelector("[data-chart]").hidden].join()`); got != "8,1,true,true" {
		t.Errorf("strips, tables, button, hidden chart: %s", got)
	}
	p.set("clients.count", "500")
	p.click("#run")
	p.await(`location.search === "?clients.count=500" && document.querySelector("h1")?.textContent.startsWith("500")`)
	p.click("#remove-exponential")
	p.await(`document.querySelectorAll(".policy").length === 7 && !document.getElementById("policy-exponential")`)
	p.click("#show-decorrelated")
	p.await(`document.getElementById("show-decorrelated").getAttribute("aria-pressed") === "true"`)
}

// hold is a server whose runs with some number of clients wait until they are released.
func hold(clients int) (s *Server, held, release chan struct{}) {
	s = quick()
	held, release = make(chan struct{}, 100), make(chan struct{})
	run := s.run
	s.run = func(ctx context.Context, r sim.Runner, sc *sim.Scenario, p sim.Progress) (*sim.Result, error) {
		if sc.Clients.Count == clients {
			p(3, 8)
			held <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return run(ctx, r, sc, p)
	}
	return s, held, release
}

func olderAnswers(t *testing.T, b chromium) {
	s, held, release := hold(700)
	p := b.open(t, s, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	slide(p, "clients.count", 700)
	receive(t, held, "the older run")
	p.await(`!document.getElementById("status").hidden`) // so it is no longer young
	slide(p, "clients.count", 500)
	p.await(`location.search === "?clients.count=500"`)
	close(release)
	// A further change would show what an older answer had done.
	p.fill("down", "9")
	p.await(`location.search === "?clients.count=500&server.outages.0.end=9s"`)
	if got := eval[string](p, `document.getElementsByName("clients.count")[0].value + document.querySelector("h1").textContent.slice(0, 4)`); got != "500500\u00a0" {
		t.Errorf("the page shows %q", got)
	}
}

func soonAfter(t *testing.T, b chromium) {
	s, held, release := hold(700)
	defer close(release)
	p := b.open(t, s, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	slide(p, "clients.count", 700, 500)
	receive(t, held, "the first run")
	p.await(`location.search === "?clients.count=500"`)
}

func undoneUnderWay(t *testing.T, b chromium) {
	s, held, release := hold(700)
	defer close(release)
	p := b.open(t, s, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	p.fill("clients.count", "500")
	p.await(`location.search === "?clients.count=500"`)
	eval[bool](p, `(document.getElementsByName("clients.count")[0].value = "700", document.getElementById("remove-exponential").click(), true)`)
	receive(t, held, "the run")
	p.click("#undo")
	p.await(`location.search === "" && document.getElementsByName("clients.count")[0].value === "1000"`)
	p.fill("down", "9")
	p.await(`location.search === "?server.outages.0.end=9s"`)
}

func documentUnderWay(t *testing.T, b chromium) {
	s, held, release := hold(700)
	defer close(release)
	p := b.open(t, s, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	eval[bool](p, `(document.getElementsByName("clients.count")[0].value = "700", document.getElementsByName("document")[0].value = "constant,base=7s,name=Seven",
		document.querySelector("#pasting button").click(), true)`)
	receive(t, held, "the run with the document")
	p.await(`!document.getElementById("status").hidden`) // so it is no longer young
	p.fill("clients.count", "500")
	p.await(`location.search.includes("clients.count=500") && location.search.includes("name=Seven") && document.getElementsByName("document")[0].value === ""`)
}

// firstRows holds the whole run back, but not its preview.
func firstRows(t *testing.T, b chromium) {
	s := newTestServer(nil)
	held, release := make(chan struct{}, 1), make(chan struct{})
	run := s.run
	s.run = func(ctx context.Context, r sim.Runner, sc *sim.Scenario, p sim.Progress) (*sim.Result, error) {
		if sc.Clients.Count == 3000 && sc.Replications == 20 {
			held <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return run(ctx, r, sc, p)
	}
	p := b.open(t, s, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	verdict := eval[string](p, `document.getElementById("verdict").innerText`)
	slide(p, "clients.count", 3000)
	receive(t, held, "the whole run")
	p.await(`document.querySelector("#footing").textContent.includes("Means of 2 runs")`)
	p.await(`document.querySelector("#status button").textContent === "Stop"`)
	if got := eval[string](p, `document.getElementById("verdict").innerText`); got != verdict {
		t.Errorf("a verdict on the first rows: %q", got)
	}
	p.await(`getComputedStyle(document.getElementById("results")).opacity === "1" && getComputedStyle(document.querySelector(".says")).opacity === "0.55"`)
	p.click("#status button")
	p.await(`document.getElementById("status").textContent.startsWith("Stopped. The figures are from fewer runs than asked for.")`)
	// The rows are of the new settings, so everything else is too; only nothing is concluded from so few runs.
	p.await(`location.search === "?clients.count=3000" && document.querySelector("h1").textContent.startsWith("3000") && document.querySelector(".says").textContent.trim() === ""`)
	eval[bool](p, `(`+add+`, true)`)
	receive(t, held, "the run with another policy")
	p.await(`document.getElementById("policy-fibonacci-equal") && document.querySelector("#status button").textContent === "Stop"`)
	p.click("#status button")
	p.await(`location.search.includes("fibonacci") && document.getElementById("status").textContent.startsWith("Stopped.")`)
	p.await(`document.querySelector("#offers .there[title$='Fibonacci, equal jitter']")`)
	p.click("#status button") // once more
	receive(t, held, "the whole run again")
	close(release)
	p.await(`document.querySelector("#footing").textContent.includes("Means of 20 runs") && document.getElementById("status").hidden`)
	p.await(`document.querySelector(".says").textContent.trim() !== "" && location.search.includes("fibonacci")`)
}

func longRun(t *testing.T, b chromium) {
	s, held, release := hold(700)
	defer close(release)
	p := b.open(t, s, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	before := strings.Join(rows(p), "|")
	slide(p, "clients.count", 700)
	receive(t, held, "the long run")
	p.await(`document.querySelector("#status progress")?.value === 3/8`)
	if !eval[bool](p, `document.body.classList.contains("stale")`) {
		t.Error("the old figures look like new ones")
	}
	p.click("#status button")
	p.await(`document.getElementById("status").textContent.startsWith("Stopped")`)
	if got := eval[string](p, `document.activeElement.textContent`); got != "Simulate" {
		t.Errorf("after Stop the focus is at %q", got)
	}
	for range cap(s.slots) { // the run has left its slot
		s.slots <- struct{}{}
	}
	for range cap(s.slots) {
		<-s.slots
	}
	if got := strings.Join(rows(p), "|"); got != before {
		t.Error("stopping changes the rows")
	}
	slide(p, "clients.count", 500)
	p.await(`location.search === "?clients.count=500" && document.getElementById("status").hidden && !document.body.classList.contains("stale")`)
}

// overloadable lets a server refuse what is asked for at a path, until in ten minutes, while the flag is set.
func overloadable(s *Server, path string) *atomic.Bool {
	var busy atomic.Bool
	inner := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Load() && r.URL.Path == path {
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		inner.ServeHTTP(w, r)
	})
	return &busy
}

func serverGone(t *testing.T, b chromium) {
	s := quick()
	busy := overloadable(s, "/")
	p := b.open(t, s, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	busy.Store(true)
	slide(p, "clients.count", 500)
	// Not before the 600 s that the server asked for, and at most a second of jitter later.
	p.await(`/Trying again in 60[01] s/.test(document.getElementById("status").textContent)`)
	busy.Store(false)
	p.click("#status button")
	p.await(`location.search === "?clients.count=500" && document.getElementById("status").hidden`)
}
