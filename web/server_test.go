package web

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/static"
)

// TestEveryAnswerIsSecure sends every route, and some that are none, a request, and looks at the headers.
func TestEveryAnswerIsSecure(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	targets := [][2]string{{"GET", "/nosuch"}, {"GET", "/api/v1/nosuch"}, {"PUT", "/api/v1/catalog"}, {"GET", static.Prefix + "x/nosuch.js"}}
	err := chi.Walk(s.routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		targets = append(targets, [2]string{method, route})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	framed := map[string]string{"/embed": embedPolicy, "/embed/stage": stagePolicy}
	for _, target := range targets {
		res := ask(s, target[0], target[1], "{}")
		policy, foreign := framed[target[1]]
		foreign = foreign || strings.HasPrefix(target[1], "/chart.") || target[1] == "/league.png" // for other people's pages
		for name, want := range securityHeaders {
			if foreign && name == "Cross-Origin-Resource-Policy" {
				want = "cross-origin"
			}
			if policy != "" && name == "Content-Security-Policy" {
				want = policy
			}
			if got := res.Header.Get(name); got != want {
				t.Errorf("%v: %s: %q, want %q", target, name, got, want)
			}
		}
	}
	csps := []string{securityHeaders["Content-Security-Policy"]}
	for _, policy := range framed {
		csps = append(csps, strings.Replace(policy, "frame-ancestors *", "", 1))
	}
	for _, csp := range csps {
		for _, never := range []string{"unsafe", "http:", "*"} {
			if strings.Contains(csp, never) {
				t.Errorf("the policy %q has %q", csp, never)
			}
		}
	}
}

func TestHealth(t *testing.T) {
	s := newTestServer(nil)
	for _, path := range []string{"/healthz", "/readyz"} {
		if res := ask(s, "GET", path, ""); res.StatusCode != http.StatusOK || string(bodyOf(t, res)) != "ok\n" {
			t.Errorf("%s: status %d, want 200 and ok", path, res.StatusCode)
		}
	}
	s.Drain()
	wantProblem(t, ask(s, "GET", "/readyz", ""), 503)
	if res := ask(s, "GET", "/healthz", ""); res.StatusCode != http.StatusOK {
		t.Errorf("/healthz while draining: status %d, want 200", res.StatusCode)
	}
}

// Who mistypes an address or follows a broken link in a browser gets a page with the way to the others; programs, and the
// script, which reads events as well, get a document.
func TestFailuresArePagesToReaders(t *testing.T) {
	s := newTestServer(nil)
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for target, want := range map[string]struct {
		status int
		says   string
	}{
		"GET /nosuch":             {404, "There is nothing at this address."},
		"GET /learn/nosuch":       {404, "There is nothing at this address."},
		"POST /tune":              {405, "This address does not take that method."},
		"GET /layers?a=%zz":       {400, "The query string is malformed."},
		"GET /league.png?by=luck": {422, "By must be"},
		"GET /league.png?by=<b>":  {422, "&lt;b&gt;"},
	} {
		method, path, _ := strings.Cut(target, " ")
		res := ask(s, method, path, "", "Accept", browser)
		body := string(bodyOf(t, res))
		if res.StatusCode != want.status || res.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(body, want.says) || !strings.Contains(body, `href="/learn"`) {
			t.Errorf("%s: %d, %s; want a page with status %d that says %q:\n%.2000s", target, res.StatusCode, res.Header.Get("Content-Type"), want.status, want.says, body)
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control: %s, want no-store", target, got)
		}
		for _, accept := range []string{"", "*/*", "application/json", "text/html;fragment=main, text/event-stream"} {
			res := ask(s, method, path, "", "Accept", accept)
			if !slices.Contains(res.Header.Values("Vary"), "Accept") {
				t.Errorf("%s: Vary: %q, want Accept", target, res.Header.Values("Vary"))
			}
			wantProblem(t, res, want.status)
		}
	}
	wantProblem(t, ask(s, "GET", "/api/v1/nosuch", "", "Accept", browser), 404)
	for _, path := range []string{"/embed?a=%zz", embedStagePath + "?a=%zz"} { // a frame leads to no other page of ours
		if body := string(bodyOf(t, ask(s, "GET", path, "", "Accept", browser))); !strings.Contains(body, "A part of the address is left out") || strings.Contains(body, `href="/learn"`) {
			t.Errorf("%s: want the frame to say what is left out:\n%.2000s", path, body)
		}
	}
}

func TestNoSuchAddressOrMethod(t *testing.T) {
	s := newTestServer(nil)
	wantProblem(t, ask(s, "GET", "/api/v1/nosuch", ""), 404)
	wantProblem(t, ask(s, "GET", "/api/", ""), 404)
	wantProblem(t, ask(s, "BREW", "/nosuch", ""), 404)
	for target, allow := range map[string]string{
		"DELETE /api/v1/simulations":      "GET, HEAD, POST",
		"POST /api/v1/catalog":            "GET, HEAD",
		"GET /api/v1/policies/analysis":   "POST",
		"HEAD /api/v1/policies/analysis":  "POST",
		"OPTIONS /healthz":                "GET, HEAD",
		"PUT /api/v1/schemas/policy.json": "GET, HEAD",
	} {
		method, path, _ := strings.Cut(target, " ")
		res := ask(s, method, path, "")
		if got := res.Header.Get("Allow"); got != allow {
			t.Errorf("%s: Allow: %s, want %s", target, got, allow)
		}
		wantProblem(t, res, 405)
	}
}

// TestHead checks, over a connection, that HEAD gives the headers of GET without its body.
func TestHead(t *testing.T) {
	server := httptest.NewServer(quick())
	defer server.Close()
	for _, path := range []string{"/", "/healthz", "/api/v1/catalog", "/api/v1/simulations" + smallQuery, static.URL("favicon.svg")} {
		get, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		bodyOf(t, get)
		head, err := http.Head(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if body := bodyOf(t, head); len(body) != 0 || head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("%s: HEAD has status %d, type %q, %d bytes; GET status %d, type %q",
				path, head.StatusCode, head.Header.Get("Content-Type"), len(body), get.StatusCode, get.Header.Get("Content-Type"))
		}
	}
}

func TestFavicon(t *testing.T) {
	s := newTestServer(nil)
	res := ask(s, "GET", "/favicon.ico", "")
	if res = ask(s, "GET", res.Header.Get("Location"), ""); res.Header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("/favicon.ico leads to %q", res.Header.Get("Content-Type"))
	}
}

func TestPanics(t *testing.T) {
	var log bytes.Buffer
	s := newTestServer(nil)
	s.log = slog.New(slog.NewTextHandler(&log, nil))
	wrap := func(h http.HandlerFunc) http.Handler { return s.logRequests(s.recoverPanics(h)) }

	w := httptest.NewRecorder()
	wrap(func(http.ResponseWriter, *http.Request) { panic("secret") }).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if p := wantProblem(t, w.Result(), 500); strings.Contains(p.Detail, "secret") {
		t.Errorf("the client is told %q", p.Detail)
	}
	for _, want := range []string{"secret", "server_test.go", "status=500", "path=/x"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}

	server := httptest.NewUnstartedServer(wrap(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "half an ans")
		http.NewResponseController(w).Flush()
		panic("late")
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Start()
	defer server.Close()
	res, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("an answer broken off by a panic looks complete")
	}
}

func TestRequestsAreLogged(t *testing.T) {
	var log bytes.Buffer
	s := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	ask(s, "GET", "/healthz", "")
	ask(s, "GET", "/nosuch%0Alevel=ERROR", "")
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "method=GET") || !strings.Contains(got, "status=404") {
		t.Errorf("the log is %q; want one line about the request that was no health check", got)
	}
}
