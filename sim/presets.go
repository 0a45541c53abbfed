package sim

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// Preset is a scenario worth looking at.
type Preset struct {
	ID       string    `json:"id"`
	Shows    string    `json:"shows"` // one sentence: what there is to see
	Scenario *Scenario `json:"scenario"`

	file   string          // its document's name; "": the ID
	change func(*Scenario) // what it does otherwise than the document; nil: nothing
}

//go:embed presets/*.json
var presetFiles embed.FS

// presets are the documents in presets/, some of them more than once, with something changed. A new one is a file there
// and a line here; the first is the opening scenario.
var presets = []Preset{
	{ID: "default", Shows: "A herd that lost its server knocks it over again, unless it is spread out and patient."},
	{ID: "spread-failures", Shows: "Clients that notice the outage over five seconds are spread out already: without jitter 99 % are served sooner than with full jitter."},
	{ID: "ordinary-traffic", Shows: "New requests beside the herd, only 15 % of the capacity, bring full jitter from all served to little more than a quarter; a longer cap serves all."},
	{ID: "quarter-every-second", Shows: "A quarter of the fleet still retries every second. With full jitter in the rest all are served; without jitter only that quarter is."},
	{ID: "cold-cache", Shows: "A server that starts at a twentieth of its speed crashes seven times where a warm one does not; a cap of 30 s spares it, a minute is only slower."},
	{ID: "first-node-back", file: "default", change: fiveNodes,
		Shows: "Five nodes, three seconds apart, in place of one machine as strong: the first one back meets the whole herd, and full jitter up to 10 s, safe before, crashes nodes twenty times; up to 20 s, or with equal jitter, a quarter as often."},
	{ID: "knocked-over-again", Shows: "A server that comes back slowly crashes as often as the herd returns together."},
	{ID: "mobile-reconnect", Shows: "Fifty thousand devices, 2000 a second: full jitter up to 15 s crashes the gateway dozens of times, up to a minute never; two minutes are only slower."},
	{ID: "cron-full-hour", Shows: "Jobs that all start on the hour crash a healthy server before any retry. Only a first wait as long as the work takes keeps it at that one crash."},
	{ID: "rolling-deploy", Shows: "Four restarts at half the capacity: retries without limit that start at once serve fewer than no retry at all; a random wait of up to 10 s loses hardly any."},
	{ID: "database-failover", Shows: "Thirty seconds without a database: five quick attempts serve hardly more than one; a minute of patience loses nothing."},
	{ID: "steady-traffic-timeouts", Shows: "After a five-second hang, retries keep a busy server overloaded, backed off or not; without any it recovers."},
	{ID: "unsynchronised", Shows: "Requests that come one by one and fail by chance: nothing brings them together, so jitter makes no difference."},
	{ID: "outage", Shows: "Without jitter a thousand clients stay together, and a rate limit lets few of each wave pass."},
	{ID: "rate-limited-api", Shows: "A limit of 50 calls a second: who heeds Retry-After, and who runs out of attempts."},
	{ID: "retry-storm", Shows: "After a hang of five seconds retries keep a server at 70 % of its capacity overloaded for good, and 18 % are served. Two attempts, a retry budget or a circuit breaker let it go."},
	{ID: "retry-storm-jitter", file: "retry-storm", change: storm("A retry storm: does full jitter help?", "four-at-once", "four"),
		Shows: "It does not: full jitter spreads retries, it does not make them fewer. As few are served as with retries at once, and no run recovers."},
	{ID: "retry-storm-two-attempts", file: "retry-storm", change: storm("A retry storm, and two attempts instead of four", "four", "two"),
		Shows: "Two attempts at 140 a second are more than 200 only while nearly all fail, and few of the hang's are left when it ends: every run recovers."},
	{ID: "retry-storm-budget", file: "retry-storm", change: storm("A retry storm, and a retry budget", "four", "budget"),
		Shows: "A budget of a retry for ten requests keeps the load within 11 %, however much fails: every run recovers."},
	{ID: "retry-storm-breaker", file: "retry-storm", change: storm("A retry storm, and circuit breakers", "four", "breaker"),
		Shows: "Breakers that open after five failures hold back what would keep the server busy: every run recovers, for some requests not sent."},
	{ID: "retry-storm-closed", file: "retry-storm", change: closedStorm,
		Shows: "Four hundred clients that wait for an answer before they ask again make the same load, and cannot keep it up: every run recovers, whatever the policy."},
	{ID: "retry-storm-shedding", file: "retry-storm", change: shortWait,
		Shows: "A server that turns away what has waited 500 ms does work that is still wanted: 97 % are served, with retries at once as with full jitter, where 18 % were."},
	{ID: "retry-storm-short-queue", file: "retry-storm", change: shortQueue,
		Shows: "A queue of 150, which is worked off in 750 ms, before the clients' second is over, is worth more than any policy: 97 % are served instead of 18 %."},
	{ID: "slow-when-busy", Shows: "With a thousand requests at once each takes 3 s, and no client waits for that: four attempts hold the server there, two attempts or a budget let it go."},
	{ID: "probes-in-step", Shows: "Circuit breakers that one outage opened are half-open together: for all their jitter a thousand clients send their probes as a herd, which the tab Each client shows as columns. Open for 5 s give or take half, they bring all through, without a crash."},
	{ID: "contention", Shows: "A hundred writers of one row, the model behind the AWS article on backoff and jitter."},
}

