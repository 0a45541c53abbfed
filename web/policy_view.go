package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the policy page of a study.

// policyForm has the trial's controls and the fields of the compare page's editor.
func policyForm(st policyState) templates.Form {
	p := st.policy
	f := templates.Form{State: st.address, Editor: &templates.Editor{ID: p.ID, Title: title(p), Text: textField(p)}}
	for _, item := range spec.Items(&st.trial) {
		f.Plain = append(f.Plain, fieldOf(item))
	}
	items := spec.Items(&p)
	f.Editor.Guards = guardsOf(items)
	fields, wide := editorFields(slices.DeleteFunc(items, func(item spec.Item) bool { return item.Optional }))
	f.Editor.Fields = slices.DeleteFunc(append(fields, wide...), func(f templates.Field) bool { return f.Name == editorPrefix+"id" })
	return f
}

// fill adds what the study says.
func (s *study) fill(page templates.PolicyPage) templates.PolicyPage {
	page.Title, page.Text = title(s.policy), textIn(s.policy)
	for _, said := range hear(policyRules, policySlots, s) {
		page.Verdicts = append(page.Verdicts, templates.PolicyVerdict{ID: said.id, Tone: string(said.tone), Says: said.sentence, Why: said.why, Shows: said.shows})
	}
	page.Warnings = s.policy.Warnings()
	for i := range page.Warnings {
		page.Warnings[i] = sentence(page.Warnings[i])
	}
	if s.guarded() {
		page.Warnings = append(page.Warnings, "Circuit breaker, budget and throttling are left out here: what they do depends on other requests. Simulate it to see.")
	}
	page.Facts = s.facts()
	page.Export, page.Tune = exportAddress(s.policy, "grpc"), s.tuneAddress()
	page.Compare = s.compareWith(s.contrasts()...)
	if rows := s.shown(); len(rows) > 0 {
		page.Boxes = []templates.Chart{waitsChart(rows), momentsChart(s.moments())}
		page.Retries, page.Quantiles = s.table(), s.quantiles()
	}
	page.Curves = []templates.Chart{survivalChart(s), attemptsChart(s)}
	return page
}

func (s *study) facts() []templates.Fact {
	facts := []templates.Fact{{Label: "Gives up", Value: "never"}}
	if s.end != nil {
		facts = []templates.Fact{
			{Label: "Gives up, at the latest", Value: "after " + seconds(s.end.Max+s.fails.Seconds())},
			{Label: "on average", Value: "after " + s.meanFailure()},
		}
	}
	survives := noValue
	if p, known := s.outlives(); known {
		survives = nearly(p, 1) + nbsp + "%"
	}
	return append(facts,
		templates.Fact{Label: "Outlives " + length(s.outage), Value: survives},
		templates.Fact{Label: "Attempts for that", Value: s.attemptsMade()},
		templates.Fact{Label: "Each fails after", Value: s.failsAfter()},
	)
}

func (s *study) failsAfter() string {
	if s.held {
		return "never"
	}
	return span(s.fails)
}

// contrasts are those of the opening scenario's policies that show what backing off and jitter do, but for the policy itself.
func (s *study) contrasts() []strategies.Policy {
	var others []strategies.Policy
	for _, p := range opening().scenario.Policies {
		known := p.ID == "exponential" || p.ID == "exponential-full"
		if known && bare(p).Text() != bare(s.policy).Text() {
			others = append(others, p)
		}
	}
	return others
}

// guarded reports whether anything but attempts and deadline holds the policy back.
func (s *study) guarded() bool {
	return s.policy.Breaker.Kind != "" || s.policy.Budget.Kind != "" || s.policy.Throttle.Kind != ""
}

// shown are the delays of the table.
func (s *study) shown() []strategies.DelayRow {
	return s.delays[:min(len(s.delays), int(s.retries))]
}

// moments are the attempts that belong to the delays shown.
func (s *study) moments() []strategies.AttemptRow {
	return s.life.Attempts[:min(len(s.life.Attempts), len(s.shown())+1)]
}

