package stampede_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// What if: sweeps over one and two parameters, and what is known to flip along them.

// sweepOf makes a sweep of a scenario from the lines of its axes.
func sweepOf(t testing.TB, s *sim.Scenario, runs int, axes ...string) *sim.Sweep {
	t.Helper()
	sweep := &sim.Sweep{Scenario: *s, Metrics: sim.SweepMetrics()}
	sweep.Scenario.Replications = runs
	for _, line := range axes {
		a, err := sim.ParseAxis(line)
		if err != nil {
			t.Fatal(err)
		}
		sweep.Axes = append(sweep.Axes, a)
	}
	return sweep
}

func runSweep(t testing.TB, sweep *sim.Sweep) *sim.SweepResult {
	t.Helper()
	result, err := sim.Runner{}.Sweep(context.Background(), sweep, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// at returns a policy's figure at a point.
func at(t testing.TB, r *sim.SweepResult, point int, policy, metric string) sim.Metric {
	t.Helper()
	figures := r.Points[point].Results
	i := slices.IndexFunc(figures, func(f sim.SweepFigure) bool { return f.Policy == policy })
	m := figures[i].Metrics.Get(metric)
	if m.Mean == nil {
		t.Fatalf("%s of %s does not exist at %v", metric, policy, r.Points[point].At)
	}
	return m
}

// wantBelow checks that one interval lies wholly below another.
func wantBelow(t *testing.T, what string, low, high sim.Metric) {
	t.Helper()
	if *low.High >= *high.Low {
		t.Errorf("%s: %v to %v is not below %v to %v", what, *low.Low, *low.High, *high.Low, *high.High)
	}
}

// The AWS article's figure: with few writers decorrelated jitter is done as soon as full jitter, with many later.
func TestFullOvertakesDecorrelatedUnderContention(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := preset(t, "contention")
	s.Policies = s.Policies[3:]
	r := runSweep(t, sweepOf(t, s, 100, "clients.count,scale=list,values=50/100/200"))
	full := func(i int) sim.Metric { return at(t, r, i, "full", "completion.max") }
	decorrelated := func(i int) sim.Metric { return at(t, r, i, "decorrelated", "completion.max") }
	wantBelow(t, "50 clients", decorrelated(0), full(0))
	if *decorrelated(1).Mean > *full(1).Mean {
		t.Errorf("with 100 clients full jitter is ahead already: %v s against %v s", *full(1).Mean, *decorrelated(1).Mean)
	}
	wantBelow(t, "200 clients", full(2), decorrelated(2))
}

// Twice the clients are too many for full jitter up to 10 s, and not for full jitter up to 20 s. How many are left over
// differs a lot from run to run: over five seeds of 40 replications, 3 to 12 %.
func TestLongerCapSavesTwiceTheClients(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := sim.Default()
	s.Clients.Count = 2000
	s.Policies = s.Policies[4:5]
	r := runSweep(t, sweepOf(t, s, 40, "policies.cap,scale=list,values=10s/20s"))
	if crashes := *at(t, r, 0, "exponential-full", "crashes").Mean; crashes < 5.5 || crashes > 6.5 {
		t.Errorf("%v crashes up to 10 s, want about 6", crashes)
	}
	if share := at(t, r, 0, "exponential-full", "successRate"); *share.Mean < 0.85 || *share.High >= 1 {
		t.Errorf("%v (up to %v) served up to 10 s, want about 0.9", *share.Mean, *share.High)
	}
	if m := at(t, r, 0, "exponential-full", sim.Recovered); *m.High > 0.75 {
		t.Errorf("a share of %v recovered up to 10 s, want less than half", *m.Mean)
	}
	if share := *at(t, r, 1, "exponential-full", "successRate").Mean; share != 1 {
		t.Errorf("%v served up to 20 s, want all", share)
	}
}

// Clients that fail one after the other are spread out already: jitter makes them later, no safer.
func TestSpreadFailuresNeedNoJitter(t *testing.T) {
	simtest.PlainRunOnly(t)
	r := runSweep(t, sweepOf(t, sim.Default(), 20, "clients.workload.spread,scale=list,values=0s/5s"))
	wantBelow(t, "served, all at once", at(t, r, 0, "exponential", "successRate"), at(t, r, 0, "exponential-full", "successRate"))
	for policy, want := range map[string]float64{"exponential": 14.0, "exponential-full": 18.3} {
		if got := *at(t, r, 1, policy, "within.p99").Mean; got < want-0.2 || got > want+0.2 {
			t.Errorf("%s serves 99 %% within %v s, want about %v", policy, got, want)
		}
		if share := *at(t, r, 1, policy, "successRate").Mean; share != 1 {
			t.Errorf("%s serves %v, want all", policy, share)
		}
	}
	wantBelow(t, "99 % within, over 5 s", at(t, r, 1, "exponential", "within.p99"), at(t, r, 1, "exponential-full", "within.p99"))
}

// A sweep is the same bytes on any number of cores, and its points are what their scenarios give alone.
func TestSweepIsAFunctionOfItsDocument(t *testing.T) {
	s := parse(t, `{"replications": 1, "horizon": "20s", "clients": {"count": 30}, "server": {"outages": [{"start": "0s", "end": "1s"}], "rateLimit": {"kind": "window", "limit": 10, "window": "1s"}},
		"policies": [{"schedule": {"kind": "constant", "base": "500ms"}, "jitter": {"kind": "full"}}]}`)
	sweep := sweepOf(t, s, 1, "clients.count,from=10,to=40,steps=4", "outage,from=1s,to=4s,steps=4,scale=log")
	var documents [][]byte
	var result *sim.SweepResult
	for _, cores := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(cores)
		result = runSweep(t, sweep)
		runtime.GOMAXPROCS(before)
		document, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document)
	}
	if !bytes.Equal(documents[0], documents[1]) || !bytes.Equal(documents[0], documents[2]) {
		t.Error("results differ with the number of cores")
	}
	if got := result.Points[7].At; !slices.Equal(got, []spec.Amount{"20", "4s"}) {
		t.Fatalf("the eighth point is %v", got)
	}
	alone, err := s.Set("clients.count", "20")
	if err == nil {
		alone, err = alone.Set("outage", "4s")
	}
	if err != nil {
		t.Fatal(err)
	}
	want, got := run(t, alone).Results[0].Metrics, result.Points[7].Results[0].Metrics
	for _, name := range []string{"attempts", "within.p99", "settle"} {
		if *want.Get(name).Mean != *got.Get(name).Mean {
			t.Errorf("%s is %v in the sweep, %v alone", name, *got.Get(name).Mean, *want.Get(name).Mean)
		}
	}
}

