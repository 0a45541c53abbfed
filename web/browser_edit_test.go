package web

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Changing policies in a real browser: the editor, undo, keys, documents.

// Addresses that tests open.
const (
	editorPath = "/?edit=exponential-full&marks=ba"
	brokenPath = "/?clients.count=many&p=exponential,base=100ms,cap=soon,jitter=full&p=constant,base=1s,name=%D7%A0%D7%A1%D7%99%D7%95%D7%9F+(1)&p=constant,base=1s,name=%3Cb%3Ebold%3C/b%3E&was=1"
)

func TestBrowserEdits(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	for _, test := range []struct {
		name string
		run  func(*testing.T, browserTab)
	}{
		{"the editor changes one policy", editorChangesOne},
		{"faults keep what was typed", editorFaults},
		{"undo and redo", undoAndRedo},
		{"keys", keysWork},
		{"documents", documentsAreTaken},
		{"two changes at once", twoChangesAtOnce},
		{"the focus is never lost", focusStays},
		{"editing without script", editingWithoutScript},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, func(path string, l look) *tab { return b.open(t, s, path, l) }) })
	}
}

// marksOf is what rows are marked with, by name.
func marksOf(p *tab) map[string]string {
	return eval[map[string]string](p, `Object.fromEntries([...document.querySelectorAll(".policy")].map((r) =>
		[r.querySelector("b").textContent, getComputedStyle(r.querySelector(".mark .line")).stroke + r.querySelector(".mark .shape").getAttribute("d")]))`)
}

func editorChangesOne(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(chartsDrawn)
	before := marksOf(p)
	p.click("#edit-exponential-full")
	p.await(`document.getElementById("editor")?.previousElementSibling.id === "policy-exponential-full"`)
	p.await(`document.activeElement.getAttribute("aria-labelledby") === "editor-title"`)
	p.fill("edit.cap", "20s")
	p.await(`document.querySelector("#policy-exponential-full small").textContent.includes("cap=20s")`)
	p.fill("edit.jitter.kind", "range")
	p.await(`document.getElementsByName("edit.jitter.low").length === 1 && document.querySelector("#editor-title").textContent === "Edit Exponential, range jitter"`)
	p.click(`[id="in-edit.retryOn-timeout"]`)
	p.await(`new URLSearchParams(location.search).getAll("p").some((p) => p.includes("retryOn=unavailable/overloaded/rateLimited/transient/conflict"))`)
	if after := marksOf(p); after["Exponential, range jitter"] != before["Exponential, full jitter"] {
		t.Errorf("editing changes the mark: %v became %v", before, after)
	}
	p.click(`[id="do-copy:exponential-range"]`)
	p.await(`document.querySelector("#editor-title")?.textContent === "Edit Exponential, range jitter (2)" && document.querySelectorAll(".policy").length === 9`)
	p.click("#remove-exponential-range")
	p.await(`document.querySelectorAll(".policy").length === 8`)
	for name, look := range marksOf(p) {
		if before[name] != "" && before[name] != look {
			t.Errorf("%s changes its mark", name)
		}
	}
	p.click("#editor-text summary")
	p.fill("edit.text", "fibonacci,base=200ms,name=Mine")
	p.await(`document.querySelector("#editor-title").textContent === "Edit Mine"`)
	p.click(`[id="do-edit:"]`)
	p.await(`!document.getElementById("editor") && !location.search.includes("edit=")`)
	p.await(`document.activeElement.textContent === "edit"`)
}

func editorFaults(t *testing.T, open browserTab) {
	p := open("/?edit=exponential", desktop)
	p.await(`document.getElementById("editor") !== null && document.documentElement.classList.contains("live")`)
	p.fill("edit.schedule.factor", "2,5")
	p.await(`document.getElementById("error-edit.schedule.factor")?.textContent.includes("point")`)
	p.fill("edit.cap", "soon")
	p.fill("edit.schedule.base", "300ms")
	p.await(`location.search.includes("base=300ms")`)
	p.await(`document.getElementById("error-edit.cap") && document.getElementById("error-edit.schedule.factor")`)
	if got := eval[string](p, `["factor", "base"].map((n) => document.getElementsByName("edit.schedule." + n)[0].value).join() + document.getElementsByName("edit.cap")[0].value`); got != "2,5,300mssoon" {
		t.Errorf("typed and left is %s", got)
	}
	for _, was := range [][2]string{{"edit.schedule.factor", "2"}, {"edit.cap", "10s"}} {
		p.fill(was[0], was[1])
		p.await(`document.getElementById("error-` + was[0] + `") === null`)
	}
}

