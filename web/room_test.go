package web

import (
	"net/http"
	"testing"
)

// Results that nobody reads stay in memory, so there is room for a number of bytes of them, and then none.
func TestRoomForAnswers(t *testing.T) {
	s := newTestServer(nil)
	const target = "/api/v1/simulations?replications=1"
	if res := ask(s, "GET", target, ""); res.StatusCode != http.StatusOK {
		t.Fatalf("status %d, want 200", res.StatusCode)
	}
	if left := s.room.left.Load(); left != answerRoom {
		t.Errorf("%d bytes of room are left after the answer, want all %d", left, answerRoom)
	}
	leave, err := s.room.enter(2 * answerRoom) // larger than all of it, but alone
	if err != nil {
		t.Fatal(err)
	}
	res := ask(s, "GET", target, "")
	if wantProblem(t, res, 503); res.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if res := ask(s, "GET", "/?replications=1", ""); res.StatusCode != http.StatusOK {
		t.Errorf("the page: status %d, want 200: it is small", res.StatusCode)
	}
	leave()
	if res := ask(s, "GET", target, ""); res.StatusCode != http.StatusOK {
		t.Errorf("status %d after the others have left, want 200", res.StatusCode)
	}
}

// Static files take GET and HEAD alone, and say so to whoever tries something else.
func TestStaticFilesAreOnlyRead(t *testing.T) {
	s := newTestServer(nil)
	res := ask(s, "POST", "/static/x/app.js", "")
	wantProblem(t, res, 405)
	if allow := res.Header.Get("Allow"); allow != "GET, HEAD" {
		t.Errorf("Allow is %q, want GET, HEAD", allow)
	}
}

// Whatever is asked for, who finds every slot taken is told when to come back.
func TestBusyPagesSayWhenToRetry(t *testing.T) {
	s := newTestServer(nil)
	s.slots <- struct{}{}
	s.slots <- struct{}{}
	for _, target := range []string{"/", "/embed", "/embed/stage", "/what-if", "/policy", "/chart.svg", "/chart.png", "/api/v1/simulations", "/api/v1/traces", "/api/v1/export/table.md"} {
		for res, asked := ask(s, "GET", target, ""), target; ; res, asked = ask(s, "GET", res.Header.Get("Location"), ""), res.Header.Get("Location") {
			if res.StatusCode == http.StatusSeeOther {
				continue
			}
			if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
				t.Errorf("%s: status %d, Retry-After %q", asked, res.StatusCode, res.Header.Get("Retry-After"))
			}
			break
		}
	}
}
