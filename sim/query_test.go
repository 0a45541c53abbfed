package sim_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

func TestParseQuery(t *testing.T) {
	for _, c := range []struct {
		query string
		check func(s *sim.Scenario) bool
	}{
		{"", func(s *sim.Scenario) bool { return reflect.DeepEqual(s, sim.Default()) }},
		{"clients.count=5000&server.outages.0.end=30s&p=exponential,base=100ms,cap=10s,jitter=full", func(s *sim.Scenario) bool {
			return s.Clients.Count == 5000 && s.Server.Outages[0].End.Seconds() == 30 && s.Server.Outages[0].EndSpread.Seconds() == 1 &&
				len(s.Policies) == 1 && s.Policies[0].ID == "exponential-full"
		}},
		{"p=immediate,maxAttempts=1&p=immediate,maxAttempts=2,name=a~2Cb", func(s *sim.Scenario) bool {
			return len(s.Policies) == 2 && s.Policies[1].ID == "immediate-2" && s.Policies[1].Name == "a,b"
		}},
		// Another kind: what belongs to the old one goes, what both have stays.
		{"clients.workload.kind=open&clients.workload.rate=100", func(s *sim.Scenario) bool {
			return reflect.DeepEqual(s.Clients.Workload, sim.Workload{Kind: sim.Open, Rate: 100})
		}},
		{"server.serviceTime.kind=constant", func(s *sim.Scenario) bool {
			return reflect.DeepEqual(s.Server.ServiceTime, spec.Choice{Kind: "constant", Args: spec.Args{"mean": 100 * ms}})
		}},
		{"server.crash.on=rate&server.crash.rate=5&server.crash.window=1s", func(s *sim.Scenario) bool {
			return *s.Server.Crash == sim.Crash{On: sim.OnRate, Restart: 5000 * ms, Rate: 5, Window: 1000 * ms}
		}},
		{"server.kind=occ", func(s *sim.Scenario) bool { return reflect.DeepEqual(s.Server, sim.Server{Kind: sim.OCC}) }},
		// Left out.
		{"server.crash=", func(s *sim.Scenario) bool { return s.Server.Crash == nil && s.Server.Warmup != nil }},
		{"server.outages=", func(s *sim.Scenario) bool { return s.Server.Outages == nil }},
		{"server.outages=&server.outages.0.start=1s&server.outages.0.end=2s", func(s *sim.Scenario) bool {
			return len(s.Server.Outages) == 1 && s.Server.Outages[0].EndSpread == 0
		}},
		{"server.outages.1.start=20s&server.outages.1.end=21s&server.outages.1.mode=hang", func(s *sim.Scenario) bool {
			return len(s.Server.Outages) == 2 && s.Server.Outages[1].Mode == sim.Hang
		}},
		{"server.queue=&bin=&horizon=80s", func(s *sim.Scenario) bool { return s.Server.Queue == 0 && s.Bin == 200*ms }},
		{"server.errors=&clients.others=&server.warmup=&server.rateLimit=", func(s *sim.Scenario) bool { return s.Server.Warmup == nil }},
		{"clients.others.0.name=x&clients.others.0.count=3&clients.others.0.policy=linear,base=1s", func(s *sim.Scenario) bool {
			return s.Clients.Others[0].Policy.Schedule.Kind == "linear"
		}},
	} {
		query, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		s, err := sim.ParseQuery(query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if !c.check(s) {
			t.Errorf("%s: got %+v", c.query, s)
		}
		checkScenario(t, s)
	}
}

func TestQueryFaults(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"utm_source=x", `/utm_source unknown field "utm_source"; accepted are name, seed, replications, horizon, bin, peakWindow, clients, network, server, policies`},
		{"colour=", `/colour unknown field "colour"; accepted are name, seed, replications, horizon, bin, peakWindow, clients, network, server, policies`},
		{"clients.cuont=5", `/clients/cuont unknown field "cuont"; accepted are count, clientsPerProcess, workload, others`},
		{"clients.count=", `/clients/count count is required`},
		{"clients.count=1,000", `/clients/count count must be a whole number, not "1,000"; fractions are written with a point, such as 2.5, and thousands without a mark`},
		{"clients.count=1&clients.count=2", `/clients/count "clients.count" is given 2 times`},
		{"clients.count.x=1", `/clients/count count must be a whole number, not fields of its own`},
		{"clients=5", `/clients clients must be given field by field, not as "5"`},
		{"clients.workload.kind=open", `/clients/workload/rate rate is required`},
		{"clients.workload.kind=open&clients.workload.rate=1&clients.workload.spread=1s", `/clients/workload/spread spread belongs to kind burst, not open`},
		{"server.kind=occ&server.crash.on=rate", `/server/crash crash belongs to kind capacity, not occ`},
		{"server.outages.2.start=20s", `/server/outages outages must be numbered from 0 without gaps; 1 is missing`},
		{"server.outages.x.start=20s", `/server/outages outages must be numbered from 0 without gaps; 1 is missing`},
		{"server.outages=5", `/server/outages outages must be given item by item, not as "5"`},
		{"p=", `/policies/0/schedule/kind kind is required`},
		{"p=immediate,maxAttempts=1&p=constant,base=-1s,cap=x", "/policies/1/schedule/base base must be at least 0s, not -1s\n" +
			`/policies/1/cap cap must be a duration such as "250ms" or "1m30s", at most 168h, not "x"`},
		{strings.Repeat("p=immediate,maxAttempts=1&", 25), `/policies policies must have 1 to 24 entries, not more`},
		{"policies.0.cap=1s", `/policies policies are given as p, not as "policies.0.cap"`},
		{"horizon=100ms&bin=1us", `/bin bin must divide the horizon into at most 10000 bins, not 100000`},
	} {
		query, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = sim.ParseQuery(query)
		if got := spectest.Lines(err); got != c.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.query, got, c.want)
		}
	}
}

