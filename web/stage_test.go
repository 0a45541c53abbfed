package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// stagesIn are the stages of a scenario in a query.
func stagesIn(t *testing.T, query string, ids ...string) []templates.StageView {
	t.Helper()
	values, err := url.ParseQuery(query)
	must(t, err)
	sc, err := sim.ParseQuery(values)
	must(t, err)
	views, err := newTestServer(nil).stagesOf(t.Context(), sc, markPolicies(nil, sc.Policies), ids...)
	must(t, err)
	return views
}

// rowsOf are a table's rows, with plain spaces.
func rowsOf(t templates.Table) []string {
	var rows []string
	for _, row := range t.Rows {
		rows = append(rows, strings.ReplaceAll(strings.Join(row, " "), nbsp, " "))
	}
	return rows
}

// Four clients meet a server that is down for 1.5 s and then crashes, since it has one worker and no room: they try at
// 0, 1, 2, … s. At 2 s the first is taken and the second knocks it over for 2 s; so on until 17 s, when only one is left.
const fourClients = "clients.count=4&horizon=30s&bin=500ms&network.latency.kind=constant&network.latency.mean=0s&server.outages.0.end=1500ms&server.outages.0.endSpread=0s" +
	"&server.workers=1&server.queue=0&server.serviceTime.kind=constant&server.serviceTime.mean=500ms&server.crash.restart=2s&server.warmup=" +
	"&p=constant,base=1s,id=a,name=Every second,maxAttempts=4"

func TestStageTellsTheRun(t *testing.T) {
	v := stagesIn(t, fourClients)[0]
	// At 2 s client 1 is in service when client 2 finds no room and the server crashes: all are refused, and again at 3 s,
	// their fourth attempt.
	for _, want := range []string{
		"0.000 s The server goes down: an outage.", "1.500 s The server is back.", "2.000 s The server is knocked over: its queue is full.", "4.000 s The server is back.",
	} {
		if rows := rowsOf(v.Moments); !slices.Contains(rows, want) {
			t.Errorf("the moments lack %q: %q", want, rows)
		}
	}
	if says := strings.ReplaceAll(v.Says, nbsp, " "); says != "0 of 4 requests served; 4 attempts each; the server was knocked over once." {
		t.Errorf("it says %q", says)
	}
	if v.Server != "The server: 1\u00a0worker, 2 a second at most" || !v.GaveUp || v.End != "4" || strings.Contains(v.Note, "drawn") {
		t.Errorf("server %q, gave up %t, end %s, note %q", v.Server, v.GaveUp, v.End, v.Note)
	}
	if got := strings.Join(rowsOf(v.Numbers), "|"); !strings.HasPrefix(got, "arrived 4 0 4 0 4 0 4 0|served 0 0 0 0 0 0 0 0|refused 4 0 4 0 4 0 4 0|down ") {
		t.Errorf("the numbers: %s", got)
	}
}

// Stages side by side share their axes, keep their marks, and say what of the clients they draw.
func TestStagesShareTheirAxes(t *testing.T) {
	views := stagesIn(t, "clients.count=500", "exponential-full", "every-second")
	if len(views) != 2 || views[0].ID != "exponential-full" || views[0].End != views[1].End || views[0].Load.Capacity != views[1].Load.Capacity {
		t.Fatalf("%d stages, %s of %s s beside %s s", len(views), views[0].ID, views[0].End, views[1].End)
	}
	if views[0].Mark != markOf(4) || views[1].Mark != markOf(0) {
		t.Errorf("the marks are %v and %v", views[0].Mark, views[1].Mark)
	}
	for _, v := range views {
		if !strings.Contains(v.Note, "300 of the 500 clients are drawn") || !strings.HasPrefix(v.Trace, tracesPath+"?") || strings.Count(v.Trace, "&p=") != 1 {
			t.Errorf("%s: %q, from %s", v.ID, v.Note, v.Trace)
		}
	}
}

func TestEmbeddedStages(t *testing.T) {
	s := newTestServer(nil)
	res := ask(s, "GET", embedStagePath+"?clients.count=20&show=exponential", "")
	body := string(bodyOf(t, res))
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors *") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
	if n := strings.Count(body, "<figure class=\"stage"); n != 1 || !strings.Contains(body, `href="http://example.com/?clients.count=20&amp;show=exponential&amp;tab=watch"`) {
		t.Errorf("%d stages; %.500s", n, body[strings.Index(body, "<footer"):])
	}
	for query, want := range map[string]string{"?show=nobody": "must be the id of one of the policies", "?clients.count=x": "clients", "?at=soon": "must be a number of seconds", "?speed=21": "must be a number from 0.1 to 20", "?speed=NaN": "must be a number from 0.1 to 20", "?%": ""} {
		if res := ask(s, "GET", embedStagePath+query, ""); res.StatusCode < 400 || res.StatusCode >= 500 || !strings.Contains(string(bodyOf(t, res)), want) {
			t.Errorf("%s: status %d", query, res.StatusCode)
		}
	}
	if policy := ask(s, "GET", "/?tab=watch&clients.count=20", "").Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the page itself: %s", policy)
	}
}

// What is shared from the tab leads to the stages it shows.
func TestStagesAreShared(t *testing.T) {
	s := newTestServer(nil)
	body := string(bodyOf(t, ask(s, "GET", "/?tab=watch&clients.count=20&replications=1&show=exponential", "")))
	if !strings.Contains(body, "http://example.com/embed/stage?clients.count=20&amp;amp;replications=1&amp;amp;show=exponential") {
		t.Errorf("nothing to frame the stage with: %.600s", body[strings.Index(body, `id="share"`):])
	}
	if res := ask(s, "GET", "/embed/stage?clients.count=20&replications=1&show=exponential", ""); res.StatusCode != http.StatusOK {
		t.Errorf("status %d", res.StatusCode)
	}
}
