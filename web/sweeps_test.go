package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// smallSweep is a sweep of the small scenario over these axes.
func smallSweep(axes string) string {
	return `{"scenario": ` + smallScenario + `, "axes": ` + axes + `, "metrics": ["successRate", "recovered"]}`
}

const threeClients = `[{"parameter": "clients.count", "scale": "list", "values": [5, 10, 20]}]`

func TestSweep(t *testing.T) {
	s := newTestServer(nil)
	document := bodyOf(t, ask(s, "POST", "/api/v1/sweeps", smallSweep(threeClients)))
	wantValid(t, "SweepResult", document)
	again := bodyOf(t, ask(s, "POST", "/api/v1/sweeps", smallSweep(threeClients))) // kept
	fresh := bodyOf(t, ask(newTestServer(nil), "POST", "/api/v1/sweeps", smallSweep(threeClients)))
	if !bytes.Equal(document, again) || !bytes.Equal(document, fresh) {
		t.Error("the same sweep, other bytes")
	}
	if n := bytes.Count(document, []byte(`"recovered":{"mean":1,`)); n != 6 {
		t.Errorf("%d of 2 policies at 3 points recovered: %s", n, document)
	}
}

func TestSweepProblems(t *testing.T) {
	s := newTestServer(nil)
	wantProblem(t, ask(s, "POST", "/api/v1/sweeps", "{"), 400)
	p := wantProblem(t, ask(s, "POST", "/api/v1/sweeps?x=1", smallSweep(`[{"parameter": "clients.count", "from": 1, "to": 1e9, "steps": 1000000000}]`)), 422)
	if len(p.Errors) != 2 || p.Errors[0].Pointer != "/axes/0/steps" || p.Errors[0].Detail != "steps must be at most 101, not 1000000000" || p.Errors[1].Pointer != "?x" {
		t.Errorf("%+v", p.Errors)
	}
	// Right on its own, but not beside the other.
	p = wantProblem(t, ask(s, "POST", "/api/v1/sweeps", smallSweep(`[{"parameter": "server.outages.0.start", "from": "0s", "to": "900ms"}, {"parameter": "server.outages.0.end", "from": "100ms", "to": "2s"}]`)), 422)
	if len(p.Errors) == 0 || p.Errors[0].Pointer != "/axes" || !strings.Contains(p.Errors[0].Detail, "server.outages.0.end cannot be 100ms where server.outages.0.start is") {
		t.Errorf("%+v", p.Errors)
	}
	s.maxEvents = 100
	p = wantProblem(t, ask(s, "POST", "/api/v1/sweeps", smallSweep(threeClients)), 422)
	if p.Limit != 100 || p.Estimate <= 100 {
		t.Errorf("%+v", p)
	}
	s.slots <- struct{}{}
	s.slots <- struct{}{}
	wantProblem(t, ask(s, "POST", "/api/v1/sweeps", smallSweep(threeClients), "Accept", "text/event-stream"), 503)
}

func TestSweepEvents(t *testing.T) {
	res := ask(newTestServer(nil), "POST", "/api/v1/sweeps", smallSweep(threeClients), "Accept", "text/event-stream")
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatal(got)
	}
	var names []string
	for event := range strings.SplitSeq(strings.TrimSuffix(string(bodyOf(t, res)), "\n\n"), "\n\n") {
		head, data, _ := strings.Cut(event, "\ndata: ")
		name := strings.TrimPrefix(head, "event: ")
		names = append(names, name)
		wantValid(t, map[string]string{"progress": "Progress", "point": "SweepPoint", "result": "SweepResult"}[name], []byte(data))
	}
	if want := strings.Fields("progress progress point progress point progress point result"); !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// A client that goes away stops its sweep within moments, and the slot is free.
func TestSweepStopsWithItsClient(t *testing.T) {
	s := newTestServer(nil)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	long, err := json.Marshal(&sim.Sweep{Scenario: *sim.Default(), Metrics: []string{"attempts"},
		Axes: []sim.Axis{{Scale: sim.Listed, Parameter: "clients.count", Values: []spec.Amount{"10", "1000000"}}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "POST", server.URL+"/api/v1/sweeps", bytes.NewReader(long))
	r.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && lines.Text() != "event: point" {
	}
	leave()
	for deadline := time.Now().Add(patience); len(s.slots) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the sweep runs on")
		}
	}
}

// stuckClient does not read on until it may.
type stuckClient struct {
	*httptest.ResponseRecorder
	stuck, may chan struct{}
	once       sync.Once
}

func (c *stuckClient) Write(p []byte) (int, error) {
	c.once.Do(func() { close(c.stuck) })
	<-c.may
	return c.ResponseRecorder.Write(p)
}

// A sweep does not wait for a client that does not read its events, and leaves its slot when it has ended.
func TestSweepWaitsForNoReader(t *testing.T) {
	s := newTestServer(nil)
	c := &stuckClient{ResponseRecorder: httptest.NewRecorder(), stuck: make(chan struct{}), may: make(chan struct{})}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/sweeps", strings.NewReader(smallSweep(threeClients)))
	r.Header.Set("Accept", "text/event-stream")
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		s.ServeHTTP(c, r)
	}()
	receive(t, c.stuck, "the first event")
	for deadline := time.Now().Add(patience); len(s.slots) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the slot is taken still")
			break
		}
	}
	close(c.may)
	receive(t, answered, "the answer")
	if n := strings.Count(c.Body.String(), "event: point\n"); n != 3 {
		t.Errorf("%d points, want 3: %s", n, c.Body)
	}
	if left := s.room.left.Load(); left != answerRoom {
		t.Errorf("%d bytes of room are left after the answer, want all %d", left, answerRoom)
	}
}

// FuzzPostSweep checks that whatever a client sends it gets figures or is told what is wrong.
func FuzzPostSweep(f *testing.F) {
	f.Add([]byte(smallSweep(threeClients)))
	f.Add([]byte(smallSweep(`[{"parameter": "capacity", "scale": "log", "from": 1e-300, "to": 1e9, "steps": 21}, {"parameter": "policies.cap", "from": "0s", "to": "168h"}]`)))
	for _, p := range sim.Presets() {
		scenario, err := json.Marshal(p.Scenario)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(fmt.Appendf(nil, `{"scenario": %s, "axes": [{"parameter": "outage", "from": "1s", "to": "2s"}]}`, scenario))
	}
	s := newTestServer(nil)
	s.maxEvents = 20_000
	f.Fuzz(func(t *testing.T, body []byte) {
		res := ask(s, "POST", "/api/v1/sweeps", string(body))
		switch res.StatusCode {
		case 200:
			wantValid(t, "SweepResult", bodyOf(t, res))
		case 400, 413, 422:
			wantProblem(t, res, res.StatusCode)
		default:
			t.Errorf("status %d: %s", res.StatusCode, bodyOf(t, res))
		}
	})
}