func TestQueryIsShort(t *testing.T) {
	s := sim.Default()
	if got := s.Query().Encode(); got != "" {
		t.Errorf("the opening scenario's query is %s", got)
	}
	s.Server.Outages = nil
	s.Server.Crash = nil
	s.Clients.Count = 5000
	s.Policies = s.Policies[4:7]
	want := url.Values{
		"clients.count": {"5000"}, "server.crash": {""}, "server.outages": {""},
		"p": {
			"exponential,base=100ms,cap=10s,jitter=full,name=Exponential~2C full jitter",
			"constant,base=100ms,cap=10s,jitter=decorrelated,id=decorrelated,name=Decorrelated jitter",
			"exponential,base=100ms,cap=2s,jitter=full,id=full-short-cap,name=Full jitter~2C at most 2 s",
		},
	}
	if got := s.Query(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A field changed on a scenario that is not the opening one.
func TestWith(t *testing.T) {
	s := parse(t, scenarioWith(`"clients": {"count": 5, "workload": {"kind": "open", "rate": 7}}, "horizon": "10s"`))
	changed, err := s.With(spec.Texts{"clients.workload.kind": "burst", "horizon": "40s", "policies.0": "linear,base=2s"})
	if err != nil {
		t.Fatal(err)
	}
	if w := changed.Clients.Workload; !reflect.DeepEqual(w, sim.Workload{Kind: sim.Burst}) {
		t.Errorf("workload is %+v", w)
	}
	if changed.Bin != 100*ms { // it follows the horizon, as before
		t.Errorf("bin is %v", changed.Bin)
	}
	if p := changed.Policies[0]; p.Schedule.Kind != "linear" || p.ID != "linear" {
		t.Errorf("policy is %+v", p)
	}
	if s.Clients.Workload.Kind != sim.Open {
		t.Error("the original has changed")
	}
}

// What has to be given after a change starts as its declaration says; what is given empty does not.
func TestWithStarts(t *testing.T) {
	s, err := sim.Default().With(spec.Texts{
		"clients.workload.kind": "closed", "server.rateLimit.kind": "tokenBucket", "clients.others.0.policy.schedule.kind": "list",
	})
	if err != nil {
		t.Fatal(err)
	}
	if think := s.Clients.Workload.Think; !reflect.DeepEqual(think, spec.Choice{Kind: "exponential", Args: spec.Args{"mean": 10_000 * ms}}) {
		t.Errorf("think time is %v", think)
	}
	if limit := *s.Server.RateLimit; limit != (sim.RateLimit{Kind: sim.TokenBucket, Rate: 100, Burst: 100}) {
		t.Errorf("rate limit is %+v", limit)
	}
	if g := s.Clients.Others[0]; g.Name != "others" || g.Count != 100 || g.Policy.Text() != "list,delays=100ms/1s/5s/10s" {
		t.Errorf("other clients are %+v", g)
	}
	_, err = sim.Default().With(spec.Texts{"clients.count": ""})
	if got := spectest.Lines(err); got != "/clients/count count is required" {
		t.Errorf("without a count: %s", got)
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, p := range sim.Presets() {
		f.Add(p.Scenario.Query().Encode())
	}
	f.Add("server.outages=&server.outages.0.start=1s&server.outages.0.end=2s&clients.others.0.name=%00&seed=-0")
	f.Add("p=immediate,id=~00&p=list,delays=1s/0.1ns&server.crash=&server.crash.on=rate&a.b.c.d.e.f.g.h.i.j=1&.=&=")
	f.Add("horizon=" + strings.Repeat("%80", 100) + "&" + strings.Repeat("%80", 100) + "=1")
	f.Fuzz(func(t *testing.T, text string) {
		query, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		if s, err := sim.ParseQuery(query); err == nil {
			checkScenario(t, s)
		} else if len(err.Error()) > 1<<17 {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
	})
}

func BenchmarkParseQuery(b *testing.B) {
	query := url.Values{"clients.count": {"2000"}, "server.outages.0.end": {"11s"}, "p": {"exponential,base=100ms,cap=10s,jitter=full"}}
	for b.Loop() {
		if _, err := sim.ParseQuery(query); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	s := sim.Presets()[3].Scenario
	for b.Loop() {
		s.Query()
	}
}
