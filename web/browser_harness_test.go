package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// What the browser tests stand on: two Chromiums at a time for all of them, a tab for each, and everything that a tab
// complains about is a failure.

// patience is how long a condition may take to come true on a busy machine.
const patience = time.Minute

// chromium is a running Chromium.
type chromium struct{ ctx context.Context }

// chromiums are those that have been started, since that takes longer than most tests. One belongs to one test at a time:
// its downloads and its clipboard are there once.
var chromiums struct {
	sync.Mutex
	idle []chromium
	end  []context.CancelFunc
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, b := range chromiums.idle {
		chromedp.Cancel(b.ctx) // waits for its end
	}
	for _, end := range slices.Backward(chromiums.end) {
		end()
	}
	os.Exit(code)
}

// startBrowser returns a Chromium for a test, which runs beside others from here on. Without one the test is skipped.
func startBrowser(t testing.TB) chromium {
	t.Helper()
	if testing.Short() {
		t.Skip("browser tests take a while")
	}
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("no chromium in the path")
	}
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	b := takeBrowser(t)
	t.Cleanup(func() {
		chromiums.Lock()
		defer chromiums.Unlock()
		chromiums.idle = append(chromiums.idle, b)
	})
	return b
}

// takeBrowser takes a Chromium that no test uses, or starts another.
func takeBrowser(t testing.TB) chromium {
	chromiums.Lock()
	defer chromiums.Unlock()
	if n := len(chromiums.idle); n > 0 {
		b := chromiums.idle[n-1]
		chromiums.idle = chromiums.idle[:n-1]
		return b
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.DisableGPU, chromedp.Flag("disable-background-networking", true))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	chromiums.end = append(chromiums.end, endAllocator, end)
	must(t, chromedp.Do(ctx))
	return chromium{ctx}
}

// look is how a tab shows pages.
type look struct {
	width, height int64
	dark          bool
	script        bool
}

var desktop = look{width: 1280, height: 900, script: true}

// tab is one tab of the browser, and what it complained about.
type tab struct {
	testing.TB
	ctx context.Context
	url string

	mu         sync.Mutex
	complaints []string
}

// open opens a tab on a path of a server. When the test ends the tab must have had nothing to complain about.
func (b chromium) open(t testing.TB, s *Server, path string, l look) *tab {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return b.openAt(t, server.URL, path, l)
}

// openAt opens a tab on a path of the server at a URL.
func (b chromium) openAt(t testing.TB, url, path string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	p := &tab{TB: t, ctx: ctx, url: url}
	p.do(chromedp.Func(func(context.Context, *chromedp.Target) error { return nil })) // opens the tab
	must(t, chromedp.Listen(ctx, p.note))
	p.shade(l.dark)
	p.resize(l.width, l.height)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !l.script})
	p.do(chromedp.Navigate(p.url + path))
	t.Cleanup(p.wantContent)
	return p
}

// shade sets the colour scheme that the reader prefers.
func (p *tab) shade(dark bool) {
	p.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// resize sets the size of the view; a narrow one is a phone's.
func (p *tab) resize(width, height int64) {
	p.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600,
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// note keeps errors, warnings and exceptions, and what the browser logs. Answers of 413, 422 and 503 are not among them: the
// page deals with those.
func (p *tab) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			text := ""
			for _, arg := range e.Args {
				text += " " + string(arg.Value) + arg.Description
			}
			p.complaints = append(p.complaints, string(e.Type)+text)
		}
	case *log.EventEntryAdded: // such as what the Content-Security-Policy forbids
		refused := slices.ContainsFunc([]string{"413", "422", "503"}, func(status string) bool {
			return strings.Contains(e.Entry.Text, "status of "+status)
		})
		if e.Entry.Level == log.EntryLevelError && !refused {
			p.complaints = append(p.complaints, string(e.Entry.Source)+" "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		p.complaints = append(p.complaints, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	}
}

func (p *tab) wantContent() {
	if complaints := p.hear(); len(complaints) > 0 {
		p.Errorf("the page complains:\n%s", strings.Join(complaints, "\n"))
	}
}

// hear returns what the tab complained about since the last time.
func (p *tab) hear() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	heard := p.complaints
	p.complaints = nil
	return heard
}

// within is a context for one step.
func (p *tab) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, patience)
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// eval evaluates an expression, and waits for it if it is a promise.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	ctx, cancel := p.within()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until an expression is true, on whatever page the tab is by then. It asks again and again from outside,
// for in a page whose scripts are disabled no timer fires.
func (p *tab) await(expression string) {
	p.Helper()
	ctx, cancel := p.within()
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		var met bool
		if met, last = chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); met {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.Fatalf("never came true: %s (%v)\nThe page says: %s", expression, last, eval[string](p, `document.body.innerText.slice(0, 1000)`))
		}
	}
}

// click clicks with the mouse on the middle of an element, once that stands still: what comes and goes above it would move
// it.
func (p *tab) click(selector string) {
	p.Helper()
	p.await(`document.readyState === "complete" && (() => {
		const element = document.querySelector(` + quote(selector) + `);
		element?.scrollIntoView({block: "center", behavior: "instant"});
		const box = element && JSON.stringify(element.getBoundingClientRect());
		const still = box && box === document.boxBefore;
		document.boxBefore = box;
		return still;
	})()`)
	at := eval[[]float64](p, `(() => {
		const box = document.querySelector(`+quote(selector)+`).getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// set gives a field a value once the page is complete, without a word to its scripts.
func (p *tab) set(name, value string) {
	p.Helper()
	p.await(`document.readyState === "complete" && document.getElementsByName(` + quote(name) + `).length > 0`)
	eval[bool](p, fmt.Sprintf(`(document.getElementsByName(%s)[0].value = %s, true)`, quote(name), quote(value)))
}

// fill changes a text field as a person does, up to leaving it.
func (p *tab) fill(name, value string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf(`(() => {
		const field = document.getElementsByName(%s)[0];
		field.focus();
		field.value = %s;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		field.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`, quote(name), quote(value)))
}

// wantWidth checks that nothing sticks out.
func (p *tab) wantWidth(what string, width int) {
	p.Helper()
	if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > width {
		p.Errorf("%s is %d px wide at %d", what, wide, width)
	}
}

// allowClipboard lets the page read and write the clipboard without asking anyone.
func (p *tab) allowClipboard() {
	p.Helper()
	for _, permission := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: permission}, Setting: browser.PermissionSettingGranted, Origin: p.url,
		})
		must(p, err)
	}
}

// saved clicks on what saves a file and returns it.
func saved(p *tab, selector string) []byte {
	p.Helper()
	dir := p.TempDir()
	done := make(chan string, 1)
	must(p, chromedp.ListenBrowser(p.ctx, func(e any) {
		if e, ok := e.(*browser.EventDownloadProgress); ok && e.State == browser.DownloadProgressStateCompleted {
			select {
			case done <- e.GUID:
			default:
			}
		}
	}))
	_, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: dir, EventsEnabled: new(true),
	})
	must(p, err)
	p.click(selector)
	ctx, cancel := p.within()
	defer cancel()
	select {
	case name := <-done:
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(p, err)
		return data
	case <-ctx.Done():
		p.Fatalf("%s saves nothing", selector)
		return nil
	}
}

func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// call sends a command of the protocol to the tab.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.Helper()
	result, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.Fatal(err)
	}
	return result
}
