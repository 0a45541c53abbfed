package sim

// The rules of the model one by one, on scenarios small enough to work out by hand: clients here, the server in
// rules_server_test.go.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/stampede-sim/stampede/sim/simtest"
)

// rule is a small scenario and what must come of it. Clients have one request each, at 0, unless the scenario says
// otherwise.
type rule struct {
	name    string
	clients int
	latency string // one way
	server  string // fields of the server
	policy  string // fields of the policy
	more    string // further fields of the scenario, each followed by a comma

	trace   string // one attempt a line: client/attempt, when it left, arrived and was seen to end, and how
	down    string // spans, such as "outage 0s-1s, crash 2s-3s"; empty: not checked
	nodes   string // the same of each node, such as "outage 0s-1s | outage 0s-2s"; empty: not checked
	metrics map[string]float64
}

func checkRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			clients := fmt.Sprintf(`"clients": {"count": %d, "workload": {"kind": "burst"}},`, c.clients)
			if strings.Contains(c.more, `"clients"`) {
				clients = ""
			}
			if !strings.Contains(c.more, `"horizon"`) {
				c.more += `"horizon": "2s",`
			}
			r := small(t, fmt.Sprintf(`{%s %s "network": {"latency": {"kind": "constant", "mean": %q}}, "server": {%s}, "policies": [{%s}]}`,
				c.more, clients, c.latency, c.server, c.policy))
			wantTrace(t, r, c.trace)
			if got := spans(r.Run.Down); c.down != "" && got != c.down {
				t.Errorf("down %s, want %s", got, c.down)
			}
			var nodes []string
			for _, nd := range r.Run.Nodes {
				nodes = append(nodes, spans(nd.Down))
			}
			if got := strings.Join(nodes, " | "); c.nodes != "" && got != c.nodes {
				t.Errorf("nodes down %s, want %s", got, c.nodes)
			}
			for name, v := range c.metrics {
				wantMetrics(t, r, map[string]any{name: v})
			}
		})
	}
}

// spans prints times of being down.
func spans(down []Span) string {
	var list []string
	for _, d := range down {
		list = append(list, fmt.Sprintf("%s %s-%s", d.Why, moment(&d.From), moment(&d.To)))
	}
	return strings.Join(list, ", ")
}

