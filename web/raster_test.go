package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// clientsTab is the tab of single clients of a scenario's first policies.
func clientsTab(t *testing.T, document string) rasters {
	t.Helper()
	sc, err := sim.ParseScenario([]byte(document))
	must(t, err)
	r, err := sim.Runner{Trace: maxTraced}.Run(t.Context(), sc, nil)
	must(t, err)
	return newRasters(r, charted(rank(r), nil), r)
}

// Two clients at once meet a server that is down for 5 s and then has one worker, busy for 4 s, and no queue. The answer
// takes no time. They try at 0, 4 and 8 s and give up after three attempts.
const twoClients = `{
	"horizon": "20s", "replications": 1, "bin": "1s", "clients": {"count": 2},
	"server": {"outages": [{"start": "0s", "end": "5s"}], "workers": 1, "serviceTime": {"kind": "constant", "mean": "4s"}},
	"policies": [{"id": "four", "name": "Every 4 s", "schedule": {"kind": "constant", "base": "4s"}, "maxAttempts": 3}]
}`

func TestLogSaysHowEachAttemptEnded(t *testing.T) {
	all := clientsTab(t, twoClients)
	for client, want := range []string{
		"1 0.000 s server down 0 s waited 4 s|2 4.000 s server down 0 s waited 4 s|3 8.000 s served 4 s served at 12.000 s",
		"1 0.000 s server down 0 s waited 4 s|2 4.000 s server down 0 s waited 4 s|3 8.000 s turned away: full 0 s gave up at 8.000 s: no attempts left of 3",
	} {
		var lines []string
		for _, row := range all.of[0].log(client, true).Table.Rows {
			lines = append(lines, strings.Join(row, " "))
		}
		if got := strings.ReplaceAll(strings.Join(lines, "|"), nbsp, " "); got != want {
			t.Errorf("client %d:\n%s\nwant\n%s", client+1, got, want)
		}
	}
	if row := strings.ReplaceAll(strings.Join(all.table().Rows[1], "|"), nbsp, " "); row != "2|3|gave up at 8.000 s: no attempts left of 3" {
		t.Errorf("the table says %s", row)
	}
}

// Two nodes with one worker each serve a client each, and turn the third away, which comes back when both are free.
func TestLogNamesTheNode(t *testing.T) {
	all := clientsTab(t, `{
		"horizon": "20s", "replications": 1, "bin": "1s", "clients": {"count": 3},
		"server": {"workers": 1, "serviceTime": {"kind": "constant", "mean": "4s"}, "nodes": {"count": 2, "balancer": "leastInFlight"}},
		"policies": [{"id": "five", "schedule": {"kind": "constant", "base": "5s"}}]
	}`)
	for client, want := range []string{"served, node 1", "served, node 2", "turned away: full, node 1|served, node 1"} {
		var said []string
		for _, row := range all.of[0].log(client, true).Table.Rows {
			said = append(said, row[2])
		}
		if got := strings.Join(said, "|"); got != want {
			t.Errorf("client %d: %s, want %s", client+1, got, want)
		}
	}
	if row := clientsTab(t, twoClients).of[0].log(0, true).Table.Rows[2]; row[2] != "served" {
		t.Errorf("one node alone is named: %s", row[2])
	}
}

// The axis ends with the last bin that anything happens in, at 13 s: 8 s are at 615 of 1000 units across. Each line is
// 12 px high, so the middles are at 6 and 18 px, and a mark extends 4 px.
func TestMarksAreWhereAttemptsLeft(t *testing.T) {
	view := clientsTab(t, twoClients).view(0)
	if len(view.Rasters) != 1 || view.Rasters[0].Height != 24 {
		t.Fatalf("%d rasters, of which the first is %d px high", len(view.Rasters), view.Rasters[0].Height)
	}
	got := map[string]string{}
	for _, m := range view.Rasters[0].Marks {
		got[m.Outcome] = m.D
	}
	for outcome, want := range map[string]string{
		"unavailable": "M0 2v8M307 2v8M0 14v8M307 14v8",
		"overloaded":  "M611 14l8 8m0 -8l-8 8",
		"ok":          "M615 6h0",
	} {
		if got[outcome] != want {
			t.Errorf("%s is drawn as %s, want %s", outcome, got[outcome], want)
		}
	}
	if len(got) != 3 || len(view.Key) != 3 {
		t.Errorf("%d outcomes are drawn and %d explained, want 3", len(got), len(view.Key))
	}
	if view.Client != 2 {
		t.Errorf("the page chooses client %d, want 2, whose last attempt comes last", view.Client)
	}
}

