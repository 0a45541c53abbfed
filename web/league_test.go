package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

const ownInLeague = "/league?p=exponential,base=500ms,cap=20s,jitter=full,name=Ours"

// Every library has a row, marked with what it rests on; the own policy is among them, and links open the same run.
func TestLeague(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	for _, d := range divisions {
		page := string(bodyOf(t, ask(s, "GET", "/league?scenario="+d.id, "")))
		if d.id == "outage" {
			page = string(bodyOf(t, ask(s, "GET", "/league", "")))
		}
		for _, l := range strategies.Libraries() {
			_, row, ok := strings.Cut(page, `id="row-`+l.Policy.ID+`"`)
			row, _, _ = strings.Cut(row, "</tr>")
			_, tested := l.Conformance()
			if !ok || tested != strings.Contains(row, `class="tested">conformance-tested`) || tested == strings.Contains(row, "read from its code or documentation") {
				t.Errorf("%s: the row of %s does not say what it rests on", d.id, l.Policy.ID)
			}
		}
	}
	page := string(bodyOf(t, ask(s, "GET", ownInLeague, "")))
	rank := fmt.Sprintf("of %d by its requests", len(strategies.Libraries())+1)
	for _, want := range []string{`id="row-yours"`, "Ours", "Yours ranks ", rank, `property="og:image" content="http://example.com/league.png?p=`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

// The API has the page's rows in the page's order, with what each rests on, and the reader's own.
func TestLeagueThroughTheAPI(t *testing.T) {
	s := newTestServer(nil)
	const query = "?by=server&p=exponential,base=500ms,cap=20s,jitter=full,name=Ours"
	body := bodyOf(t, ask(s, "GET", "/api/v1/league"+query, ""))
	wantValid(t, "League", body)
	var got struct {
		Says string
		Rows []struct {
			Policy  strategies.Policy
			Metrics map[string]sim.Metric
			Library *leagueLibrary
		}
	}
	must(t, json.Unmarshal(body, &got))
	page := string(bodyOf(t, ask(s, "GET", "/league"+query, "")))
	if len(got.Rows) != len(strategies.Libraries())+1 || !strings.Contains(plainSpaces.Replace(page), got.Says) {
		t.Errorf("%d rows, and says %q", len(got.Rows), got.Says)
	}
	for i, row := range got.Rows {
		id := row.Policy.ID
		if row.Library == nil {
			id = ownID
		}
		_, rest, ok := strings.Cut(page, `id="row-`+id+`"`)
		if page = rest; !ok {
			t.Errorf("row %d, of %s, is elsewhere on the page", i, id)
		}
		if want, ok := leagueResults["outage"][id]; ok && !reflect.DeepEqual(row.Metrics, want) {
			t.Errorf("%s: %v, want %v", id, row.Metrics, want)
		}
		if len(row.Metrics) != len(leagueMetrics) {
			t.Errorf("%s has %d metrics", id, len(row.Metrics))
		}
	}
	for query, says := range map[string]string{"?scenario=flood": "scenario must be outage or rate-limit or failover", "?by=luck": "by must be requests or server", "?p=sometimes": "?p", "?x=1": "no parameter"} {
		res := ask(s, "GET", "/api/v1/league"+query, "")
		if body := string(bodyOf(t, res)); res.StatusCode != 422 || !strings.Contains(body, says) {
			t.Errorf("%s: %d %s", query, res.StatusCode, body)
		}
	}
}

// The order follows the heading, and ranks do not rise against the figures.
func TestLeagueOrder(t *testing.T) {
	for _, byServer := range []bool{false, true} {
		st := leagueState{division: divisions[0], byServer: byServer}
		rows := st.table(nil)
		for i := range rows[1:] {
			a, b := rows[i], rows[i+1]
			if byServer {
				if a.server.rank > b.server.rank {
					t.Errorf("%s before %s", a.policy.ID, b.policy.ID)
				}
			} else if a.requests.rank > b.requests.rank || a.requests.rank < b.requests.rank && *a.requests.Metrics.Get("successRate").Mean < *b.requests.Metrics.Get("successRate").Mean {
				t.Errorf("%s before %s", a.policy.ID, b.policy.ID)
			}
		}
	}
}

// What the page says of the own policy is what the API gives for the same scenario.
func TestLeagueOwnIsSimulated(t *testing.T) {
	st := leagueState{division: divisions[0], own: &strategies.Libraries()[0].Policy}
	s := newTestServer(nil)
	own, err := s.simulate(t.Context(), st.trial(), options{})
	must(t, err)
	for _, e := range st.table(own) {
		if e.library != nil && e.policy.ID == st.own.ID {
			for _, m := range e.requests.Metrics {
				got := own.Results[0].Metrics.Get(m.Name)
				if got.Mean == nil != (m.Mean == nil) || m.Mean != nil && *got.Mean != *m.Mean {
					t.Errorf("%s: yours and the library's differ, though they are the same policy", m.Name)
				}
			}
		}
	}
}

// Faults come together, nothing that was sent is lost, and the rows stay.
func TestLeagueFaults(t *testing.T) {
	s := newTestServer(nil)
	res := ask(s, "GET", "/league?scenario=moon&by=luck&x=1&p=exponential,base=never", "")
	page := string(bodyOf(t, res))
	for _, want := range []string{"scenario must be outage or rate-limit or failover, not", "by must be requests or server", "there is no parameter", "base must be a duration", `value="exponential,base=never"`, `id="row-polly"`} {
		if res.StatusCode != 422 || !strings.Contains(strings.ToLower(page), strings.ToLower(want)) {
			t.Errorf("%d without %s", res.StatusCode, want)
		}
	}
	if res := ask(s, "GET", "/league?scenario=outage&by=requests&p=", ""); res.Header.Get("Location") != "/league" {
		t.Errorf("leads to %q", res.Header.Get("Location"))
	}
	wantProblem(t, ask(s, "GET", "/league.png?width=1&p=x", ""), 422)
}

// The page says why the reader's own policy has no row, whatever the reason is.
func TestLeagueSaysWhyThereIsNoOwnRow(t *testing.T) {
	s := newTestServer(nil)
	s.maxEvents = 1
	wants := func(why string, res *http.Response, status int, says string) {
		t.Helper()
		page := string(bodyOf(t, res))
		if res.StatusCode != status || !strings.Contains(page, `role="alert"`) || !strings.Contains(page, says) || !strings.Contains(page, `id="row-polly"`) {
			t.Errorf("%s: %d, and the page does not say %q", why, res.StatusCode, says)
		}
	}
	const own = "/league?p=constant,base=1s"
	wants("too costly", ask(s, "GET", own, ""), 422, "at most 1 are allowed")
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
	wants("busy", ask(s, "GET", own, ""), 503, "Every simulation slot is taken")
	wants("no form", ask(s, "POST", "/league", "{}"), 415, "A form must be sent as multipart/form-data.")
	wants("half a form", ask(s, "POST", "/league", "--x", "Content-Type", "multipart/form-data; boundary=x"), 400, "The body ended early.")
}

// post sends a document as the page's form does.
func postLeague(t *testing.T, s *Server, path, document string) (status int, location, page string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(t, form.WriteField("document", document))
	must(t, form.Close())
	r := httptest.NewRequest("POST", path, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Header().Get("Location"), w.Body.String()
}

func TestLeagueReadsDocuments(t *testing.T) {
	s := newTestServer(nil)
	code, location, _ := postLeague(t, s, "/league?scenario=rate-limit", `{"schedule": {"kind": "constant", "base": "2s"}, "maxAttempts": 4}`)
	if code != 303 || location != "/league?p=constant,base=2s,maxAttempts=4&scenario=rate-limit" {
		t.Errorf("%d %s", code, location)
	}
	code, _, page := postLeague(t, s, "/league", `{"retry_on": "5xx", "num_retries": 3, "retry_back_off": {"base_interval": "0.5s"}}`)
	if code != 200 || !strings.Contains(page, `id="notes"`) || !strings.Contains(page, `id="row-yours"`) || !strings.Contains(page, "5s") {
		t.Errorf("%d: Envoy's defaults are not told", code)
	}
	code, _, page = postLeague(t, s, "/league", `{"schedule": {"kind": "constant"}, "cap": "x"`)
	if code != 422 || !strings.Contains(page, `role="alert"`) || !strings.Contains(page, "&#34;cap&#34;: &#34;x&#34;") {
		t.Errorf("%d: what was sent is lost", code)
	}
}

func TestLeaguePicture(t *testing.T) {
	s := newTestServer(nil)
	for _, path := range []string{"/league.png", strings.Replace(ownInLeague, "?", ".png?theme=dark&width=600&", 1)} {
		res := ask(s, "GET", path, "")
		image, err := png.Decode(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := image.Bounds().Dx(), map[bool]int{true: 1200, false: 600}[path == "/league.png"]; got != want {
			t.Errorf("%d px wide, want %d", got, want)
		}
	}
}

// The excerpt has the own row and its neighbours, the best and the last, in order.
func TestLeagueExcerpt(t *testing.T) {
	rows := make([]templates.LeagueRow, 32)
	for i := range rows {
		rows[i].ID = string(rune('A' + i))
	}
	for _, own := range []int{-1, 0, 5, 20, 31} {
		for i := range rows {
			rows[i].Own = i == own
		}
		picked, cut := leagueExcerpt(rows)
		ids, has := "", false
		for _, row := range picked {
			ids, has = ids+row.ID, has || row.Own
		}
		if len(picked) != pictureRows || has != (own >= 0) || !strings.HasPrefix(ids, "ABC") || picked[len(picked)-1].ID != rows[31].ID || len(cut) == 0 {
			t.Errorf("own row %d: %s, %v", own, ids, cut)
		}
	}
}