func undoAndRedo(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(chartsDrawn)
	if !eval[bool](p, `document.getElementById("undo").disabled && document.getElementById("redo").disabled`) {
		t.Error("there is something to undo at first")
	}
	before := marksOf(p)
	p.click("#remove-exponential")
	p.await(`document.querySelectorAll(".policy").length === 7 && !document.getElementById("undo").disabled`)
	p.click("#undo")
	p.await(`document.querySelectorAll(".policy").length === 8 && document.getElementById("undo").disabled && location.search === ""`)
	p.await(`document.getElementById("spoken").textContent.includes("1000")`)
	for name, look := range marksOf(p) {
		if before[name] != look {
			t.Errorf("undoing changes the mark of %s", name)
		}
	}
	p.click("#redo")
	p.await(`document.querySelectorAll(".policy").length === 7 && document.getElementById("redo").disabled`)
}

func keysWork(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(chartsDrawn)
	press := func(keys string) { p.do(chromedp.KeyEvent(keys)) }
	all := rows(p)
	press("j")
	p.await(`document.activeElement.classList.contains("policy")`)
	press("j")
	if got := eval[string](p, `document.activeElement.querySelector("b").textContent`); got != all[1] {
		t.Errorf("j leads to %s, want %s", got, all[1])
	}
	press("k")
	press("x")
	p.await(`document.querySelectorAll(".policy").length === 7`)
	press("u")
	p.await(`document.querySelectorAll(".policy").length === 8 && location.search === ""`)
	press("r")
	p.await(`document.querySelectorAll(".policy").length === 7`)
	press("u")
	p.await(`document.querySelectorAll(".policy").length === 8`)

	eval[bool](p, `(document.getElementById("policy-exponential").focus(), true)`)
	press("d")
	p.await(`document.querySelector("#editor-title")?.textContent === "Edit Exponential, no jitter (2)" && document.activeElement.closest("#editor") !== null`)
	press("]")
	p.await(`document.getElementById("spoken").textContent === "Place 4 of 9"`)
	press("e")
	p.await(`!document.getElementById("editor")`)
	press("c")
	p.await(`location.search.includes("show=")`)

	// In a field they are letters, and with another key held they are the browser's.
	press("/")
	p.await(`document.activeElement.name === "clients.count"`)
	before := eval[string](p, `location.search`)
	press("xj?")
	p.do(chromedp.Focus(chromedp.CSS("#policy-exponential")), chromedp.KeyEvent("x", chromedp.KeyModifiers(2)))
	p.await(`document.getElementsByName("clients.count")[0].value.includes("xj?") && !document.getElementById("shortcuts").open`)
	if after := eval[string](p, `location.search`); after != before {
		t.Errorf("typing leads from %s to %s", before, after)
	}

	p.do(chromedp.Focus(chromedp.CSS("#policy-exponential")))
	press("?")
	p.await(`document.getElementById("shortcuts").open`)
	if got := eval[string](p, `[...document.querySelectorAll("#shortcuts kbd")].map((k) => k.textContent).join("")`); got != "jkcedx[]aur/?" {
		t.Errorf("the list has %s", got)
	}
	press("x") // while the dialog is open they do nothing
	p.click("#keys-on")
	press(kb.Escape)
	p.await(`!document.getElementById("shortcuts").open`)
	p.do(chromedp.Focus(chromedp.CSS("#policy-exponential")))
	press("x")
	press("?") // still opens the list, where they can be switched on
	p.await(`document.getElementById("shortcuts").open && !!document.getElementById("policy-exponential")`)
	p.click("#keys-on")
	press(kb.Escape)
}

