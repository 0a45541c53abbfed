package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The tabs under the rows in a real browser.

// tabTexts are what each tab's charts say on their axes.
var tabTexts = map[string][]string{
	"served": {"Clients served (%)", "Time since the start (s)"},
	"load":   {"Attempts (1/s)", "Time since the start (s)", "capacity 200/s", "peak ", "Requests (1/s)"},
	"work":   {"Attempts a request", "99 % of the clients served within (s)", "never", "Decorrelated jitter", "Every second"},
	"delays": {"Waited in all (s)", "Wait before the retry (s)", "Retry"},
}

func tabsShowCharts(t *testing.T, open browserTab) {
	p := open("/", desktop)
	for _, tab := range tabList {
		p.click("#tab-" + tab.id)
		p.await(`document.getElementById("tab-` + tab.id + `").getAttribute("aria-selected") === "true"`)
		if tab.id == tabWatch {
			p.await(`(document.querySelector("figure.stage").scrollIntoView(), ` + stagesReady + `)`)
		} else {
			p.await(chartsDrawn)
		}
		want, _ := tabOf(tab.id)
		if got := eval[string](p, `new URLSearchParams(location.search).get("tab") ?? ""`); got != want {
			t.Errorf("%s: the address says tab=%s", tab.id, got)
		}
		if small := eval[int](p, `[...document.querySelectorAll("[data-chart]")].filter((e) => {
			const box = e.querySelector("svg").getBoundingClientRect();
			return box.width < 200 || box.height < 100;
		}).length`); small > 0 {
			t.Errorf("%s: %d charts have no size", tab.id, small)
		}
		texts := eval[string](p, `[...document.querySelectorAll("#panel text")].map((e) => e.textContent).join("|")`)
		for _, want := range tabTexts[tab.id] {
			if !strings.Contains(texts, want) {
				t.Errorf("%s: the charts do not say %q: %s", tab.id, want, texts)
			}
		}
	}
}

func tabsByKey(t *testing.T, open browserTab) {
	p := open("/", desktop)
	first, last := tabList[0].id, tabList[len(tabList)-1].id
	p.await(`document.getElementById("tab-` + first + `").getAttribute("aria-selected") === "true"`)
	p.do(chromedp.Focus(chromedp.CSS("#tab-" + first)))
	selected := func(id string) {
		t.Helper()
		p.await(`document.activeElement.id === "tab-` + id + `" && document.activeElement.getAttribute("aria-selected") === "true"`)
		if n := eval[int](p, `document.querySelectorAll("#tabs [tabindex='0']").length`); n != 1 {
			t.Errorf("%d tabs are in the order of the tab key", n)
		}
	}
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	selected(tabList[1].id)
	p.do(chromedp.KeyEvent(kb.End))
	selected(last)
	p.do(chromedp.KeyEvent(kb.ArrowRight)) // and round
	selected(first)
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	selected(last)
	p.do(chromedp.KeyEvent(kb.Home))
	selected(first)
	p.await(`location.search === ""`)
	eval[bool](p, `(history.back(), true)`)
	p.await(`document.getElementById("tab-` + last + `").getAttribute("aria-selected") === "true"`)
}

