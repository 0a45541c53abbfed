package stampede_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// How a run behaves: the same bytes on any cores, progress, cancellation, cost, traces.

func encode(t *testing.T, s *sim.Scenario) map[string]string {
	t.Helper()
	result, err := sim.Runner{Values: true, Trace: 10}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	byPolicy := map[string]string{}
	for _, r := range result.Results {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		byPolicy[r.Policy.ID] = string(data)
	}
	return byPolicy
}

// TestSameBytes: neither the number of cores nor the company that a policy is run in, nor its place in it, changes a byte
// of its result.
func TestSameBytes(t *testing.T) {
	for _, p := range sim.Presets() {
		if testing.Short() && p.ID != "default" {
			continue
		}
		t.Run(p.ID, func(t *testing.T) {
			s := p.Scenario
			s.Replications = 2
			s.Clients.Count = min(s.Clients.Count, 500)
			all := slices.Clone(s.Policies)
			on := func(cores int) map[string]string {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				return encode(t, s)
			}
			want := on(1)
			if got := on(2); !reflect.DeepEqual(got, want) {
				t.Error("another result on two cores")
			}
			slices.Reverse(s.Policies)
			if got := on(3); !reflect.DeepEqual(got, want) {
				t.Error("another result in another order, on three cores")
			}
			for _, policy := range all {
				s.Policies = append(s.Policies[:0:0], policy)
				if encode(t, s)[policy.ID] != want[policy.ID] {
					t.Errorf("%s has another result alone", policy.ID)
				}
			}
		})
	}
}

// TestWarningsStayWithTheirPolicy: what is odd about one policy is no concern of another's result.
func TestWarningsStayWithTheirPolicy(t *testing.T) {
	odd := `{"id": "odd", "schedule": {"kind": "constant", "base": "10s"}, "deadline": "1s"}`
	plain := `{"id": "plain", "schedule": {"kind": "constant", "base": "10s"}}`
	document := `{"clients": {"count": 1}, "server": {}, "policies": [%s]}`
	both := encode(t, parse(t, document, odd+", "+plain))
	if both["plain"] != encode(t, parse(t, document, plain))["plain"] || both["odd"] != encode(t, parse(t, document, odd))["odd"] {
		t.Error("another result alone")
	}
}

// TestCommonRandomNumbers: all policies meet the same requests and the same moment of recovery.
func TestCommonRandomNumbers(t *testing.T) {
	s := parse(t, `{"horizon": "20s", "replications": 5, "clients": {"count": 10, "workload": {"kind": "open", "rate": 50}},
		"server": {"outages": [{"start": "1s", "end": "2s", "endSpread": "5s"}]},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}}, {"schedule": {"kind": "linear", "base": "3s"}, "jitter": {"kind": "full"}}]}`)
	r := run(t, s).Results
	if a, b := values(t, r[0], "requests"), values(t, r[1], "requests"); !slices.Equal(a, b) {
		t.Errorf("%v and %v requests", a, b)
	}
	if a, b := values(t, r[0], "downtime"), values(t, r[1], "downtime"); !slices.Equal(a, b) || a[0] == a[1] {
		t.Errorf("down for %v and %v", a, b)
	}
}

// TestProgress: one replication after the other is reported, up to the last.
func TestProgress(t *testing.T) {
	s := preset(t, "outage")
	s.Replications = 5
	next, all := 1, 5*len(s.Policies)
	_, err := sim.Run(context.Background(), s, func(done, total int) {
		if done != next || total != all {
			t.Errorf("%d of %d done, want %d of %d", done, total, next, all)
		}
		next++
	})
	if err != nil || next != all+1 {
		t.Errorf("%v after %d replications", err, next-1)
	}
}

// TestCancel cancels a run that would take for ever: by its second policy, which a thousand clients repeat without a pause
// for a week. The first one's progress is the signal. No goroutine is left.
func TestCancel(t *testing.T) {
	s := parse(t, `{"horizon": "168h", "replications": 1, "network": {"latency": {"kind": "constant", "mean": "1us"}},
		"clients": {"count": 1000, "workload": {"kind": "burst", "spread": "167h"}}, "server": {"errors": {"transient": 1}},
		"policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 1}, {"schedule": {"kind": "immediate"}}]}`)
	goroutines := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result, err := sim.Run(ctx, s, func(done, total int) { cancel() })
	if result != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", result, err)
	}
	for wait := 0; runtime.NumGoroutine() > goroutines; wait++ { // they end soon after
		if wait == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := sim.Run(ctx, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a run that was cancelled before", err)
	}
}

