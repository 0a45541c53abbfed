package web

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

const envoyJSON = `{"retry_on": "connect-failure,refused-stream,reset", "num_retries": 3, "retry_back_off": {"base_interval": "0.1s"}}`

func TestImportThroughTheAPI(t *testing.T) {
	s := newTestServer(nil)
	body := bodyOf(t, ask(s, "POST", "/api/v1/policies/import", envoyJSON))
	wantValid(t, "Import", body)
	var got struct {
		Format, Text string
		Notes        []string
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	const want = "exponential,base=100ms,cap=1s,jitter=full,maxAttempts=4,retryOn=unavailable/timeout,retryAfter=ignore"
	if got.Format != "envoy" || got.Text != want || !strings.Contains(strings.Join(got.Notes, "\n"), "maxInterval is not given: 1s") {
		t.Errorf("got %s", body)
	}
	for _, c := range []struct {
		query, body string
		status      int
		says        string
	}{
		{"?format=grpc", envoyJSON, 422, "looks like Envoy RetryPolicy, not gRPC"},
		{"?format=istio", envoyJSON, 422, "format must be one of"},
		{"?x=1", envoyJSON, 422, "no parameter"},
		{"", "apiVersion: v1\n", 400, "looks like YAML"},
		{"", `{"num_retries": 3, "numRetries": 3}`, 422, "given twice"},
		{"", strings.Repeat(" ", 2<<20), 413, ""},
	} {
		res := ask(s, "POST", "/api/v1/policies/import"+c.query, c.body)
		if body := string(bodyOf(t, res)); res.StatusCode != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s %.40s: %d %s", c.query, c.body, res.StatusCode, body)
		}
	}
}

// A deadline before the first retry is read, and warned of.
func TestImportWarns(t *testing.T) {
	const document = `{"methodConfig": [{"timeout": "0.01s", "retryPolicy": {"maxAttempts": 3, "initialBackoff": "1s", "maxBackoff": "1s", "retryableStatusCodes": ["UNAVAILABLE"]}}]}`
	body := string(bodyOf(t, ask(newTestServer(nil), "POST", "/api/v1/policies/import", document)))
	if !strings.Contains(body, "the deadline of 10ms is shorter than the first wait, at least 800ms: nothing is ever retried") {
		t.Error(body)
	}
}

// Our own scenarios are none of a real system's configurations, though they have policies within.
func TestScenariosAreNotTakenForConfigurations(t *testing.T) {
	for _, p := range sim.Presets() {
		s := opening()
		document, err := json.Marshal(p.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.take(string(document)); err != nil || len(s.notes) > 0 || !reflect.DeepEqual(s.scenario, p.Scenario) {
			t.Errorf("%s: %v, notes %q", p.ID, err, s.notes)
		}
	}
}

// What is pasted and cannot be read is told what it looks like.
func TestPastedTextIsGuessed(t *testing.T) {
	for document, says := range map[string]string{
		"apiVersion: v1\nkind: X\n":                "looks like YAML",
		"[default]\nretry_mode = standard\n":       "[sections]",
		"import { retry } from 'cockatiel'":        "looks like a program",
		"<beans/>":                                 "looks like XML",
		"// three\n{\"maximumAttempts\": 3}":       "no comments",
		"{\"maximumAttempts\": 3 // three\n}":      "no comments",
		`{"http": [{"retries": {"attempts": 3}}]}`: "looks like Istio VirtualService",
		"expnential,base=1s":                       "kind must be one of",
		"immediate,name=a//b,x=1":                  "unknown field",
	} {
		s := opening()
		if err := s.take(document); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", document, err, says)
		}
	}
	s := opening()
	if err := s.take(`[{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 2}]`); err != nil || s.scenario.Policies[len(s.scenario.Policies)-1].Name != "AWS Step Functions Retry" {
		t.Errorf("a list of retriers: %v", err)
	}
}

// A real system's configuration can be pasted on the page like any other document.
func TestConfigurationIsPasted(t *testing.T) {
	s := opening()
	n := len(s.scenario.Policies)
	if err := s.take(envoyJSON); err != nil || len(s.scenario.Policies) != n+1 {
		t.Fatalf("%d policies (%v), want %d", len(s.scenario.Policies), err, n+1)
	}
	if p := s.scenario.Policies[n]; p.Jitter.Kind != "full" || p.MaxAttempts != 4 || p.Name != "Envoy RetryPolicy" {
		t.Errorf("added %s", p.Text())
	}
	if !strings.Contains(strings.Join(s.notes, "\n"), "maxInterval is not given: 1s") {
		t.Errorf("notes %q", s.notes)
	}
	// Without the script they stand on the page that the form leads to; another change is without them.
	edited, err := opening().edit(url.Values{"document": {envoyJSON}})
	if err != nil || len(edited.notes) == 0 {
		t.Fatalf("%v, %q", err, edited.notes)
	}
	if page := formOf(edited); !page.Adding.Open || len(page.Adding.Notes) != len(edited.notes) {
		t.Errorf("the page has %+v", page.Adding.Notes)
	}
	if next, err := edited.edit(url.Values{"do": {"remove:every-second"}}); err != nil || len(next.notes) > 0 {
		t.Errorf("%v, %q", err, next.notes)
	}
	if err := s.take(`{"retry_on": "sometimes"}`); err == nil || !strings.Contains(err.Error(), "nothing is retried on") {
		t.Errorf("got %v", err)
	}
}