// table has a row for each retry: what is waited before it, in all, and when the attempt is made.
func (s *study) table() templates.Table {
	t := templates.Table{
		Caption: "Every retry, in seconds: what the schedule says, what is waited before it and in all, and when the attempt is made, counted from the first",
		Groups:  []templates.Columns{{Span: 2}, {Head: "Wait", Span: 6}, {Head: "Waited in all", Span: 4}, {Head: "Attempt made at", Span: 5}},
		Head: []string{"Retry", "scheduled", "least", "median", "mean", "95 %", "most", "at the cap",
			"least", "mean", "95 %", "most", "least", "mean", "95 %", "most", "ever"},
	}
	for i, row := range s.shown() {
		e, c := row.Exact, row.Cumulative
		late, made := float64(i+1)*s.fails.Seconds(), "never"
		p95 := noValue
		if c.P95 != nil {
			p95 = brief(*c.P95)
		}
		moment := []string{noValue, noValue, noValue, noValue}
		if i+1 < len(s.life.Attempts) {
			at := s.life.Attempts[i+1].At
			if c.P95 == nil {
				p95 = brief(max(at.P95-late, 0))
			}
			moment = []string{brief(at.Min), brief(at.Mean), brief(at.P95), brief(at.Max)}
			made = nearly(s.life.Attempts[i+1].Made, 1) + nbsp + "%"
		}
		t.Rows = append(t.Rows, slices.Concat(
			[]string{fmt.Sprint(row.Retry), brief(row.Scheduled)},
			[]string{brief(e.Min), brief(e.P50), brief(e.Mean), brief(e.P95), brief(e.Max), nearly(e.AtCap, 1) + nbsp + "%"},
			[]string{brief(c.Min), brief(c.Mean), p95, brief(c.Max)}, moment, []string{made}))
	}
	return t
}

// quantiles are those of each wait, as the chart draws them.
func (s *study) quantiles() templates.Table {
	t := templates.Table{
		Caption: "The wait before every retry, in seconds",
		Head:    []string{"Retry", "least", "5 %", "25 %", "median", "75 %", "95 %", "most", "mean", "standard deviation"},
	}
	for _, row := range s.shown() {
		e := row.Exact
		t.Rows = append(t.Rows, []string{fmt.Sprint(row.Retry), brief(e.Min), brief(e.P5), brief(e.P25), brief(e.P50), brief(e.P75), brief(e.P95), brief(e.Max),
			brief(e.Mean), brief(e.SD)})
	}
	return t
}

// curveTable has about 16 of the lengths of outage.
func (s *study) curveTable(caption, head string, value func(strategies.Survival) string) templates.Table {
	t := templates.Table{Caption: caption, Head: []string{"Outage", head}}
	last := -1.0
	every := s.axisEnd() / 15
	for _, x := range s.life.Survival {
		if x.Outage == s.outage.Seconds() || x.Outage >= last+every*(1-1e-9) || last < 0 {
			t.Rows = append(t.Rows, []string{seconds(x.Outage), value(x)})
			last = x.Outage
		}
	}
	return t
}

// textField holds a policy in one line.
func textField(p strategies.Policy) templates.Field {
	return templates.Field{
		Name: editorText, Label: "The policy in one line", Input: templates.AreaInput, Value: textIn(p), Form: "controls",
		Help: "The schedule, then what differs from the defaults, such as exponential,base=100ms,cap=10s,jitter=full.",
	}
}

// footnote says how exact a study is.
func (s *study) footnote() string {
	said := []string{"From closed forms and convolution, to within 0.1" + nbsp + "%."}
	if s.compiled.Feedback() {
		said = []string{"Each delay depends on what was drawn before: followed together, to within 1" + nbsp + "%."}
	}
	if s.life.Cut > 0 {
		said = append(said, "Cut off where a request has "+count(float64(s.life.Cut))+" attempts.")
	}
	return strings.Join(said, " ")
}
