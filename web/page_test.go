package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// get asks for the page; script says who asks.
func get(s http.Handler, query string, script bool) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.RawQuery = query
	if script {
		r.Header.Set("Accept", "text/html, text/event-stream")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// quick is a server whose runs are as short as they can be.
func quick() *Server {
	s := newTestServer(nil)
	run := s.run
	s.run = func(ctx context.Context, r sim.Runner, sc *sim.Scenario, p sim.Progress) (*sim.Result, error) {
		short := *sc
		short.Replications = min(sc.Replications, 2)
		result, err := run(ctx, r, &short, p)
		if result != nil {
			result.Scenario = sc
		}
		return result, err
	}
	return s
}

func TestPageOpensOnTheDefaultScenario(t *testing.T) {
	w := get(quick(), "", false)
	page := w.Body.String()
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %s", w.Code, w.Header().Get("Content-Type"))
	}
	for _, p := range sim.Default().Policies {
		if !strings.Contains(page, html.EscapeString(p.Name)) {
			t.Errorf("no row for %s", p.Name)
		}
	}
	for _, want := range []string{"1000\u00a0clients lose a server for 10\u00a0s", `<path class="served"`, `<table>`, `href="/api/v1/export/table.csv"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "style=") || regexp.MustCompile(`<script(>| type="text/javascript")`).MatchString(page) {
		t.Error("there are inline styles or scripts")
	}
}

func TestScriptGetsThePartThatChanges(t *testing.T) {
	s := quick()
	full := get(s, "", false).Body.String() // with what it runs now at hand, the script gets no events
	w := get(s, "", true)
	if body := w.Body.String(); !strings.HasPrefix(body, `<main id="main"`) || strings.Contains(body, "<html") {
		t.Errorf("the script gets %.60s…", body)
	}
	if w.Header().Get("Cache-Control") != "no-store" || !slices.Contains(w.Header().Values("Vary"), "Accept") {
		t.Errorf("a cache could mix this up with the page: %v", w.Header())
	}
	kept := regexp.MustCompile(`(?s)<section id="what-if".*?</section>`) // by its script
	if !strings.Contains(kept.ReplaceAllString(full, `<section id="what-if" data-keep></section>`), w.Body.String()) {
		t.Error("the page does not hold the very part that the script gets")
	}
}

// Whatever the form sends leads to a canonical address, which says only what differs from the opening scenario.
func TestFormLeadsToTheCanonicalAddress(t *testing.T) {
	simtest.PlainRunOnly(t)
	seven := url.Values{"from": {""}}
	for _, p := range sim.Default().Policies[1:] {
		seven.Add("do", "remove:"+p.ID)
	}
	for _, c := range []struct {
		what string
		form url.Values
		want string
	}{
		{"nothing changed", url.Values{"from": {""}, "clients.count": {"1000"}}, "/"},
		{"a field", url.Values{"from": {""}, "clients.count": {"2000"}}, "/?clients.count=2000"},
		{"back to the opening one", url.Values{"from": {"clients.count=2000"}, "clients.count": {"1000"}}, "/"},
		{"a field that stays is no change", url.Values{"from": {"clients.count=2000"}, "clients.count": {"2000"}, "seed": {"7"}}, "/?clients.count=2000&seed=7"},
		{"all at once to 5 s", url.Values{"from": {""}, "lose": {"5s"}}, "/?clients.workload.spread=5s"},
		{"steady traffic at 0.8 of the capacity", url.Values{"from": {""}, "do": {"workload:open"}}, "/?clients.workload.kind=open&clients.workload.rate=160"},
		{"clients that ask again, 160 a second", url.Values{"from": {""}, "do": {"workload:closed"}},
			"/?clients.workload.kind=closed&clients.workload.think.kind=exponential&clients.workload.think.mean=6.25s"},
		{"down for 30 s", url.Values{"from": {""}, "down": {"30"}}, "/?server.outages.0.end=30s"},
		{"down with its unit", url.Values{"from": {""}, "down": {"1m"}}, "/?server.outages.0.end=1m"},
		{"never down", url.Values{"from": {""}, "down": {"0"}}, "/?server.outages="},
		{"300 a second: 30 workers of 100 ms, 2 s of queue", url.Values{"from": {""}, "serves": {"300"}}, "/?server.queue=600&server.workers=30"},
		{"turns clients away", url.Values{"from": {""}, "full": {""}}, "/?server.crash="},
		{"crashes again", url.Values{"from": {"server.crash="}, "full": {"queueFull"}}, "/"},
		{"untouched control in plain words", url.Values{"from": {"server.workers=30"}, "serves": {"300"}, "server.workers": {"40"}}, "/?server.workers=40"},
		{"show", url.Values{"from": {""}, "do": {"show:every-second&exponential"}}, "/?show=every-second&show=exponential"},
		{"a tab", url.Values{"from": {"seed=7"}, "do": {"tab:delays"}}, "/?seed=7&tab=delays"},
		{"the first tab goes without saying", url.Values{"from": {"tab=delays"}, "do": {"tab:served"}}, "/"},
		{"one left", seven, "/?p=constant,base=1s,id=every-second,name=Every+second"},
	} {
		w := get(quick(), c.form.Encode(), false)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != c.want {
			t.Errorf("%s: %d %s, want %s", c.what, w.Code, got, c.want)
			continue
		}
		if again := get(quick(), strings.TrimPrefix(strings.TrimPrefix(c.want, "/"), "?"), false); again.Code != http.StatusOK {
			t.Errorf("%s: %s is answered %d", c.what, c.want, again.Code)
		}
	}
}

func edited(t *testing.T, from string, form url.Values) state {
	t.Helper()
	query, err := url.ParseQuery(from)
	must(t, err)
	before, err := parseState(query)
	must(t, err)
	after, err := before.edit(form)
	must(t, err)
	return after
}

func TestAllPoliciesChangeTogether(t *testing.T) {
	st := edited(t, "", url.Values{"allFirst": {"250ms"}, "allGrowth": {"3"}, "allCap": {"20s"}, "allAttempts": {"7"}})
	for _, p := range st.scenario.Policies {
		if got := fmt.Sprint(p.Schedule.Args["base"], p.Cap, p.MaxAttempts); got != "250ms 20s 7" {
			t.Errorf("%s: %s", p.ID, got)
		}
		if factor, ok := p.Schedule.Args["factor"]; ok && factor != 3.0 {
			t.Errorf("%s grows by %v", p.ID, factor)
		}
	}
	if text, _ := common(st.scenario, "schedule.base"); text != "250ms" {
		t.Errorf("they have %q in common", text)
	}
	if text, n := common(sim.Default(), "schedule.base"); text != "" || n == 0 {
		t.Errorf("the opening policies have %q in common", text)
	}
}

func TestPoliciesComeAndGo(t *testing.T) {
	st := edited(t, "", url.Values{"do": {"remove:exponential", "add:fibonacci,base=1s", "add:fibonacci,base=2s"}})
	var ids []string
	for _, p := range st.scenario.Policies {
		ids = append(ids, p.ID)
	}
	if n := len(ids); n != 9 || slices.Contains(ids, "exponential") || ids[7] != "fibonacci" || ids[8] != "fibonacci-2" {
		t.Errorf("the policies are %v", ids)
	}
	st = edited(t, "", url.Values{"do": {"add:exponential,base=1s,id=exponential,name=Every second"}})
	if p := st.scenario.Policies[8]; p.ID != "exponential-2" || p.Name != "Every second (2)" {
		t.Errorf("a second one of that id and name is %s, %s", p.ID, p.Name)
	}
	add := url.Values{}
	for range 4 {
		add.Add("do", "add:fibonacci,base=1s")
	}
	if st = edited(t, "", add); len(st.scenario.Policies) != maxRows {
		t.Fatalf("%d policies", len(st.scenario.Policies))
	}
	if _, err := st.edit(url.Values{"do": {"add:fibonacci,base=1s"}}); err == nil {
		t.Error("a thirteenth policy is let in")
	}
	if formOf(st).Adding.Offers.Full == "" {
		t.Error("the page offers a thirteenth")
	}
}

// What can be added goes with an answer only where the policies have changed: it is a large part of a page.
func TestOffersComeWithOtherPolicies(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := quick()
	for form, want := range map[string]bool{
		"":                                   true, // an address
		"from=&clients.count=900":            false,
		"from=&do=open:exponential":          false,
		"from=&clients.count=no":             true, // a page with faults stands for itself
		"from=&do=add:fibonacci,base=1s":     true,
		"from=&do=remove:exponential":        true,
		"from=clients.coun%3D5&seed=3":       true,
		"from=p%3Dimmediate&p=x&seed=3&do=x": true,
	} {
		page := get(s, form, true).Body.String()
		if whole := strings.Contains(page, "Schedules and jitters"); whole != want || strings.Contains(page, "data-kept") == want {
			t.Errorf("%q brings them: %v", form, whole)
		}
		if page := get(s, form, false).Body.String(); strings.Contains(page, "data-kept") {
			t.Errorf("%q lacks them without the script", form)
		}
	}
}

// Every button and every choice that the form offers works, and so does what these lead to.
func TestEveryButtonAndChoiceWorks(t *testing.T) {
	simtest.PlainRunOnly(t)
	froms := []string{"", "clients.workload.kind=closed&clients.workload.think.kind=constant&clients.workload.think.mean=5s"}
	for _, p := range sim.Presets() {
		froms = append(froms, p.Scenario.Query().Encode())
	}
	for _, from := range froms {
		query, _ := url.ParseQuery(from)
		st, err := parseState(query)
		must(t, err)
		works := func(form url.Values) {
			// Retrying at once for ever is an error where nothing takes time, and says so.
			if _, err := st.edit(form); err != nil && !strings.Contains(err.Error(), "time need not advance") {
				t.Errorf("%v: %v, from %q", form, err, from)
			}
		}
		form := formOf(st)
		fields := slices.Concat(form.Plain, form.Policies)
		var actions []templates.Action
		for i := range form.More {
			collect(form.More[i], &fields, &actions)
		}
		for _, f := range fields {
			for _, o := range f.Options {
				works(url.Values{f.Name: {o.Value}})
			}
		}
		for _, row := range form.Adding.Offers.Rows {
			for _, cell := range row.Cells {
				actions = append(actions, cell.Action)
			}
		}
		for _, a := range append(actions, form.Adding.Offers.Presets...) {
			works(url.Values{"do": {a.Do}})
		}
	}
}

func collect(g templates.Group, fields *[]templates.Field, actions *[]templates.Action) {
	*fields = append(*fields, g.Fields...)
	*actions = append(*actions, g.Actions...)
	for _, inner := range g.Groups {
		collect(inner, fields, actions)
	}
}

// Every field of a scenario is in the form.
func TestFormHasEveryField(t *testing.T) {
	for _, p := range sim.Presets() {
		st, err := parseState(p.Scenario.Query())
		must(t, err)
		form := formOf(st)
		fields := slices.Concat(form.Plain, form.Policies)
		for _, g := range form.More {
			collect(g, &fields, new([]templates.Action))
		}
		names := map[string]int{}
		for _, f := range fields {
			if names[f.Name]++; names[f.Name] > 1 {
				t.Errorf("%s: %s is there twice", p.ID, f.Name)
			}
		}
		for item := range spec.Scalars(st.scenario) {
			if names[item.Path] == 0 && !strings.HasPrefix(item.Path, "policies.") {
				t.Errorf("%s: the form lacks %s", p.ID, item.Path)
			}
		}
	}
}

func TestFaultsStandAtTheirFields(t *testing.T) {
	form := url.Values{"from": {"seed=7"}, "clients.count": {"many"}, "server.queue": {"-1"}, "seed": {"8"}}
	w := get(quick(), form.Encode(), false)
	page := w.Body.String()
	if w.Code != http.StatusUnprocessableEntity {
		t.Fatalf("answered %d", w.Code)
	}
	for _, want := range []string{
		`id="error-clients.count">Clients must be a whole number`, `name="clients.count" value="many"`, // the input is kept
		`id="error-server.queue">Queue must be at least 0`, `name="server.queue" value="-1"`,
		`name="seed" value="8"`, `name="from" value="seed=8"`, // what is right is taken up
		`id="group-server" open`, "The figures are without it",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for name, want := range map[string]string{"serves": "It can serve must be a number above 0", "down": "How long it is down must be a number of seconds",
		"allGrowth": "Growth must be"} {
		page := get(quick(), url.Values{"from": {""}, name: {"x"}}.Encode(), false).Body.String()
		if _, after, ok := strings.Cut(page, `id="error-`+name+`">`); !ok {
			t.Errorf("%s: no error", name)
		} else if !strings.HasPrefix(after, want) {
			t.Errorf("%s: %.60s", name, after)
		}
	}
}

func TestPageWhenThereIsNoResult(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	f.finish <- &sim.TooCostlyError{Estimate: 5e9, Limit: 1e8}
	w := get(s, "", false)
	if page := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(page, "about 5"+thinSpace+"000"+thinSpace+"000"+thinSpace+"000 events; at most 100"+thinSpace) || strings.Contains(page, `class="policy`) {
		t.Errorf("too costly: answered %d", w.Code)
	}
	f.finish <- &sim.TooCostlyError{Estimate: 5e9, Limit: 1e8, Stopped: true}
	if page := get(s, "", false).Body.String(); !strings.Contains(page, "This would cost more than 5"+thinSpace) {
		t.Error("of a run that was stopped the page does not say that it would have cost more")
	}
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
	if w = get(s, "", false); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "<main") {
		t.Errorf("busy: the page is answered %d %v", w.Code, w.Header())
	}
	if w = get(s, "", true); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("busy: the script is answered %d %v", w.Code, w.Header())
	}
}

