package sim

// The search: all policies of the grid meet a small herd once, those that do best there meet it again, and the best of
// them are run in full. Nothing is said of a policy that was not run in full. From the second round on they meet an outage
// half as long as well, or those would win that happen to be just right for the one.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stampede-sim/stampede/strategies"
)

// The sizes of a search.
const (
	smallHerd  = 200        // clients of the first rounds; the server is in proportion
	rematches  = 72         // policies that meet the small herd again
	smallRuns  = 3          // times
	mostFinal  = 24         // policies that are run in full, but
	leastFinal = 6          // where that would cost more than
	finalWork  = 30_000_000 // so many events
	mostFound  = 6          // policies that are returned
)

// TuneResult is what a search gives. It is a pure function of the tune.
type TuneResult struct {
	Tune     *Tune         `json:"tune"`
	Engine   EngineStats   `json:"engine"`
	Scenario *Scenario     `json:"scenario"`          // in which the policies were run in full, with those found or nearest
	Needed   float64       `json:"neededSeconds"`     // the rule of thumb: clients ÷ capacity
	Tried    int           `json:"tried"`             // policies
	Found    []TunedPolicy `json:"found"`             // those that meet all demands, the best at something first
	Nearest  []TunedPolicy `json:"nearest,omitempty"` // if none does
	InTheWay []InTheWay    `json:"inTheWay,omitempty"`
}

// TunedPolicy is a policy with its figures in full.
type TunedPolicy struct {
	Policy  strategies.Policy `json:"policy"`
	Text    string            `json:"text"`
	BestAt  []string          `json:"bestAt,omitempty"` // Fastest, Frugal, Gentle
	Misses  []string          `json:"misses,omitempty"` // demands, DemandServer
	Spread  float64           `json:"spreadSeconds"`    // how much its waits differ by the end of the outage
	Enough  int64             `json:"enoughAttempts"`   // so many attempts are enough; 0: only without limit, or it does not meet the demands
	Metrics Metrics           `json:"metrics"`

	figures tuneFigures
}

// What a policy can be best at, of those found.
const (
	Fastest = "fastest" // 99 % are served soonest
	Frugal  = "frugal"  // fewest attempts a request
	Gentle  = "gentle"  // lowest load after the outage
)

// The demands that are not for the asking.
const (
	DemandServer  = "server"        // not to be knocked over again
	DemandServed  = "served"        // 99 % of the requests
	DemandShorter = "shorterOutage" // the same after an outage half as long
)

// tunedMetrics are the figures that a found policy has.
var tunedMetrics = []string{"successRate", "within.p50", "within.p99", "crashes", "amplification", "recoveryPeak", "overshoot"}

// tuneFigures are what policies are ordered by.
type tuneFigures struct {
	wait    float64 // the longest within.p99 of any run, +Inf if there is one without
	crashes float64
	served  float64
	work    float64 // attempts a request
	peak    float64 // attempts a second after the outage
	shorter float64 // demands that are not met after half the outage
}

func figuresOf(m Metrics) tuneFigures {
	f := tuneFigures{wait: math.Inf(1), crashes: *m.Get("crashes").Mean, served: *m.Get("successRate").Mean, work: *m.Get("amplification").Mean}
	if within := m.Get("within.p99").Values; !slices.Contains(within, nil) {
		f.wait = *slices.MaxFunc(within, func(a, b *float64) int { return cmp.Compare(*a, *b) })
	}
	if peak := m.Get("recoveryPeak").Mean; peak != nil {
		f.peak = *peak
	}
	return f
}

// misses are the demands that are not met.
func (t *Tune) misses(f tuneFigures) (missed []string) {
	if f.crashes > 0 {
		missed = append(missed, DemandServer)
	}
	if math.IsInf(f.wait, 1) {
		return append(missed, DemandServed)
	}
	if f.wait > t.LongestWait.Seconds() {
		missed = append(missed, DemandWait)
	}
	if f.shorter > 0 && len(missed) == 0 {
		missed = append(missed, DemandShorter)
	}
	return missed
}

func (t *Tune) meets(f tuneFigures) bool { return len(t.misses(f)) == 0 }

// The orders of policies: what comes first is best.
var tuneOrders = []struct {
	name  string
	order func(a, b tuneFigures) int
}{
	{Fastest, func(a, b tuneFigures) int {
		return cmp.Or(cmp.Compare(a.crashes, b.crashes), cmp.Compare(a.shorter, b.shorter), cmp.Compare(a.wait, b.wait), -cmp.Compare(a.served, b.served), cmp.Compare(a.work, b.work))
	}},
	{Frugal, func(a, b tuneFigures) int { return cmp.Or(cmp.Compare(a.work, b.work), cmp.Compare(a.wait, b.wait)) }},
	{Gentle, func(a, b tuneFigures) int { return cmp.Or(cmp.Compare(a.peak, b.peak), cmp.Compare(a.wait, b.wait)) }},
}

// tried is a policy with what was measured of it.
type tried struct {
	policy  strategies.Policy
	metrics Metrics
	figures tuneFigures
}

