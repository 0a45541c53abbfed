package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// A trace is one run of one policy, attempt by attempt, for those who want to watch it: the first replication, which is
// the same alone as in any company.

// tracedRun is what the API answers.
type tracedRun struct {
	Scenario *sim.Scenario     `json:"scenario"` // of one policy and one replication
	Policy   strategies.Policy `json:"policy"`
	Run      sim.FirstRun      `json:"run"`
	Trace    *sim.Trace        `json:"trace"`
	Warnings []string          `json:"warnings"`
}

// postTrace traces a policy of the scenario in the body.
func (s *Server) postTrace(w http.ResponseWriter, r *http.Request) {
	body, query, err := readRequest(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	sc, err := sim.ParseScenario(body)
	i, o, optErr := takeTraced(query)
	if err := allFaults(err, optErr, unknownParams(query)); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answerTrace(w, r, sc, i, o)
}

// getTrace traces a policy of the scenario in the query, which is that of the compare page.
func (s *Server) getTrace(w http.ResponseWriter, r *http.Request) {
	query, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	i, o, optErr := takeTraced(query)
	sc, err := parsePageQuery(query)
	if err := allFaults(err, optErr); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answerTrace(w, r, sc, i, o)
}

// takeTraced takes from a query which policy is traced, and how many clients.
func takeTraced(query url.Values) (policy int, o options, err error) {
	policy, policyErr := takeInt(query, "policy", 0, 0, sim.MaxPolicies-1)
	clients, clientsErr := takeInt(query, "trace", maxTraced, 1, MaxTrace)
	return policy, options{trace: clients}, allFaults(policyErr, clientsErr)
}

func (s *Server) answerTrace(w http.ResponseWriter, r *http.Request, sc *sim.Scenario, policy int, o options) {
	if policy >= len(sc.Policies) {
		s.fail(w, r, spec.Faults{{Pointer: "?policy", Detail: fmt.Sprintf("policy must be from 0 to %d, not %d", len(sc.Policies)-1, policy)}})
		return
	}
	alone := firstRunOf(sc, sc.Policies[policy])
	o.nodes = sc.Server.Nodes.Count > 1
	o.trace = min(o.trace, sc.Clients.Count)
	if r.Method == http.MethodGet && s.heldByClient(w, r, alone, o) {
		return
	}
	result, leave, err := s.simulateToSend(r.Context(), alone, o)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	of := &result.Results[0]
	s.sendJSON(w, r, tracedRun{result.Scenario, of.Policy, of.Run, of.Trace, append([]string{}, of.Warnings...)})
}

// firstRunOf is a scenario's first replication of some policies alone.
func firstRunOf(sc *sim.Scenario, policies ...strategies.Policy) *sim.Scenario {
	alone := *sc
	alone.Replications, alone.Policies = 1, policies
	return &alone
}

// traceFirst runs the first replication of some policies of a scenario, and traces as many clients as a page draws.
func (s *simulator) traceFirst(ctx context.Context, sc *sim.Scenario, policies []strategies.Policy) (*sim.Result, error) {
	return s.simulate(ctx, firstRunOf(sc, policies...), options{trace: min(maxTraced, sc.Clients.Count)})
}