// small runs one policy over one replication and traces everything.
func small(t *testing.T, document string) PolicyResult {
	t.Helper()
	s, err := ParseScenario([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	s.Replications = 1
	result, err := Runner{Trace: s.Clients.Count, Nodes: true}.Run(context.Background(), s, nil)
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

// TestTimeouts: what a client does not wait for, the server does not know about.
func TestTimeouts(t *testing.T) {
	const hang = `"outages": [{"start": "0s", "end": "100ms", "mode": "hang"}]`
	checkRules(t, []rule{
		{name: "a hanging server answers when its outage ends", clients: 1, latency: "10ms", server: hang,
			policy: `"schedule": {"kind": "constant", "base": "50ms"}`,
			trace: `0/1 0s 10ms 110ms unavailable
				0/2 160ms 170ms 180ms ok`,
			metrics: map[string]float64{"timedOut": 0, "refused.unavailable": 1, "drain": 0.08}},
		{name: "unless the client gives up before", clients: 1, latency: "10ms", server: hang,
			policy: `"schedule": {"kind": "constant", "base": "25ms"}, "attemptTimeout": "40ms"`,
			trace: `0/1 0s 10ms 40ms timeout
				0/2 65ms 75ms 105ms timeout
				0/3 130ms 140ms 150ms ok`,
			metrics: map[string]float64{"timedOut": 2, "refused": 0, "settle": 0.005}},
		{name: "an answer as the timeout fires is in time", clients: 1, latency: "10ms", server: hang,
			policy: `"schedule": {"kind": "constant", "base": "30ms"}, "attemptTimeout": "110ms", "maxAttempts": 1`,
			trace:  `0/1 0s 10ms 110ms unavailable`},
		{name: "an abandoned attempt keeps its place, its time and its answer", clients: 2, latency: "0s",
			server: `"workers": 1, "serviceTime": {"kind": "constant", "mean": "100ms"}, "queue": 5`,
			policy: `"schedule": {"kind": "immediate"}, "attemptTimeout": "150ms", "maxAttempts": 2`,
			trace: `0/1 0s 0s 100ms ok
				1/1 0s 0s 150ms timeout
				1/2 150ms 150ms 300ms ok`,
			metrics: map[string]float64{"wasted": 1, "idle": 0}},
		{name: "timeouts fire, then attempts leave and arrive, each by request number", clients: 2, latency: "0s",
			server: `"workers": 1, "serviceTime": {"kind": "constant", "mean": "100ms"}, "queue": 5, "retryAfter": {"kind": "constant", "after": "20ms"},
				"rateLimit": {"kind": "window", "limit": 1, "window": "20ms"}`,
			policy: `"schedule": {"kind": "immediate"}, "attemptTimeout": "20ms", "maxAttempts": 2`,
			trace: `0/1 0s 0s 20ms timeout
				1/1 0s 0s 0s rateLimited
				0/2 20ms 20ms 40ms timeout
				1/2 20ms 20ms 20ms rateLimited`},
		{name: "a timeout that is not retried", clients: 1, latency: "10ms", server: hang,
			policy:  `"schedule": {"kind": "immediate"}, "attemptTimeout": "20ms", "retryOn": ["unavailable"]`,
			trace:   `0/1 0s 10ms 20ms timeout`,
			metrics: map[string]float64{"failed.notRetryable": 1}},
	})
}

// TestDeadline: no wait is begun that would end past the deadline; to end with it is allowed.
func TestDeadline(t *testing.T) {
	const down = `"outages": [{"start": "0s", "end": "1s"}]`
	policy := func(deadline string) string {
		return `"schedule": {"kind": "constant", "base": "80ms"}, "deadline": "` + deadline + `"`
	}
	checkRules(t, []rule{
		{name: "on time", clients: 1, latency: "10ms", server: down, policy: policy("100ms"),
			trace: `0/1 0s 10ms 20ms unavailable
				0/2 100ms 110ms 120ms unavailable`,
			metrics: map[string]float64{"failed.deadline": 1, "pending": 0}},
		{name: "too late", clients: 1, latency: "10ms", server: down, policy: policy("99.999999ms"),
			trace:   `0/1 0s 10ms 20ms unavailable`,
			metrics: map[string]float64{"failed.deadline": 1}},
		{name: "an attempt under way is not cut short", clients: 1, latency: "60ms", server: "", policy: policy("100ms"),
			trace:   `0/1 0s 60ms 120ms ok`,
			metrics: map[string]float64{"succeeded": 1}},
		{name: "after the last attempt that is what failed it", clients: 1, latency: "10ms", server: down,
			policy: policy("30ms") + `, "maxAttempts": 1`, trace: `0/1 0s 10ms 20ms unavailable`,
			metrics: map[string]float64{"failed.attempts": 1, "failed.deadline": 0}},
	})
}

// TestRetryAfterRules: a client that drew a delay of 100 ms is told to wait for 300 ms.
func TestRetryAfterRules(t *testing.T) {
	const told = `"outages": [{"start": "0s", "end": "1h"}], "retryAfter": {"kind": "constant", "after": "300ms"}`
	var rules []rule
	for _, c := range []struct{ rule, cap, second string }{
		{"ignore", "200ms", "100ms"},
		{"floor", "200ms", "300ms"},
		{"clamp", "200ms", "200ms"},
		{"clamp", "0s", "300ms"},
		{"giveUp", "200ms", ""},
		{"giveUp", "300ms", "300ms"},
		{"giveUp", "0s", "300ms"},
	} {
		r := rule{name: c.rule + ", cap " + c.cap, clients: 1, latency: "0s", server: told,
			policy:  fmt.Sprintf(`"schedule": {"kind": "constant", "base": "100ms"}, "cap": %q, "maxAttempts": 2, "retryAfter": %q`, c.cap, c.rule),
			trace:   "0/1 0s 0s 0s unavailable",
			metrics: map[string]float64{"failed.retryAfter": 1}}
		if c.second != "" {
			r.trace += fmt.Sprintf("\n0/2 %[1]s %[1]s %[1]s unavailable", c.second)
			r.metrics = map[string]float64{"failed.attempts": 1}
		}
		rules = append(rules, r)
	}
	checkRules(t, rules)
}

// TestFloorJitter: the hint plus U[0, d] has the mean 350 ms and the standard deviation 100 ms/√12.
func TestFloorJitter(t *testing.T) {
	const clients = 10_000
	r := small(t, fmt.Sprintf(`{"horizon": "1s", "clients": {"count": %d, "workload": {"kind": "burst"}},
		"server": {"outages": [{"start": "0s", "end": "1h"}], "retryAfter": {"kind": "constant", "after": "300ms"}},
		"policies": [{"schedule": {"kind": "constant", "base": "100ms"}, "maxAttempts": 2, "retryAfter": "floorJitter"}]}`, clients))
	var waits []float64
	for i, n := range r.Trace.Attempt {
		if n == 2 {
			waits = append(waits, r.Trace.LeftSeconds[i])
		}
	}
	uniform(t, waits, clients, 0.3, 0.4)
}

// uniform checks that there are n values between low and high, with the mean and the standard deviation of the uniform
// distribution, within 4 standard errors: σ/√n, and σ·√(0.2/n) since its kurtosis is 1.8.
func uniform(t *testing.T, values []float64, n int, low, high float64) {
	t.Helper()
	mean, sd := stat.MeanStdDev(values, nil)
	sigma := (high - low) / math.Sqrt(12)
	if len(values) != n || slices.Min(values) < low || slices.Max(values) > high ||
		math.Abs(mean-(low+high)/2) > 4*sigma/math.Sqrt(float64(n)) || math.Abs(sd-sigma) > 4*sigma*math.Sqrt(0.2/float64(n)) {
		t.Errorf("%d values from %v to %v, mean %v, standard deviation %v; want %d uniform in [%v, %v]",
			len(values), slices.Min(values), slices.Max(values), mean, sd, n, low, high)
	}
}

// TestBurst: requests are created uniformly over the spread.
func TestBurst(t *testing.T) {
	const clients = 10_000
	r := small(t, fmt.Sprintf(`{"horizon": "10s", "clients": {"count": %d, "workload": {"kind": "burst", "spread": "4s"}},
		"server": {}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`, clients))
	uniform(t, r.Trace.LeftSeconds, clients, 0, 4)
}

// TestClosed: each client thinks, and makes its next request when the last one has ended, in success or failure.
func TestClosed(t *testing.T) {
	const closed = `"clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant", "mean": "100ms"}}}, "horizon": "700ms",`
	checkRules(t, []rule{
		{name: "served", more: closed, latency: "10ms", server: `"serviceTime": {"kind": "constant", "mean": "30ms"}`,
			policy: `"schedule": {"kind": "constant", "base": "1s"}`,
			trace: `0/1 100ms 110ms 150ms ok
				0/1 250ms 260ms 300ms ok
				0/1 400ms 410ms 450ms ok
				0/1 550ms 560ms 600ms ok`, // the next would be created at the horizon
			metrics: map[string]float64{"requests": 4, "goodput": 4 / 0.7, "pending": 0}},
		{name: "failed", more: closed, latency: "10ms", server: `"errors": {"permanent": 1}`,
			policy: `"schedule": {"kind": "constant", "base": "1s"}`,
			trace: `0/1 100ms 110ms 120ms permanent
				0/1 220ms 230ms 240ms permanent
				0/1 340ms 350ms 360ms permanent
				0/1 460ms 470ms 480ms permanent
				0/1 580ms 590ms 600ms permanent`,
			metrics: map[string]float64{"failed.notRetryable": 5}},
	})
}

// TestOpen: requests come as a Poisson process at the rate of the moment, so that each span's count has the mean λ, known
// to within 4·√(λ/n) from n runs, and the variance λ, to within 4·√((2λ² + λ)/n).
func TestOpen(t *testing.T) {
	simtest.PlainRunOnly(t)
	const runs = 1000
	document := `{"seed": "%d", "horizon": "7s", "bin": "1s", "clients": {"count": 10, "workload": {"kind": "open", "rate": 100, "surges": [
			{"start": "2s", "end": "3s", "rate": 400}, {"start": "3s", "end": "4s", "rate": 0}, {"start": "4500ms", "end": "5s", "rate": 500}]}},
		"server": {}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`
	rates := []float64{100, 100, 400, 0, 50 + 250, 100, 100}
	counts := make([][]float64, len(rates))
	for seed := range runs {
		arrivals := small(t, fmt.Sprintf(document, seed)).Run.Arrivals
		for i := range counts {
			counts[i] = append(counts[i], float64(arrivals[i]))
		}
	}
	for i, rate := range rates {
		mean, variance := stat.MeanVariance(counts[i], nil)
		if math.Abs(mean-rate) > 4*math.Sqrt(rate/float64(runs)) || math.Abs(variance-rate) > 4*math.Sqrt((2*rate*rate+rate)/float64(runs)) {
			t.Errorf("second %d: mean %v, variance %v, want %v", i, mean, variance, rate)
		}
	}
	if r := stat.Correlation(counts[0], counts[1], nil); math.Abs(r) > 4/math.Sqrt(float64(runs)) {
		t.Errorf("neighbouring seconds correlate by %v", r)
	}
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
