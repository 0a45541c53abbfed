package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// The policy page: one policy in hand. Its address holds the policy, as the compare page's does, and the trial that it is
// put to. As there, the form sends the state that it was made from and its controls, and the answer leads to the new
// address. The script asks for the same page and takes from it what has changed.

// policyState is what an address of the page says.
type policyState struct {
	policy  strategies.Policy
	trial   trial
	address string // the canonical query
}

// usualPolicy is that of the address without one: the standard answer to a herd.
var usualPolicy = sync.OnceValue(func() strategies.Policy {
	p, err := strategies.ParseText("exponential,base=100ms,cap=10s,jitter=full")
	if err != nil {
		panic(err)
	}
	p.ID = p.Kinds()
	return p
})

// policyQuery writes a policy and a trial as a query.
func policyQuery(p strategies.Policy, t trial) string {
	query := url.Values{}
	if text := textIn(p); text != textIn(usualPolicy()) {
		query.Set("p", text)
	}
	t.write(query)
	return encode(query)
}

// policyAddress is that of the page for a policy put to a trial.
func policyAddress(p strategies.Policy, t trial) string {
	return "/policy" + address(policyQuery(p, t))[1:]
}

// parsePolicyState reads what it can of a query. Its error holds spec.Faults for the rest.
func parsePolicyState(query url.Values) (policyState, error) {
	var faults spec.Collector
	query = maps.Clone(query)
	st := policyState{policy: usualPolicy()}
	texts := query["p"]
	query.Del("p")
	if len(texts) > 1 {
		faults.Addf("?p", "p is given %d times; this page shows one policy", len(texts))
	}
	if len(texts) > 0 {
		sc, err := readable(url.Values{"p": texts[:1]})
		if len(sc.Policies) == 1 { // else nothing of it could be read
			st.policy = sc.Policies[0]
		}
		for _, f := range faultsOf(err) {
			faults.Add(strings.TrimPrefix(f.Pointer, "/policies/0"), f.Detail)
		}
	}
	t, err := takeTrial(query)
	st.trial = t
	faults.Merge("", err)
	faults.Merge("", unknownParams(query))
	st.address = policyQuery(st.policy, st.trial)
	return st, faults.Err()
}

// edit applies the controls in asked. What is wrong is left out: the error is then spec.Faults, at "/name" of a control.
func (st policyState) edit(asked url.Values) (policyState, error) {
	var faults spec.Collector
	before := st.policy
	after, err := editedPolicy(before, asked)
	faults.Merge("/edit", err)
	for _, do := range asked["do"] {
		guarded, err := pressed(after, do)
		faults.Merge("/edit", err)
		if err == nil {
			after = guarded
		}
	}
	st.policy = disown(after, before)
	if st.policy.ID == "" {
		st.policy.ID = st.policy.Kinds()
	}
	said := url.Values{}
	for _, item := range spec.Items(&st.trial) {
		text := item.Text
		if asked.Has(item.Path) {
			text = withUnit(item.Param, strings.TrimSpace(asked.Get(item.Path)))
		}
		said.Set(item.Path, text)
	}
	t, err := takeTrial(said)
	for _, f := range faultsOf(err) {
		faults.Add("/"+f.Pointer[1:], f.Detail)
	}
	st.trial = t
	st.address = policyQuery(st.policy, st.trial)
	if n := len(st.address); n > maxAddress {
		faults.Addf("", "the address holds the whole policy, and with this it would have %d characters; at most %d can be", n, maxAddress)
	}
	return st, faults.Err()
}

// pressed carries out one of the editor's buttons.
func pressed(p strategies.Policy, do string) (strategies.Policy, error) {
	switch verb, field, _ := strings.Cut(do, ":"); verb {
	case "guard":
		return withGuard(p, field, addGuard)
	case "unguard":
		return withGuard(p, field, dropGuard)
	}
	return p, fault(fmt.Sprintf("there is no button %.40q", do))
}

// policyPage answers GET /policy.
func (s *Server) policyPage(w http.ResponseWriter, r *http.Request) {
	asked, unread := askedIn(r)
	from, edited := asked, asked.Has("from")
	if edited {
		from, _ = url.ParseQuery(asked.Get("from"))
	}
	st, err := parsePolicyState(from)
	if edited {
		before := st
		var wrong error
		if st, wrong = st.edit(asked); len(st.address) > maxAddress {
			st = before
		}
		err = allFaults(err, wrong)
	}
	err = allFaults(unread, err)
	if err == nil && (edited || encode(asked) != st.address) {
		http.Redirect(w, r, "/policy"+address(st.address)[1:], http.StatusSeeOther)
		return
	}
	page := templates.PolicyPage{Static: static.URL, Form: policyForm(st), State: st.address}
	status := http.StatusOK
	if err != nil {
		status = problemOf(err).Status
		page.Problems = complaints(&page.Form, asked, err)
	}
	study, err := s.study(r, st.policy, st.trial)
	if gone(r) {
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page = study.fill(page)
	s.sendPage(w, r, status, templates.Policy(page))
}

// complaints puts faults at the controls they name, and returns the others under what is said of all.
func complaints(form *templates.Form, asked url.Values, err error) []templates.Problem {
	said := "Not all of that can be. The figures are without it."
	var rest []templates.Problem
	if asked.Has("from") {
		rest = blame(form, asked, faultsOf(err))
	} else {
		said = "Not all of this address can be read. The page shows what can."
		rest = problemsOf(faultsOf(err))
	}
	return append([]templates.Problem{{Detail: said}}, rest...)
}

// study works a policy out in a slot of its own: it can take as long as a simulation.
func (s *Server) study(r *http.Request, p strategies.Policy, t trial) (*study, error) {
	release, err := s.acquire(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	st, err := newStudy(r.Context(), p, t)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return st, nil
}
