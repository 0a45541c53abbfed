package sim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

// sweepDocument is a small sweep with these axes.
func sweepDocument(axes string) string {
	return `{"scenario": ` + scenarioWith(`"clients": {"count": 10}`) + `, "axes": ` + axes + `}`
}

func TestSweepDocuments(t *testing.T) {
	valid := spectest.Validator(t, sim.SweepSchema())
	for _, axes := range []string{
		`[{"parameter": "clients.count", "from": 1, "to": 8}]`,
		`[{"parameter": "policies.schedule.base", "scale": "list", "values": ["1ms", "2s"]}, {"parameter": "policies.maxAttempts", "scale": "log", "from": 1, "to": 8, "steps": 4}]`,
	} {
		document := []byte(sweepDocument(axes))
		sweep, err := sim.ParseSweep(document)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := json.Marshal(sweep)
		if err != nil {
			t.Fatal(err)
		}
		again, err := sim.ParseSweep(canonical)
		if err != nil || !reflect.DeepEqual(again, sweep) {
			t.Errorf("%s is read as %+v (%v)", canonical, again, err)
		}
		for _, d := range [][]byte{document, canonical} {
			if err := valid(d); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every fault names its place, the value, and what is accepted; all of them come at once.
// Each field's schema has the field's own title.
func TestSweepSchemaTitles(t *testing.T) {
	axis := (&sim.Axis{}).Fields()
	text, err := json.Marshal(sim.SweepSchema())
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Axes struct {
				Items struct {
					OneOf []struct {
						Properties map[string]struct{ Title string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	titled := 0
	for _, one := range schema.Properties.Axes.Items.OneOf {
		for _, f := range axis[1:] { // after the kind, which is a constant
			if p, ok := one.Properties[f.Key]; ok && p.Title != f.Label {
				t.Errorf("%s has the title %q, want %q", f.Key, p.Title, f.Label)
			} else if ok {
				titled++
			}
		}
	}
	if titled < 6 {
		t.Errorf("%d titles in %s", titled, text)
	}
}

func TestSweepFaults(t *testing.T) {
	for _, c := range []struct{ axes, at, detail string }{
		{`[]`, "/axes", "axes must have 1 to 2 entries, not 0"},
		{`[{"parameter": "clients.count", "from": 1, "to": 2, "steps": 1000000000}]`, "/axes/0/steps", "steps must be at most 101, not 1000000000"},
		{`[{"parameter": "clients.count", "from": 1, "to": 90, "steps": 50}, {"parameter": "policies.cap", "from": "1s", "to": "9s"}]`, "/axes/0/steps", "steps must be at most 21 on each of two axes, not 50"},
		{`[{"parameter": "name", "from": 1, "to": 2}]`, "/axes/0/parameter", "parameter must be a number or a duration that the scenario has, such as clients.count, policies.cap, policies.maxAttempts, not \"name\""},
		{`[{"parameter": "clients.count", "from": 0, "to": 2}]`, "/axes/0/from", "from must be at least 1, not 0"},
		{`[{"parameter": "clients.count", "from": "1s", "to": 2}]`, "/axes/0/from", "from must be a whole number, not 1s"},
		{`[{"parameter": "policies.cap", "from": 1, "to": "2s"}]`, "/axes/0/from", `from must be a duration such as "250ms" or "1m30s", at most 168h, not 1`},
		{`[{"parameter": "clients.count", "from": 5, "to": 5}]`, "/axes/0/to", "to must be more than from (5), not 5"},
		{`[{"parameter": "policies.cap", "from": "0s", "to": "2s", "scale": "log"}]`, "/axes/0/from", "from must be more than 0 on a log scale, not 0s"},
		{`[{"parameter": "clients.count", "scale": "list", "values": [1, 0]}]`, "/axes/0/values/1", "values/1 must be at least 1, not 0"},
		{`[{"parameter": "clients.count", "scale": "list", "values": [1], "from": 1}]`, "/axes/0/from", "from belongs to scale linear or log, not list"},
		{`[{"parameter": "clients.count", "from": 1, "to": 2}, {"parameter": "clients.count", "from": 1, "to": 2}]`, "/axes/1/parameter", `parameter must differ from that of the other axis, not "clients.count" twice`},
		{`[{"parameter": "policies.9.cap", "from": "1s", "to": "2s"}]`, "/axes/0/parameter", ""},
	} {
		_, err := sim.ParseSweep([]byte(sweepDocument(c.axes)))
		faults, _ := errors.AsType[spec.Faults](err)
		if len(faults) != 1 || faults[0].Pointer != c.at || c.detail != "" && faults[0].Detail != c.detail {
			t.Errorf("%s: %v", c.axes, err)
		}
	}
	_, err := sim.ParseSweep([]byte(`{"scenario": ` + scenarioWith(`"replications": 0`) + `, "axes": [{"from": 1, "to": 2, "steps": 1}], "metrics": ["luck"]}`))
	if faults, _ := errors.AsType[spec.Faults](err); len(faults) != 4 {
		t.Errorf("%d faults, want 4: %v", len(faults), err)
	}
}

// valuesOf are the values of the first axis of a sweep of the opening scenario.
func valuesOf(t *testing.T, line string) string {
	t.Helper()
	a, err := sim.ParseAxis(line)
	if err != nil {
		t.Fatal(err)
	}
	s := sim.Default()
	s.Replications, s.Horizon, s.Policies = 1, 12*time.Second, s.Policies[4:5]
	r, err := sim.Runner{}.Sweep(t.Context(), &sim.Sweep{Scenario: *s, Axes: []sim.Axis{a}, Metrics: []string{"attempts"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(fmt.Sprint(r.Axes[0].Values), "[]")
}

func TestAxisValues(t *testing.T) {
	for line, want := range map[string]string{
		"clients.count,from=500,to=4000":                        "500 1000 1500 2000 2500 3000 3500 4000",
		"clients.count,from=500,to=4000,scale=log,steps=7":      "500 707 1000 1414 2000 2830 4000",
		"clients.count,from=1,to=3,steps=5":                     "1 2 3", // 1.5 and 2.5 are 2 and 3
		"policies.cap,from=1s,to=2s,steps=4":                    "1s 1.333s 1.667s 2s",
		"policies.schedule.factor,from=1,to=2,steps=4":          "1 1.333 1.667 2",
		"outage,scale=list,values=1s/500ms":                     "1s 500ms",
		"capacity,from=100,to=125,steps=6":                      "100 110 120 130", // whole workers of 10 a second each
		"policies.0.maxAttempts,scale=log,from=1,to=8,steps=4":  "1 2 4 8",
		"server.warmup.from,from=0.1,to=0.3,steps=3":            "0.1 0.2 0.3",
		"network.latency.sigma,scale=list,values=0.3/0.1/0.3/1": "0.3 0.1 1",
	} {
		if got := valuesOf(t, line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestAxisText(t *testing.T) {
	for _, line := range []string{
		"clients.count,from=500,to=4000", "outage,scale=log,from=1s,to=1m,steps=5", "policies.cap,scale=list,values=1s/2s/5s",
	} {
		a, err := sim.ParseAxis(line)
		if err != nil || a.Text() != line {
			t.Errorf("%s is read as %s (%v)", line, a.Text(), err)
		}
	}
	for _, line := range []string{"", "clients.count", "clients.count,from=1,from=2,to=3", "clients.count,5", "a,from=1,to=2,colour=red", "a,x.y=1"} {
		if a, err := sim.ParseAxis(line); err == nil {
			t.Errorf("%q is read as %+v", line, a)
		}
	}
}

// Whatever is listed as a parameter can be set to what it is, which changes nothing.
func TestParametersCanBeSet(t *testing.T) {
	for _, p := range sim.Presets() {
		for _, parameter := range p.Scenario.Parameters() {
			if parameter.Value == "" {
				continue
			}
			again, err := p.Scenario.Set(parameter.Path, parameter.Value)
			if err != nil || !reflect.DeepEqual(again, p.Scenario) {
				t.Errorf("%s: %s = %s: %v, %+v", p.ID, parameter.Path, parameter.Value, err, again)
			}
		}
	}
	if _, err := sim.Default().Set("policies.luck", "1"); err == nil {
		t.Error("policies have luck")
	}
	nodes, err := sim.Default().Set(sim.NodeCount, "5")
	if err != nil || nodes.Server.Nodes.Count != 5 || nodes.Server.Workers != 4 || nodes.Server.Queue != 80 {
		t.Errorf("twenty workers and 400 places in five nodes are %+v: %v", nodes.Server, err)
	}
	if _, err := sim.Default().Set(sim.NodeCount, "101"); err == nil || err.Error() != "nodes must be at most 100, not 101" {
		t.Errorf("101 nodes: %v", err)
	}
	s, err := sim.Default().Set("policies.cap", "3s")
	if err != nil || slices.ContainsFunc(s.Policies, func(p strategies.Policy) bool { return p.Cap != 3*time.Second }) {
		t.Errorf("not all capped: %v", err)
	}
}

// A burst has recovered when 99 % were served; steady traffic, when as good as all is served in the last quarter.
func TestRecovered(t *testing.T) {
	for name, c := range map[string]struct {
		scenario string
		axis     string
		want     []float64
	}{
		"burst":  {`"clients": {"count": 100}, "server": {"outages": [{"start": "0s", "end": "2s"}]}, "horizon": "10s"`, "policies.0.maxAttempts,scale=list,values=2/4", []float64{0, 1}},
		"steady": {`"clients": {"count": 100, "workload": {"kind": "open", "rate": 20}}, "server": {"outages": [{"start": "1s", "end": "2s"}]}, "horizon": "100s"`, "outage,scale=list,values=70s/99s", []float64{1, 0}},
	} {
		a, err := sim.ParseAxis(c.axis)
		if err != nil {
			t.Fatal(err)
		}
		s := parse(t, `{"replications": 4, `+c.scenario+`, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`)
		r, err := sim.Runner{}.Sweep(t.Context(), &sim.Sweep{Scenario: *s, Axes: []sim.Axis{a}, Metrics: []string{sim.Recovered}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			m := r.Points[i].Results[0].Metrics.Get(sim.Recovered)
			// Wilson's interval for 0 of 4 reaches to z²/(4 + z²) = 0.4899.
			low, high := 0.0, 0.4899
			if want == 1 {
				low, high = 1-high, 1
			}
			if *m.Mean != want || *m.Low < low-1e-4 || *m.Low > low+1e-4 || *m.High < high-1e-4 || *m.High > high+1e-4 {
				t.Errorf("%s at %v: %v (%v to %v), want %v", name, r.Points[i].At, *m.Mean, *m.Low, *m.High, want)
			}
		}
	}
}

func FuzzParseSweep(f *testing.F) {
	f.Add([]byte(sweepDocument(`[{"parameter": "clients.count", "from": 1, "to": 8}]`)))
	f.Add([]byte(sweepDocument(`[{"parameter": "capacity", "scale": "log", "from": 1e-300, "to": 1e300}]`)))
	f.Add([]byte(sweepDocument(`[{"parameter": "policies.cap", "scale": "list", "values": ["1s", 5]}]`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		sweep, err := sim.ParseSweep(data)
		if err != nil {
			return
		}
		canonical, err := json.Marshal(sweep)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := sim.ParseSweep(canonical); err != nil || !reflect.DeepEqual(again, sweep) {
			t.Errorf("%s is read as %+v (%v)", canonical, again, err)
		}
		for i := range sweep.Axes {
			line := sweep.Axes[i].Text()
			if a, err := sim.ParseAxis(line); err != nil || !reflect.DeepEqual(a, sweep.Axes[i]) {
				t.Errorf("%q is read as %+v (%v)", line, a, err)
			}
		}
	})
}