// Twenty clients, each with a circuit breaker of its own, ask a server that stays down every 100 ms. The first failure opens
// every breaker for 2 s; without jitter all probe at 2, 4, 6 and 8 s, in columns over the whole height. With half of it as
// jitter no more than a few of them meet after a probe or two, and no mark of what was held back lies on a probe's.
func TestProbesInStepAreColumns(t *testing.T) {
	const breaker = `"schedule": {"kind": "constant", "base": "100ms"}, "breaker": {"failures": 1, "openFor": "2s", "onOpen": "wait"`
	all := clientsTab(t, `{
		"horizon": "10s", "bin": "1s", "replications": 1, "clients": {"count": 20}, "server": {"outages": [{"start": "0s", "end": "1h"}]},
		"policies": [{"id": "step", `+breaker+`}}, {"id": "spread", `+breaker+`, "openJitter": 0.5}}]
	}`)
	for _, raster := range all.view(1).Rasters {
		if raster.Marks[0].Outcome != "notSent" || raster.Marks[1].Outcome != "unavailable" {
			t.Errorf("%s is drawn in the order %s, %s", raster.Name, raster.Marks[0].Outcome, raster.Marks[1].Outcome)
		}
		probes := map[string]int{} // by their place across
		for _, mark := range strings.Split(raster.Marks[1].D, "M")[1:] {
			x, _, _ := strings.Cut(mark, " ")
			probes[x]++
		}
		first := probes["0"]
		delete(probes, "0")
		switch most := slices.Max(slices.Collect(maps.Values(probes))); {
		case first != 20:
			t.Errorf("%s: %d attempts at the start", raster.Name, first)
		case raster.ID == "step" && !maps.Equal(probes, map[string]int{"200": 20, "400": 20, "600": 20, "800": 20}):
			t.Errorf("%s: probes at %v", raster.Name, probes)
		case raster.ID == "spread" && most > 7:
			t.Errorf("%s: %d probes in a column", raster.Name, most)
		}
	}
}

// However often a client calls, what is drawn and listed is bounded.
func TestRastersAreBounded(t *testing.T) {
	simtest.PlainRunOnly(t)
	view := clientsTab(t, `{
		"horizon": "60s", "replications": 1, "clients": {"count": 300},
		"server": {"outages": [{"start": "0s", "end": "1m"}]},
		"policies": [{"schedule": {"kind": "constant", "base": "1ms"}}]
	}`).view(9)
	if n := len(view.Rasters[0].Marks[0].D); n > 1<<20 {
		t.Errorf("a path of %d bytes", n)
	}
	if n := len(view.Logs[0].Table.Rows); n > maxLog || view.Logs[0].More != "" && n < maxLog {
		t.Errorf("%d lines in a log, and %q", n, view.Logs[0].More)
	}
	if !strings.Contains(view.Note, "too many attempts to show all") {
		t.Errorf("the note keeps quiet about what is left out: %s", view.Note)
	}
}

// Steady traffic: a client's requests are told apart, and so are the rest of the outcomes.
func TestEveryOutcomeHasAMark(t *testing.T) {
	names := append([]string{"ok", "inFlight"}, "unavailable", "timeout", "overloaded", "rateLimited", "transient", "permanent", "conflict", "notSent")
	seen := map[string]string{}
	for _, o := range outcomes {
		_, _, path := o.mark(2)
		if other, ok := seen[path]; ok {
			t.Errorf("%s and %s look the same", o.name, other)
		}
		seen[path] = o.name
	}
	for _, name := range names {
		found := false
		for _, o := range outcomes {
			found = found || o.name == name
		}
		if !found {
			t.Errorf("%s has no mark", name)
		}
	}
	all := clientsTab(t, `{
		"horizon": "10s", "replications": 1,
		"clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant", "mean": "1s"}}},
		"server": {"errors": {"transient": 1}}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}, "maxAttempts": 2}]
	}`)
	if row := all.of[0].log(0, all.one).Table.Rows[2]; row[0] != "1 of request 2" {
		t.Errorf("the third attempt is %q, want the first of request 2", row[0])
	}
	if fate := all.of[0].fate(0, all.one); fate != "0 of 5"+nbsp+"requests served" {
		t.Errorf("the client's fate is %q", fate)
	}
}

func TestClientIsInTheAddress(t *testing.T) {
	s := quick()
	if w := get(s, "tab=clients&client=7", true); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "client 7") {
		t.Errorf("client 7: %d", w.Code)
	}
	for _, client := range []string{"301", "0", "-1", "x", "7,5"} { // the page chooses one, and says what is wrong
		w := get(s, "tab=clients&client="+client, false)
		want := "Client must be a whole number from 1 to 300, not &#34;" + client + "&#34;."
		if page := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(page, want) || !strings.Contains(page, `id="chart-clients"`) {
			t.Errorf("client %s: %d, without %q", client, w.Code, want)
		}
	}
	st := edited(t, "tab=clients", map[string][]string{"client": {"12"}})
	if st.address != "client=12&tab=clients" {
		t.Errorf("the address is %s", st.address)
	}
}
