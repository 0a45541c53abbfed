package web

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Taking the page away, in a real browser: copied, saved, framed and printed.

func TestBrowserShares(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	for _, test := range []struct {
		name string
		run  func(*testing.T, browserTab)
	}{
		{"snippets are copied", snippetsAreCopied},
		{"snippets can be read without script", snippetsWithoutScript},
		{"charts are saved", chartsAreSaved},
		{"single clients are saved", clientsAreSaved},
		{"the picture opens on its own", pictureOpens},
		{"the frame's page is accessible and narrow", framePageIsFit},
		{"the page prints", pagePrints},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, func(path string, l look) *tab { return b.open(t, s, path, l) }) })
	}
	t.Run("the rows show in a frame", func(t *testing.T) { rowsInAFrame(t, b, s) })
}

func snippetsAreCopied(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.allowClipboard()
	p.await(standsStill)
	p.click("#share summary")
	p.click(`[data-copy="share-markdown"]`)
	p.await(`document.querySelector('[data-copy="share-markdown"]').textContent === "copied"`)
	want := "[![1000\u00a0clients lose a server for 10\u00a0s](" + p.url + "/chart.png)](" + p.url + "/)"
	if got := eval[string](p, `navigator.clipboard.readText()`); got != want {
		t.Errorf("the clipboard holds %q, want %q", got, want)
	}
	slide(p, "clients.count", 2000) // what is shared follows, and stays unfolded
	p.await(`document.getElementById("share").open && document.getElementById("share-link").value.endsWith("/?clients.count=2000")`)
	p.await(`document.querySelector('[data-copy="share-markdown"]').textContent === "copy"`)
}

func snippetsWithoutScript(t *testing.T, open browserTab) {
	p := open("/", look{width: 390, height: 844})
	if *shots != "" {
		eval[bool](p, `(document.getElementById("share").open = true)`)
		shoot(p, t, "share-390.png")
	}
	if got := eval[string](p, `[...document.querySelectorAll("#share input")].map((e) => e.readOnly + e.value.slice(0, 8)).join()+getComputedStyle(document.querySelector(".copy")).display`); got != "truehttp://1,true[![1000\u00a0,true<iframe none" {
		t.Errorf("snippets: %q", got)
	}
}

// standsStill is true once nothing moves on the page by itself.
const standsStill = chartsDrawn + ` && document.documentElement.classList.contains("saves")`

// textsOf are the texts of an SVG, which is well-formed.
func textsOf(t *testing.T, svg []byte) string {
	t.Helper()
	var texts []string
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return strings.Join(texts, "|")
		}
		must(t, err)
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
}

func chartsAreSaved(t *testing.T, open browserTab) {
	p := open("/?clients.count=300", desktop)
	p.await(standsStill)
	svg := saved(p, `#chart-progress [data-save="svg"]`)
	keep(t, "chart.svg", svg)
	all := textsOf(t, svg)
	for _, want := range []string{
		"Share of all clients served over time", "Clients served (%)", "Time since the start (s)", "Mean over",
		"300\u00a0clients lose a server for 10\u00a0s; it can serve 200 a second;", p.url + "/?clients.count=300",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the SVG does not say %q but %s", want, all)
		}
	}
	data := saved(p, `#chart-progress [data-save="png"]`)
	keep(t, "chart.png", data)
	picture, err := png.Decode(bytes.NewReader(data))
	must(t, err)
	size, colours := picture.Bounds().Size(), map[string]bool{}
	for x := 0; x < size.X; x += 2 {
		for y := 0; y < size.Y; y += 2 {
			r, g, b, _ := picture.At(x, y).RGBA()
			colours[fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)] = true
		}
	}
	line := eval[string](p, `getComputedStyle(document.documentElement).getPropertyValue("--policy-2").trim()`)
	if size.X < 1200 || size.Y < 600 || !colours["#fbfbf9"] || !colours[line] || len(colours) < 10 {
		t.Errorf("the PNG is %v with %d colours", size, len(colours))
	}
}

// keep writes what a test made where -shots says, to be looked at.
func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if *shots != "" {
		must(t, os.MkdirAll(*shots, 0o755))
		must(t, os.WriteFile(filepath.Join(*shots, name), data, 0o644))
	}
}

// shoot keeps a screenshot.
func shoot(p *tab, t *testing.T, name string) {
	t.Helper()
	if *shots != "" {
		image, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
		must(t, err)
		keep(t, name, image)
	}
}

// pictureOpens checks that the SVG shows under the server's policy: nothing in it is what that forbids.
func pictureOpens(t *testing.T, open browserTab) {
	p := open("/chart.svg", look{width: 1280, height: 720, script: true})
	shoot(p, t, "picture-svg.png")
	if got := eval[string](p, `getComputedStyle(document.querySelector("rect")).fill + document.querySelectorAll("text").length`); !strings.HasPrefix(got, "rgb(251, 251, 249)") {
		t.Errorf("the ground and the texts: %s", got)
	}
	if wide := eval[int](p, `[...document.querySelectorAll("text")].filter((e) => Math.abs(e.getBBox().width - e.getAttribute("textLength")) > 2).length`); wide > 0 {
		t.Errorf("%d texts are not as wide as they say", wide)
	}
}