func TestLongRunIsAnsweredByEvents(t *testing.T) {
	s := quick()
	release := make(chan struct{})
	run := s.run
	s.run = func(ctx context.Context, r sim.Runner, sc *sim.Scenario, p sim.Progress) (*sim.Result, error) {
		p(3, 160)
		<-release
		return run(ctx, r, sc, p)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	must(t, err)
	r.Header.Set("Accept", "text/html, text/event-stream")
	res, err := http.DefaultClient.Do(r) // returns with the first event
	must(t, err)
	defer res.Body.Close()
	close(release)
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("answered as %s", got)
	}
	var b strings.Builder
	buffer := make([]byte, 1<<16)
	for {
		n, err := res.Body.Read(buffer)
		b.Write(buffer[:n])
		if err != nil {
			break
		}
	}
	events := strings.Split(strings.TrimSpace(b.String()), "\n\n")
	if want := "event: progress\ndata: {\"done\": 3, \"total\": 160}"; events[0] != want {
		t.Errorf("first comes %s", events[0])
	}
	var main string
	last, ok := strings.CutPrefix(events[len(events)-1], "event: page\ndata: ")
	if !ok || json.Unmarshal([]byte(last), &main) != nil || !strings.HasPrefix(main, `<main id="main"`) {
		t.Errorf("last comes %.80s", events[len(events)-1])
	}
}

