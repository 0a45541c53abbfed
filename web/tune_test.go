package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// smallTune is a search among policies for few clients; with an impossible wait if it is to find nothing.
const (
	smallTune      = `{"clients": 20, "capacity": 4, "replications": 2}`
	impossibleTune = `{"clients": 20, "capacity": 4, "replications": 2, "mostAttempts": 1}`
	smallTunePath  = "/tune?capacity=4&clients=20&replications=2"
)

// searched is a server for several tests: what one has searched for, others find in its cache.
var searched = sync.OnceValue(func() *Server { return newTestServer(nil) })

func TestTune(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := searched()
	document := bodyOf(t, ask(s, "POST", "/api/v1/tune", smallTune))
	wantValid(t, "TuneResult", document)
	if again := bodyOf(t, ask(s, "POST", "/api/v1/tune", smallTune)); !bytes.Equal(document, again) {
		t.Error("the same search, other bytes")
	}
	var found struct {
		Found []struct {
			Text, Compare string
			Metrics       map[string]struct{ Mean *float64 }
		}
		Compare string
	}
	must(t, json.Unmarshal(document, &found))
	if len(found.Found) == 0 || found.Compare == "" {
		t.Fatalf("found %d, compare %q", len(found.Found), found.Compare)
	}
	// The links open what the figures are of.
	for _, p := range found.Found {
		result := ask(s, "GET", "/api/v1/simulations"+strings.TrimPrefix(p.Compare, "/"), "")
		var run struct {
			Results []struct {
				Metrics map[string]struct{ Mean *float64 }
			}
		}
		must(t, json.Unmarshal(bodyOf(t, result), &run))
		if got, want := *run.Results[0].Metrics["within.p99"].Mean, *p.Metrics["within.p99"].Mean; got != want {
			t.Errorf("%s: %g s, behind its link %g s", p.Text, want, got)
		}
	}
	wantValid(t, "TuneResult", bodyOf(t, ask(s, "POST", "/api/v1/tune", impossibleTune)))
}

// An error quotes what was written, without the unit that a number would have been given.
func TestErrorsQuoteWhatWasWritten(t *testing.T) {
	s := newTestServer(nil)
	for _, path := range []string{"/tune?outage=", "/policy?from=p%3Dconstant,base%3D1s&outage=", embedStagePath + "?at="} {
		for _, text := range []string{"NaN", "-Inf", "99999999999999999999"} {
			res := ask(s, "GET", path+text, "")
			if body := string(bodyOf(t, res)); res.StatusCode != 422 || !strings.Contains(body, "not &#34;"+text+"&#34;") && !strings.Contains(body, "not "+text) || strings.Contains(body, text+"s") {
				t.Errorf("%s%s: %d, and the page does not quote what was written", path, text, res.StatusCode)
			}
		}
	}
}

func TestTuneProblems(t *testing.T) {
	s := newTestServer(nil)
	wantProblem(t, ask(s, "POST", "/api/v1/tune", "{"), 400)
	p := wantProblem(t, ask(s, "POST", "/api/v1/tune?x=1", `{"clients": 0, "outage": "-1s", "wait": 1}`), 422)
	if len(p.Errors) != 4 {
		t.Errorf("%+v", p.Errors)
	}
	s.maxEvents = 1000
	p = wantProblem(t, ask(s, "POST", "/api/v1/tune", smallTune), 422)
	if p.Limit != 1000 || p.Estimate <= 1000 {
		t.Errorf("%+v", p)
	}
	s.slots <- struct{}{}
	s.slots <- struct{}{}
	wantProblem(t, ask(s, "POST", "/api/v1/tune", smallTune, "Accept", "text/event-stream"), 503)
	page := ask(s, "GET", smallTunePath+"&search=1", "")
	if page.StatusCode != 503 || !strings.Contains(string(bodyOf(t, page)), "Every simulation slot is taken") {
		t.Error("the page does not say that it is busy")
	}
}

