package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// This file is the arithmetic of lessons: figures of the run beside a sentence, computed with and compared. Values carry
// their 95 % intervals, so that a lesson cannot say more than its run shows:
//
//	crashes of none             a metric of a policy of the run
//	lasts of eight              from its first attempt to its last, at most
//	2 * clients / capacity      clients and capacity are the scenario's, and so is a control's name
//	crashes of none > 1         holds only if the intervals are apart; likewise <
//	a = b                       the same number
//	a ~ b                       cannot be told apart: the intervals meet
//	within.p99 of none = never  there is no such time
//
// Comparisons are joined by "and", and what those make by "or".
// Numbers may have a unit: 250ms, 10s, 50%.

// facts are what terms are about: a run, and the controls it was made with.
type facts struct {
	result *sim.Result
	chosen map[string]string // the values of the screen's controls
}

// policy is the outcome of the policy of that id; nil if there is none.
func (f *facts) policy(id string) *sim.PolicyResult {
	for i := range f.result.Results {
		if f.result.Results[i].Policy.ID == id {
			return &f.result.Results[i]
		}
	}
	return nil
}

// term is a value that a run has.
type term struct {
	metric   metricKind // of a lone metric; else the zero value
	quantity quantity
	eval     func(*facts) sim.Metric
}

// text writes a term's value with its unit.
func (t term) text(f *facts) string {
	m := t.eval(f)
	if m.Mean == nil {
		return noValue
	}
	if math.IsInf(*m.Mean, 0) {
		return "never"
	}
	switch t.quantity {
	case asShare:
		return percent(m) + nbsp + "%"
	case asTime:
		return timed(m)
	case asRate:
		return mean(m, 1) + nbsp + "a second"
	case asMultiple:
		return mean(m, 1) + "×"
	}
	if t.metric.metric == "" && m.Low == nil {
		return count(*m.Mean) // of no run, and so exact
	}
	return mean(m, 1)
}

// condition is something that can be true of a run.
type condition struct {
	source string
	holds  func(*facts) bool
}

// scope is what terms can name.
type scope struct {
	policies []string // ids
	others   []string // groups of other clients
	controls map[string]string
}

// parseTerm reads a term, which may say how it is written: "1 - successRate of none as share".
func parseTerm(text string, in scope) (term, error) {
	p := &termParser{scope: in, rest: text}
	t := p.sum()
	if p.word("as") {
		name := p.name()
		q, ok := quantityNames[name]
		if !ok {
			p.fail("a value is written as a number, share, time, rate or multiple, not as %q", name)
		}
		t.quantity = q
	}
	p.end()
	return t, p.err
}

var quantityNames = map[string]quantity{"number": asNumber, "share": asShare, "time": asTime, "rate": asRate, "multiple": asMultiple}

// parseCondition reads comparisons joined by "and", and groups of those joined by "or".
func parseCondition(text string, in scope) (condition, error) {
	p := &termParser{scope: in, rest: text}
	any := [][]func(*facts) bool{p.all()}
	for p.word("or") {
		any = append(any, p.all())
	}
	p.end()
	return condition{strings.TrimSpace(text), func(f *facts) bool {
		return slices.ContainsFunc(any, func(all []func(*facts) bool) bool {
			return !slices.ContainsFunc(all, func(holds func(*facts) bool) bool { return !holds(f) })
		})
	}}, p.err
}

func (p *termParser) all() []func(*facts) bool {
	all := []func(*facts) bool{p.comparison()}
	for p.word("and") {
		all = append(all, p.comparison())
	}
	return all
}

// termParser goes through a text from left to right. After the first error it only runs out.
type termParser struct {
	scope
	rest string
	err  error
	deep int
}

func (p *termParser) fail(format string, args ...any) {
	p.err = cmp.Or(p.err, fmt.Errorf(format, args...))
	p.rest = ""
}

func (p *termParser) end() {
	if p.rest = strings.TrimSpace(p.rest); p.rest != "" {
		p.fail("%q is not expected here", p.rest)
	}
}