// rowsInAFrame puts the frame's snippet into a page of another origin.
func rowsInAFrame(t *testing.T, b chromium, s *Server) {
	stampede := httptest.NewServer(s)
	t.Cleanup(stampede.Close)
	var host http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		st := opening()
		asked := httptest.NewRequest("GET", stampede.URL, nil)
		share := s.shareOf(asked, st, []string{"A."})
		fmt.Fprintf(w, "<!doctype html><title>x</title><link rel=icon href=data:,><body>%s<img src=%q width=600>", share.Snippets[2].Text, share.Picture)
	}
	other := New(Config{})
	other.Handler = host
	p := b.open(t, other, "/", desktop)
	p.await(`document.images[0].naturalWidth === 1200`)
	p.await(`frames.length === 1 && document.querySelector("iframe").clientHeight > 400`)
	shoot(p, t, "framed.png")
	if frames := call(p, page.GetFrameTree, cdp.Empty{}); len(frames.FrameTree.ChildFrames) == 0 {
		t.Error("the browser took no frame in")
	}
}

func framePageIsFit(t *testing.T, open browserTab) {
	p := open("/embed", desktop)
	for _, dark := range []bool{false, true} {
		p.shade(dark)
		for _, width := range []int64{1280, 600, 390} {
			p.resize(width, 900)
			p.await(fmt.Sprintf("innerWidth === %d", width))
			shoot(p, t, fmt.Sprintf("embed-%d-%t.png", width, dark))
			if wide := eval[int](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				t.Errorf("at %d px it is %d px too wide", width, wide)
			}
		}
	}
	p.wantAccessible("/embed")
	if got := eval[string](p, `document.querySelector("footer a").href + document.querySelectorAll("button, input").length`); got != p.url+"/0" {
		t.Errorf("the link and the controls: %s", got)
	}
}

// pagePrints prints the page on A4.
func pagePrints(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(chartsDrawn)
	sheet := call(p, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69, PrintBackground: new(true), PreferCSSPageSize: new(true)})
	keep(t, "page.pdf", sheet.Data)
	if n := bytes.Count(sheet.Data, []byte("/Type /Page\n")); n < 1 || n > 2 {
		t.Errorf("it takes %d pages", n)
	}
	// The same as on paper: 186 mm wide.
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	p.resize(703, 1032)
	p.await("innerWidth === 703")
	eval[bool](p, `dispatchEvent(new Event("beforeprint"))`)
	shoot(p, t, "print.png")
	if got := eval[string](p, `[document.documentElement.scrollWidth, document.querySelectorAll(".policy").length,
		[...document.querySelectorAll("button, input, select, summary")].filter((e) => e.checkVisibility()).length,
		document.getElementById("source").lastElementChild.innerText,
		getComputedStyle(document.querySelector(".policy")).breakInside].join(" ")`); got != "703 8 0 "+p.url+"/ avoid" {
		t.Errorf("width, rows, controls, link and how rows break: %s", got)
	}
	if high := eval[float64](p, `document.querySelector("[data-chart] svg").getBoundingClientRect().height`); high < 100 {
		t.Errorf("the chart is %v px high", high)
	}
	for _, cut := range eval[[]string](p, `[...document.querySelectorAll(".canvas svg, .strip, table")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > 704).map((e) => e.outerHTML.slice(0, 100))`) {
		t.Errorf("the paper's edge cuts off %s", cut)
	}
}

// The raster is no chart of ECharts' and takes its looks from the page.
func clientsAreSaved(t *testing.T, open browserTab) {
	p := open("/?clients.count=60&tab=clients", desktop)
	p.await(standsStill)
	svg := saved(p, `#chart-clients [data-save="svg"]`)
	keep(t, "clients.svg", svg)
	all := textsOf(t, svg)
	for _, want := range []string{"Each attempt of 60\u00a0clients", "Exponential, no jitter", "Every second", "served", "seconds since the start", "60", p.url + "/?clients.count=60&tab=clients"} {
		if !strings.Contains(all, want) {
			t.Errorf("the SVG does not say %q but %s", want, all)
		}
	}
	if strings.Contains(string(svg), "var(") || strings.Contains(string(svg), "url(") {
		t.Error("the SVG refers to what only the page has")
	}
	data := saved(p, `#chart-clients [data-save="png"]`)
	keep(t, "clients.png", data)
	picture, err := png.Decode(bytes.NewReader(data))
	must(t, err)
	if size := picture.Bounds().Size(); size.X < 1200 || size.Y < 600 {
		t.Errorf("the PNG is %v", size)
	}
}
