package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// One client that thinks for a second between requests, each of which is answered with an injected error after no time
// at all: two attempts a second apart, then the request has failed.
func TestTraceTellsRequestsApart(t *testing.T) {
	s, err := ParseScenario([]byte(`{
		"horizon": "5s", "replications": 1,
		"clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant", "mean": "1s"}}},
		"server": {"errors": {"transient": 1}},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "maxAttempts": 2}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Runner{Trace: 1}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace := r.Results[0].Trace
	var got []string
	for i := range trace.Client {
		got = append(got, fmt.Sprint(trace.Request[i], trace.Attempt[i], trace.LeftSeconds[i], trace.Failed[i]))
	}
	if got, want := strings.Join(got, "|"), "1 1 1|1 2 2attempts|2 1 3|2 2 4attempts"; got != want {
		t.Errorf("the trace is %s, want %s", got, want)
	}
}

// Two clients meet one worker with one place to wait, 100 ms away and busy for 1 s with each. The second is served from
// 1.1 s to 2.1 s although its client has given up at 1.5 s.
func TestTraceShowsWhatTheServerIsAt(t *testing.T) {
	s, err := ParseScenario([]byte(`{
		"horizon": "5s", "replications": 1, "clients": {"count": 2}, "network": {"latency": {"kind": "constant", "mean": "100ms"}},
		"server": {"outages": [{"start": "3s", "end": "4s"}], "workers": 1, "serviceTime": {"kind": "constant", "mean": "1s"}, "queue": 1,
			"warmup": {"from": 0.5, "duration": "2s"}},
		"policies": [{"schedule": {"kind": "constant", "base": "2s"}, "maxAttempts": 2, "attemptTimeout": "1500ms"}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Runner{Trace: 2}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace := r.Results[0].Trace
	var got []string
	for i := range trace.Client {
		got = append(got, fmt.Sprint(trace.Client[i], ": ", trace.LeftSeconds[i], " ", show(trace.ArrivedSeconds[i]), " ", show(trace.StartedSeconds[i]), " ",
			show(trace.AnsweredSeconds[i]), " ", show(trace.SeenSeconds[i]), " ", trace.Outcome[i]))
	}
	want := "0: 0 0.1 0.1 1.1 1.2 ok|1: 0 0.1 1.1 2.1 1.5 timeout|1: 3.5 3.6 null 3.6 3.7 unavailable"
	if got := strings.Join(got, "|"); got != want {
		t.Errorf("the trace is\n%s, want\n%s", got, want)
	}
	server := fmt.Sprintf("%+v", trace.Server)
	if want := "{GapSeconds:1e-09 AtSeconds:[0.1 1.1 2.1] InService:[1 1 0] Queue:[1 0 0] Busy:[1 1 0] Warmups:[{From:4 To:6 Speed:0.5}]}"; server != want {
		t.Errorf("the server's is\n%s, want\n%s", server, want)
	}
}

// Of a thousand changes, one a microsecond, a log with room for 16 keeps the state at the end of every 128 µs.
func TestWorkLogCoarsens(t *testing.T) {
	log := workLog{room: 16, gap: 1}
	for i := range 1000 {
		log.note(work{at: int64(i) * 1000, queue: i})
	}
	if log.gap != 1<<17 || len(log.changes) != 8 {
		t.Fatalf("%d changes in stretches of %d ns", len(log.changes), log.gap)
	}
	for i, w := range log.changes {
		// Change k is in stretch k·1000 / 2^17; the last one in it is what counts.
		last := min(999, ((i+1)<<17-1)/1000)
		if w.queue != last || w.at/log.gap != int64(i) {
			t.Errorf("stretch %d is %+v, want queue %d", i, w, last)
		}
	}
}
