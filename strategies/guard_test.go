package strategies_test

// Guards step by step: what each allows, and what it holds, on traces computed by hand from the sources named.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

const second = int64(time.Second)

func guarded(t *testing.T, text string) strategies.Policy {
	t.Helper()
	p, err := strategies.ParseText("immediate," + text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// breakerRun drives a breaker. Each step is "at what": at in seconds; what is "send" or "stop", what asking to leave must
// give; "ok 1" or "fail 1", the outcome of the first attempt sent; and "fail 1 opens 10" if that must open it until then.
func breakerRun(t *testing.T, b *strategies.Breaker, draw uint64, steps ...string) {
	t.Helper()
	var s strategies.BreakerState
	var marks []uint32
	for i, step := range steps {
		var at float64
		var what string
		var attempt int
		var until float64
		fmt.Sscanf(step, "%g %s %d opens %g", &at, &what, &attempt, &until)
		now := int64(at * 1e9)
		switch what {
		case "send", "stop":
			allowed := b.Allows(&s, now)
			if allowed != (what == "send") {
				t.Fatalf("step %d, %q: allowed is %v", i, step, allowed)
			}
			if allowed {
				marks = append(marks, b.Sent(&s))
			}
		default:
			got := int64(0)
			if b.Seen(&s, marks[attempt-1], what == "fail") {
				got = b.OpenFrom(&s, now, draw)
			}
			if got != int64(until*1e9) {
				t.Fatalf("step %d, %q: opens until %v", i, step, time.Duration(got))
			}
		}
	}
}

// sony/gobreaker: closed → open on so many failures in a row → half-open after Timeout, with MaxRequests at most →
// closed after as many successes, or open again after one failure.
func TestBreakerOfConsecutiveFailures(t *testing.T) {
	b := guarded(t, "breaker.failures=3,breaker.openFor=10s,breaker.probes=2,breaker.successes=2").NewBreaker()
	breakerRun(t, b, 0,
		"0 send", "0 fail 1", "0 send", "0 fail 2", "1 send", "1 ok 3", // a success in between: not in a row
		"1 send", "1 send", "1 send", "1 send", "2 fail 4", "2 fail 5", "2 fail 6 opens 12",
		"2 fail 7", // sent before it opened: not heeded
		"3 stop", "11.999999999 stop",
		"12 send", "12 send", "12 stop", // half-open: two probes
		"13 ok 8", "13 send", "13 stop", // one is back, one may follow
		"13.5 fail 9 opens 23.5", "14 ok 10", // one failure opens it; the other probe is of a state gone by
		"23 stop", "24 send", "24 ok 11", "24 send", "25 ok 12", // two in a row: closed
		"25 send", "25 send", "25 send", "25 send", "25 send",
		"26 fail 13", "26 fail 14", "26 fail 15 opens 36")
}

// resilience4j, COUNT_BASED: the failure rate is first calculated once the window is full, and opens when it is equal to
// the threshold or above.
func TestBreakerOfRatio(t *testing.T) {
	b := guarded(t, "breaker.kind=ratio,breaker.window=4,breaker.ratio=0.5,breaker.openFor=1s").NewBreaker()
	breakerRun(t, b, 0,
		"0 send", "0 send", "0 send", "0 send", "0 send", "0 send", "0 send",
		"0 fail 1", "0 fail 2", "0 fail 3", // three of three, but the window has four places
		"0 ok 4 opens 1") // three of four
	breakerRun(t, b, 0,
		"0 send", "0 send", "0 send", "0 send", "0 send", "0 send",
		"0 fail 1", "0 ok 2", "0 ok 3", "0 ok 4", // one of four
		"0 fail 5",         // the first has left the window: one of four
		"0 fail 6 opens 1") // two of four
}

// Windows of each size around a word's, and the largest: a breaker opens at the first outcome that makes half of the last
// window failures, counted anew each time.
func TestBreakerWindows(t *testing.T) {
	for _, window := range []int{1, 2, 63, 64, 65, 128, 999, 1000} {
		b := guarded(t, fmt.Sprintf("breaker.kind=ratio,breaker.window=%d,breaker.ratio=0.5", window)).NewBreaker()
		random := rand.New(rand.NewPCG(1, uint64(window)))
		var s strategies.BreakerState
		var seen []bool
		opened := 0
		for i := range 50_000 {
			t0 := int64(i) * 20e9 // when the 10 s that it stays open are over
			if b.Allows(&s, t0); len(seen) == 0 && opened > 0 {
				b.Seen(&s, b.Sent(&s), false) // the probe that closes it
			}
			failed := random.Float64() < 0.45
			seen = append(seen, failed)
			last := seen[max(0, len(seen)-window):]
			failures := 0
			for _, f := range last {
				if f {
					failures++
				}
			}
			want := len(last) == window && 2*failures >= window
			if got := b.Seen(&s, b.Sent(&s), failed); got != want {
				t.Fatalf("window %d, outcome %d: opened %v, %d of %d failed", window, i, got, failures, len(last))
			}
			if want {
				b.OpenFrom(&s, t0, 0)
				seen, opened = nil, opened+1
			}
		}
		if opened == 0 && window < 999 {
			t.Errorf("window %d: never opened", window)
		}
	}
}

// A window of more than a word, at its threshold.
func TestBreakerOfLongWindow(t *testing.T) {
	b := guarded(t, "breaker.kind=ratio,breaker.window=100,breaker.ratio=0.29").NewBreaker()
	var s strategies.BreakerState
	b.Allows(&s, 0)
	for i := range 1000 {
		if b.Seen(&s, 0, i%100 < 28) {
			t.Fatalf("28 failures of 100 opened it, at outcome %d", i)
		}
	}
	if b.Seen(&s, 0, true); b.Seen(&s, 0, true) { // what leaves the window are failures too
		t.Error("28 failures of 100 opened it")
	}
	for i := range 30 {
		if b.Seen(&s, 0, true) {
			if i != 26 {
				t.Errorf("opened at %d", i)
			}
			return
		}
	}
	t.Error("29 failures of 100 did not open it")
}

// openFor·U[1−openJitter, 1+openJitter].
func TestBreakerOpenJitter(t *testing.T) {
	b := guarded(t, "breaker.failures=1,breaker.openFor=10s,breaker.openJitter=0.2").NewBreaker()
	for u, until := range map[uint64]float64{0: 8, 1 << 63: 10, ^uint64(0): 12} {
		breakerRun(t, b, u, "0 send", fmt.Sprintf("0 fail 1 opens %g", until), fmt.Sprintf("%g stop", until-0.001), fmt.Sprintf("%g send", until))
	}
}

// budgetRun drives a budget and lists what it holds after each step, in tokens: "request", "ok", "retried", "late" (a
// success of a retry after a timeout), "fail", "pay" and "pay10" (after a timeout) with "yes" or "no", and "1s": time
// passes.
func budgetRun(t *testing.T, b *strategies.Budget, steps, want string) {
	t.Helper()
	s, now := b.Start(), int64(0)
	var got []string
	for _, step := range strings.Fields(steps) {
		note := ""
		switch step {
		case "request":
			b.Requested(&s, now)
		case "ok", "retried", "late":
			b.Succeeded(&s, now, step != "ok", step == "late")
		case "fail":
			b.Failed(&s, now)
		case "pay", "pay10":
			note = map[bool]string{true: "yes:", false: "no:"}[b.Pays(&s, now, step == "pay10")]
		default:
			d, err := time.ParseDuration(step)
			if err != nil {
				t.Fatal(err)
			}
			now += int64(d)
			continue
		}
		got = append(got, fmt.Sprintf("%s%g", note, float64(s.Left())/1000))
	}
	if got := strings.Join(got, " "); got != want {
		t.Errorf("%s\ngot  %s\nwant %s", steps, got, want)
	}
}

// gRFC A6: token_count starts at maxTokens; with maxTokens 10 the threshold is 5.
func TestBudgetOfGRPC(t *testing.T) {
	b := guarded(t, "budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.5466").NewBudget()
	budgetRun(t, b, "ok fail pay fail fail fail pay fail pay ok pay",
		"10 9 yes:9 8 7 6 yes:6 5 no:5 5.546 yes:5.546") // "0.5466 is treated as 0.546"
	budgetRun(t, b, "fail fail fail fail fail fail fail fail fail fail fail ok", "9 8 7 6 5 4 3 2 1 0 0 0.546")
	tenth := guarded(t, "budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.1").NewBudget()
	budgetRun(t, tenth, "fail fail fail fail fail ok ok ok ok ok ok ok ok ok ok pay fail pay",
		"9 8 7 6 5 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 6 yes:6 5 no:5") // ten deposits of 0.1 are 1
}

// aws-sdk-go-v2, aws/retry: DefaultRetryRateTokens 500, DefaultRetryCost 5, DefaultRetryTimeoutCost 10,
// DefaultNoRetryIncrement 1.
func TestBudgetOfAWS(t *testing.T) {
	b := guarded(t, "budget.kind=aws,budget.capacity=12").NewBudget()
	budgetRun(t, b, "ok fail pay pay pay retried pay ok pay10 fail late pay10 pay10",
		"12 12 yes:7 yes:2 no:2 7 yes:2 3 no:3 3 12 yes:2 no:2")
	s := guarded(t, "budget.kind=aws").NewBudget().Start()
	if s.Left() != 500_000 {
		t.Errorf("starts with %d thousandths", s.Left())
	}
}

// Finagle's RetryBudget(ttl, minRetriesPerSec, percentCanRetry): a deposit for each request, a withdrawal for each retry.
func TestBudgetOfRatio(t *testing.T) {
	b := guarded(t, "budget.kind=ratio,budget.ratio=0.2,budget.burst=2").NewBudget()
	budgetRun(t, b, "request pay pay pay request request request request pay request pay fail ok",
		"2 yes:1 yes:0 no:0 0.2 0.4 0.6 0.8 no:0.8 1 yes:0 0 0")
	tenth := guarded(t, "budget.kind=ratio,budget.ratio=0.1,budget.burst=1").NewBudget()
	budgetRun(t, tenth, "pay "+strings.Repeat("request ", 10)+"pay", "yes:0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 yes:0")
	trickling := guarded(t, "budget.kind=ratio,budget.ratio=0,budget.burst=3,budget.minPerSecond=0.3").NewBudget()
	budgetRun(t, trickling, "pay 3.333333333s pay pay pay pay 3.333333333s pay 1ns pay 168h pay", "yes:2 yes:1.999 yes:0.999 no:0.999 no:0.999 yes:0.999 yes:0 yes:2")
}

// "Site Reliability Engineering", chapter 21, equation 21-1, with K = 2.
func TestThrottle(t *testing.T) {
	r := guarded(t, "throttle.k=2").NewThrottle()
	var s strategies.ThrottleState
	check := func(at int64, want float64) {
		t.Helper()
		if got := r.Probability(&s, at); got != want {
			t.Errorf("at %v: %v, want %v", time.Duration(at), got, want)
		}
	}
	check(0, 0)
	for range 3 {
		r.Requested(&s, 0)
	}
	check(0, 3./4)
	r.Accepted(&s, second)
	check(second, 1./4)
	r.Accepted(&s, second)
	check(second, 0) // three attempts, two accepted: within K
	for range 6 {
		r.Requested(&s, 3*second) // another slot of two seconds
	}
	check(3*second, 5./10)
	check(120*second-1, 5./10)
	check(120*second, 6./7) // the slot of the first two seconds is gone
	check(122*second, 0)
	check(1e6*second, 0)
}

func TestThrottleCountsWhatIsNotRejected(t *testing.T) {
	r := guarded(t, "throttle.k=2").NewThrottle()
	var rejected []string
	for c := range strategies.Class(strategies.NumClasses) {
		if r.Rejects(c) {
			rejected = append(rejected, c.String())
		}
	}
	if want := []string{"unavailable", "timeout", "overloaded", "rateLimited"}; !slices.Equal(rejected, want) {
		t.Errorf("%v, want %v", rejected, want)
	}
}

func TestGuardFaults(t *testing.T) {
	for text, want := range map[string]string{
		"breaker.failures=0": "failures must be at least 1, not 0",
		"breaker.openFor=1s": "failures is required",
		"breaker.kind=ratio": "window is required",
		"breaker.kind=ratio,breaker.window=0,breaker.ratio=0.5":         "window must be at least 1, not 0",
		"breaker.kind=ratio,breaker.window=10,breaker.ratio=0":          "ratio must be at least 0.001, not 0",
		"breaker.failures=1,breaker.window=10":                          "window belongs to kind ratio, not failures",
		"breaker.failures=1,breaker.openFor=0s":                         "openFor must be at least 1ns, not 0s",
		"breaker.failures=1,breaker.openJitter=1.5":                     "openJitter must be at most 1, not 1.5",
		"breaker.failures=1,breaker.probes=0":                           "probes must be at least 1, not 0",
		"breaker.failures=1,breaker.onOpen=queue":                       `onOpen must be one of fail, wait, not "queue"`,
		"budget.kind=grpc,budget.maxTokens=0,budget.tokenRatio=0.1":     "maxTokens must be at least 1, not 0",
		"budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.0001": "tokenRatio must be at least 0.001, not 0.0001",
		"budget.kind=aws,budget.capacity=4":                             "capacity must be at least retryCost (5), not 4",
		"budget.kind=ratio,budget.ratio=0.1,budget.burst=0.5":           "burst must be at least 1, not 0.5",
		"budget.ratio=0.1":                "kind is required",
		"throttle.k=0.5":                  "k must be at least 1, not 0.5",
		"throttle.k=2,throttle.window=0s": "window must be at least 1ms, not 0s",
	} {
		_, err := strategies.ParseText("immediate," + text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestGuardWarnings(t *testing.T) {
	for text, want := range map[string]string{
		"budget.kind=grpc,budget.maxTokens=2,budget.tokenRatio=0.1":              "the budget never allows a retry: a failure leaves 1 of its 2 tokens, and a retry needs more than 1",
		"budget.kind=grpc,budget.maxTokens=3,budget.tokenRatio=0.1":              "",
		"attemptTimeout=1s,budget.kind=aws,budget.capacity=9":                    "the budget never allows a retry after a timeout: that costs 10 tokens, and it holds at most 9",
		"budget.kind=aws,budget.capacity=9":                                      "",
		"attemptTimeout=1s,retryOn=overloaded,budget.kind=aws,budget.capacity=9": "",
		"budget.kind=ratio,budget.ratio=0,budget.burst=3.5":                      "nothing fills the budget again: what a process retries in all is at most 3",
	} {
		got := strings.Join(guarded(t, text).Warnings(), "; ")
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