// loadIsZoomed presses the buttons that change what of the time shows. They say it, and the axis follows. A chart that is
// only drawn anew, in another size or shade, shows no other time; one of other data does.
func loadIsZoomed(t *testing.T, open browserTab) {
	p := open("/?tab=load", desktop)
	p.await(chartsDrawn)
	shows := func() (from, to float64) {
		t.Helper()
		_, err := fmt.Sscanf(eval[string](p, `document.querySelector("#chart-load output").textContent`), "%g to %g s", &from, &to)
		must(t, err)
		return from, to
	}
	press := func(button string) (from, to float64) {
		t.Helper()
		p.do(chromedp.Focus(chromedp.CSS(`#chart-load .zoom [value="` + button + `"]`)))
		p.do(chromedp.KeyEvent(kb.Enter))
		return shows()
	}
	const axes = `[...document.querySelectorAll("#chart-load svg text")].map((e) => e.textContent).join()`
	recovery, end := shows()
	if recovery < 9 || recovery > 11 || end < 20 {
		t.Fatalf("at first it shows %g to %g s", recovery, end)
	}
	said := eval[string](p, axes)
	if from, to := press("in"); to-from > (end-recovery)*0.51 || from <= recovery || to >= end {
		t.Errorf("zooming in shows %g to %g s", from, to)
	}
	if eval[string](p, axes) == said {
		t.Error("the axis does not follow")
	}
	before, _ := shows()
	if from, _ := press("earlier"); from >= before {
		t.Errorf("earlier leads from %g to %g s", before, from)
	}
	if from, _ := press("later"); from != before {
		t.Errorf("earlier and later lead from %g to %g s", before, from)
	}
	if from, to := press("out"); from != recovery || to != end {
		t.Errorf("zooming in and out leads from %g to %g s to %g to %g s", recovery, end, from, to)
	}
	if from, to := press("all"); from != 0 || to != end {
		t.Errorf("all is %g to %g s", from, to)
	}
	for range 3 {
		press("in")
		press("earlier")
	}
	const drawnAt = `document.querySelector("#chart-load svg").getAttribute("width") + document.querySelector("#chart-load svg text").getAttribute("fill")`
	from, to := shows()
	for what, redraw := range map[string]func(){"size": func() { p.resize(1100, 900) }, "shade": func() { p.shade(true) }} {
		was := eval[string](p, drawnAt)
		redraw()
		p.await(drawnAt + ` !== ` + quote(was))
		if nowFrom, nowTo := shows(); nowFrom != from || nowTo != to {
			t.Errorf("in another %s it shows %g to %g s, not %g to %g s", what, nowFrom, nowTo, from, to)
		}
	}
	if from, to := press("earlier"); from != 0 || to > end/7.9 {
		t.Errorf("earlier than the start is %g to %g s", from, to)
	}
	for range 5 {
		press("in")
	}
	if from, to := shows(); to-from < end/110 {
		t.Errorf("zooming in does not stop: %g to %g s", from, to)
	}
}

func clientsAreChosen(t *testing.T, open browserTab) {
	p := open("/?tab=clients&clients.count=100", desktop)
	p.await(`document.querySelector(".picker .slider")?.hidden === false`)
	caption := `document.querySelector(".logs caption").textContent`
	// In the middle of the first raster is client 51 of 100.
	at := eval[[]float64](p, `(() => {
		const raster = document.querySelector(".raster");
		raster.scrollIntoView({block: "center", behavior: "instant"});
		const box = raster.getBoundingClientRect();
		return [box.x + box.width / 2, box.y + raster.clientHeight * 0.505];
	})()`)
	p.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	p.await(`document.querySelector(".raster .fate").textContent.startsWith("client 51: ")`)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
	p.await(`location.search === "?client=51&clients.count=100&tab=clients" && ` + caption + `.endsWith("client 51")`)
	p.do(chromedp.Focus(chromedp.CSS(".picker .slider")), chromedp.KeyEvent(kb.ArrowRight))
	p.await(`location.search.includes("client=52") && ` + caption + `.endsWith("client 52")`)
	// The log has as many lines as the table says the client made attempts.
	if got := eval[string](p, `[document.querySelectorAll(".logs tbody")[0].rows.length, document.querySelector("#numbers-clients tbody").rows[51].cells[1].textContent].join("=")`); strings.Split(got, "=")[0] != strings.Split(got, "=")[1] {
		t.Errorf("lines and attempts: %s", got)
	}
}