// A sweep over too much is refused before it starts; one that turns out to be too much ends.
func TestSweepIsBounded(t *testing.T) {
	sweep := sweepOf(t, sim.Default(), 20, "clients.count,from=500,to=4000")
	points := 0
	_, err := sim.Runner{MaxEvents: 1_000_000}.Sweep(context.Background(), sweep, func(sim.SweepProgress) { points++ })
	costly, ok := errors.AsType[*sim.TooCostlyError](err)
	if !ok || points > 0 || costly.Limit != 1_000_000 || costly.Estimate < 20_000_000 || costly.Stopped {
		t.Errorf("%v after %d points", err, points)
	}
	s := preset(t, "contention") // as in TestTooCostly
	s.Bin = 10 * time.Second
	sweep = sweepOf(t, s, 2, "clients.count,from=190,to=200,steps=2")
	_, err = sim.Runner{MaxEvents: 1}.Sweep(context.Background(), sweep, nil)
	if costly, ok = errors.AsType[*sim.TooCostlyError](err); !ok || costly.Stopped {
		t.Fatal(err)
	}
	limit := costly.Estimate
	_, err = sim.Runner{MaxEvents: limit}.Sweep(context.Background(), sweep, nil)
	if costly, ok = errors.AsType[*sim.TooCostlyError](err); !ok || !costly.Stopped || costly.Estimate <= limit {
		t.Errorf("%v, want one that was stopped over %d", err, limit)
	}
}

// A sweep of long policies takes seconds to plan, which nobody waits for who has gone.
func TestPlanningStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := sim.Runner{MaxEvents: 1}.Sweep(ctx, sweepOf(t, sim.Default(), 20, "clients.count,from=500,to=4000"), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled before it could be found too costly", err)
	}
}

// Whoever stops a sweep keeps the points that are done, and does not wait.
func TestSweepStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var kept []sim.SweepPoint
	_, err := sim.Runner{}.Sweep(ctx, sweepOf(t, sim.Default(), 20, "clients.count,scale=list,values=100/200/100000"), func(p sim.SweepProgress) {
		if p.Point != nil {
			kept = append(kept, *p.Point)
		}
		if p.Done == 2 {
			time.AfterFunc(10*time.Millisecond, cancel)
		}
	})
	if !errors.Is(err, context.Canceled) || len(kept) != 2 || len(kept[1].Results) != 8 {
		t.Errorf("%v with %d points", err, len(kept))
	}
}
