package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
)

// analysis is the exact behaviour of one policy, and what becomes of it in a trial.
type analysis struct {
	Policy   strategies.Policy       `json:"policy"`
	Delays   []strategies.DelayRow   `json:"delays"`
	Warnings []string                `json:"warnings"`
	Trial    *trial                  `json:"trial"`
	Attempts []strategies.AttemptRow `json:"attempts"`
	Survival []strategies.Survival   `json:"survival"`
	Outlives *float64                `json:"outlives"` // the trial's outage, with this probability; nil: that is not known
	End      *ending                 `json:"end"`      // of the last attempt; nil: there is none
	Verdicts []finding               `json:"verdicts"`
}

// finding is one verdict.
type finding struct {
	ID   string `json:"id"`
	Tone tone   `json:"tone"`
	Says string `json:"says"`
	Why  string `json:"why"`
}

// plainSpaces makes text fit for programs.
var plainSpaces = strings.NewReplacer(nbsp, " ", thinSpace, " ")

// analyse answers POST /policies/analysis with what can be said of the policy in the body. The query may hold a trial.
func (s *Server) analyse(w http.ResponseWriter, r *http.Request) {
	body, query, err := readRequest(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	trial, trialErr := takeTrial(query)
	policy, err := strategies.ParsePolicy(body)
	if err := allFaults(err, trialErr, unknownParams(query)); err != nil {
		s.fail(w, r, err)
		return
	}
	a, err := s.analysis(r.Context(), policy, trial)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.sendJSON(w, r, a)
}

func (s *Server) analysis(ctx context.Context, p strategies.Policy, t trial) (*analysis, error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	st, err := newStudy(ctx, p, t)
	if err != nil {
		return nil, err
	}
	// All that are asked for, whether or not the policy goes so far.
	delays := st.compiled.Delays(int(t.retries))
	if err := st.compiled.SampleP95(ctx, delays); err != nil {
		return nil, err
	}
	a := &analysis{
		Policy: p, Delays: delays, Warnings: p.Warnings(), Trial: &t,
		Attempts: st.life.Attempts[:min(len(st.life.Attempts), len(delays)+1)], Survival: st.life.Survival,
		End: st.end, Verdicts: []finding{},
	}
	if p, known := st.outlives(); known {
		a.Outlives = &p
	}
	for _, v := range hear(policyRules, policySlots, st) {
		a.Verdicts = append(a.Verdicts, finding{v.id, v.tone, plainSpaces.Replace(v.sentence), plainSpaces.Replace(v.why)})
	}
	return a, nil
}
