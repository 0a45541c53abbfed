package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

const smallScenario = `{
	"horizon": "10s", "replications": 2,
	"clients": {"count": 10, "workload": {"kind": "burst"}},
	"network": {"latency": {"kind": "constant", "mean": "10ms"}},
	"server": {"outages": [{"start": "0s", "end": "1s"}]},
	"policies": [{"id": "second", "name": "=Second", "schedule": {"kind": "constant", "base": "1s"}},
	             {"id": "full", "schedule": {"kind": "exponential", "base": "100ms"}, "jitter": {"kind": "full"}}]
}`

// smallQuery is a scenario of the compare page that takes no time.
const smallQuery = "?clients.count=10&replications=2&p=constant,base=1s,id=second&p=exponential,base=100ms,jitter=full,id=full"

// ask sends a request: header is a list of names and values.
func ask(s *Server, method, target, body string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t *testing.T, res *http.Response) []byte {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// wantProblem checks that an answer is a well-formed problem, and returns it.
func wantProblem(t *testing.T, res *http.Response, status int) problem {
	t.Helper()
	body := bodyOf(t, res)
	if res.StatusCode != status || res.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("status %d, type %q, body %.300s; want a problem with status %d", res.StatusCode, res.Header.Get("Content-Type"), body, status)
	}
	wantValid(t, "Problem", body)
	var p problem
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatal(err)
	}
	if p.Status != status || p.Title != http.StatusText(status) {
		t.Errorf("problem %d %q, want %d %q", p.Status, p.Title, status, http.StatusText(status))
	}
	return p
}

func pointers(p problem) string {
	var all []string
	for _, f := range p.Errors {
		all = append(all, f.Pointer)
	}
	return strings.Join(all, " ")
}

func TestPostSimulation(t *testing.T) {
	s := newTestServer(nil)
	res := ask(s, "POST", "/api/v1/simulations", smallScenario)
	body := bodyOf(t, res)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", res.StatusCode, body)
	}
	wantValid(t, "Result", body)
	if timing := res.Header.Get("Server-Timing"); !strings.HasPrefix(timing, "sim;dur=") {
		t.Errorf("Server-Timing: %q, want sim;dur=…", timing)
	}
	// Another server, so another run; the type that curl sends by default.
	again := bodyOf(t, ask(newTestServer(nil), "POST", "/api/v1/simulations", smallScenario, "Content-Type", "application/x-www-form-urlencoded"))
	if !bytes.Equal(body, again) {
		t.Error("two runs of one scenario differ")
	}
}

// TestNodes: what each node saw comes where it is asked for, and where there is more than one.
func TestNodes(t *testing.T) {
	s := newTestServer(nil)
	three := strings.Replace(smallScenario, `"server": {`, `"server": {"nodes": {"count": 3}, `, 1)
	for _, c := range []struct {
		query, scenario string
		want            int
	}{{"", three, 0}, {"?nodes=1", three, 3}, {"?nodes=0", three, 0}, {"?nodes=1", smallScenario, 0}} {
		body := bodyOf(t, ask(s, "POST", "/api/v1/simulations"+c.query, c.scenario))
		wantValid(t, "Result", body)
		var result struct{ Results []struct{ Run sim.FirstRun } }
		if err := json.Unmarshal(body, &result); err != nil {
			t.Fatal(err)
		}
		run := result.Results[0].Run
		if len(run.Nodes) != c.want {
			t.Errorf("%q: %d nodes, want %d", c.query, len(run.Nodes), c.want)
		}
		served := int64(0)
		for _, nd := range run.Nodes {
			for _, n := range nd.Served {
				served += n
			}
		}
		if c.want > 0 && served != 10 {
			t.Errorf("%q: the nodes serve %d, want all 10 clients", c.query, served)
		}
	}
}

func TestValuesAndTrace(t *testing.T) {
	s := newTestServer(nil)
	for query, want := range map[string]struct{ values, clients int }{
		"":                  {0, 0},
		"?values=1":         {2, 0},
		"?values=0&trace=0": {0, 0},
		"?trace=1&values=1": {2, 1},
		"?trace=500":        {0, 10}, // there are no more
	} {
		body := bodyOf(t, ask(s, "POST", "/api/v1/simulations"+query, smallScenario))
		wantValid(t, "Result", body)
		var result struct {
			Results []struct {
				Metrics map[string]struct{ Values []*float64 }
				Trace   struct{ Client []int }
			}
		}
		if err := json.Unmarshal(body, &result); err != nil {
			t.Fatal(err)
		}
		clients := map[int]bool{}
		for _, c := range result.Results[0].Trace.Client {
			clients[c] = true
		}
		if n := len(result.Results[0].Metrics["attempts"].Values); n != want.values || len(clients) != want.clients {
			t.Errorf("%q: %d values, %d clients traced; want %d, %d", query, n, len(clients), want.values, want.clients)
		}
	}
}