// best picks at most n: of those that meet the demands in turn the next best by each order, and if there are too few the
// fastest of the others. What behaves exactly as one before it is left out.
func (t *Tune) best(list []tried, n int) []tried {
	var picked []tried
	seen := map[tuneFigures]bool{}
	pick := func(c tried) bool {
		if seen[c.figures] {
			return false
		}
		seen[c.figures] = true
		picked = append(picked, c)
		return true
	}
	var queues [][]tried
	fit := slices.DeleteFunc(slices.Clone(list), func(c tried) bool { return !t.meets(c.figures) })
	for _, o := range tuneOrders {
		queues = append(queues, sortedBy(fit, o.order))
	}
	queues = append(queues, sortedBy(list, tuneOrders[0].order))
	for i, others := 0, len(queues)-1; len(picked) < n; i++ {
		at := i % others
		if !slices.ContainsFunc(queues[:others], func(q []tried) bool { return len(q) > 0 }) {
			at = others
		}
		if at == others && len(queues[others]) == 0 {
			break
		}
		for len(queues[at]) > 0 {
			c := queues[at][0]
			queues[at] = queues[at][1:]
			if pick(c) {
				break
			}
		}
	}
	return picked
}

func sortedBy(list []tried, order func(a, b tuneFigures) int) []tried {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b tried) int { return order(a.figures, b.figures) })
	return list
}

// TuneProgress says how far a search is.
type TuneProgress struct {
	Done, Total int          // policies run, of those that are to be as far as is known
	Relaxing    bool         // none was found, and the demands are being relaxed
	Found       *TunedPolicy // one that was found just now
}

// Tune searches for policies that meet demands. It calls report, if that is not nil, as it goes on, from one goroutine.
// Its errors are the tune's faults, *TooCostlyError, or ctx's.
func (r Runner) Tune(ctx context.Context, t *Tune, report func(TuneProgress)) (*TuneResult, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if report == nil {
		report = func(TuneProgress) {}
	}
	s := &search{ctx: ctx, limit: r.MaxEvents, meter: &meter{limit: r.MaxEvents}, report: report, screened: map[Tune][]tried{}}
	if estimate := t.estimate(); r.MaxEvents > 0 && estimate > r.MaxEvents {
		return nil, &TooCostlyError{Estimate: estimate, Limit: r.MaxEvents}
	}
	final, err := s.run(t, t.finals())
	if err != nil {
		return nil, err
	}
	result := &TuneResult{Tune: t, Needed: t.Needed().Seconds(), Tried: len(t.grid()), Found: []TunedPolicy{}}
	if result.Found, err = s.found(t, final); err != nil {
		return nil, err
	}
	shown := result.Found
	if len(shown) == 0 {
		for _, c := range t.best(final, mostFound/2) {
			result.Nearest = append(result.Nearest, t.tuned(c))
		}
		shown = result.Nearest
		if result.InTheWay, err = s.relax(t); err != nil {
			return nil, err
		}
	}
	result.Scenario = t.Scenario()
	result.Scenario.Policies = nil
	for i := range shown {
		shown[i].Policy.ID = ""
		result.Scenario.Policies = append(result.Scenario.Policies, shown[i].Policy)
	}
	result.Scenario.Complete()
	for i := range shown {
		shown[i].Policy = result.Scenario.Policies[i]
	}
	result.Engine.Events = s.meter.used.Load()
	return result, nil
}

// work is about how many events it takes to run a policy in full.
func (t *Tune) work() int64 { return int64(t.Clients) * int64(t.Replications) * 15 }

// finals is how many policies are run in full.
func (t *Tune) finals() int { return int(min(max(finalWork/t.work(), leastFinal), mostFinal)) }

// estimate is about how many events a search costs that finds something.
func (t *Tune) estimate() int64 { return int64(t.finals()+mostFound) * t.work() }

// search is a search under way.
type search struct {
	ctx    context.Context
	limit  int64
	meter  *meter
	report func(TuneProgress)
	TuneProgress

	screened map[Tune][]tried // by all but the longest wait
}

// run returns the policies that were run in full for a tune, so many.
func (s *search) run(t *Tune, finals int) ([]tried, error) {
	first, err := s.screen(t)
	if err != nil {
		return nil, err
	}
	again, err := s.measure(t, policiesOf(t.best(first, rematches)), min(t.Clients, smallHerd), smallRuns)
	if err != nil {
		return nil, err
	}
	return s.measure(t, policiesOf(t.best(again, finals)), t.Clients, t.Replications)
}

// screen lets every policy of the grid meet a small herd.
func (s *search) screen(t *Tune) ([]tried, error) {
	key := *t
	key.LongestWait = 0
	if list, ok := s.screened[key]; ok {
		return list, nil
	}
	list, err := s.measure(t, t.grid(), min(t.Clients, smallHerd), 1)
	if err == nil {
		s.screened[key] = list
	}
	return list, err
}

