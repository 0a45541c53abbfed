package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

// hosted asks a host for a path, as a browser does.
func hosted(s http.Handler, host, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Host = host
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// meta are the page's meta elements by name or property, and its canonical link.
func meta(page string) map[string]string {
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`<(?:meta (?:property|name)|link rel)="([\w:-]+)" (?:content|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		found[m[1]] = html.UnescapeString(m[2])
	}
	return found
}

func TestLinkPreviews(t *testing.T) {
	s := quick()
	page := hosted(s, "stampede.example.org:8080", "/?clients.count=300&show=exponential&tab=delays").Body.String()
	got := meta(page)
	const origin = "http://stampede.example.org:8080"
	for name, want := range map[string]string{
		"canonical": origin + "/?clients.count=300&show=exponential&tab=delays", "og:url": origin + "/?clients.count=300&show=exponential&tab=delays",
		"og:image": origin + "/chart.png?clients.count=300", "twitter:image": origin + "/chart.png?clients.count=300",
		"og:title": "300\u00a0clients lose a server for 10\u00a0s", "og:type": "website", "twitter:card": "summary_large_image",
		"og:image:width": "1200", "og:image:height": "630",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if says := got["og:description"]; !strings.Contains(says, "300\u00a0clients") || got["description"] != says || got["twitter:description"] != says {
		t.Errorf("descriptions: %q, %q, %q", says, got["description"], got["twitter:description"])
	}
	if res := ask(s, "GET", got["og:image"], ""); res.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the picture is %d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
}

func TestLinkPreviewsNameNoForeignHost(t *testing.T) {
	s := quick()
	page := hosted(s, `evil"><script>`, "/").Body.String()
	if got := meta(page); got["og:image"] != "" || got["canonical"] != "" || strings.Contains(page, "evil") || got["og:title"] == "" {
		t.Errorf("with a host that is none: %v", got)
	}
	s.baseURL = "https://stampede.example.org"
	if got := meta(hosted(s, "internal:8080", "/").Body.String()); got["og:image"] != "https://stampede.example.org/chart.png" || got["canonical"] != "https://stampede.example.org/" {
		t.Errorf("with a base URL: %v", got)
	}
}

func TestNoPictureOfWhatFailed(t *testing.T) {
	s := quick()
	s.maxEvents = 10
	page := hosted(s, "example.org", "/?seed=3").Body.String()
	if got := meta(page); got["og:image"] != "" || got["canonical"] == "" || strings.Contains(page, `id="share"`) {
		t.Errorf("without results: %v", got)
	}
}

func TestSnippets(t *testing.T) {
	const query = "clients.count=50&p=constant,base=1s,id=a,name=" + `%5Bx%5D%3Cb%3E%7C"` + "&p=exponential,base=1s"
	st, err := parseState(must2(url.ParseQuery(query)))
	must(t, err)
	share := newTestServer(nil).shareOf(httptest.NewRequest("GET", "https://example.org/", nil), st, []string{"A."})
	texts := map[string]string{}
	for _, s := range share.Snippets {
		texts[s.ID] = s.Text
	}
	if texts["link"] != share.Page || !strings.HasPrefix(share.Page, "https://example.org/?clients.count=50&p=") {
		t.Errorf("link %s", texts["link"])
	}
	picture := regexp.MustCompile(`^\[!\[50\x{a0}clients lose a server for 10\x{a0}s\]\((https://example.org/chart.png\?[^()\s]+)\)\]\((https://example.org/\?[^()\s]+)\)$`).FindStringSubmatch(texts["markdown"])
	if picture == nil || picture[1] != share.Picture || picture[2] != share.Page {
		t.Errorf("Markdown %s", texts["markdown"])
	}
	frame := regexp.MustCompile(`^<iframe src="([^"]+)" title="([^"<>]+)" width="100%" height="\d+" loading="lazy" frameborder="0"></iframe>$`).FindStringSubmatch(texts["frame"])
	if frame == nil || strings.Replace(html.UnescapeString(frame[1]), "/embed", "/", 1) != share.Page {
		t.Errorf("frame %s", texts["frame"])
	}
}

func must2[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func TestEmbed(t *testing.T) {
	s := quick()
	w := hosted(s, "example.org", "/embed?clients.count=300&marks=b")
	page, h := w.Body.String(), w.Header()
	if w.Code != http.StatusOK || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors *") || h.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Fatalf("status %d, %v", w.Code, h)
	}
	if len(h.Values("Set-Cookie")) > 0 || strings.Contains(page, "<script") || strings.Contains(page, "<button") || strings.Contains(page, "style=") {
		t.Error("it has a cookie, a script, a button or an inline style")
	}
	for _, want := range []string{`href="http://example.org/?clients.count=300&amp;marks=b"`, "300\u00a0clients lose", `class="strip"`, "Exponential, full jitter"} {
		if !strings.Contains(page, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	w = hosted(s, "example.org", "/embed?clients.count=-1")
	if page := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(page, "<b>clients.count</b>") || strings.Contains(page, `class="strip"`) {
		t.Errorf("status %d: %s", w.Code, page)
	}
	if csp := hosted(s, "example.org", "/").Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the page itself may be framed: %s", csp)
	}
}

func TestMarkdownTable(t *testing.T) {
	s := newTestServer(nil)
	res := ask(s, "GET", "/api/v1/export/table.md?clients.count=100&replications=3&p=constant,base=1s,id=a,name="+url.QueryEscape("a|b <b>*x*</b> [l](u)")+"&p=exponential,base=100ms,jitter=full,cap=10s,id=b", "")
	text := string(bodyOf(t, res))
	if res.Header.Get("Content-Type") != "text/markdown; charset=utf-8" || res.Header.Get("Content-Disposition") != "attachment; filename=stampede-table.md" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	_, table, found := strings.Cut(text, "\n\n| | Policy | Served | Crashes | 99\u00a0% within | Attempts each |\n|--:|:--|--:|--:|--:|--:|\n")
	rows := strings.Split(table, "\n")
	if !found || len(rows) != 7 {
		t.Fatalf("the table is\n%s", text)
	}
	unescaped := regexp.MustCompile(`(^|[^\\])\|`)
	for _, row := range rows[:2] {
		if n := len(unescaped.FindAllString(row, -1)); n != 7 {
			t.Errorf("%d borders in %s", n, row)
		}
	}
	if !strings.Contains(text, `a\|b \<b\>\*x\*\</b\> \[l\]\(u\)`) {
		t.Errorf("the name is not escaped:\n%s", text)
	}
	link := regexp.MustCompile(`\n\[Open in Stampede\]\(http://[^/]+/\?([^)\s]*)\)\n$`).FindStringSubmatch(text)
	if link == nil {
		t.Fatalf("no link back:\n%s", text)
	}
	query, err := url.ParseQuery(link[1])
	must(t, err)
	if sc, err := sim.ParseQuery(query); err != nil || sc.Clients.Count != 100 || sc.Policies[0].Name != "a|b <b>*x*</b> [l](u)" {
		t.Errorf("the link leads to %s (%v)", link[1], err)
	}
	r := simulated(t, "clients.count=100&replications=3&p=constant,base=1s,id=a&p=exponential,base=100ms,jitter=full,cap=10s,id=b")
	for _, row := range results(r, stateFor(r)).Rows {
		for _, f := range row.Figures {
			if !strings.Contains(text, strings.TrimSpace(f.Value+nbsp+f.Unit)) || !strings.Contains(text, f.Interval) {
				t.Errorf("%s: no %s %s (%s)", row.Name, f.Value, f.Unit, f.Interval)
			}
		}
	}
}
