package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// event is a server-sent event.
type event struct{ name, data string }

// listen posts the small scenario to a real server and returns its answer, whose events come on the channel.
func listen(t *testing.T, ctx context.Context, s *Server) (*http.Response, <-chan event) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/api/v1/simulations", strings.NewReader(smallScenario))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	events := make(chan event, 100)
	go func() {
		defer close(events)
		var e event
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 10<<20)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				events <- e
				e = event{}
			}
		}
	}()
	return res, events
}

func TestEventsOfARun(t *testing.T) {
	s := newTestServer(nil)
	s.run = func(ctx context.Context, r sim.Runner, sc *sim.Scenario, progress sim.Progress) (*sim.Result, error) {
		for done := 1; done <= 4; done++ {
			progress(done, 4)
			time.Sleep(2 * progressEvery)
		}
		return r.Run(ctx, sc, nil)
	}
	res, events := listen(t, t.Context(), s)
	for header, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store", "Content-Encoding": "", "X-Accel-Buffering": "no",
	} {
		if got := res.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	last, told := -1, 0
	for e := range events {
		if e.name == "result" {
			wantValid(t, "Result", []byte(e.data))
			if last != 4 || told < 3 {
				t.Errorf("%d progress events up to %d of 4 before the result; want at least 3, up to 4", told, last)
			}
			if e, more := <-events; more {
				t.Errorf("%q after the result", e)
			}
			return
		}
		var p struct{ Done, Total int }
		wantValid(t, "Progress", []byte(e.data))
		if err := json.Unmarshal([]byte(e.data), &p); err != nil || e.name != "progress" || p.Done <= last || p.Total != 4 {
			t.Fatalf("event %q after progress %d: %v", e, last, err)
		}
		last, told = p.Done, told+1
	}
	t.Error("no result")
}

// However quick the run, its end is told before the result.
func TestResultFollowsTheLastProgress(t *testing.T) {
	_, events := listen(t, t.Context(), newTestServer(nil))
	last := receive(t, events, "stream")
	e := receive(t, events, "stream")
	for ; e.name == "progress"; e = receive(t, events, "stream") {
		last = e
	}
	if last != (event{"progress", `{"done": 4, "total": 4}`}) || e.name != "result" {
		t.Errorf("%q and %q, want progress 4 of 4 and the result", last, e)
	}
}

func TestErrorInAStream(t *testing.T) {
	f := newFakeRun()
	_, events := listen(t, t.Context(), newTestServer(f)) // returns with the first event
	if e := receive(t, events, "stream"); e.name != "progress" {
		t.Fatalf("event %q, want progress", e)
	}
	f.finish <- errors.New("a secret failed")
	e := receive(t, events, "stream")
	if e.name != "error" || strings.Contains(e.data, "secret") {
		t.Errorf("event %q, want an error without the secret", e)
	}
	wantValid(t, "Problem", []byte(e.data))
}

func TestErrorBeforeAStreamIsAnOrdinaryAnswer(t *testing.T) {
	s := newTestServer(nil)
	wantProblem(t, ask(s, "POST", "/api/v1/simulations", "{", "Accept", "text/event-stream"), 400)
	wantProblem(t, ask(s, "POST", "/api/v1/simulations", "{}", "Accept", "text/event-stream"), 422)
	s.maxEvents = 1
	wantProblem(t, ask(s, "POST", "/api/v1/simulations", smallScenario, "Accept", "text/event-stream"), 422)
	s.slots <- struct{}{}
	s.slots <- struct{}{}
	wantProblem(t, ask(s, "POST", "/api/v1/simulations", smallScenario, "Accept", "text/event-stream"), 503)
}

func TestClosedStreamStopsItsRun(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	ctx, leave := context.WithCancel(t.Context())
	_, events := listen(t, ctx, s)
	receive(t, events, "stream")
	leave()
	receive(t, f.stopped, "run")
	for range cap(s.slots) { // both slots are free again
		release, err := s.acquire(t.Context())
		for deadline := time.Now().Add(10 * time.Second); err == errBusy && time.Now().Before(deadline); {
			release, err = s.acquire(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
}

func TestWantsEvents(t *testing.T) {
	for accept, want := range map[string]bool{
		"":                  false,
		"*/*":               false,
		"application/json":  false,
		"text/event-stream": true,
		"text/event-stream, application/json;q=0.5":     true,
		"text/event-stream;q=0.5, application/json":     false,
		"text/event-stream;q=0":                         false,
		"application/json, text/event-stream;charset=x": true,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := wantsEvents(r); got != want {
			t.Errorf("Accept: %s: %t, want %t", accept, got, want)
		}
	}
}

func TestHeartbeat(t *testing.T) {
	w := httptest.NewRecorder()
	e := &eventStream{w: w, control: http.NewResponseController(w)}
	e.progress(0, 0) // waits for a slot
	e.progress(0, 4)
	e.progress(0, 4)
	e.sent = time.Now().Add(-heartbeatEvery)
	e.progress(0, 4)
	if want := "event: progress\ndata: {\"done\": 0, \"total\": 4}\n\n: running\n\n"; w.Body.String() != want {
		t.Errorf("the stream is %q, want %q", w.Body, want)
	}
}

// slowClient takes so long for each write.
type slowClient struct {
	*httptest.ResponseRecorder
	takes    time.Duration
	deadline time.Time
}

func (c *slowClient) Write(p []byte) (int, error) {
	time.Sleep(c.takes)
	return len(p), nil
}

func (c *slowClient) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

// However many events there are, a client that hardly reads has no more time for them than for any other answer; one that
// reads has it for as long as the run goes on.
func TestEventsAreNotReadForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &slowClient{ResponseRecorder: httptest.NewRecorder(), takes: 25 * time.Second}
		e := &eventStream{w: c, control: http.NewResponseController(c)}
		begun := time.Now()
		for done := range 3 {
			time.Sleep(time.Hour) // nobody's fault
			e.progress(done, 3)
		}
		if got, want := c.deadline, begun.Add(3*time.Hour+writeTimeout); got != want {
			t.Errorf("the last write may take until %v, want %v", got.Sub(begun), want.Sub(begun))
		}
	})
}
