package sim_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

func TestParseScenarioDefaults(t *testing.T) {
	s := parse(t, `{"clients": {"count": 10}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]}`)
	got, err := json.Marshal(s)
	canonical := `{"name":"","seed":"1","replications":5,"horizon":"5m","bin":"1s","peakWindow":"1s",` +
		`"clients":{"count":10,"clientsPerProcess":1,"workload":{"kind":"burst","spread":"0s"},"others":[]},` +
		`"network":{"latency":{"kind":"constant","mean":"0s"}},` +
		`"server":{"kind":"capacity","outages":[],"workers":0,"serviceTime":{"kind":"constant","mean":"0s"},"queue":0,` +
		`"discipline":"fifo","maxQueueWait":"0s","refusalCost":"0s","nodes":{"count":1,"balancer":"random","comeUp":"0s"},"slowdown":0,"errors":{"transient":0,"permanent":0},` +
		`"retryAfter":{"kind":"none"}},` +
		`"policies":[{"id":"constant","name":"","schedule":{"kind":"constant","base":"1s"},"cap":"0s","capAfterJitter":false,"growsPastCap":false,` +
		`"jitter":{"kind":"none"},"maxAttempts":0,"deadline":"0s","attemptTimeout":"0s",` +
		`"retryOn":["unavailable","timeout","overloaded","rateLimited","transient","conflict"],"retryAfter":"floor"}]}`
	if string(got) != canonical || err != nil {
		t.Errorf("canonical form is %s (%v)\nwant %s", got, err, canonical)
	}
}

func TestDefaultBin(t *testing.T) {
	for _, c := range []struct{ horizon, bin string }{
		{"1ms", "5µs"}, {"1s", "5ms"}, {"800ms", "2ms"}, {"801ms", "5ms"}, {"400s", "1s"}, {"6m40.000000001s", "2s"},
		{"1m", "200ms"}, {"2m", "500ms"}, {"168h", "33m20s"},
	} {
		s := parse(t, scenarioWith(fmt.Sprintf(`"horizon": %q`, c.horizon)))
		if got := spec.Format(s.Bin); got != c.bin {
			t.Errorf("horizon %s: bin %s, want %s", c.horizon, got, c.bin)
		}
	}
}

func TestSeeds(t *testing.T) {
	for document, want := range map[string]uint64{
		`"18446744073709551615"`: math.MaxUint64, `"0"`: 0, `"007"`: 7, `9007199254740991`: 1<<53 - 1, `1e3`: 1000, `0`: 0,
	} {
		if got := parse(t, scenarioWith(`"seed": `+document)).Seed; got != want {
			t.Errorf("seed %s is %d", document, got)
		}
	}
}

