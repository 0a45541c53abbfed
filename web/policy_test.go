package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/templates"
)

// pageAt asks for a page that must have a status.
func pageAt(t *testing.T, path string, status int) string {
	t.Helper()
	res := ask(newTestServer(nil), "GET", path, "")
	body := string(bodyOf(t, res))
	if res.StatusCode != status {
		t.Fatalf("%s: status %d, want %d; location %q: %.300s", path, res.StatusCode, status, res.Header.Get("Location"), body)
	}
	return plainSpaces.Replace(body)
}

func TestPolicyPage(t *testing.T) {
	html := pageAt(t, "/policy?p=exponential,base=1s,maxAttempts=4&roundTrip=0s", 200)
	for _, want := range []string{
		"<bdi>Exponential</bdi>", "Gives up after 7 s.", "No jitter: 1000 clients stay in step.", "beside full jitter",
		`<th scope="row">3</th><td>4</td>`, `<th scope="colgroup" colspan="4">Waited in all</th>`, "All quantiles", `id="chart-survival"`, `id="chart-attempts"`, `id="chart-waits"`, `id="chart-moments"`,
		`name="edit.schedule.base" value="1s"`, `name="roundTrip" value="0s"`, "Open in compare",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if once := pageAt(t, "/policy?p=exponential,base=1s,maxAttempts=1", 200); strings.Contains(once, "chart-waits") || !strings.Contains(once, "chart-survival") {
		t.Error("who never retries has waits, or no curve")
	}
	if few := pageAt(t, "/policy?p=exponential,base=1s&retries=2", 200); strings.Count(few, `<tr><th scope="row">`) < 2 || strings.Contains(few, `<th scope="row">3</th><td>4</td>`) {
		t.Error("there are not two rows")
	}
}

// Whatever sets the first wait, the advice about it leads to a control that the page has.
func TestPolicyPageLeadsToItsControls(t *testing.T) {
	for policy, want := range map[string]string{"immediate": "schedule.kind", "constant,base=1ms": "schedule.base", "list,delays=1ms/5s": "schedule.delays"} {
		html := pageAt(t, "/policy?p="+policy, 200)
		if !strings.Contains(html, `href="#field-edit.`+want+`"`) {
			t.Errorf("%s: nothing leads to %s", policy, want)
		}
		for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(html, -1) {
			if !strings.Contains(html, `id="`+link[1]+`"`) {
				t.Errorf("%s: a link leads to #%s, which is not there", policy, link[1])
			}
		}
	}
}

// The address is the state, as short as can be; a form leads to it.
func TestPolicyAddress(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	from := func(state string, more ...string) string {
		query := url.Values{"from": {state}}
		for i := 0; i < len(more); i += 2 {
			query.Add(more[i], more[i+1])
		}
		return "/policy?" + query.Encode()
	}
	for path, want := range map[string]string{
		"/policy?outage=10s": "/policy",
		"/policy?p=exponential,jitter=full,base=100ms,cap=10000ms":                "/policy",
		"/policy?retries=3&p=exponential,base=1000ms":                             "/policy?p=exponential,base=1s&retries=3",
		from("", "edit.cap", "20s", "outage", "10s"):                              "/policy?p=exponential,base=100ms,cap=20s,jitter=full",
		from("", "outage", "30"):                                                  "/policy?outage=30s",
		from("outage=30s", "outage", ""):                                          "/policy",
		from("", "edit.schedule.kind", "linear", "edit.schedule.base", "100ms"):   "/policy?p=linear,base=100ms,cap=10s,jitter=full",
		from("p=constant,base=1s", "edit.text", "constant,base=2s"):               "/policy?p=constant,base=2s",
		from("p=constant,base=1s", "edit.retryOn", "", "edit.retryOn", "timeout"): "/policy?p=constant,base=1s,retryOn=timeout",
		from("p=constant,base=1s", "do", "guard:budget"):                          "/policy?p=constant,base=1s,budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.1",
		from("p=constant,base=1s"):                                                "/policy?p=constant,base=1s",
	} {
		res := ask(s, "GET", path, "")
		if got := res.Header.Get("Location"); res.StatusCode != 303 || got != want {
			t.Errorf("%s leads to %d %q, want %q", path, res.StatusCode, got, want)
		}
		pageAt(t, want, 200)
	}
}

func TestPolicyFaults(t *testing.T) {
	simtest.PlainRunOnly(t)
	for path, want := range map[string]string{
		"/policy?p=exponential,base=1s,cap=x":    "cap must be a duration",
		"/policy?p=nonsense":                     "kind must be",
		"/policy?p=":                             "kind",
		"/policy?p=constant,base=1s&p=immediate": "p is given 2 times; this page shows one policy",
		"/policy?outage=-1s":                     "outage must be at least 0s, not -1s",
		"/policy?capacity=0":                     "capacity must be more than 0",
		"/policy?capacity=NaN":                   "capacity must be",
		"/policy?retries=10000":                  "retries must be at most 1000, not 10000",
		"/policy?retries=99999999999999999999":   "retries must be",
		"/policy?clients=1.5":                    "clients must be a whole number",
		"/policy?down=maybe":                     "down must be",
		"/policy?x=1":                            "there is no parameter",
		"/policy?p=%zz":                          "a part of the address is left out",
		"/policy?from=&edit.cap=x":               "At most must be a duration",
		"/policy?from=&outage=x":                 "How long it is down must be a duration",
		"/policy?from=&edit.text=constant":       "required",
		"/policy?p=constant,base=" + strings.Repeat("9", 60000) + "s": "base must be",
	} {
		html := pageAt(t, path, 422)
		if !strings.Contains(strings.ToLower(html), strings.ToLower(want)) || !strings.Contains(html, `id="chart-survival"`) {
			t.Errorf("%.60s: does not say %q, or shows nothing, but %.900s", path, want, html[max(0, strings.Index(html, "id=\"problems\"")):])
		}
	}
}

// A row of the compare page leads to its policy, put to what the scenario is, and that back.
func TestPolicyLinks(t *testing.T) {
	html := pageAt(t, "/?clients.count=50&server.outages.0.end=5s&replications=1&p=constant,base=1s,maxAttempts=3", 200)
	href := regexp.MustCompile(`href="(/policy\?[^"]*)"`).FindStringSubmatch(html)
	if want := "/policy?clients=50&amp;outage=5s&amp;p=constant,base=1s,maxAttempts=3"; href == nil || href[1] != want {
		t.Fatalf("the row leads to %v, want %s", href, want)
	}
	html = pageAt(t, "/policy?clients=50&outage=5s&p=constant,base=1s,maxAttempts=3", 200)
	back := regexp.MustCompile(`href="([^"]*)">Open in compare`).FindStringSubmatch(html)
	if back == nil {
		t.Fatal("nothing leads back")
	}
	to := strings.ReplaceAll(back[1], "&amp;", "&")
	for _, want := range []string{"clients.count=50", "server.outages.0.end=5s", "p=constant,base=1s,maxAttempts=3&p="} {
		if !strings.Contains(to, want) {
			t.Errorf("there is no %s in %s", want, to)
		}
	}
	pageAt(t, to, 200)
}

func TestAnalysisOfATrial(t *testing.T) {
	const policy = `{"schedule": {"kind": "exponential", "base": "1s"}, "maxAttempts": 4}`
	s := newTestServer(nil)
	body := bodyOf(t, ask(s, "POST", "/api/v1/policies/analysis?outage=7s&roundTrip=0s&clients=1&capacity=5", policy))
	wantValid(t, "Analysis", body)
	var a analysis
	must(t, json.Unmarshal(body, &a))
	if a.Trial.outage != 7*time.Second || a.Trial.clients != 1 || a.Trial.retries != 10 {
		t.Errorf("the trial is %+v", a.Trial)
	}
	if a.End == nil || a.End.Max != 7 || *a.End.Mean != 7 || *a.Outlives != 1 {
		t.Errorf("it ends at %+v and outlives with %v", a.End, *a.Outlives)
	}
	if len(a.Attempts) != 4 || a.Attempts[3].At.Mean != 7 || len(a.Delays) != 10 {
		t.Errorf("attempts %+v", a.Attempts)
	}
	var ids []string
	for _, v := range a.Verdicts {
		ids = append(ids, v.ID)
	}
	if got := fmt.Sprint(ids); got != "[gives-up outlives strays]" {
		t.Errorf("the verdicts are %s", got)
	}
	body = bodyOf(t, ask(s, "POST", "/api/v1/policies/analysis?outage=1h", `{"schedule": {"kind": "constant", "base": "1ms"}, "deadline": "2h"}`))
	wantValid(t, "Analysis", body)
	if !strings.Contains(string(body), `"outlives":null,"end":{"mean":null,"max":7200}`) {
		t.Error("what is not worked out is not null")
	}
	p := wantProblem(t, ask(s, "POST", "/api/v1/policies/analysis?outage=x&down=y", policy), 422)
	if pointers(p) != "?outage ?down" {
		t.Errorf("faults at %q", pointers(p))
	}
}

// The page's figures are the API's, and those of strategies.
func TestPolicyTableIsTheDelays(t *testing.T) {
	st := studied(t, "p=exponential,base=100ms,cap=10s,jitter=full,maxAttempts=4,deadline=1h&retries=9")
	table := st.table()
	if len(table.Rows) != 3 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	got := plainSpaces.Replace(strings.Join(table.Rows[1], " "))
	// U[0, 0.2] after U[0, 0.1] and two failures of 0.04; the sum's 95th percentile is 0.3 − √(2·0.02·0.05).
	want := "2 0.2 0 0.1 0.1 0.19 0.2 0.0 % 0 0.15 0.255 0.3 0.08 0.23 0.335 0.38 100.0 %"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The standard deviation of U[0, 0.2] is 0.2/√12.
	quantiles := st.quantiles()
	if got, want := strings.Join(quantiles.Rows[1], " "), "2 0 0.01 0.05 0.1 0.15 0.19 0.2 0.1 0.0577"; got != want {
		t.Errorf("quantiles %s, want %s", got, want)
	}
	columns := 0
	for _, g := range table.Groups {
		columns += g.Span
	}
	if columns != len(table.Head) {
		t.Errorf("groups of %d columns over %d heads", columns, len(table.Head))
	}
	for _, table := range []templates.Table{table, quantiles} {
		for _, row := range table.Rows {
			if len(row) != len(table.Head) {
				t.Errorf("%d cells under %d heads", len(row), len(table.Head))
			}
		}
	}
}

// Whatever is asked for gets a page or is told what is wrong.
func FuzzPolicyPage(f *testing.F) {
	for _, path := range policyPaths {
		f.Add(strings.TrimPrefix(strings.TrimPrefix(path, "/policy"), "?"))
	}
	f.Add("from=p%3Dconstant,base%3D1s&edit.cap=x&outage=%9A")
	f.Add("p=immediate&roundTrip=0s&down=silent")
	f.Add("p=constant,base=1ns,cap=168h,jitter=decorrelated,multiplier=10&roundTrip=168h&outage=168h")
	s := newTestServer(nil)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", "/policy", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if status := w.Code; status != 200 && status != 303 && status != 422 {
			t.Errorf("status %d: %s", status, w.Body)
		}
	})
}