// Every chart is valid data for the script, with the numbers of its table.
func TestChartsAreData(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, preset := range sim.Presets() {
		sc := preset.Scenario
		sc.Replications = 2
		r, err := sim.Run(t.Context(), sc, nil)
		must(t, err)
		var drawn []templates.Chart
		for _, tab := range tabList {
			drawn = append(drawn, results(r, state{scenario: sc, tab: tab.id, marks: markPolicies(nil, sc.Policies)}).Charts...)
		}
		for _, c := range drawn {
			var option struct {
				XAxis, YAxis []struct{ Name string }
				Series       []struct {
					Name string
					Data []json.RawMessage
				}
			}
			if err := json.Unmarshal([]byte(c.Option), &option); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			if c.Title == "" || len(option.XAxis) == 0 || option.XAxis[len(option.XAxis)-1].Name == "" || option.YAxis[0].Name == "" {
				t.Errorf("%s, %s: no title, or an axis without one", preset.ID, c.ID)
			}
			points := 0
			for _, s := range option.Series {
				points += len(s.Data)
			}
			if points == 0 || len(c.Table.Rows) == 0 {
				t.Errorf("%s, %s: %d points, %d rows in the table", preset.ID, c.ID, points, len(c.Table.Rows))
			}
			for _, row := range c.Table.Rows {
				if len(row) != len(c.Table.Head) {
					t.Errorf("%s, %s: a row has %d cells under %d heads", preset.ID, c.ID, len(row), len(c.Table.Head))
				}
			}
		}
	}
}

func TestTitles(t *testing.T) {
	for text, want := range map[string]string{
		"constant,base=1s":                                      "Constant",
		"exponential,base=1s,jitter=full":                       "Exponential, full jitter",
		"exponential,base=1s,jitter=full,id=checkout":           "checkout",
		"exponential,base=1s,name=Ours,id=x":                    "Ours",
		"exponential,base=1s,jitter=full,id=exponential-full-2": "Exponential, full jitter (2)",
	} {
		p, err := strategies.ParseText(text)
		must(t, err)
		if got := title(p); got != want {
			t.Errorf("%s is called %q, want %q", text, got, want)
		}
	}
}
