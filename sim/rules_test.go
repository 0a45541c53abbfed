package sim

// The rules of the model one by one, on scenarios small enough to work out by hand.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// small runs one policy over one replication and traces everything.
func small(t *testing.T, document string) PolicyResult {
	t.Helper()
	s, err := ParseScenario([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	s.Replications = 1
	result, err := Runner{Trace: s.Clients.Count}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.Results[0]
}

// lines prints a trace, one attempt a line: client/attempt, when it left, arrived and was seen to end, and how.
func (r *Trace) lines() []string {
	var lines []string
	for i := range r.Attempt {
		lines = append(lines, fmt.Sprintf("%d/%d %s %s %s %s", r.Client[i], r.Attempt[i], moment(&r.LeftSeconds[i]),
			moment(r.ArrivedSeconds[i]), moment(r.SeenSeconds[i]), r.Outcome[i]))
	}
	return lines
}

func moment(seconds *float64) string {
	if seconds == nil {
		return "never"
	}
	return time.Duration(*seconds*1e9 + 0.5).String()
}

// wantTrace compares a trace with lines, indented at will.
func wantTrace(t *testing.T, r PolicyResult, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if got := r.Trace.lines(); !slices.Equal(got, lines) {
		t.Errorf("trace:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// wantMetrics compares some metrics; nil stands for one that does not exist.
func wantMetrics(t *testing.T, r PolicyResult, want map[string]any) {
	t.Helper()
	for name, v := range want {
		got := r.Metrics.Get(name).Mean
		switch {
		case v == nil && got != nil:
			t.Errorf("%s is %v, want null", name, *got)
		case v == nil:
		case got == nil:
			t.Errorf("%s is null, want %v", name, v)
		default:
			if d := *got - v.(float64); d > 1e-12 || d < -1e-12 {
				t.Errorf("%s is %.15g, want %.15g", name, *got, v)
			}
		}
	}
}

// TestRefusalKeepsIdleWorkerBusy refuses one attempt, which costs 3 ns of the 2 ms that its request takes.
func TestRefusalKeepsIdleWorkerBusy(t *testing.T) {
	r := small(t, `{"horizon": "1s", "clients": {"count": 1, "workload": {"kind": "burst"}},
		"network": {"latency": {"kind": "constant", "mean": "1ms"}},
		"server": {"workers": 1, "errors": {"permanent": 1}, "refusalCost": "3ns"},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`)
	wantTrace(t, r, "0/1 0s 1ms 2ms permanent")
	wantMetrics(t, r, map[string]any{"idle": 1 - 3e-9/2e-3})
}

// TestWasted counts a service as wasted if its client gave up by the horizon, before the answer came.
func TestWasted(t *testing.T) {
	document := `{"horizon": %q, "clients": {"count": 1, "workload": {"kind": "burst"}},
		"network": {"latency": {"kind": "constant", "mean": "30ms"}}, "server": {},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "attemptTimeout": "40ms", "maxAttempts": 1}]}`
	r := small(t, fmt.Sprintf(document, "41ms"))
	wantTrace(t, r, "0/1 0s 30ms 40ms timeout")
	wantMetrics(t, r, map[string]any{"wasted": 1.0, "failed.attempts": 1.0})
	r = small(t, fmt.Sprintf(document, "40ms"))
	wantTrace(t, r, "0/1 0s 30ms never inFlight")
	wantMetrics(t, r, map[string]any{"wasted": 0.0, "pending": 1.0})
}

// TestTimeoutFiresBeforeArrival has hops of 0 or 1 ns and a timeout of 1 ns. An answer just in time counts; but at one
// instant timeouts fire before attempts arrive, so an attempt that takes 1 ns to arrive is too late even if its answer
// takes none.
func TestTimeoutFiresBeforeArrival(t *testing.T) {
	r := small(t, `{"horizon": "1s", "clients": {"count": 100, "workload": {"kind": "burst"}},
		"network": {"latency": {"kind": "uniform", "min": "0s", "max": "1ns"}}, "server": {},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "attemptTimeout": "1ns", "maxAttempts": 1}]}`)
	got := map[string]int{}
	for _, line := range r.Trace.lines() {
		_, rest, _ := strings.Cut(line, " ")
		got[rest]++
	}
	n := got["0s 0s 0s ok"] + got["0s 0s 1ns ok"] + got["0s 1ns 1ns timeout"]
	if n != 100 || got["0s 0s 1ns ok"] == 0 {
		t.Errorf("%v", got)
	}
}

// TestOpenCreatesNothingPastTheEnd has a rate so low that the first request would come after the end of all time.
func TestOpenCreatesNothingPastTheEnd(t *testing.T) {
	r := small(t, `{"horizon": "1s", "clients": {"count": 1, "workload": {"kind": "open", "rate": 1e-11}},
		"server": {}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`)
	wantMetrics(t, r, map[string]any{"requests": 0.0, "successRate": nil, "completion.mean": nil})
}

// TestClosedContention lets a client write again and again, four hops and a thought each time.
func TestClosedContention(t *testing.T) {
	r := small(t, `{"horizon": "100ms", "network": {"latency": {"kind": "constant", "mean": "5ms"}}, "server": {"kind": "occ"},
		"clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant", "mean": "10ms"}}},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`)
	wantTrace(t, r, `0/1 10ms 25ms 30ms ok
		0/1 40ms 55ms 60ms ok
		0/1 70ms 85ms 90ms ok`)
}

// TestObservedAtCap lets one client retry at once, and again after the cap.
func TestObservedAtCap(t *testing.T) {
	policy := `[{"schedule": {"kind": "list", "delays": ["0s", "2s"]}, "maxAttempts": 3%s}]`
	atCap := func(capped string) [2]float64 {
		r := small(t, `{"horizon": "10s", "clients": {"count": 1, "workload": {"kind": "burst"}},
			"server": {"errors": {"transient": 1}}, "policies": `+fmt.Sprintf(policy, capped)+`}`)
		return [2]float64{r.Delays[0].Observed.AtCap, r.Delays[1].Observed.AtCap}
	}
	if got := atCap(`, "cap": "1s"`); got != [2]float64{0, 1} {
		t.Errorf("cap of 1 s: %v", got)
	}
	if got := atCap(""); got != [2]float64{} {
		t.Errorf("no cap: %v", got)
	}
}