// Presets returns the preset scenarios, the opening one first.
func Presets() []Preset {
	list := make([]Preset, len(presets))
	for i, p := range presets {
		p.Scenario = p.load()
		list[i] = p
	}
	return list
}

// Default returns the opening scenario.
func Default() *Scenario { return presets[0].load() }

// fiveNodes puts five nodes in place of the opening scenario's machine. They can do as much together, and hold as much.
func fiveNodes(s *Scenario) {
	s.Name = "1000 clients lose five nodes, which come back one after the other"
	s.Horizon = 2 * time.Minute
	s.Bin = 500 * time.Millisecond
	s.Server.Nodes = Nodes{Count: 5, Balancer: LeastInFlight, ComeUp: 3 * time.Second}
	s.Server.Workers /= s.Server.Nodes.Count
	s.Server.Queue /= s.Server.Nodes.Count
	keep(s, "exponential", "exponential-equal", "exponential-full")
	p := s.Policies[2]
	p.ID, p.Name, p.Cap = "full-long-cap", "Full jitter, at most 20 s", 20*time.Second
	s.Policies = append(s.Policies, p)
}

// keep leaves a scenario some of its policies.
func keep(s *Scenario, policies ...string) {
	s.Policies = slices.DeleteFunc(s.Policies, func(p strategies.Policy) bool { return !slices.Contains(policies, p.ID) })
}

// storm names the retry storm anew and keeps some of its policies.
func storm(name string, policies ...string) func(*Scenario) {
	return func(s *Scenario) {
		s.Name = name
		keep(s, policies...)
	}
}

func closedStorm(s *Scenario) {
	storm("No retry storm: clients that wait for their answer", "four-at-once", "four", "two")(s)
	s.Clients.Count = 400
	s.Clients.Workload = Workload{Kind: Closed, Think: spec.Choice{Kind: "exponential", Args: spec.Args{"mean": 2800 * time.Millisecond}}}
}

func shortWait(s *Scenario) {
	storm("A retry storm at a server that sheds", "four-at-once", "four", "two")(s)
	s.Server.MaxQueueWait = 500 * time.Millisecond
}

func shortQueue(s *Scenario) {
	storm("A retry storm at a short queue", "four-at-once", "four", "two")(s)
	s.Server.Queue = 150
}

// load panics on a preset that is faulty, which a test would have found.
func (p Preset) load() *Scenario {
	id := cmp.Or(p.file, p.ID)
	data, err := presetFiles.ReadFile("presets/" + id + ".json")
	if err != nil {
		panic(err)
	}
	s, err := ParseScenario(data)
	if err != nil {
		panic(fmt.Sprintf("sim: preset %s: %v", id, err))
	}
	if p.change != nil {
		p.change(s)
	}
	return s
}
