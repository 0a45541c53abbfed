package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// fakeRun stands for sim.Runner.Run. Each call is announced on started, then waits for a value on finish (the error to
// return) or for its context to end, which is announced on stopped.
type fakeRun struct {
	started chan sim.Runner
	finish  chan error
	stopped chan struct{}
}

func newFakeRun() *fakeRun {
	return &fakeRun{make(chan sim.Runner, 100), make(chan error, 100), make(chan struct{}, 100)}
}

func (f *fakeRun) run(ctx context.Context, r sim.Runner, sc *sim.Scenario, progress sim.Progress) (*sim.Result, error) {
	progress(1, 2)
	f.started <- r
	select {
	case err := <-f.finish:
		return &sim.Result{Scenario: sc}, err
	case <-ctx.Done():
		f.stopped <- struct{}{}
		return nil, ctx.Err()
	}
}

// newTestServer returns a server with two slots that never waits for one, over a fake run unless it is nil.
func newTestServer(f *fakeRun) *Server {
	s := New(Config{MaxConcurrent: 2, Version: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	s.slotWait = 0
	if f != nil {
		s.run = f.run
	}
	return s
}

// receive fails the test rather than hang.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("%s: nothing within %v", what, patience)
		panic("unreachable")
	}
}

func named(name string) *sim.Scenario { return &sim.Scenario{Name: name} }

// simulating starts a call of simulate and returns where its error will come.
func simulating(ctx context.Context, s *Server, name string, o options) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := s.simulate(ctx, named(name), o)
		done <- err
	}()
	return done
}

// waiting waits until so many callers are in the flight of a scenario.
func waiting(t *testing.T, s *Server, name string, n int) {
	t.Helper()
	k, err := keyOf(named(name), options{})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		f := s.flights[k]
		if f != nil && f.waiting == n {
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
	t.Fatalf("not %d callers in the flight of %q within 10 s", n, name)
}

func TestCallersShareARunAndThenTheCache(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	a := simulating(t.Context(), s, "a", options{})
	b := simulating(t.Context(), s, "a", options{})
	waiting(t, s, "a", 2)
	f.finish <- nil
	if err := errors.Join(receive(t, a, "first caller"), receive(t, b, "second caller")); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, simulating(t.Context(), s, "a", options{}), "third caller"); err != nil {
		t.Fatal(err)
	}
	if n := len(f.started); n != 1 {
		t.Errorf("%d runs for three callers, want 1", n)
	}
}

func TestOptionsThatChangeTheResultHaveRunsOfTheirOwn(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	s.maxEvents = 7
	for _, o := range []options{{}, {values: true}, {trace: 3}} {
		f.finish <- nil
		if err := receive(t, simulating(t.Context(), s, "a", o), "caller"); err != nil {
			t.Fatal(err)
		}
		want := sim.Runner{MaxEvents: 7, Values: o.values, Trace: o.trace}
		if got := receive(t, f.started, "run"); got != want {
			t.Errorf("runner %+v, want %+v", got, want)
		}
	}
}

func TestRunEndsOnlyWhenNobodyWaits(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	ctxA, leaveA := context.WithCancel(t.Context())
	ctxB, leaveB := context.WithCancelCause(t.Context())
	a := simulating(ctxA, s, "a", options{})
	b := simulating(ctxB, s, "a", options{})
	waiting(t, s, "a", 2)

	leaveA()
	if err := receive(t, a, "first caller"); !errors.Is(err, context.Canceled) {
		t.Errorf("first caller: %v, want context.Canceled", err)
	}
	waiting(t, s, "a", 1)
	if len(f.stopped) != 0 {
		t.Fatal("the run ended while one caller was still waiting")
	}

	leaveB(ErrShutdown)
	if err := receive(t, b, "second caller"); !errors.Is(err, ErrShutdown) {
		t.Errorf("second caller: %v, want the cause, ErrShutdown", err)
	}
	receive(t, f.stopped, "run")
}

func TestEverySlotTaken(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	ctx, leave := context.WithCancel(t.Context())
	a := simulating(ctx, s, "a", options{})
	b := simulating(t.Context(), s, "b", options{})
	receive(t, f.started, "first run")
	receive(t, f.started, "second run")

	if err := receive(t, simulating(t.Context(), s, "c", options{}), "third caller"); err != errBusy {
		t.Errorf("third caller: %v, want errBusy", err)
	}

	// A client that replaces its request waits a moment for its own slot.
	s.slotWait = 10 * time.Second
	c := simulating(t.Context(), s, "c", options{})
	waiting(t, s, "c", 1)
	leave()
	receive(t, a, "first caller")
	receive(t, f.started, "third run")
	f.finish <- nil
	f.finish <- nil
	if err := errors.Join(receive(t, b, "second caller"), receive(t, c, "third caller")); err != nil {
		t.Error(err)
	}
	if n := len(s.slots); n != 0 {
		t.Errorf("%d slots taken when all is done, want 0", n)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	boom := errors.New("boom")
	for range 2 {
		f.finish <- boom
		if err := receive(t, simulating(t.Context(), s, "a", options{}), "caller"); err != boom {
			t.Errorf("%v, want boom", err)
		}
	}
	if n := len(f.started); n != 2 {
		t.Errorf("%d runs for two callers after an error, want 2", n)
	}
}

func TestPanicInARunIsAnError(t *testing.T) {
	s := newTestServer(nil)
	s.run = func(context.Context, sim.Runner, *sim.Scenario, sim.Progress) (*sim.Result, error) { panic("boom") }
	err := receive(t, simulating(t.Context(), s, "a", options{}), "caller")
	if err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("%v, want an error that names the panic", err)
	}
	if n := len(s.slots); n != 0 {
		t.Errorf("%d slots taken after a panic, want 0", n)
	}
}

func TestProgressReachesTheCaller(t *testing.T) {
	f := newFakeRun()
	s := newTestServer(f)
	told := make(chan [2]int, 100)
	done := simulating(t.Context(), s, "a", options{progress: func(done, total int) { told <- [2]int{done, total} }})
	if got := receive(t, told, "progress"); got != [2]int{1, 2} {
		t.Errorf("progress %v, want [1 2]", got)
	}
	f.finish <- nil
	if err := receive(t, done, "caller"); err != nil {
		t.Error(err)
	}
}

func TestCacheForgetsWhatWasUnusedForLongest(t *testing.T) {
	result := func(bins int) *sim.Result {
		return &sim.Result{Results: []sim.PolicyResult{{Run: sim.FirstRun{Arrivals: make([]int64, bins)}}}}
	}
	one := sizeOf(result(1000))
	c := newCache(3*one, sizeOf)
	for id := range byte(3) {
		c.add(key{id}, result(1000))
	}
	c.get(key{0})
	c.add(key{3}, result(1000))
	c.add(key{4}, result(5000)) // more than the whole cache
	for id, want := range []bool{true, false, true, true, false} {
		if got := c.get(key{byte(id)}) != nil; got != want {
			t.Errorf("result %d is in the cache: %t, want %t", id, got, want)
		}
	}
	if c.bytes != 3*one || len(c.entries) != 3 || c.order.Len() != 3 {
		t.Errorf("%d bytes, %d entries, %d in order; want %d, 3, 3", c.bytes, len(c.entries), c.order.Len(), 3*one)
	}
}