func policiesOf(list []tried) (policies []strategies.Policy) {
	for _, c := range list {
		policies = append(policies, c.policy)
	}
	return policies
}

// measure runs policies with so many clients, more than once after half the outage too.
func (s *search) measure(t *Tune, policies []strategies.Policy, clients, runs int) ([]tried, error) {
	list, err := s.meet(t, policies, clients, runs)
	if err != nil || runs == 1 {
		return list, err
	}
	half := *t
	half.Outage = (t.Outage + 1) / 2
	shorter, err := s.meet(&half, policies, clients, runs)
	for i := range shorter {
		list[i].figures.shorter = float64(len(t.misses(shorter[i].figures)))
	}
	return list, err
}

// meet runs policies in the scenario of a tune, with so many clients.
func (s *search) meet(t *Tune, policies []strategies.Policy, clients, runs int) (list []tried, err error) {
	s.Total += len(policies)
	sc := t.scenario(clients)
	sc.Replications = runs
	runner := Runner{Values: true, figures: true, whole: s.meter}
	for chunk := range slices.Chunk(policies, MaxPolicies) {
		s.report(s.TuneProgress)
		sc.Policies = chunk
		result, err := runner.Run(s.ctx, sc, nil)
		if err != nil {
			if s.ctx.Err() == nil && s.meter.stop.Load() {
				err = &TooCostlyError{s.meter.used.Load(), s.limit, true}
			}
			return nil, err
		}
		for i, p := range result.Results {
			list = append(list, tried{chunk[i], p.Metrics, figuresOf(p.Metrics)})
		}
		s.Done += len(chunk)
	}
	s.report(s.TuneProgress)
	return list, nil
}

// found returns the few best of the policies that meet the demands in full.
func (s *search) found(t *Tune, final []tried) ([]TunedPolicy, error) {
	found := []TunedPolicy{}
	fit := slices.DeleteFunc(slices.Clone(final), func(c tried) bool { return !t.meets(c.figures) })
	for _, c := range t.best(fit, mostFound) {
		p := t.tuned(c)
		for _, o := range tuneOrders {
			if !slices.ContainsFunc(fit, func(other tried) bool { return o.order(other.figures, c.figures) < 0 }) {
				p.BestAt = append(p.BestAt, o.name)
			}
		}
		enough, err := s.enough(t, c)
		if err != nil {
			return nil, err
		}
		p.Enough = enough
		found = append(found, p)
		s.TuneProgress.Found = &p
		s.report(s.TuneProgress)
		s.TuneProgress.Found = nil
	}
	return found, nil
}

// tuned is a policy as it is returned.
func (t *Tune) tuned(c tried) TunedPolicy {
	return TunedPolicy{
		Policy: c.policy, Text: bare(c.policy).Text(), Misses: t.misses(c.figures), Spread: t.spread(c.policy),
		Metrics: pickMetrics(c.metrics), figures: c.figures,
	}
}

// bare is a policy without what it is called.
func bare(p strategies.Policy) strategies.Policy {
	p.ID, p.Name = "", ""
	return p
}

// spread is how much the waits of the retry that meets the end of the outage differ, in seconds.
func (t *Tune) spread(p strategies.Policy) float64 {
	c := p.Compile()
	lo, hi, at := int64(0), int64(0), 0.0
	for n := int64(1); n != p.MaxAttempts && at < float64(t.Outage) && n <= 10*mostKnocks; n++ {
		lo, hi = c.Bounds(n)
		at += (float64(lo)+float64(hi))/2 + float64(t.RoundTrip)
	}
	return float64(hi-lo) / 1e9
}

// enough is the smallest number of attempts with which a policy that meets the demands still does. It is looked for in
// the small herd, and counts if it does in full as well.
func (s *search) enough(t *Tune, c tried) (int64, error) {
	allowed := c.policy.MaxAttempts
	meets := func(attempts int64, clients, runs int) (bool, error) {
		p := c.policy
		p.MaxAttempts = attempts
		list, err := s.measure(t, []strategies.Policy{p}, clients, runs)
		return err == nil && t.meets(list[0].figures), err
	}
	low, high := int64(1), cmp.Or(allowed, 4*mostKnocks)
	for high-low > 1 {
		middle := (low + high) / 2
		ok, err := meets(middle, min(t.Clients, smallHerd), smallRuns)
		if err != nil {
			return 0, err
		}
		if ok {
			high = middle
		} else {
			low = middle
		}
	}
	const more = 4 // what the small herd can do with less
	for attempts := high; attempts < high+more && (allowed == 0 || attempts < allowed); attempts++ {
		if ok, err := meets(attempts, t.Clients, t.Replications); err != nil || ok {
			return attempts, err
		}
	}
	return allowed, nil
}

// pickMetrics are the figures of a policy that are returned.
func pickMetrics(all Metrics) Metrics {
	list := make(Metrics, 0, len(tunedMetrics))
	for _, name := range tunedMetrics {
		m := all.Get(name)
		m.Values = nil
		list = append(list, NamedMetric{name, m})
	}
	return list
}
