package web

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

// FuzzPostSimulation checks that whatever a client sends it gets a result or is told what is wrong: no panic, no
// failure of the server. A fault in the engine would show here as well.
func FuzzPostSimulation(f *testing.F) {
	f.Add([]byte(smallScenario))
	for _, p := range sim.Presets() {
		doc, err := json.Marshal(p.Scenario)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(doc)
	}
	s := newTestServer(nil)
	s.maxEvents = 20_000
	f.Fuzz(func(t *testing.T, body []byte) {
		res := ask(s, "POST", "/api/v1/simulations?trace=2", string(body))
		switch res.StatusCode {
		case 200:
			wantValid(t, "Result", bodyOf(t, res))
		case 400, 413, 422:
			wantProblem(t, res, res.StatusCode)
		default:
			t.Errorf("status %d: %s", res.StatusCode, bodyOf(t, res))
		}
	})
}

// FuzzQuery checks the same of the query of the page, and that the exported scenario is one.
func FuzzQuery(f *testing.F) {
	f.Add(smallQuery[1:])
	f.Add("server.crash=&server.outages=&p=list,delays=1s/5s/25s,jitter=range,low=1,high=2")
	f.Add("server.kind=" + strings.Repeat("%9A", 65)) // not UTF-8
	f.Add("server.kind=occ&clients.workload.kind=open&clients.workload.rate=1e9")
	s := newTestServer(nil)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", "/api/v1/export/scenario.json", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		res := w.Result()
		if res.StatusCode != 200 {
			if p := wantProblem(t, res, res.StatusCode); p.Status >= 500 {
				t.Errorf("status %d: %s", p.Status, p.Detail)
			}
			return
		}
		doc := bodyOf(t, res)
		wantValid(t, "Scenario", doc)
		if _, err := sim.ParseScenario(doc); err != nil {
			t.Errorf("the exported scenario has faults: %v\n%s", err, doc)
		}
	})
}