// labelsKeepApart looks at the names in the chart of work and time: each policy has one, and it meets no other and no
// interval, of which few runs make wide ones.
func labelsKeepApart(t *testing.T, open browserTab) {
	p := open("/", desktop)
	for _, path := range []string{"/?tab=work", "/?p=constant,base=1s&p=constant,base=10s&tab=work"} {
		p.do(chromedp.Navigate(p.url + path))
		p.await(chartsDrawn)
		for _, fault := range eval[[]string](p, `(() => {
			const names = [...document.querySelectorAll(".policy .c-name b")].map((e) => e.textContent);
			const texts = [...document.querySelectorAll("#panel svg text")].filter((e) => names.includes(e.textContent));
			const faults = texts.length === names.length ? [] : [texts.length + " of " + names.length + " are named"];
			const arms = [...document.querySelectorAll("#panel svg path[stroke-width='1.25']")];
			const heads = arms.length - 2 * names.length; // of arrows
			if (heads < 0 || heads > 0 !== document.querySelector("#panel figure").textContent.includes("An arrow")) faults.push(arms.length + " arms of " + names.length + " crosses");
			texts.forEach((a, i) => [...texts.slice(i + 1), ...arms].forEach((b) => {
				const [x, y] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
				if (x.left < y.right && y.left < x.right && x.top < y.bottom - 2 && y.top < x.bottom - 2) faults.push(a.textContent + " meets " + (b.textContent || "an interval"));
			}));
			return faults;
		})()`) {
			t.Errorf("%s: %s", path, fault)
		}
	}
	for _, path := range []string{
		"/?tab=load", // both lines end at 0, and one name takes two rows; a capacity is near 0, and one near the peak
		"/?tab=load&show=exponential-full&show=exponential-equal",
		steadyPath + "&tab=load", // high numbers on the axes
		steadyPath + "0000&tab=load&horizon=3s&replications=1",
		"/?tab=work",
	} {
		p.do(chromedp.Navigate(p.url + path))
		p.await(chartsDrawn)
		for i, said := range eval[[]string](p, meetings) {
			t.Errorf("%s, %d: %s", path, i, said)
		}
		if !strings.Contains(path, "load") {
			continue
		}
		if inside := eval[[]string](p, `[...document.querySelectorAll("#chart-load svg text")].filter((e) => /^capacity|^peak/.test(e.textContent) &&
			e.getBoundingClientRect().left < document.querySelector("#chart-load [data-chart]").getBoundingClientRect().right - 176).map((e) => e.textContent)`); len(inside) > 0 {
			t.Errorf("%s: %v lie on the data", path, inside)
		}
		eval[bool](p, `(document.querySelector("#chart-load .zoom [value=in]").click(), true)`) // which changes the heights
		if met := eval[[]string](p, meetings); len(met) > 0 {
			t.Errorf("%s, zoomed into: %v", path, met)
		}
	}
	// On a phone the names stand above the plot, in as many rows as they need.
	p.resize(390, 844)
	p.do(chromedp.Navigate(p.url + "/?tab=load"))
	p.await(`innerWidth === 390 && ` + chartsDrawn)
	for i, said := range eval[[]string](p, meetings) {
		t.Errorf("at 390 px, %d: %s", i, said)
	}
}

// meetings are the texts of a chart that overlap.
const meetings = `[...document.querySelectorAll("#panel [data-chart]")].flatMap((chart) => {
	const texts = [...chart.querySelectorAll("text")].filter((e) => e.textContent.trim());
	return texts.flatMap((a, i) => texts.slice(i + 1).filter((b) => {
		const [x, y] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
		return x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 3 && y.top < x.bottom - 3;
	}).map((b) => a.textContent + " meets " + b.textContent));
})`

// chartsSayWhatIsPointedAt reads tooltips, with a name in them that could be taken for markup.
func chartsSayWhatIsPointedAt(t *testing.T, open browserTab) {
	p := open("/", desktop)
	policies := "&p=constant,base=1s,name=" + url.QueryEscape("{a|b}") + "&p=exponential,base=100ms,cap=10s,jitter=full"
	for _, c := range []struct{ tab, plot, at, says string }{
		{"served", "0", "0.3", `^\{a\|b\}: [\d.]+$`},
		{"served", "0", "0.7", `^Exponential, full jitter: 100$`}, // long after the last one was served
		{"load", "0", "0.3", `^\{a\|b\}: \d+/s, in 80 % of the runs \d+ to \d+$`},
		{"delays", "-1", "0.3", `^\{a\|b\}: [\d.]+ s on average, [\d.]+ s to [\d.]+ s$`}, // after the delays of each policy
	} {
		p.do(chromedp.Navigate(p.url + "/?tab=" + c.tab + policies))
		p.await(chartsDrawn)
		at := eval[[]float64](p, `(() => {
			const plot = [...document.querySelectorAll("#panel [data-chart]")].at(`+c.plot+`);
			plot.scrollIntoView({block: "center", behavior: "instant"});
			const box = plot.getBoundingClientRect();
			return [box.x + box.width * `+c.at+`, box.y + box.height * 0.3];
		})()`)
		p.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
		p.await(`[...document.querySelectorAll("#panel text")].some((e) => new RegExp(` + quote(c.says) + `).test(e.textContent.replaceAll("\u2060", "")))`)
	}
}
