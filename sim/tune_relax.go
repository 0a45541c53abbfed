package sim

// What stands in the way when no policy meets all demands: each of them is relaxed alone, in steps, until one does.

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// InTheWay says how far one demand, relaxed alone, would have to be.
type InTheWay struct {
	Demand string       `json:"demand"`
	Asked  spec.Amount  `json:"asked"`
	Met    *spec.Amount `json:"met"`              // a value with which a policy was found; nil: there is none
	Missed *spec.Amount `json:"missed,omitempty"` // the step before, with which none was found
	By     *TunedPolicy `json:"by,omitempty"`
	Cut    bool         `json:"cut,omitempty"` // the search had cost too much to go on with this demand
}

// relaxations are the steps, as factors by which a demand is eased.
var relaxations = []float64{1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100}

// How far demands are relaxed whose other end makes no sense.
const (
	mostEased     = 50 // attempts, or three times as many as were asked for
	mostShortened = 10 // the outage
)

// mostWork is how many events a search may have cost before it begins to relax another demand.
const mostWork = 70_000_000

// confirmed is how many steps beyond the first promising one are tried in full.
const confirmed = 3

// eased returns the tune with one demand eased by a factor; false if it cannot be.
func (t *Tune) eased(demand string, factor float64) (Tune, bool) {
	e := *t
	switch demand {
	case DemandWait:
		e.LongestWait = shortDuration(float64(t.LongestWait) * factor)
	case DemandAttempts:
		e.MostAttempts = int(math.Ceil(float64(t.MostAttempts) * factor))
	case DemandClients:
		e.Clients = int(max(1, twoDigits(float64(t.Clients)/factor)))
	case DemandCapacity:
		e.Capacity = twoDigits(t.Capacity * factor)
	case DemandOutage:
		e.Outage = shortDuration(float64(t.Outage) / factor)
	}
	return e, e != *t && e.Validate() == nil
}

// twoDigits rounds to two significant digits.
func twoDigits(x float64) float64 {
	digit := math.Pow(10, math.Floor(math.Log10(x))-1)
	if digit < 1 {
		return math.Round(x*math.Round(1/digit)) / math.Round(1/digit)
	}
	return math.Round(x/digit) * digit
}

func shortDuration(nanoseconds float64) time.Duration { return time.Duration(twoDigits(nanoseconds)) }

// amount is the value of a demand.
func (t *Tune) amount(demand string) spec.Amount { return spec.Amount(spec.TextsOf(t)[demand]) }

// relax relaxes every demand alone.
func (s *search) relax(t *Tune) (list []InTheWay, err error) {
	s.Relaxing = true
	for _, demand := range []string{DemandWait, DemandAttempts, DemandClients, DemandCapacity, DemandOutage} {
		if demand == DemandAttempts && t.MostAttempts == 0 {
			continue
		}
		one, err := s.relaxOne(t, demand)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// relaxOne looks for the first step at which the small herd has a policy that will do, and confirms it in full.
func (s *search) relaxOne(t *Tune, demand string) (InTheWay, error) {
	one := InTheWay{Demand: demand, Asked: t.amount(demand)}
	if one.Cut = s.meter.used.Load() > mostWork; one.Cut {
		return one, nil
	}
	steps := t.steps(demand)
	first, err := s.promising(demand, steps)
	if err != nil {
		return one, err
	}
	for i := first; i < min(first+confirmed, len(steps)); i++ {
		if one.Cut = s.meter.used.Load()+leastFinal*steps[i].work() > mostWork; one.Cut {
			break
		}
		final, err := s.run(&steps[i], leastFinal)
		if err != nil {
			return one, err
		}
		if c := steps[i].best(final, 1); len(c) > 0 && steps[i].meets(c[0].figures) {
			met, by := steps[i].amount(demand), steps[i].tuned(c[0])
			one.Met, one.By = &met, &by
			if i > 0 {
				missed := steps[i-1].amount(demand)
				one.Missed = &missed
			}
			break
		}
	}
	return one, nil
}

// steps are the tunes in which one demand is eased, further and further.
func (t *Tune) steps(demand string) (steps []Tune) {
	for _, factor := range relaxations {
		e, ok := t.eased(demand, factor)
		if demand == DemandAttempts && e.MostAttempts > max(3*t.MostAttempts, mostEased) || demand == DemandOutage && factor > mostShortened {
			break
		}
		if ok && (len(steps) == 0 || e != steps[len(steps)-1]) {
			steps = append(steps, e)
		}
	}
	return steps
}

// promising is the index of the first step at which the small herd has a policy that will do; their number if none has.
// What is met stays met in all later ones, but after a shorter outage, in which the herd has less time to disperse.
func (s *search) promising(demand string, steps []Tune) (first int, err error) {
	will := func(i int) bool {
		list, failed := s.screen(&steps[i])
		err = cmp.Or(err, failed)
		return err != nil || slices.ContainsFunc(list, func(c tried) bool { return steps[i].meets(c.figures) })
	}
	last := len(steps) - 1
	switch {
	case demand == DemandOutage:
		for first < len(steps) && !will(first) {
			first++
		}
	case last >= 0 && !will(last):
		first = len(steps)
	default:
		first = sort.Search(max(last, 0), will)
	}
	return first, err
}
