package web

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// The league: every library at its defaults in one outage, and a policy of the reader's own beside them. What the
// libraries do is in league.json, which a test holds to be exactly what the engine gives; only the reader's own is run.

// division is a scenario that the league is played in.
type division struct {
	id, label, says string
	scenario        func() *sim.Scenario // without policies
}

// divisions is the catalogue. A new one is an entry here; go test ./web -run TestLeagueFile -update runs it.
var divisions = []division{
	{"outage", "Ten-second outage", "1000 clients lose their server for ten seconds. It comes back slowly, can serve 200 a second, and crashes when two seconds of work are waiting.", outage},
	{"rate-limit", "Rate-limited API", "500 clients call an API at once that allows 50 calls a second and answers 429 with Retry-After.", presetScenario("rate-limited-api")},
	{"failover", "Five-minute failover", "20 queries a second while a database fails over for five minutes; it can serve 80 a second, and comes back slowly.", failover},
}

func presetScenario(id string) func() *sim.Scenario {
	return func() *sim.Scenario {
		i := slices.IndexFunc(sim.Presets(), func(p sim.Preset) bool { return p.ID == id })
		return sim.Presets()[i].Scenario
	}
}

// outage is the opening scenario, watched for longer than a minute: some libraries never give up.
func outage() *sim.Scenario {
	sc := sim.Default()
	sc.Horizon, sc.Bin, sc.Replications = 5*time.Minute, 0, 10
	sc.Complete()
	return sc
}

// failover is the shorter one of the presets, at a fifth of its size.
func failover() *sim.Scenario {
	sc := presetScenario("database-failover")()
	sc.Name, sc.Horizon, sc.Bin, sc.Replications = "A database fails over for five minutes", 10*time.Minute, 0, 4
	sc.Clients.Workload.Rate /= 5
	sc.SetCapacity(80)
	sc.SetOutage(5 * time.Minute)
	sc.Complete()
	return sc
}

// leagueMetrics are what the file holds.
var leagueMetrics = []string{"successRate", "within.p50", "within.p99", "completion.p99", "goodput", "crashes", "downtime", "amplification", "recoveryPeak", "overshoot"}

// leagueFile is by division, then by preset, then by metric.
//
//go:embed league.json
var leagueFile []byte

var leagueResults = func() (byDivision map[string]map[string]map[string]sim.Metric) {
	if err := json.Unmarshal(leagueFile, &byDivision); err != nil {
		panic("web: league.json: " + err.Error())
	}
	return byDivision
}()

// leagueState is what an address of the page says.
type leagueState struct {
	division division
	byServer bool // ranked by what becomes of the server
	own      *strategies.Policy
}

// The keys of the page's address.
const (
	divisionKey = "scenario"
	rankedKey   = "by"
)

// takeLeague reads what it can of a query. Its error holds spec.Faults for the rest.
func takeLeague(query url.Values) (leagueState, error) {
	var ids []string
	for _, d := range divisions {
		ids = append(ids, d.id)
	}
	st := leagueState{division: divisions[0]}
	id, idErr := takeChoice(query, divisionKey, ids...)
	st.division = divisions[slices.Index(ids, id)]
	by, byErr := takeChoice(query, rankedKey, "requests", "server")
	st.byServer = by == "server"
	var ownErr error
	if query.Get("p") == "" {
		query.Del("p")
	} else if p, err := takePolicy(query); err != nil {
		ownErr = err
	} else {
		st.own = &p
		ownErr = st.check()
	}
	return st, allFaults(idErr, byErr, ownErr, unknownParams(query))
}

// check returns why the own policy cannot be run in the division; it is then none.
func (st *leagueState) check() error {
	err := st.trial().Validate()
	if err == nil {
		return nil
	}
	st.own = nil
	return inText(faultsOf(err))
}

// trial is the scenario with the own policy alone.
func (st *leagueState) trial() *sim.Scenario {
	sc := st.division.scenario()
	own := *st.own
	own.ID = ownID
	sc.Policies = []strategies.Policy{own}
	sc.Complete()
	return sc
}

// ownID is that of the reader's own policy.
const ownID = "yours"

func (st *leagueState) query() string {
	query := url.Values{}
	if st.division.id != divisions[0].id {
		query.Set(divisionKey, st.division.id)
	}
	if st.byServer {
		query.Set(rankedKey, "server")
	}
	if st.own != nil {
		query.Set("p", textIn(*st.own))
	}
	return encode(query)
}

// entrant is a row of the league.
type entrant struct {
	library  *strategies.Library // nil: the reader's own
	policy   strategies.Policy
	requests standing // what became of the requests, ranked
	server   standing // what became of the server, ranked
}

// The criteria of the two headings.
func (st *leagueState) criteria() (requests, server []criterion) {
	wait := criterion{"completion.p99", -1} // of steady traffic
	if st.burst() {
		wait = criterion{"within.p99", -1}
	}
	return []criterion{{"successRate", +1}, wait}, []criterion{{"crashes", -1}, {"overshoot", -1}, {"amplification", -1}}
}

func (st *leagueState) burst() bool {
	return st.division.scenario().Clients.Workload.Kind == sim.Burst
}

// table returns the rows, best first under the heading that is asked for. own is the result of the reader's own policy;
// nil if there is none.
func (st *leagueState) table(own *sim.Result) []entrant {
	var rows []entrant
	var results []*sim.PolicyResult
	for _, l := range strategies.Libraries() {
		rows = append(rows, entrant{library: &l, policy: l.Policy})
		results = append(results, &sim.PolicyResult{Policy: l.Policy, Metrics: kept(leagueResults[st.division.id][l.Policy.ID])})
	}
	if own != nil {
		rows = append(rows, entrant{policy: *st.own})
		results = append(results, &own.Results[0])
	}
	byRequests, byServer := st.criteria()
	for _, s := range ranked(results, byRequests) {
		rows[s.position].requests = s
	}
	for _, s := range ranked(results, byServer) {
		rows[s.position].server = s
	}
	slices.SortStableFunc(rows, func(a, b entrant) int {
		first, second := a.requests.rank-b.requests.rank, a.server.rank-b.server.rank
		if st.byServer {
			first, second = second, first
		}
		if first != 0 {
			return first
		}
		return second
	})
	return rows
}

func ranked(results []*sim.PolicyResult, by []criterion) []standing {
	all := make([]standing, len(results))
	for i, r := range results {
		all[i] = standing{PolicyResult: r, position: i}
	}
	order(all, by, 1)
	return all
}

// kept are the file's metrics in order.
func kept(m map[string]sim.Metric) (list sim.Metrics) {
	for _, name := range leagueMetrics {
		list = append(list, sim.NamedMetric{Name: name, Metric: m[name]})
	}
	return list
}
