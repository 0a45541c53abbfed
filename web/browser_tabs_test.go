package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The tabs under the rows in a real browser.

// tabTexts are what each tab's charts say on their axes.
var tabTexts = map[string][]string{
	"served": {"Clients served (%)", "Time since the start (s)"},
	"delays": {"Wait before the retry (s)", "Retry"},
}

func tabsShowCharts(t *testing.T, open browserTab) {
	p := open("/", desktop)
	for _, tab := range tabList {
		p.click("#tab-" + tab.id)
		p.await(`document.getElementById("tab-` + tab.id + `").getAttribute("aria-selected") === "true"`)
		p.await(chartsDrawn)
		if got := eval[string](p, `new URLSearchParams(location.search).get("tab") ?? ""`); got != tabOf(tab.id) {
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