func TestTuneEvents(t *testing.T) {
	res := ask(newTestServer(nil), "POST", "/api/v1/tune", smallTune, "Accept", "text/event-stream")
	kinds := map[string]int{}
	for event := range strings.SplitSeq(strings.TrimSuffix(string(bodyOf(t, res)), "\n\n"), "\n\n") {
		head, data, _ := strings.Cut(event, "\ndata: ")
		kind := strings.TrimPrefix(head, "event: ")
		kinds[kind]++
		switch kind {
		case "progress":
			wantValid(t, "Progress", []byte(data))
		case "found":
			wantValid(t, "TunedPolicy", []byte(data))
		case "result":
			wantValid(t, "TuneResult", []byte(data))
		}
	}
	if kinds["progress"] < 3 || kinds["found"] < 1 || kinds["result"] != 1 || kinds["error"] > 0 {
		t.Errorf("%v", kinds)
	}
}

// A search that was cut short does not say that there is nothing to find.
func TestTuneSaysWhatIsNotKnown(t *testing.T) {
	r := &sim.TuneResult{Tune: &sim.Tune{Clients: 1, Capacity: 1}, InTheWay: []sim.InTheWay{{Demand: sim.DemandWait, Asked: "1s"}}}
	const unknown = "Not every demand was relaxed"
	if says := strings.Join(tuneSays(r), " "); strings.Contains(says, unknown) || !strings.Contains(says, "not found to be enough") {
		t.Error(says)
	}
	r.InTheWay = append(r.InTheWay, sim.InTheWay{Demand: sim.DemandClients, Asked: "9", Cut: true})
	if says := strings.Join(tuneSays(r), " "); !strings.Contains(says, unknown) {
		t.Error(says)
	}
}

// Without the script the form leads to a page with the result; an address that cannot be is answered with what is wrong
// beside its field.
func TestTunePage(t *testing.T) {
	s := searched()
	if res := ask(s, "GET", "/tune?clients=1000&capacity=4&outage=10&search=1", ""); res.Header.Get("Location") != "/tune?capacity=4&search=1" {
		t.Errorf("it leads to %s", res.Header.Get("Location"))
	}
	before := string(bodyOf(t, ask(newTestServer(nil), "GET", smallTunePath, "")))
	if !strings.Contains(before, `data-complete="false"`) || !strings.Contains(before, `<a href="`+strings.ReplaceAll(smallTunePath+"&search=1", "&", "&amp;")+`">`) {
		t.Error("the page does not lead to the search")
	}
	found := string(bodyOf(t, ask(s, "GET", smallTunePath+"&search=1", "")))
	for _, want := range []string{`data-complete="true"`, "Of those that meet all of that, ", "fewest attempts", "clients ÷ headroom = 20 ÷ 4 a second = 5", `id="tune-compare"`} {
		if !strings.Contains(found, want) {
			t.Errorf("the result lacks %q", want)
		}
	}
	if again := string(bodyOf(t, ask(s, "GET", smallTunePath, ""))); !strings.Contains(again, `id="tune-compare"`) {
		t.Error("what was found is not kept")
	}
	none := string(bodyOf(t, ask(s, "GET", smallTunePath+"&mostAttempts=1&search=1", "")))
	for _, want := range []string{"None meets all of that", "instead of 1.", "The one attempt that is allowed", "none was found by this alone"} {
		if !strings.Contains(none, want) {
			t.Errorf("the result lacks %q", want)
		}
	}
	res := ask(s, "GET", "/tune?clients=0&outage=x&luck=1&search=1", "")
	bad := string(bodyOf(t, res))
	for _, want := range []string{`id="error-clients"`, `id="error-outage"`, "luck", `value="x"`} {
		if res.StatusCode != 422 || !strings.Contains(bad, want) {
			t.Errorf("%d without %q", res.StatusCode, want)
		}
	}
}