func TestPolicyIDs(t *testing.T) {
	s := parse(t, `{"clients": {"count": 1}, "policies": [
		{"schedule": {"kind": "immediate"}, "maxAttempts": 2},
		{"schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "full"}},
		{"schedule": {"kind": "constant", "base": "2s"}, "jitter": {"kind": "full"}},
		{"schedule": {"kind": "constant", "base": "3s"}, "jitter": {"kind": "full"}},
		{"schedule": {"kind": "constant", "base": "4s"}, "id": "constant-full-2"}]}`)
	var ids []string
	for _, p := range s.Policies {
		ids = append(ids, p.ID)
	}
	want := []string{"immediate", "constant-full", "constant-full-3", "constant-full-4", "constant-full-2"}
	if !reflect.DeepEqual(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
}

// What a fault says that a kind must be one of.
var kinds, distributions = spectest.IDs(spec.Kinds(strategies.Schedules)), spectest.IDs(spec.Kinds(sim.Distributions))

// Each line of want is a pointer and a detail.
func TestScenarioFaults(t *testing.T) {
	server := func(fields string) string { return scenarioWith(`"server": {` + fields + `}`) }
	clients := func(fields string) string { return scenarioWith(`"clients": {"count": 5, ` + fields + `}`) }
	for _, c := range []struct{ document, want string }{
		{`{}`, "/clients clients is required\n/policies policies is required"},
		{`{"clients": {}, "policies": []}`, "/clients/count count is required\n/policies policies must have 1 to 24 entries, not 0"},
		{`{"clients": {"count": 0}, "policies": {}}`, "/clients/count count must be at least 1, not 0\n/policies policies must be a list, not {}"},
		{scenarioWith(`"policies": [` + strings.Repeat(`{},`, 24) + `{}]`), "/policies policies must have 1 to 24 entries, not more"},
		{scenarioWith(`"policies": [{"schedule": {"kind": "x"}}, 5, {"schedule": {"kind": "immediate"}, "cap": 5}]`),
			`/policies/0/schedule/kind kind must be one of ` + kinds + `, not "x"` +
				"\n/policies/1 policies.1 must be an object, not 5" +
				"\n" + `/policies/2/cap cap must be a duration such as "250ms" or "1m30s", at most 168h, not 5`},
		{scenarioWith(`"policies": [{"id": "a", "schedule": {"kind": "immediate"}, "maxAttempts": 1}, {"id": "a", "schedule": {"kind": "immediate"}, "maxAttempts": 2}]`),
			`/policies/1/id id must differ from those of the other policies; "a" is given twice`},

		{scenarioWith(`"seed": "-1"`), `/seed seed must be a string of decimal digits, below 2^64, not -1`},
		{scenarioWith(`"seed": 9007199254740992`), `/seed seed must be a string of decimal digits, below 2^64, not 9007199254740992`},
		{scenarioWith(`"seed": "18446744073709551616"`), `/seed seed must be a string of decimal digits, below 2^64, not 18446744073709551616`},
		{scenarioWith(`"seed": 1.5`), `/seed seed must be a string of decimal digits, below 2^64, not 1.5`},
		{scenarioWith(`"replications": 1001`), `/replications replications must be at most 1000, not 1001`},
		{scenarioWith(`"horizon": "999us"`), `/horizon horizon must be at least 1ms, not 999us`},
		{scenarioWith(`"horizon": "169h"`), `/horizon horizon must be at most 168h, not 169h`},
		{scenarioWith(`"horizon": "10.001s", "bin": "1ms"`), `/bin bin must divide the horizon into at most 10000 bins, not 10001`},
		{scenarioWith(`"bin": "0s"`), `/bin bin must be at least 1ns, not 0s`},
		{scenarioWith(`"name": null`), `/name name must be a text, not null`},

		{scenarioWith(`"clients": {"count": 10000000, "clientsPerProcess": 9}`, `"policies": [{"id": "a", "schedule": {"kind": "constant", "base": "1s"}, "throttle": {"k": 2}}]`),
			`/clients/clientsPerProcess clientsPerProcess must be at least 10, not 9: the guards of policy "a" take 4806 MiB for a process of each of 10000000 clients, and may take 512`},
		{clients(`"clientsPerProcess": 0`), `/clients/clientsPerProcess clientsPerProcess must be at least 1, not 0`},
		{clients(`"workload": {"kind": "open"}`), `/clients/workload/rate rate is required`},
		{clients(`"workload": {"kind": "open", "rate": 5, "spread": "1s"}`), `/clients/workload/spread spread belongs to kind burst, not open`},
		{clients(`"workload": {"kind": "closed"}`), `/clients/workload/think think is required`},
		{clients(`"workload": {"kind": "closed", "think": {"kind": "uniform", "min": "2s", "max": "1s"}}`),
			`/clients/workload/think/max max must be at least min (2s), not 1s`},
		{clients(`"workload": {"kind": "steady", "rate": 5}`), `/clients/workload/kind kind must be one of burst, closed, open, not "steady"`},
		{clients(`"workload": {"kind": "open", "rate": 5, "surges": [{"start": "2s", "end": "2s", "rate": 1}]}`),
			`/clients/workload/surges/0/end end must be more than start (2s), not 2s`},
		{clients(`"workload": {"kind": "open", "rate": 5, "surges": [{"start": "2s", "end": "4s", "rate": 1}, {"start": "3s", "end": "5s", "rate": -1}]}`),
			`/clients/workload/surges/1/rate rate must be at least 0, not -1`},
		{clients(`"workload": {"kind": "open", "rate": 5, "surges": [{"start": "2s", "end": "4s", "rate": 1}, {"start": "3s", "end": "5s", "rate": 1}]}`),
			`/clients/workload/surges/1/start start must be at least 4s, not 3s: surges are in order and do not overlap`},
		{clients(`"others": [{"name": "", "count": 1}, {"name": "a", "count": 1}, {"name": "a", "count": 1}]`),
			"/clients/others/0/name name must not be empty\n" + `/clients/others/2/name name must differ from those of the other groups; "a" is given twice`},
		{clients(`"others": [{"count": 1, "policy": {"schedule": {"kind": "constant"}}}]`),
			"/clients/others/0/name name is required\n/clients/others/0/policy/schedule/base base is required"},
		{clients(`"others": [{"name": "a", "count": 10000000}]`), `/clients/count count must be at most 10000000 together with the other groups', not 10000005`},

		{server(`"workers": 1000001`), `/server/workers workers must be at most 1000000, not 1000001`},
		{server(`"queue": 2147483648`), `/server/queue queue must be at most 2147483647, not 2147483648`},
		{server(`"discipline": "random"`), `/server/discipline discipline must be one of fifo, lifo, not "random"`},
		{server(`"serviceTime": {"kind": "gamma"}`), `/server/serviceTime/kind kind must be one of ` + distributions + `, not "gamma"`},
		{server(`"serviceTime": "5ms"`), `/server/serviceTime serviceTime must be an object, not "5ms"`},
		{server(`"rateLimit": {"kind": "window", "limit": 0, "window": "0s"}`),
			"/server/rateLimit/limit limit must be at least 1, not 0\n/server/rateLimit/window window must be at least 1ns, not 0s"},
		{server(`"rateLimit": {"kind": "tokenBucket", "rate": 0, "burst": 1}`), `/server/rateLimit/rate rate must be more than 0, not 0`},
		{server(`"rateLimit": {"kind": "tokenBucket", "rate": 1, "burst": 1, "limit": 5}`), `/server/rateLimit/limit limit belongs to kind window, not tokenBucket`},
		{server(`"warmup": {"from": 0, "duration": "1s"}`), `/server/warmup/from from must be more than 0, not 0`},
		{server(`"warmup": {"from": 1.01}`), "/server/warmup/from from must be at most 1, not 1.01\n/server/warmup/duration duration is required"},
		{server(`"crash": {"on": "queueFull", "restart": "1s"}`), `/server/crash/on on must not be queueFull with 0 workers, which are any number: there is no queue to fill`},
		{server(`"workers": 1, "crash": {"on": "queueFull", "restart": "1s", "rate": 5}`), `/server/crash/rate rate belongs to on rate, not queueFull`},
		{server(`"crash": {"on": "rate", "restart": "1s"}`), "/server/crash/rate rate is required\n/server/crash/window window is required"},
		{server(`"crash": {"on": "rate", "restart": "1s", "rate": 1e6, "window": "168h"}`), `/server/crash/rate rate must be at most 16.534 a second with a window of 168h, not 1e+06: each of up to 10000000 arrivals in a window is remembered`},
		{server(`"errors": {"transient": 0.6, "permanent": 0.5}`), `/server/errors/permanent permanent must be at most 1 together with transient, not 0.5 + 0.6`},
		{server(`"retryAfter": {"kind": "constant"}`), `/server/retryAfter/after after is required`},
		{server(`"kind": "occ", "workers": 5`), `/server/workers workers belongs to kind capacity, not occ`},
		{server(`"nodes": {"count": 10000}`), `/server/nodes/count count must be at most 100, not 10000`},
		{server(`"nodes": {"count": 0, "balancer": "roundRobin", "comeUp": "-1s", "zones": 3}`), `/server/nodes/count count must be at least 1, not 0
/server/nodes/balancer balancer must be one of random, leastInFlight, not "roundRobin"
/server/nodes/comeUp comeUp must be at least 0s, not -1s
/server/nodes/zones unknown field "zones"; accepted are count, balancer, comeUp`},
		{server(`"machines": {"count": 2}`), `/server/machines unknown field "machines"; accepted are kind, outages, workers, serviceTime, queue, discipline, maxQueueWait, refusalCost, nodes, rateLimit, warmup, slowdown, crash, errors, retryAfter`},
		{server(`"outages": [{"start": "1s", "end": "1s"}]`), `/server/outages/0/end end must be more than start (1s), not 1s`},
		{server(`"outages": [{"start": "1s", "end": "2s", "endSpread": "1s"}, {"start": "3s", "end": "4s"}]`),
			`/server/outages/1/start start must be more than 3s, not 3s: outages are in order and do not touch, at their latest end`},
		{server(`"outages": [` + strings.Repeat(`{},`, 100) + `{}]`), `/server/outages outages must have 0 to 100 entries, not more`},
	} {
		_, err := sim.ParseScenario([]byte(c.document))
		if got := spectest.Lines(err); got != c.want {
			t.Errorf("%.300s\ngot:\n%s\nwant:\n%s", c.document, got, c.want)
		}
	}
}

func TestScenarioSyntaxError(t *testing.T) {
	_, err := sim.ParseScenario([]byte("{\n\"name\": 'x'}"))
	if syntax, ok := err.(*spec.SyntaxError); !ok || syntax.Line != 2 || syntax.Column != 9 {
		t.Errorf("got %v", err)
	}
}

// What makes time stand still, and the least that lets it pass.
func TestTimeMustAdvance(t *testing.T) {
	const spins, cycles = "can fail (", "a closed client's requests can end at once"
	unlimited := `{"schedule": {"kind": "immediate"}}`
	refusing := `"server": {"outages": [{"start": "0s", "end": "1s"}]}`
	closed := `"clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant"}}}`
	serving := `"server": {"workers": 1, "serviceTime": {"kind": "constant", "mean": "1ms"}`
	once := `"policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 1}]`
	patient := `"policies": [{"schedule": {"kind": "constant", "base": "1s"}}]`
	const slow = `"network": {"latency": {"kind": "constant", "mean": "1ms"}}`
	for _, c := range []struct {
		name, document, want string
	}{
		{"refused for ever", scenarioWith(refusing, `"policies": [`+unlimited+`]`), spins + "unavailable"},
		{"zero base", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "exponential", "base": "0s"}, "jitter": {"kind": "equal"}}]`), spins},
		{"zero range", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "range", "low": 0, "high": 0}}]`), spins},
		{"list ending in zero", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "list", "delays": ["1s", "0s"]}}]`), spins},
		{"compounding down to zero", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "compounding", "low": 0, "high": 2}}]`), spins},
		{"compounding upwards", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "compounding", "low": 1, "high": 2}}]`), ""},
		{"decorrelated of a list ending in zero", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "list", "delays": ["1s", "0s"]}, "jitter": {"kind": "decorrelated"}}]`), spins},
		{"decorrelated of zero at first", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "list", "delays": ["0s", "1s"]}, "jitter": {"kind": "decorrelated"}}]`), ""},
		{"list starting with zero", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "list", "delays": ["0s", "1s"]}}]`), ""},
		{"additive jitter", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "immediate"}, "jitter": {"kind": "additive", "max": "1ns"}}]`), ""},
		{"limited", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 1000}]`), ""},
		{"not retried", scenarioWith(refusing, `"policies": [{"schedule": {"kind": "immediate"}, "retryOn": ["timeout"]}]`), ""},
		{"latency", scenarioWith(refusing, `"policies": [`+unlimited+`]`, `"network": {"latency": {"kind": "constant", "mean": "1ns"}}`), ""},
		{"latency that is rarely 0", scenarioWith(refusing, `"policies": [`+unlimited+`]`, `"network": {"latency": {"kind": "uniform", "min": "0s", "max": "1ms"}}`), ""},
		{"latency that is always 0", scenarioWith(refusing, `"policies": [`+unlimited+`]`, `"network": {"latency": {"kind": "normal", "mean": "0s", "sd": "0s"}}`), spins},
		{"hanging", scenarioWith(`"server": {"outages": [{"start": "0s", "end": "1s", "mode": "hang"}]}`, `"policies": [`+unlimited+`]`), ""},
		{"nothing fails", scenarioWith(`"policies": [` + unlimited + `]`), ""},
		{"overloaded", scenarioWith(serving+`}`, `"policies": [`+unlimited+`]`), spins + "overloaded"},
		{"overloaded, hint", scenarioWith(serving+`, "retryAfter": {"kind": "constant", "after": "1s"}}`, `"policies": [`+unlimited+`]`), ""},
		{"overloaded, hint of remaining", scenarioWith(serving+`, "retryAfter": {"kind": "remaining"}}`, `"policies": [`+unlimited+`]`), spins},
		{"hint ignored", scenarioWith(serving+`, "retryAfter": {"kind": "constant", "after": "1s"}}`, `"policies": [{"schedule": {"kind": "immediate"}, "retryAfter": "ignore"}]`), spins},
		{"rate limit, hint of remaining", scenarioWith(`"server": {"rateLimit": {"kind": "tokenBucket", "rate": 1, "burst": 1}, "retryAfter": {"kind": "remaining"}}`, `"policies": [`+unlimited+`]`), ""},
		{"rate limit", scenarioWith(`"server": {"rateLimit": {"kind": "tokenBucket", "rate": 1, "burst": 1}}`, `"policies": [`+unlimited+`]`), spins + "rateLimited"},
		{"errors", scenarioWith(`"server": {"errors": {"transient": 0.1}}`, `"policies": [`+unlimited+`]`), spins + "transient"},
		{"permanent errors end it", scenarioWith(`"server": {"errors": {"permanent": 0.1}}`, `"policies": [`+unlimited+`]`), ""},
		{"crash", scenarioWith(`"server": {"crash": {"on": "rate", "rate": 1, "window": "1s", "restart": "1s"}}`, `"policies": [`+unlimited+`]`), spins + "unavailable"},
		{"contention", scenarioWith(`"server": {"kind": "occ"}`, `"policies": [`+unlimited+`]`), spins + "conflict"},
		{"another group", scenarioWith(refusing, patient, `"clients": {"count": 1, "others": [{"name": "x", "count": 1, "policy": `+unlimited+`}]}`), spins},

		{"closed, served at once", scenarioWith(closed, patient), cycles},
		{"closed, thinking", scenarioWith(`"clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant", "mean": "1ns"}}}`, patient), ""},
		{"closed, latency", scenarioWith(closed, patient, `"network": {"latency": {"kind": "constant", "mean": "1ns"}}`), ""},
		{"closed, service takes time", scenarioWith(closed, patient, serving+`}`), ""},
		{"closed, refused once", scenarioWith(closed, once, serving+`}`), cycles},
		{"closed, waits longer than the deadline", scenarioWith(closed, serving+`}`, `"policies": [{"schedule": {"kind": "constant", "base": "2s"}, "deadline": "1s"}]`), cycles},
		{"closed, waits as long as the deadline", scenarioWith(closed, serving+`}`, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "deadline": "1s"}]`), ""},
		{"closed, not retried", scenarioWith(closed, serving+`, "errors": {"permanent": 0.1}}`, patient), cycles},
		{"closed, gives up on the hint", scenarioWith(closed, serving+`, "retryAfter": {"kind": "constant", "after": "3s"}}`, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "cap": "2s", "retryAfter": "giveUp"}]`), cycles},
		{"closed, contention", scenarioWith(closed, `"server": {"kind": "occ"}`, patient), cycles},
		{"breaker, waits that stay 0", scenarioWith(slow, `"policies": [{"schedule": {"kind": "immediate"}, "breaker": {"failures": 1, "onOpen": "wait"}}]`), "an open breaker can stop attempts for ever"},
		{"breaker, waits that become 0", scenarioWith(slow, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "compounding", "low": 0, "high": 0.5}, "breaker": {"failures": 1, "onOpen": "wait"}}]`), "an open breaker can stop attempts for ever"},
		{"breaker that fails", scenarioWith(slow, `"policies": [{"schedule": {"kind": "immediate"}, "breaker": {"failures": 1}}]`), ""},
		{"closed, breaker", scenarioWith(closed, slow, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "breaker": {"failures": 1}}]`), "accepted is a think time"},
		{"closed, throttle", scenarioWith(closed, slow, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "throttle": {"k": 2}}]`), "accepted is a think time"},
		{"closed, budget", scenarioWith(closed, serving+`}`, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "budget": {"kind": "aws"}}]`), cycles},
		{"closed, budget and latency", scenarioWith(closed, slow, serving+`}`, `"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "budget": {"kind": "aws"}}]`), ""},
		{"another closed group", scenarioWith(patient, `"clients": {"count": 1, "others": [{"name": "x", "count": 1, "workload": {"kind": "closed", "think": {"kind": "constant"}}}]}`), cycles},
	} {
		_, err := sim.ParseScenario([]byte(c.document))
		switch got := spectest.Lines(err); {
		case c.want == "" && err != nil:
			t.Errorf("%s: refused: %s", c.name, got)
		case c.want != "" && (!strings.Contains(got, "time need not advance") || !strings.Contains(got, c.want)):
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestValidateScenarioMadeInGo(t *testing.T) {
	s := sim.Default()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.Bin, s.Server.Crash.Window, s.Server.Workers, s.Policies[1].ID = 0, time.Second, -1, ""
	want := "/bin bin must be at least 1ns, not 0s\n/server/workers workers must be at least 0, not -1"
	if got := spectest.Lines(s.Validate()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	s.Bin, s.Server.Workers = time.Second, 1
	if got, want := spectest.Lines(s.Validate()), "/policies/1/id id is required"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	s.Policies, s.Clients.Workload.Kind = nil, "steady"
	want = `/clients/workload/kind kind must be one of burst, closed, open, not "steady"` +
		"\n/policies policies must have 1 to 24 entries, not 0"
	if got := spectest.Lines(s.Validate()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestCapacity(t *testing.T) {
	for _, c := range []struct {
		server string
		want   float64 // 0: none
	}{
		{`{}`, 0},
		{`{"workers": 20}`, 0}, // service takes no time
		{`{"workers": 20, "serviceTime": {"kind": "exponential", "mean": "100ms"}}`, 200},
		{`{"workers": 4, "nodes": {"count": 5}, "serviceTime": {"kind": "exponential", "mean": "100ms"}}`, 200},
		{`{"workers": 4, "nodes": {"count": 5}, "serviceTime": {"kind": "exponential", "mean": "100ms"}, "rateLimit": {"kind": "window", "limit": 30, "window": "250ms"}}`, 120},
		{`{"workers": 20, "serviceTime": {"kind": "lognormal", "median": "100ms", "sigma": 1}}`, 200 / math.Exp(0.5)},
		{`{"serviceTime": {"kind": "exponential", "mean": "100ms"}, "rateLimit": {"kind": "window", "limit": 30, "window": "250ms"}}`, 120},
		{`{"workers": 20, "serviceTime": {"kind": "constant", "mean": "100ms"}, "rateLimit": {"kind": "tokenBucket", "rate": 50.5, "burst": 1}}`, 50.5},
		{`{"workers": 2, "serviceTime": {"kind": "constant", "mean": "100ms"}, "rateLimit": {"kind": "tokenBucket", "rate": 50.5, "burst": 1}}`, 20},
		{`{"kind": "occ"}`, 0},
	} {
		got, ok := parse(t, scenarioWith(`"server": `+c.server)).Capacity()
		if ok != (c.want > 0) || math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: got %v (%v), want %v", c.server, got, ok, c.want)
		}
	}
}

// TestThroughput: with n of its workers busy, each service takes 1 + slowdown·(n − 1) times as long.
func TestThroughput(t *testing.T) {
	for _, c := range []struct {
		workers  int
		slowdown float64
		want     float64 // of a service of 100 ms
	}{
		{20, 0, 200}, {20, 0.1, 200 / 2.9}, {1, 0.5, 10}, {20, 1, 10}, {20, 3, 10}, {0, 0, 0}, {0, 0.05, 200}, {0, 2, 10},
	} {
		server := fmt.Sprintf(`"server": {"workers": %d, "slowdown": %v, "serviceTime": {"kind": "constant", "mean": "100ms"}, "nodes": {"count": 3}}`, c.workers, c.slowdown)
		got, ok := parse(t, scenarioWith(server)).Throughput()
		if ok != (c.want > 0) || math.Abs(got-3*c.want) > 1e-9*got {
			t.Errorf("%d workers, %v slower for each: got %v (%v), want 3·%v", c.workers, c.slowdown, got, ok, c.want)
		}
	}
}

func TestScenarioWarnings(t *testing.T) {
	for _, c := range []struct{ fields, want string }{
		{`"horizon": "1m"`, ""},
		{`"horizon": "10s", "server": {"outages": [{"start": "1s", "end": "9s"}]}`, ""},
		{`"horizon": "10s", "server": {"outages": [{"start": "1s", "end": "9s", "endSpread": "1s"}]}`, "outage 1 can last until 10s, past the horizon of 10s"},
		{`"horizon": "10s", "server": {"outages": [{"start": "10s", "end": "11s"}]}`, "outage 1 starts at 10s, past the horizon of 10s"},
		{`"clients": {"count": 1, "workload": {"kind": "open", "rate": 10}}, "server": {"workers": 1, "serviceTime": {"kind": "constant", "mean": "100ms"}}`, ""},
		{`"clients": {"count": 1, "workload": {"kind": "open", "rate": 10}, "others": [{"name": "x", "count": 1, "workload": {"kind": "open", "rate": 1}}]}, "server": {"workers": 1, "serviceTime": {"kind": "constant", "mean": "100ms"}}`,
			"11 requests a second are more than the 10 that the server can serve: it never catches up"},
		{`"clients": {"count": 1, "workload": {"kind": "open", "rate": 1e7}}, "server": {"workers": 1, "slowdown": 1, "serviceTime": {"kind": "constant", "mean": "3us"}}`,
			"10000000 requests a second are more than the 333333 that the server can serve: it never catches up"},
		{`"horizon": "10s", "clients": {"count": 1, "workload": {"kind": "burst", "spread": "11s"}}`, "requests are created until 11s, past the horizon of 10s"},
		{`"horizon": "10s", "clients": {"count": 1, "workload": {"kind": "open", "rate": 1, "surges": [{"start": "10s", "end": "11s", "rate": 2}]}}`, "the surge at 10s is past the horizon of 10s"},
		{`"horizon": "10s", "server": {"outages": [{"start": "1s", "end": "3s", "endSpread": "1s"}], "nodes": {"count": 3, "comeUp": "2999ms"}}`, ""},
		{`"horizon": "10s", "server": {"outages": [{"start": "1s", "end": "3s", "endSpread": "1s"}], "nodes": {"count": 3, "comeUp": "3s"}}`,
			"after outage 1 the last node can be down until 10s, past the horizon of 10s"},
		{`"server": {"outages": [{"start": "1s", "end": "3s"}, {"start": "7001ms", "end": "8s"}], "nodes": {"count": 3, "comeUp": "2s"}}`, ""},
		{`"server": {"outages": [{"start": "1s", "end": "3s"}, {"start": "7s", "end": "8s"}], "nodes": {"count": 3, "comeUp": "2s"}}`,
			"outage 2 can start before the last node is up after outage 1"},
		{`"server": {"nodes": {"count": 1, "comeUp": "1s"}}`, "one node has no others to come up apart from"},
		{`"server": {"queue": 1}`, "nobody waits in the queue: 0 workers are any number"},
	} {
		if got := strings.Join(parse(t, scenarioWith(c.fields)).Warnings(), "\n"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.fields, got, c.want)
		}
	}
}

// TestWarnings of guards that do nothing in a burst, on each side of the edge; and of numbers in full.
func TestWarningsOfARun(t *testing.T) {
	for _, c := range []struct{ clients, policy, want string }{
		{`"count": 4`, `"maxAttempts": 5, "breaker": {"failures": 5}`, "the circuit breaker never stops an attempt: it opens after 5 outcomes at the earliest, and a process makes at most 5 attempts (clientsPerProcess 1)"},
		{`"count": 4`, `"maxAttempts": 6, "breaker": {"failures": 5}`, ""},
		{`"count": 4`, `"breaker": {"failures": 5}`, ""},
		{`"count": 4, "clientsPerProcess": 2`, `"maxAttempts": 3, "breaker": {"failures": 5}`, ""},
		{`"count": 4, "clientsPerProcess": 9`, `"maxAttempts": 3, "breaker": {"kind": "ratio", "window": 12, "ratio": 0.1}`,
			"the circuit breaker never stops an attempt: it opens after 12 outcomes at the earliest, and a process makes at most 12 attempts (clientsPerProcess 9)"},
		{`"count": 4, "clientsPerProcess": 2, "workload": {"kind": "open", "rate": 1}`, `"maxAttempts": 2, "breaker": {"failures": 5}`, ""},
		{`"count": 100, "clientsPerProcess": 25`, `"maxAttempts": 3, "budget": {"kind": "aws", "timeoutCost": 10}`, "the budget never refuses a retry: a process makes at most 50 (clientsPerProcess 25)"},
		{`"count": 104, "clientsPerProcess": 26`, `"maxAttempts": 3, "budget": {"kind": "aws", "timeoutCost": 10}`, ""},
		{`"count": 4`, `"maxAttempts": 4, "budget": {"kind": "grpc", "maxTokens": 10, "tokenRatio": 0.1}`, "the budget never refuses a retry: a process makes at most 3 (clientsPerProcess 1)"},
		{`"count": 4`, `"maxAttempts": 6, "budget": {"kind": "grpc", "maxTokens": 10, "tokenRatio": 0.1}`, ""},
		{`"count": 4`, `"maxAttempts": 1, "budget": {"kind": "aws"}`, "with 1 attempt nothing is retried, and the waits do not matter"},
		{`"count": 4`, `"maxAttempts": 3, "throttle": {"k": 2}`, ""},
		{`"count": 123456`, `"maxAttempts": 2`, "123456 of 123456 requests were still pending at the horizon"},
	} {
		s := parse(t, fmt.Sprintf(`{"horizon": "10s", "replications": 1, "clients": {%s}, "network": {"latency": {"kind": "constant", "mean": "6s"}}, "policies": [{"schedule": {"kind": "constant", "base": "1s"}, %s}]}`, c.clients, c.policy))
		result, err := sim.Run(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := result.Results[0].Warnings
		if !strings.Contains(c.want, "pending") {
			got = slices.DeleteFunc(got, func(w string) bool { return strings.Contains(w, "pending") })
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s, %s: got %q, want %q", c.clients, c.policy, got, c.want)
		}
	}
}

func TestScenarioRoundTrips(t *testing.T) {
	valid := spectest.Validator(t, sim.ScenarioSchema())
	rapid.Check(t, func(t *rapid.T) {
		document := simtest.Scenario(t, spec.Kinds(sim.Distributions))
		if err := valid(document); err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		checkScenario(t, parse(t, string(document)))
	})
}

// checkScenario tests that a parsed scenario is valid, and the same after going through JSON and through a query.
func checkScenario(t interface{ Fatalf(string, ...any) }, s *sim.Scenario) {
	if err := s.Validate(); err != nil {
		t.Fatalf("not valid: %v", err)
	}
	s.Warnings() // whatever they say, they must not panic
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if again, err := sim.ParseScenario(data); err != nil || !reflect.DeepEqual(again, s) {
		t.Fatalf("%s: got %+v (%v)\nwant %+v", data, again, err, s)
	}
	query := s.Query()
	if again, err := sim.ParseQuery(query); err != nil || !reflect.DeepEqual(again, s) {
		t.Fatalf("%s: got %+v (%v)\nwant %+v", query.Encode(), again, err, s)
	}
}

func FuzzParseScenario(f *testing.F) {
	for _, p := range sim.Presets() {
		data, err := json.Marshal(p.Scenario)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(scenarioWith(`"server": {"rateLimit": {"kind": "window", "limit": 1e3, "window": "0.1us"}, "crash": {"on": "rate", "rate": 1e-300, "restart": "1ns", "window": "1ns"}}`)))
	f.Add([]byte(scenarioWith(`"clients": {"count": 1, "workload": {"kind": "open", "rate": 0, "surges": [{"start": "0", "end": "1", "rate": -0}]}, "others": [{"name": "\u0000", "count": 1e7}]}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := sim.ParseScenario(data); err == nil {
			checkScenario(t, s)
		} else if len(err.Error()) > 1<<17 {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
	})
}

// However hostile, a document costs little and gives no more than a hundred faults and the word that there are more.
func TestScenarioFaultsAreBounded(t *testing.T) {
	list := func(item string) string { return `[` + strings.Repeat(item+`, `, 100_000) + item + `]` }
	keys := url.Values{}
	for i := range 100_000 {
		keys.Set(fmt.Sprint("k", i), "")
	}
	for name, parse := range map[string]func() error{
		"policies": func() error { return scenarioError(scenarioWith(`"policies": ` + list(`{}`))) },
		"outages":  func() error { return scenarioError(scenarioWith(`"server": {"outages": ` + list(`[{}]`) + `}`)) },
		"fields": func() error {
			return scenarioError(scenarioWith(`"server": {` + strings.Repeat(`"outage": {}, `, 100_000) + `"queue": -1}`))
		},
		"queried policies": func() error {
			_, err := sim.ParseQuery(url.Values{"p": slices.Repeat([]string{strings.Repeat(",x=~", 100)}, 10_000)})
			return err
		},
		"queried fields": func() error { _, err := sim.ParseQuery(keys); return err },
		"queried depth": func() error {
			_, err := sim.ParseQuery(url.Values{strings.Repeat("a.", 1<<19): {"1"}})
			return err
		},
	} {
		err := parse()
		faults, ok := err.(spec.Faults)
		if size := len(fmt.Sprint(err)); !ok || len(faults) > 101 || size > 1<<16 {
			t.Errorf("%s: %d faults in %d bytes", name, len(faults), size)
		}
	}
}

func scenarioError(document string) error {
	_, err := sim.ParseScenario([]byte(document))
	return err
}

func BenchmarkParseScenario(b *testing.B) {
	data, err := json.Marshal(sim.Default())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := sim.ParseScenario(data); err != nil {
			b.Fatal(err)
		}
	}
}