func documentsAreTaken(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(chartsDrawn)
	p.click("#adding summary")
	paste := func(text string) {
		eval[bool](p, `(document.getElementsByName("document")[0].value = `+text+`, true)`)
		p.click("#pasting button")
	}
	paste(`'{"schedule": {"kind": "constant", "base": "x"}, "cap": "-1s"}'`)
	p.await(`document.querySelectorAll("#pasting .error").length === 2`)
	if got := eval[string](p, `document.querySelector("#pasting").innerText + document.getElementsByName("document")[0].value`); !strings.Contains(got, "schedule.base") || !strings.Contains(got, `"cap": "-1s"`) {
		t.Errorf("the faulty document leads to %s", got)
	}
	// A change elsewhere leaves it alone.
	p.fill("down", "5")
	p.await(`location.search.includes("end=5s")`)
	if got := eval[string](p, `document.getElementsByName("document")[0].value`); !strings.Contains(got, "-1s") {
		t.Errorf("the document has become %q", got)
	}
	paste(`'{"schedule": {"kind": "constant", "base": "3s"}, "name": "Pasted"}'`)
	p.await(`[...document.querySelectorAll(".policy b")].some((e) => e.textContent === "Pasted") && document.getElementsByName("document")[0].value === ""`)

	// What a real system's configuration leaves open is said, until something else is done.
	paste(quote(envoyJSON))
	p.await(`document.getElementById("import-notes")?.textContent.includes("maxInterval is not given: 1s") && [...document.querySelectorAll(".policy b")].some((e) => e.textContent === "Envoy RetryPolicy")`)
	p.fill("down", "6")
	p.await(`location.search.includes("end=6s") && document.getElementById("import-notes") === null`)

	paste(`" ".repeat(2 << 20) + "{}"`)
	p.await(`document.getElementById("status").textContent.includes("2.00 MiB. It may have 1 MiB at most")`)
	p.click("#status button")

	drop := func(text string) {
		eval[bool](p, `(() => {
			const files = new DataTransfer();
			files.items.add(new File([`+quote(text)+`], "x.json"));
			document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer: files, bubbles: true, cancelable: true}));
			document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
			return true;
		})()`)
	}
	drop(`{"name": "Dropped", "clients": {"count": 77}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`)
	p.await(`document.querySelector("h1").textContent.startsWith("77") && document.querySelectorAll(".policy").length === 1`)
	drop(`{"name": `)
	p.await(`document.querySelector("#pasting .error")?.textContent.includes("line 1, column") && document.getElementsByName("document")[0].value === '{"name": '`)
}

// add presses a button of the grid, and change changes a field, without waiting for anything in between.
const add = `document.querySelector('button[aria-label="Add: Fibonacci, equal jitter"]').click()`

func change(name, value string) string {
	return fmt.Sprintf(`(([field]) => {
		field.value = %s;
		field.dispatchEvent(new Event("change", {bubbles: true}));
	})(document.getElementsByName(%s))`, quote(value), quote(name))
}

// wantOffers checks that the grid frames what is on the page: as it does if the address is opened afresh.
func wantOffers(p *tab) {
	p.Helper()
	got := eval[[]string](p, `(async () => {
		const html = await (await fetch(location.href, {headers: {Accept: "text/html"}})).text();
		return [document, new DOMParser().parseFromString(html, "text/html")].map((page) =>
			[...page.querySelectorAll("#offers .there")].map((e) => e.title).join("; "));
	})()`)
	if got[0] == "" || got[0] != got[1] {
		p.Errorf("framed is\n%s\nwhile there is\n%s", got[0], got[1])
	}
}

// twoChangesAtOnce: the answer to the first comes while the second waits.
func twoChangesAtOnce(t *testing.T, open browserTab) {
	p := open("/", desktop)
	p.await(chartsDrawn)
	eval[bool](p, `(`+add+`, `+change("down", "9")+`, true)`)
	p.await(`document.getElementById("policy-fibonacci-equal")`)
	eval[bool](p, `(document.getElementById("remove-fibonacci-equal").click(), true)`)
	p.await(`location.search === "?server.outages.0.end=9s" && !document.getElementById("policy-fibonacci-equal")`)
	wantOffers(p)

	// A document is not forgotten for it.
	eval[bool](p, `(document.getElementsByName("document")[0].value = "constant,base=7s,name=Seven", document.querySelector("#pasting button").click(), `+change("down", "8")+`, true)`)
	p.await(`location.search.includes("end=8s") && location.search.includes("name=Seven") && document.getElementsByName("document")[0].value === ""`)
}