func (p *termParser) comparison() func(*facts) bool {
	a := p.sum()
	p.rest = strings.TrimSpace(p.rest)
	if p.rest == "" || !strings.Contains("<>=~", p.rest[:1]) {
		p.fail("a comparison with <, >, = or ~ is missing before %q", p.rest)
		return func(*facts) bool { return false }
	}
	sign := p.rest[:1]
	p.rest = p.rest[1:]
	b := p.sum()
	return func(f *facts) bool { return compared(sign, a.eval(f), b.eval(f)) }
}

// compared carries out a comparison, which does not hold of what is no number.
func compared(sign string, a, b sim.Metric) bool {
	if a.Mean == nil || b.Mean == nil {
		return false
	}
	aLow, aHigh := bounds(a)
	bLow, bHigh := bounds(b)
	switch sign {
	case "<":
		return aHigh < bLow
	case ">":
		return aLow > bHigh
	case "=":
		return *a.Mean == *b.Mean || math.Abs(*a.Mean-*b.Mean) <= 1e-9*math.Abs(*b.Mean)
	default:
		return aLow <= bHigh && bLow <= aHigh
	}
}

func (p *termParser) sum() term {
	t := p.product()
	for p.err == nil {
		switch sign := p.sign("+-"); sign {
		case 0:
			return t
		default:
			t = combined(t, p.product(), sign)
		}
	}
	return t
}

func (p *termParser) product() term {
	t := p.factor()
	for p.err == nil {
		switch sign := p.sign("*/"); sign {
		case 0:
			return t
		default:
			t = combined(t, p.factor(), sign)
		}
	}
	return t
}

// sign takes one of some signs, 0 if there is none.
func (p *termParser) sign(of string) byte {
	p.rest = strings.TrimSpace(p.rest)
	if p.rest == "" || !strings.Contains(of, p.rest[:1]) {
		return 0
	}
	sign := p.rest[0]
	p.rest = p.rest[1:]
	return sign
}

const deepest = 20 // brackets within brackets

func (p *termParser) factor() term {
	if p.sign("(") != 0 {
		if p.deep++; p.deep > deepest {
			p.fail("brackets go deeper than %d", deepest)
			return constantTerm(0)
		}
		t := p.sum()
		p.deep--
		if p.sign(")") == 0 {
			p.fail("a ) is missing")
		}
		return t
	}
	switch word := p.name(); {
	case word == "":
		p.fail("a number or a name is missing before %q", p.rest)
	case unicode.IsDigit(rune(word[0])):
		return p.number(word)
	case word == "never":
		return constantTerm(math.Inf(1))
	case word == "clients":
		return scenarioTerm(func(sc *sim.Scenario) float64 { return float64(sc.Clients.Count) })
	case word == "capacity":
		return scenarioTerm(func(sc *sim.Scenario) float64 { c, _ := sc.Capacity(); return c })
	case p.word("of"):
		return p.metric(word, p.name())
	default:
		if value, ok := p.controls[word]; ok {
			_, q, _ := amount(value)
			return controlTerm(word, q)
		}
		p.fail("%q is no number, control, clients or capacity; a metric is written \"%s of POLICY\"", word, word)
	}
	return constantTerm(0)
}

// name takes letters, digits, dots and hyphens; so a minus sign needs a space before it.
func (p *termParser) name() string {
	p.rest = strings.TrimSpace(p.rest)
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".-%", r)
	})
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	if strings.HasPrefix(word, "-") {
		return ""
	}
	p.rest = p.rest[end:]
	return word
}

// word takes a word if it comes next.
func (p *termParser) word(word string) bool {
	before := p.rest
	if p.name() == word {
		return true
	}
	p.rest = before
	return false
}

func (p *termParser) number(text string) term {
	x, q, ok := amount(text)
	if !ok {
		p.fail("%q is no number; one may end in %%, or be a duration such as 250ms", text)
	}
	t := constantTerm(x)
	t.quantity = q
	return t
}

// amount reads a number, a percentage, or a duration in seconds, and says which it is.
func amount(text string) (x float64, q quantity, ok bool) {
	if share, ok := strings.CutSuffix(text, "%"); ok {
		x, err := strconv.ParseFloat(share, 64)
		return x / 100, asShare, err == nil
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x, asNumber, true
	}
	d, err := time.ParseDuration(text)
	return d.Seconds(), asTime, err == nil
}