func TestErrorsOfSimulations(t *testing.T) {
	s := newTestServer(nil)
	s.maxEvents = 1_000_000
	faulty := strings.NewReplacer(`"1s"}}`, `"-1s"}}`, `"10s"`, `"soon"`).Replace(smallScenario)
	costly := strings.Replace(smallScenario, `"count": 10,`, `"count": 10000000,`, 1)
	for name, c := range map[string]struct {
		target, body string
		status       int
		pointers     string
	}{
		"empty":           {"", "", 400, ""},
		"not JSON":        {"", "{", 400, ""},
		"not UTF-8":       {"", "\xff\xfe", 400, ""},
		"two documents":   {"", smallScenario + smallScenario, 400, ""},
		"too deep":        {"", strings.Repeat("[", 500_000), 400, ""},
		"too long":        {"", `{"name": "` + strings.Repeat("x", maxBody) + `"}`, 413, ""},
		"wrong type":      {"", "[]", 422, ""},
		"all faults":      {"?values=2&trace=501&nodes=-1&seed=3", faulty, 422, "/horizon /policies/0/schedule/base ?values ?trace ?nodes ?seed"},
		"empty parameter": {"?values=", smallScenario, 422, "?values"},
		"fraction":        {"?trace=1.5", smallScenario, 422, "?trace"},
		"negative":        {"?trace=-1", smallScenario, 422, "?trace"},
		"huge":            {"?trace=99999999999999999999", smallScenario, 422, "?trace"},
		"malformed query": {"?trace=%zz", smallScenario, 400, ""},
		"too costly":      {"", costly, 422, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := wantProblem(t, ask(s, "POST", "/api/v1/simulations"+c.target, c.body), c.status)
			if c.pointers != "" && pointers(p) != c.pointers {
				t.Errorf("faults at %q, want %q", pointers(p), c.pointers)
			}
			if name == "too long" && p.Detail != "the document must have at most 1 MiB" {
				t.Errorf("%q", p.Detail)
			}
			if name == "too costly" && (p.Stopped || p.Limit != s.maxEvents || p.Estimate < 10_000_000) {
				t.Errorf("estimate %d, limit %d; want at least 10000000, %d", p.Estimate, p.Limit, s.maxEvents)
			}
		})
	}
}

func TestCompressedBodyIsNotTaken(t *testing.T) {
	wantProblem(t, ask(newTestServer(nil), "POST", "/api/v1/simulations", smallScenario, "Content-Encoding", "gzip"), 415)
}

func TestErrorsOfTheServer(t *testing.T) {
	for err, want := range map[error]struct {
		status     int
		retryAfter string
	}{
		errBusy:                       {503, "1"},
		ErrShutdown:                   {503, "1"},
		errors.New("a secret failed"): {500, ""},
		&sim.TooCostlyError{Estimate: 2, Limit: 1}: {422, ""},
	} {
		f := newFakeRun()
		f.finish <- err
		res := ask(newTestServer(f), "POST", "/api/v1/simulations", smallScenario)
		if got := res.Header.Get("Retry-After"); got != want.retryAfter {
			t.Errorf("%v: Retry-After %q, want %q", err, got, want.retryAfter)
		}
		if p := wantProblem(t, res, want.status); strings.Contains(p.Detail, "secret") {
			t.Errorf("the client is told %q", p.Detail)
		}
	}
}

func TestClientThatHasGoneGetsNothing(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/simulations", strings.NewReader(smallScenario))
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() { s.ServeHTTP(w, r); close(done) }()
	receive(t, f.started, "run")
	leave()
	receive(t, f.stopped, "run")
	receive(t, done, "handler")
	if w.Body.Len() != 0 {
		t.Errorf("the client that has gone is sent %q", w.Body)
	}
}

func TestShutdownIsTold(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	ctx, stop := context.WithCancelCause(t.Context())
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/simulations", strings.NewReader(smallScenario))
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() { s.ServeHTTP(w, r); close(done) }()
	receive(t, f.started, "run")
	stop(ErrShutdown)
	receive(t, f.stopped, "run")
	receive(t, done, "handler")
	if p := wantProblem(t, w.Result(), 503); p.Detail != ErrShutdown.Error() {
		t.Errorf("the client is told %q, want %q", p.Detail, ErrShutdown)
	}
}