// TestTooCostly: a scenario is refused by its estimate, or stopped when it turns out to cost more than that.
func TestTooCostly(t *testing.T) {
	s := sim.Default()
	s.Replications = 1
	estimate := sim.Estimate(s)
	_, err := sim.Runner{MaxEvents: estimate - 1}.Run(context.Background(), s, nil)
	if costly := (*sim.TooCostlyError)(nil); !errors.As(err, &costly) || costly.Estimate != estimate || costly.Limit != estimate-1 || costly.Stopped || !strings.Contains(err.Error(), "cost about ") {
		t.Errorf("error %v, want an estimate of %d over a limit of %d", err, estimate, estimate-1)
	}

	s = preset(t, "contention") // how often writers conflict is more than the estimate can know
	s.Replications, s.Clients.Count, s.Bin = 20, 200, 10*time.Second
	estimate, events := sim.Estimate(s), run(t, s).Engine.Events
	if estimate >= events {
		t.Fatalf("the estimate is %d of %d events: this needs another scenario", estimate, events)
	}
	limit := (estimate + events) / 2
	_, err = sim.Runner{MaxEvents: limit}.Run(context.Background(), s, nil)
	if costly := (*sim.TooCostlyError)(nil); !errors.As(err, &costly) || costly.Estimate <= limit || costly.Limit != limit || !costly.Stopped || !strings.Contains(err.Error(), "cost more than ") {
		t.Errorf("error %v, want one over the limit of %d", err, limit)
	}
	if _, err := (sim.Runner{MaxEvents: events}).Run(context.Background(), s, nil); err != nil {
		t.Errorf("%v, although %d events are allowed", err, events)
	}
}

// TestTrace follows the first two of three clients, which know nothing of chance.
func TestTrace(t *testing.T) {
	s := parse(t, `{"horizon": "1s", "replications": 2, "network": {"latency": {"kind": "constant", "mean": "10ms"}},
		"clients": {"count": 3, "workload": {"kind": "burst"}}, "server": {"outages": [{"start": "0s", "end": "200ms"}]},
		"policies": [{"schedule": {"kind": "exponential", "base": "100ms"}}]}`)
	result, err := sim.Runner{Trace: 2}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	seconds := func(x ...float64) (p []*float64) {
		for i := range x {
			p = append(p, &x[i])
		}
		return p
	}
	want := &sim.Trace{
		Client:          []int{0, 1, 0, 1, 0, 1},
		Request:         []int64{1, 1, 1, 1, 1, 1},
		Attempt:         []int64{1, 1, 2, 2, 3, 3},
		LeftSeconds:     []float64{0, 0, 0.12, 0.12, 0.34, 0.34},
		Node:            []int{0, 0, 0, 0, 1, 1},
		ArrivedSeconds:  seconds(0.01, 0.01, 0.13, 0.13, 0.35, 0.35),
		StartedSeconds:  append(make([]*float64, 4), seconds(0.35, 0.35)...), // service takes no time
		AnsweredSeconds: seconds(0.01, 0.01, 0.13, 0.13, 0.35, 0.35),
		SeenSeconds:     seconds(0.02, 0.02, 0.14, 0.14, 0.36, 0.36),
		Outcome:         []string{"unavailable", "unavailable", "unavailable", "unavailable", "ok", "ok"},
		Failed:          make([]string, 6),
		Server:          sim.ServerTrace{GapSeconds: 1e-9, AtSeconds: []float64{}, InService: []int{}, Queue: []int{}, Busy: []int{}, Warmups: []sim.WarmupSpan{}},
	}
	if got := result.Results[0].Trace; !reflect.DeepEqual(got, want) {
		t.Errorf("trace %+v, want %+v", got, want)
	}
}
