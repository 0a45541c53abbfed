package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

// tuneOf is a small herd with these fields on top.
func tuneOf(t *testing.T, fields string) *sim.Tune {
	t.Helper()
	tune, err := sim.ParseTune([]byte(`{"clients": 40, "capacity": 8, "replications": 2` + fields + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return tune
}

func tuned(t *testing.T, tune *sim.Tune) *sim.TuneResult {
	t.Helper()
	r, err := sim.Runner{}.Tune(t.Context(), tune, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTuneDocuments(t *testing.T) {
	valid := spectest.Validator(t, sim.TuneSchema())
	for _, document := range []string{`{}`, `{"clients": 5, "capacity": 0.5, "outage": "1m", "longestWait": "90s", "mostAttempts": 0, "seed": "7"}`} {
		tune, err := sim.ParseTune([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := json.Marshal(tune)
		if err != nil {
			t.Fatal(err)
		}
		again, err := sim.ParseTune(canonical)
		if err != nil || !reflect.DeepEqual(again, tune) {
			t.Errorf("%s is read as %+v (%v)", canonical, again, err)
		}
		for _, d := range [][]byte{[]byte(document), canonical} {
			if err := valid(d); err != nil {
				t.Error(err)
			}
		}
	}
}

// All faults come at once, each with its place, the value and what is accepted.
func TestTuneFaults(t *testing.T) {
	_, err := sim.ParseTune([]byte(`{"clients": 0, "capacity": "2", "outage": "0s", "roundTrip": "5", "longestWait": "25h", "mostAttempts": -1, "replications": 1, "luck": 1}`))
	faults, _ := errors.AsType[spec.Faults](err)
	want := map[string]string{
		"/clients":      "clients must be at least 1, not 0",
		"/capacity":     `capacity must be a number, not "2"`,
		"/outage":       "outage must be more than 0s, not 0s",
		"/roundTrip":    "",
		"/longestWait":  "longestWait must be at most 24h, not 25h",
		"/mostAttempts": "mostAttempts must be at least 0, not -1",
		"/replications": "replications must be at least 2, not 1",
		"/luck":         "",
	}
	for _, f := range faults {
		detail, ok := want[f.Pointer]
		if !ok || detail != "" && f.Detail != detail {
			t.Errorf("%s: %s", f.Pointer, f.Detail)
		}
		delete(want, f.Pointer)
	}
	if len(want) > 0 {
		t.Errorf("no faults: %v", want)
	}
	for _, capacity := range []string{"0.01", "1e-320"} { // 28 hours; more than a number can say
		_, err := sim.ParseTune([]byte(`{"clients": 1000, "capacity": ` + capacity + `}`))
		if faults, _ := errors.AsType[spec.Faults](err); len(faults) != 1 || faults[0].Detail != "capacity must serve all 1000 clients within 24h, not "+capacity+" a second" {
			t.Error(err)
		}
	}
}

// What is found does what was demanded when it is run again, by itself, also after an outage half as long.
func TestTuneIsMet(t *testing.T) {
	simtest.PlainRunOnly(t)
	tune := tuneOf(t, "")
	r := tuned(t, tune)
	if len(r.Found) < 3 || len(r.Nearest) > 0 || len(r.InTheWay) > 0 || r.Needed != 5 || r.Tried < 400 {
		t.Fatalf("%d found, %d nearest, %d in the way, %g s needed, %d tried", len(r.Found), len(r.Nearest), len(r.InTheWay), r.Needed, r.Tried)
	}
	half := *tune
	half.Outage /= 2
	best := map[string]bool{}
	for i, p := range r.Found {
		for _, name := range p.BestAt {
			best[name] = true
		}
		if p.Policy.MaxAttempts != 15 || p.Enough < 2 || p.Enough > 15 {
			t.Errorf("%s: %d attempts, %d are enough", p.Text, p.Policy.MaxAttempts, p.Enough)
		}
		p.Policy.MaxAttempts = p.Enough
		for _, sc := range []*sim.Scenario{tune.Scenario(), half.Scenario()} {
			sc.Policies = []strategies.Policy{p.Policy}
			again, err := sim.Runner{Values: true}.Run(t.Context(), sc, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := again.Results[0].Metrics
			for _, within := range m.Get("within.p99").Values {
				if within == nil || *within > 30 {
					t.Errorf("%s: 99 %% are not served within 30 s in every run", p.Text)
				}
			}
			if *m.Get("crashes").Mean != 0 {
				t.Errorf("%s knocks the server over", p.Text)
			}
		}
		// The figures are those of the scenario that comes with them.
		whole, err := sim.Run(t.Context(), r.Scenario, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.Metrics {
			if want := whole.Results[i].Metrics.Get(m.Name); !reflect.DeepEqual(m.Metric, want) {
				t.Errorf("%s: %s is %v, in a run %v", p.Text, m.Name, *m.Mean, *want.Mean)
			}
		}
	}
	for _, name := range []string{sim.Fastest, sim.Frugal, sim.Gentle} {
		if !best[name] {
			t.Errorf("none is the most %s", name)
		}
	}
}

// Each demand can be what stands in the way. Asked for as relaxed, it is met; asked for a step less, it is not.
func TestTuneInTheWay(t *testing.T) {
	for _, c := range []struct {
		fields string
		only   []string // these can be relaxed, and no other
	}{
		{`, "mostAttempts": 1`, []string{sim.DemandAttempts}}, // nobody is served by the attempt that failed
		{`, "longestWait": "14s"`, []string{sim.DemandWait, sim.DemandClients, sim.DemandCapacity}},
		{`, "longestWait": "20s", "outage": "20s"`, []string{sim.DemandWait, sim.DemandOutage}}, // it is down for as long
	} {
		if testing.Short() && c.only[0] != sim.DemandAttempts { // once more under the race detector: one will do
			continue
		}
		tune := tuneOf(t, c.fields)
		r := tuned(t, tune)
		if len(r.Found) > 0 {
			t.Errorf("%s is met by %s", c.fields, r.Found[0].Text)
		}
		for _, p := range r.Nearest {
			if len(p.Misses) == 0 {
				t.Errorf("%s: %s misses nothing", c.fields, p.Text)
			}
		}
		var relaxed []string
		for _, x := range r.InTheWay {
			if x.Met == nil {
				continue
			}
			relaxed = append(relaxed, x.Demand)
			if again := tuned(t, with(t, tune, x.Demand, *x.Met)); len(again.Found) == 0 {
				t.Errorf("%s: %s of %s does not do", c.fields, x.Demand, *x.Met)
			}
		}
		if !slices.Equal(relaxed, c.only) {
			t.Errorf("%s: relaxed %v, want %v", c.fields, relaxed, c.only)
		}
	}
}

// with is a tune with one demand changed.
func with(t *testing.T, tune *sim.Tune, demand string, value spec.Amount) *sim.Tune {
	t.Helper()
	texts := spec.TextsOf(tune)
	texts[demand] = string(value)
	changed := new(sim.Tune)
	if err := spec.DecodeTexts(changed, texts, nil); err != nil {
		t.Fatal(err)
	}
	return changed
}

// A search is a function of the tune, on however many cores.
func TestTuneIsDeterministic(t *testing.T) {
	search := func() string {
		r, err := json.Marshal(tuned(t, tuneOf(t, "")))
		if err != nil {
			t.Fatal(err)
		}
		return string(r)
	}
	first := search()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again := search(); again != first {
		t.Error("on one core the search gives something else")
	}
}

func TestTuneStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := sim.Runner{}.Tune(ctx, tuneOf(t, ""), func(p sim.TuneProgress) {
		if p.Total == 0 {
			t.Error("there is nothing to do")
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	costly, err := sim.ParseTune([]byte(`{"clients": 1000000, "capacity": 200000, "replications": 50}`))
	if err != nil {
		t.Fatal(err)
	}
	for tune, limit := range map[*sim.Tune]int64{costly: 100_000_000, tuneOf(t, ""): 40_000} {
		_, err = sim.Runner{MaxEvents: limit}.Tune(t.Context(), tune, nil)
		if over, ok := errors.AsType[*sim.TooCostlyError](err); !ok || over.Stopped != (tune != costly) {
			t.Errorf("with at most %d events: %v", limit, err)
		}
	}
}

func FuzzParseTune(f *testing.F) {
	f.Add([]byte(`{"clients": 3, "capacity": 1e-3, "longestWait": "1ns"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tune, err := sim.ParseTune(data)
		if err != nil {
			return
		}
		canonical, err := json.Marshal(tune)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := sim.ParseTune(canonical); err != nil || !reflect.DeepEqual(again, tune) {
			t.Errorf("%s is read as %+v (%v)", canonical, again, err)
		}
		sc := tune.Scenario()
		sc.Policies = sim.Default().Policies
		if err := sc.Validate(); err != nil {
			t.Errorf("%s: %v", canonical, err)
		}
	})
}