func (p *termParser) metric(name, policy string) term {
	k, ok := p.metricOf(name)
	if name == lasts.metric {
		k, ok = lasts, true
	}
	if !ok {
		p.fail("unknown metric %q; docs/model.md lists them", name)
	}
	if !slices.Contains(p.policies, policy) {
		p.fail("unknown policy %q; the run has %s", policy, strings.Join(p.policies, ", "))
	}
	return term{k, k.quantity, func(f *facts) sim.Metric {
		r := f.policy(policy)
		if r == nil {
			return sim.Metric{}
		}
		if name == lasts.metric {
			return exactly(longestLast(&r.Policy))
		}
		m := r.Metrics.Get(name)
		if m.Mean == nil && k.quantity == asTime {
			return exactly(math.Inf(1))
		}
		return m
	}}
}

// lasts is no metric of a run, but follows from the policy alone: from its first attempt to its last, at most.
var lasts = metricKind{metric: "lasts", label: "lasts at most", quantity: asTime}

// longestLast is how long a policy goes on with waits as long as they can be, in seconds; +Inf without a limit.
func longestLast(p *strategies.Policy) float64 {
	most := math.Inf(1)
	if p.Deadline > 0 {
		most = p.Deadline.Seconds()
	}
	if p.MaxAttempts == 0 {
		return most
	}
	sum := 0.0
	c := p.Compile()
	for n := int64(1); n < p.MaxAttempts && sum < most; n++ {
		_, longest := c.Bounds(n)
		sum += time.Duration(longest).Seconds()
	}
	return min(sum, most)
}

// metricOf finds a metric by its name, under its own name also where a group of others has it.
func (in scope) metricOf(name string) (metricKind, bool) {
	for _, g := range metricGroups {
		for _, k := range g.metrics {
			if k.metric == name {
				return k, true
			}
		}
	}
	for _, group := range in.others {
		for _, k := range otherMetrics {
			if full := "others." + group + "." + k.metric; full == name {
				k.metric, k.label = full, group+": "+k.label
				return k, true
			}
		}
	}
	return metricKind{}, false
}

func exactly(x float64) sim.Metric { return sim.Metric{Mean: &x} }

func constantTerm(x float64) term {
	return term{eval: func(*facts) sim.Metric { return exactly(x) }}
}

func scenarioTerm(of func(*sim.Scenario) float64) term {
	return term{eval: func(f *facts) sim.Metric { return exactly(of(f.result.Scenario)) }}
}

// controlTerm is the value that a control has; no number if it is a word.
func controlTerm(name string, q quantity) term {
	return term{quantity: q, eval: func(f *facts) sim.Metric {
		if x, _, ok := amount(f.chosen[name]); ok {
			return exactly(x)
		}
		return sim.Metric{}
	}}
}

// combined computes with intervals: the result's reaches as far as the ends of the two allow.
func combined(a, b term, sign byte) term {
	return term{eval: func(f *facts) sim.Metric {
		x, y := a.eval(f), b.eval(f)
		if x.Mean == nil || y.Mean == nil {
			return sim.Metric{}
		}
		m := exactly(calculated(*x.Mean, *y.Mean, sign))
		low, high := math.Inf(1), math.Inf(-1)
		xLow, xHigh := bounds(x)
		yLow, yHigh := bounds(y)
		for _, u := range []float64{xLow, xHigh} {
			for _, v := range []float64{yLow, yHigh} {
				r := calculated(u, v, sign)
				low, high = min(low, r), max(high, r)
			}
		}
		if math.IsNaN(*m.Mean) || sign == '/' && yLow <= 0 && yHigh >= 0 {
			return sim.Metric{}
		}
		if x.Low != nil || y.Low != nil {
			m.Low, m.High = &low, &high
		}
		return m
	}}
}

func calculated(a, b float64, sign byte) float64 {
	switch sign {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	default:
		return a / b
	}
}