func TestGetSimulationIsCacheable(t *testing.T) {
	s := newTestServer(nil)
	const target = "/api/v1/simulations" + smallQuery
	res := ask(s, "GET", target, "")
	plain := bodyOf(t, res)
	tag := res.Header.Get("ETag")
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(tag, `"`) || res.Header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("status %d, ETag %s, Cache-Control %s: %.300s", res.StatusCode, tag, res.Header.Get("Cache-Control"), plain)
	}
	wantValid(t, "Result", plain)

	// What is held already is not run again, under whichever name of the same scenario.
	s.run = func(context.Context, sim.Runner, *sim.Scenario, sim.Progress) (*sim.Result, error) {
		t.Error("a run for a client that holds the result")
		return nil, errBusy
	}
	s.cache = newCache(0, sizeOf)
	coded := strings.TrimSuffix(tag, `"`) + `-br"`
	for _, held := range []string{tag, "W/" + tag, coded, `"other", ` + tag, "*"} {
		for _, method := range []string{"GET", "HEAD"} {
			res := ask(s, method, target+"&seed=1&show=full", "", "If-None-Match", held)
			if res.StatusCode != http.StatusNotModified || len(bodyOf(t, res)) != 0 || res.Header.Get("ETag") == "" {
				t.Errorf("%s with If-None-Match %s: status %d, ETag %q; want 304 with one", method, held, res.StatusCode, res.Header.Get("ETag"))
			}
		}
	}
}

func TestETagDependsOnAllThatTheResultDoes(t *testing.T) {
	tagOf := func(version, target string, header ...string) string {
		f := newFakeRun()
		f.finish <- nil
		s := newTestServer(f)
		s.version = version
		return ask(s, "GET", "/api/v1"+target, "", header...).Header.Get("ETag")
	}
	seen := map[string]string{}
	for _, target := range []string{
		"/simulations", "/simulations?seed=2", "/simulations?clients.count=999", "/simulations?values=1", "/simulations?trace=1",
		"/export/result.json",
	} {
		for _, version := range []string{"1", "2"} {
			tag := tagOf(version, target)
			if other, ok := seen[tag]; ok || tag == "" {
				t.Errorf("version %s of %s has the ETag %q, as has %s", version, target, tag, other)
			}
			seen[tag] = version + " of " + target
		}
	}
	if a, b := tagOf("1", "/simulations"), tagOf("1", "/simulations", "Accept-Encoding", "gzip"); a == b {
		t.Errorf("plain and gzip share the strong ETag %s", a)
	}
}

func TestErrorsOfQueries(t *testing.T) {
	s := newTestServer(nil)
	for _, path := range []string{"simulations", "export/scenario.json", "export/policy.json", "export/result.json", "export/table.csv", "export/table.md"} {
		for query, status := range map[string]int{
			"?nosuch=1": 422, "?clients.count=-1": 422, "?p=nosuch": 422, "?p=": 422, "?clients.count=1&clients.count=2": 422, "?a=%zz": 400, "?a;b": 400,
		} {
			res := ask(s, "GET", "/api/v1/"+path+query, "")
			if d := res.Header.Get("Content-Disposition"); d != "" || res.Header.Get("ETag") != "" {
				t.Errorf("%s%s: an error that is a file, %q, or has an ETag", path, query, d)
			}
			if p := wantProblem(t, res, status); status == 422 && len(p.Errors) == 0 {
				t.Errorf("%s%s: no faults", path, query)
			}
		}
	}
}

func TestCodings(t *testing.T) {
	s := newTestServer(nil)
	plain := bodyOf(t, ask(s, "POST", "/api/v1/simulations", smallScenario))
	for coding, decode := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	} {
		for range 2 { // the second time with a used compressor
			res := ask(s, "POST", "/api/v1/simulations", smallScenario, "Accept-Encoding", coding)
			if got := res.Header.Get("Content-Encoding"); got != coding {
				t.Fatalf("Content-Encoding %q, want %q", got, coding)
			}
			r, err := decode(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain) {
				t.Errorf("%s: %d bytes, %v; want the %d of the plain answer", coding, len(body), err, len(plain))
			}
		}
	}
}

