package web

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/templates"
)

const (
	exportText = "exponential,base=100ms,cap=10s,jitter=full,maxAttempts=9"
	exportJSON = `{"schedule": {"kind": "exponential", "base": "100ms"}, "cap": "10s", "jitter": {"kind": "full"}, "maxAttempts": 9}`
	exportPath = "/export?p=" + exportText + "&format=grpc"
)

// A policy in the query and the same in the body give the same answer, in every format.
func TestExportIsTheSameByGetAndPost(t *testing.T) {
	s := newTestServer(nil)
	for _, id := range export.IDs() {
		get := ask(s, "GET", "/api/v1/policies/export?format="+id+"&p="+url.QueryEscape(exportText), "")
		post := ask(s, "POST", "/api/v1/policies/export?format="+id, exportJSON)
		body := bodyOf(t, get)
		if other := bodyOf(t, post); get.StatusCode != 200 || string(body) != string(other) {
			t.Errorf("%s: GET %d %s\nPOST %d %s", id, get.StatusCode, body, post.StatusCode, other)
		}
		wantValid(t, "Export", body)
	}
}

func TestExportSaysWhatIsLost(t *testing.T) {
	res := ask(newTestServer(nil), "GET", "/api/v1/policies/export?format=grpc&p="+exportText, "")
	var file export.File
	if err := json.Unmarshal(bodyOf(t, res), &file); err != nil {
		t.Fatal(err)
	}
	lost := map[string]string{}
	for _, l := range file.Lossy {
		lost[l.Field] = l.Wanted + " → " + l.Written
	}
	if lost["maxAttempts"] != "9 → 5" || lost["jitter"] != "full → percentage,fraction=0.2" || file.Does.MaxAttempts != 5 {
		t.Errorf("lost %v, does %s", lost, file.Does.Text())
	}
	if file.Name != "exponential-full-service-config.json" {
		t.Errorf("the file is called %s", file.Name)
	}
}

// As a file it is the text alone, to be saved under a name of its own.
func TestExportAsFile(t *testing.T) {
	res := ask(newTestServer(nil), "GET", "/api/v1/policies/export?format=grpc&as=file&p="+exportText, "")
	body := string(bodyOf(t, res))
	if !strings.HasPrefix(body, "{\n  \"methodConfig\"") || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: %s", res.Header.Get("Content-Type"), body)
	}
	if got := res.Header.Get("Content-Disposition"); got != "attachment; filename=stampede-exponential-full-service-config.json" {
		t.Errorf("Content-Disposition: %s", got)
	}
}

func TestExportRefuses(t *testing.T) {
	s := newTestServer(nil)
	for _, c := range []struct {
		method, query, body string
		status              int
		says                string
	}{
		{"GET", "format=grpc&p=immediate,maxAttempts=3", "", 422, "does not wait before the first"},
		{"GET", "format=grpc&p=constant,base=1s,maxAttempts=1", "", 422, "try only once"},
		{"GET", "format=nosuch&p=" + exportText, "", 422, "format must be one of stampede, grpc"},
		{"GET", "format=grpc", "", 422, "there are 0"},
		{"GET", "format=grpc&p=immediate&p=immediate", "", 422, "there are 2"},
		{"GET", "format=grpc&p=constant", "", 422, "schedule: base is required"},
		{"GET", "format=grpc&p=immediate,breaker.failures=0", "", 422, "breaker: failures must be at least 1, not 0"},
		{"GET", "format=grpc&as=pdf&p=" + exportText, "", 422, "as must be one of json, file"},
		{"GET", "format=grpc&x=1&p=" + exportText, "", 422, "no parameter"},
		{"GET", "%zz", "", 400, "malformed"},
		{"POST", "format=grpc", "[", 400, "not JSON"},
		{"POST", "format=grpc", `{"schedule": {"kind": "constant", "base": "-1s"}}`, 422, "/schedule/base"},
		{"POST", "format=nosuch", `{"schedule": {"kind": "constant"}}`, 422, "format must be"},
	} {
		res := ask(s, c.method, "/api/v1/policies/export?"+c.query, c.body)
		if body := string(bodyOf(t, res)); res.StatusCode != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s %s: %d %s, want %d and %q", c.method, c.query, res.StatusCode, body, c.status, c.says)
		}
	}
}

// A tenth of U[0, 10 s] is beyond 5 % and 95 %, half of it within 2.5 s and 7.5 s. Of U[0, 20 s] a quarter is cut to 15 s, so
// that it is there from the upper quartile on; the mean falls short by 15²/2/20 = 5.625 s.
func TestExportDrawsDistributions(t *testing.T) {
	policy := func(text string) strategies.Policy {
		p, err := strategies.ParseText(text)
		must(t, err)
		return p
	}
	rows := waitsOf(policy("constant,base=10s,jitter=full"), policy("constant,base=20s,cap=15s,growsPastCap=true,jitter=full,maxAttempts=2"))
	bars := func(r templates.Range) (said string) {
		for _, b := range r.Bars {
			said += b.Class + " " + b.From + " " + b.Width + ", "
		}
		return said + "mean " + r.Centre
	}
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for got, want := range map[string]string{
		bars(rows[0].Asked): "all 0.00 66.67, most 3.33 60.00, half 16.67 33.33, mean 33.33",
		bars(rows[0].Does):  "all 0.00 99.00, most 6.67 93.33, half 33.33 66.67, mean 62.50",
		plainSpaces.Replace(rows[0].Asked.AtCap + "|" + rows[0].Does.AtCap): "|25.0 % exactly 15 s",
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// The page has everything without a script: the text, what is lost, links to the other formats, to the file and back.
func TestExportPage(t *testing.T) {
	s := newTestServer(nil)
	page := string(bodyOf(t, ask(s, "GET", exportPath, "")))
	for _, want := range []string{
		"gRPC service config", "&#34;maxAttempts&#34;: 5", "<th scope=\"row\">maxAttempts</th>", "aria-current=\"page\"",
		"/api/v1/policies/export?as=file&amp;format=grpc&amp;p=exponential", "curl -o exponential-full-service-config.json",
		"/?p=exponential,base=100ms", "How it will wait",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(page, `href="/export?`); n != len(export.Formats) {
		t.Errorf("%d links to %d formats", n, len(export.Formats))
	}
	for path, want := range map[string]string{
		"/export": "A policy as text", "/export?p=immediate&format=grpc": "cannot be written so", "/export?p=nosuch": "must be one of",
		"/export?p=" + exportText + "&format=nosuch": "must be one of stampede, grpc",
		"/export?p=" + exportText:                    "Nothing is lost",
	} {
		if page := string(bodyOf(t, ask(s, "GET", path, ""))); !strings.Contains(page, want) {
			t.Errorf("%s: %q is missing", path, want)
		}
	}
}