// focusStays presses buttons that the answer takes away, and changes a policy so that its row and its editor move up.
func focusStays(t *testing.T, open browserTab) {
	p := open("/?edit=exponential-full&p=constant,base=1s&p=exponential,base=100ms,cap=10s,jitter=full,maxAttempts=3", desktop)
	p.await(chartsDrawn)
	if first := rows(p)[0]; first != "Constant" {
		t.Fatalf("the first is %s", first)
	}
	p.fill("edit.maxAttempts", "0")
	p.await(`document.querySelector(".policy").id === "policy-exponential-full"`)
	if got := eval[string](p, `document.activeElement.name`); got != "edit.maxAttempts" {
		t.Errorf("an editor that moves leaves the focus at %q", got)
	}
	eval[bool](p, unfold)
	for _, test := range []struct{ press, around string }{
		{"do-guard:breaker", ".editor-guards"},
		{"do-put:server.rateLimit", "[id='group-server.rateLimit']"},
		{"do-drop:server.crash", "[id='group-server.crash']"},
	} {
		eval[bool](p, fmt.Sprintf(`(([button]) => { button.focus(); button.click(); return true; })([document.getElementById(%s)])`, quote(test.press)))
		p.await(fmt.Sprintf(`!document.getElementById(%s)`, quote(test.press)))
		if !eval[bool](p, fmt.Sprintf(`document.activeElement.closest(%s) !== null`, quote(test.around))) {
			t.Errorf("%s leads to %s", test.press, eval[string](p, `document.activeElement.outerHTML.slice(0, 100)`))
		}
	}
}

// What costs too much leaves the rows as they are, and everything can be changed until it costs less.
func TestBrowserMendsWhatCostsTooMuch(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	s.maxEvents = 3_000_000
	p := b.open(t, s, "/?edit=exponential", desktop)
	p.await(chartsDrawn)
	const costly = `document.getElementById("problems")?.textContent.includes("This would cost") && document.querySelectorAll(".policy").length === 8`
	p.fill("edit.schedule.factor", "1")
	p.fill("edit.schedule.base", "1ms")
	p.await(`location.search.includes("base=1ms,factor=1") && ` + costly)
	p.fill("edit.schedule.base", "1s")
	p.await(`location.search.includes("base=1s,factor=1") && !document.getElementById("problems")`)

	p.fill("clients.count", "100000")
	p.await(`location.search.includes("100000") && ` + costly)
	eval[bool](p, `(`+add+`, true)`)
	p.await(`location.search.includes("fibonacci")`)
	p.fill("clients.count", "500")
	p.await(`document.getElementById("policy-fibonacci-equal")`)
	wantOffers(p)

	// A link to such a thing has no rows, but the editor that it names.
	p = b.open(t, s, "/?clients.count=100000&edit=constant&p=constant,base=1s", desktop)
	p.await(`document.documentElement.classList.contains("live") && document.querySelectorAll(".policy").length === 0`)
	p.fill("edit.schedule.base", "2s")
	p.await(`location.search.includes("base=2s")`)
	p.fill("clients.count", "500")
	p.await(`document.querySelectorAll(".policy").length === 1 && document.getElementById("editor")`)
	wantOffers(p)
}

func editingWithoutScript(t *testing.T, open browserTab) {
	p := open("/", look{width: 1280, height: 900})
	p.click("#edit-exponential")
	p.await(`document.getElementById("editor") !== null && location.hash === "#editor"`)
	p.set("edit.cap", "3s")
	p.click(`[id="in-edit.retryOn-timeout"]`)
	p.click("#run")
	p.await(`document.querySelector("#policy-exponential small")?.textContent.includes("cap=3s") && !document.getElementById("in-edit.retryOn-timeout").checked`)
	p.click("#adding summary")
	p.set("document", `{"schedule": {"kind": "constant", "base": "-1s"}}`)
	p.click("#pasting button")
	p.await(`document.querySelector("#pasting .error")?.textContent.includes("-1s") && document.getElementsByName("document")[0].value.includes("-1s")`)
	p.set("document", "constant,base=7s,name=Seven\nconstant,base=8s")
	p.click("#pasting button")
	p.await(`document.readyState === "complete" && document.querySelectorAll(".policy").length === 10 && location.search.includes("name=Seven")`)
	eval[bool](p, `(document.getElementsByName("document")[0].value = " ".repeat(2 << 20) + "{}", true)`)
	p.click("#adding summary")
	p.click("#pasting button")
	p.await(`document.querySelector("#pasting .error")?.textContent.includes("at most 1 MiB")`)
	if n := len(rows(p)); n != 10 {
		t.Errorf("a document that is too long leaves %d rows", n)
	}
}