func TestAnalysis(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	const policy = `{"schedule": {"kind": "exponential", "base": "100ms"}, "jitter": {"kind": "full"}, "cap": "10s"}`
	for query, rows := range map[string]int{"": 10, "?retries=1": 1, "?retries=1000": 1000} {
		body := bodyOf(t, ask(s, "POST", "/api/v1/policies/analysis"+query, policy))
		wantValid(t, "Analysis", body)
		var a analysis
		if err := json.Unmarshal(body, &a); err != nil {
			t.Fatal(err)
		}
		if len(a.Delays) != rows {
			t.Fatalf("%q: %d rows, want %d", query, len(a.Delays), rows)
		}
		if got := a.Delays[0].Exact; got.Mean != 0.05 || got.Max != 0.1 {
			t.Errorf("retry 1: mean %v, max %v; U[0, 0.1 s] has 0.05, 0.1", got.Mean, got.Max)
		}
	}
	for query, want := range map[string]string{"?retries=0": "?retries", "?retries=1001": "?retries", "?retries=x&trace=1": "?retries ?trace"} {
		p := wantProblem(t, ask(s, "POST", "/api/v1/policies/analysis"+query, policy), 422)
		if pointers(p) != want {
			t.Errorf("%q: faults at %q, want %q", query, pointers(p), want)
		}
	}
	p := wantProblem(t, ask(s, "POST", "/api/v1/policies/analysis", `{"cap": "-1s"}`), 422)
	if !strings.Contains(pointers(p), "/cap") {
		t.Errorf("faults at %q, want /cap among them", pointers(p))
	}
	wantProblem(t, ask(s, "POST", "/api/v1/policies/analysis", "exponential"), 400)

	f := newFakeRun()
	s = newTestServer(f)
	simulating(t.Context(), s, "a", options{})
	simulating(t.Context(), s, "b", options{})
	receive(t, f.started, "first run")
	receive(t, f.started, "second run")
	wantProblem(t, ask(s, "POST", "/api/v1/policies/analysis", policy), 503)
}

func TestExports(t *testing.T) {
	s := newTestServer(nil)
	export := func(path string) (name string, body []byte) {
		res := ask(s, "GET", "/api/v1/export/"+path, "")
		body = bodyOf(t, res)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d: %s", path, res.StatusCode, body)
		}
		return res.Header.Get("Content-Disposition"), body
	}

	name, scenario := export("scenario.json" + smallQuery)
	if name != "attachment; filename=stampede-scenario.json" {
		t.Errorf("scenario: %s", name)
	}
	_, result := export("result.json" + smallQuery)
	if posted := bodyOf(t, ask(s, "POST", "/api/v1/simulations", string(scenario))); !bytes.Equal(posted, result) {
		t.Error("the exported scenario, posted, does not give the exported result")
	}

	name, policy := export("policy.json" + smallQuery + "&policy=1")
	if name != "attachment; filename=stampede-full.json" || !bytes.Contains(policy, []byte(`"id":"full"`)) {
		t.Errorf("policy 1: %s, %s", name, policy)
	}
	p := wantProblem(t, ask(s, "GET", "/api/v1/export/policy.json"+smallQuery+"&policy=2", ""), 422)
	if pointers(p) != "?policy" {
		t.Errorf("policy 2 of 2: faults at %q", pointers(p))
	}

	_, table := export("table.csv" + smallQuery)
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil || len(rows) != 3 || !bytes.Contains(table, []byte("\r\n")) {
		t.Fatalf("table %q: %v; want a head and two rows that end in CR LF", table, err)
	}
	if head := strings.Join(rows[0][:5], "|"); head != "policy|definition|requests|requests low|requests high" {
		t.Errorf("head %s…", head)
	}
	if rows[1][2] != "10" {
		t.Errorf("requests %s, want 10", rows[1][2])
	}
}

func TestCellsAreNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t=1", "\r=1": "'\r=1", "": "", "a=1": "a=1", "±10 %": "±10 %",
	} {
		if got := cell(text); got != want {
			t.Errorf("cell(%q) = %q, want %q", text, got, want)
		}
	}
}

// The API answers with all percentiles of cumulative waits, those that have to be drawn among them.
func TestDrawnPercentiles(t *testing.T) {
	simtest.PlainRunOnly(t)
	const policy = `{"schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "decorrelated"}, "cap": "10s", "maxAttempts": 4}`
	s := newTestServer(nil)
	var a analysis
	if err := json.Unmarshal(bodyOf(t, ask(s, "POST", "/api/v1/policies/analysis?retries=3", policy)), &a); err != nil {
		t.Fatal(err)
	}
	var simulated struct {
		Results []struct{ Delays []sim.DelayRow }
	}
	scenario := `{"horizon": "1s", "replications": 1, "clients": {"count": 1}, "policies": [` + policy + `]}`
	if err := json.Unmarshal(bodyOf(t, ask(s, "POST", "/api/v1/simulations", scenario)), &simulated); err != nil {
		t.Fatal(err)
	}
	for i, row := range a.Delays {
		c, d := row.Cumulative, simulated.Results[0].Delays[i].Cumulative
		if c.P95 == nil || !c.P95Sampled || *c.P95 <= c.Mean || *c.P95 >= c.Max {
			t.Errorf("retry %d: %+v", row.Retry, c)
		}
		if d.P95 == nil || *d.P95 != *c.P95 {
			t.Errorf("retry %d: the simulation says %v, the analysis %v", row.Retry, d.P95, c.P95)
		}
	}
}
