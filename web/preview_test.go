package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

func TestPreviewsAreForLongRuns(t *testing.T) {
	for _, c := range []struct{ clients, replications, want int }{
		{1000, 20, 0},   // not long
		{1000, 200, 7},  // 25.8 million events
		{10_000, 20, 1}, // one replication takes more than a preview should, and yet
		{100_000, 3, 0}, // not much sooner than all
		{2500, 4, 0},
		{50_000, 4, 1},
	} {
		sc := sim.Default()
		sc.Clients.Count, sc.Replications = c.clients, c.replications
		got := 0
		if few, ok := previewOf(sc, 0); ok {
			got = few.Replications
			if sc.Replications != c.replications {
				t.Fatal("the scenario itself is changed")
			}
		}
		if got != c.want {
			t.Errorf("%d clients, %d replications: a preview of %d, want %d", c.clients, c.replications, got, c.want)
		}
	}
}

// What a preview shows is what the whole run's first replications give, and then comes the whole.
func TestLongRunsSendRowsOfTheFirstReplications(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	const query = "clients.count=3000"
	var kinds []string
	var page = map[string]string{}
	body := get(s, query, true).Body.String()
	for _, m := range regexp.MustCompile(`(?m)^event: (\w+)\ndata: (.*)$`).FindAllStringSubmatch(body, -1) {
		if m[1] != "progress" {
			kinds = append(kinds, m[1])
			page[m[1]] = m[2]
		}
	}
	if got := fmt.Sprint(kinds); got != "[preview page]" {
		t.Fatalf("events %s: %.300s", got, body)
	}
	if !strings.Contains(page["preview"], "Means of 2 runs") || !strings.Contains(page["page"], "Means of 20 runs") {
		t.Error("the footings do not say how many runs there are")
	}
	if again := get(s, query, true); again.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("at hand, it comes as %s", again.Header().Get("Content-Type"))
	}
	if plain := get(s, query+"&seed=2", false).Body.String(); strings.Contains(plain, "preview") {
		t.Error("a page as a whole has a preview")
	}
}

// A run over the limit is refused before a part of it is run.
func TestNoPreviewOfWhatIsRefused(t *testing.T) {
	s := newTestServer(nil)
	s.maxEvents = 6_000_000
	runs := 0
	run := s.run
	s.run = func(ctx context.Context, r sim.Runner, sc *sim.Scenario, p sim.Progress) (*sim.Result, error) {
		runs++
		return run(ctx, r, sc, p)
	}
	w := get(s, "clients.count=10000", true)
	if w.Code != http.StatusUnprocessableEntity || runs != 1 {
		t.Errorf("%d after %d runs: %.300s", w.Code, runs, w.Body)
	}
}

// A client that goes away ends the preview, and the whole is not begun.
func TestClientGoesAwayDuringThePreview(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequest(http.MethodGet, "/?clients.count=10000", nil).WithContext(ctx)
	r.Header.Set("Accept", "text/html, text/event-stream")
	done := make(chan struct{})
	go func() {
		s.ServeHTTP(httptest.NewRecorder(), r)
		close(done)
	}()
	receive(t, f.started, "the preview")
	cancel()
	receive(t, f.stopped, "its end")
	receive(t, done, "the answer's end")
	select {
	case <-f.started:
		t.Error("the whole run was begun")
	default:
	}
}