// reborn is a server that can die in the middle of an answer and come back at the same address.
type reborn struct {
	testing.TB
	handler http.Handler
	address string
	server  *http.Server
}

func (r *reborn) start() {
	r.Helper()
	listener, err := net.Listen("tcp", r.address)
	must(r, err)
	r.address = listener.Addr().String()
	r.server = &http.Server{Handler: r.handler}
	go r.server.Serve(listener)
}

// A server that restarts in mid-run: the page says so, keeps the figures there are, and tries again by its own advice.
func TestServerRestartsInMidRun(t *testing.T) {
	b := startBrowser(t)
	s, held, release := hold(700)
	r := reborn{TB: t, handler: s, address: "127.0.0.1:0"}
	r.start()
	defer func() { r.server.Close() }()
	p := b.openAt(t, "http://"+r.address, "/", desktop)
	p.await(`!document.querySelector(".slider").hidden`)
	before := strings.Join(rows(p), "|")
	// Waits come to 0 so that the test need not wait; how they are drawn is told by what is asked for.
	eval[bool](p, `(() => { Math.random = () => 0; return true; })()`)
	slide(p, "clients.count", 700)
	receive(t, held, "the run")
	p.await(`document.querySelector("#status progress")?.value === 3/8`) // the answer has begun
	must(t, r.server.Close())
	p.await(`/The server does not answer. Trying again/.test(document.getElementById("status").textContent)`)
	if got := strings.Join(rows(p), "|"); got != before || !eval[bool](p, `document.body.classList.contains("stale")`) {
		t.Error("the figures there are have gone, or look like new ones")
	}
	close(release)
	r.start()
	p.await(`location.search === "?clients.count=700" && document.getElementById("status").hidden && !document.body.classList.contains("stale")`)
	p.hear() // connections refused
}

// A sweep asks again by itself too, not before the server said so, and says that rather than what the browser calls it.
func TestSweepOutlivesItsServer(t *testing.T) {
	b := startBrowser(t)
	s := newTestServer(nil)
	busy := overloadable(s, "/what-if")
	r := reborn{TB: t, handler: s, address: "127.0.0.1:0"}
	r.start()
	defer func() { r.server.Close() }()
	p := b.openAt(t, "http://"+r.address, fewPath, desktop)
	lookAtWhatIf(p)
	p.await(swept)
	eval[bool](p, `(Math.random = () => 0, true)`) // waits come to 0 where the server asks for none
	busy.Store(true)
	p.fill("x.steps", "4")
	p.await(`/Trying again in 600 s. ?NowStop trying/.test(document.getElementById("what-if-status").textContent)`)
	must(t, r.server.Close())
	p.click("#what-if-status button")
	p.await(`document.getElementById("what-if-status").textContent.startsWith("The server does not answer. Trying again in ")`)
	busy.Store(false)
	r.start()
	p.await(swept + ` && document.querySelectorAll("[data-point]").length === 4 && document.getElementById("what-if-status").textContent === ""`)
	p.hear() // connections refused
}

// Two tabs on one server are each their own.
func TestTwoTabs(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	one, other := b.open(t, s, "/", desktop), b.open(t, s, "/?seed=7", desktop)
	for _, p := range []*tab{one, other} {
		p.await(`!document.querySelector(".slider").hidden`)
	}
	one.fill("clients.count", "50")
	other.fill("down", "5")
	one.await(`location.search === "?clients.count=50"`)
	other.await(`location.search === "?seed=7&server.outages.0.end=5s" && document.getElementsByName("clients.count")[0].value === "1000"`)
}

func TestKeysDialogIsAccessible(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, quick(), editorPath, look{width: 390, height: 844, script: true})
	p.await(chartsDrawn)
	p.click("#keys")
	p.await(`document.getElementById("shortcuts").open`)
	p.wantAccessible("the list of keys")
}
