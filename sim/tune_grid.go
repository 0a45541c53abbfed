package sim

// The policies that a search tries: every schedule, jitter and factor of tuneKinds with first waits and caps of
// tuneDurations, less those of which arithmetic alone says that they will not do. What is tried depends on the outage, the
// clients and the capacity, but not on what is demanded: who asks for less is never offered less.

import (
	"fmt"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// tuneKinds are the schedules and jitters that are tried, as the beginnings of policies' texts.
var tuneKinds = []struct {
	schedule string
	capped   bool // it grows
	rest     []string
}{
	{"constant", false, []string{"", ",jitter=percentage,fraction=0.2", ",jitter=equal", ",jitter=full"}},
	{"constant", true, []string{",jitter=decorrelated"}},
	{"linear", true, []string{"", ",jitter=percentage,fraction=0.2", ",jitter=equal", ",jitter=full"}},
	{"exponential", true, []string{
		"", ",jitter=percentage,fraction=0.2", ",jitter=equal", ",jitter=full",
		",factor=1.5", ",factor=1.5,jitter=percentage,fraction=0.2", ",factor=1.5,jitter=equal", ",factor=1.5,jitter=full",
		",factor=3", ",factor=3,jitter=percentage,fraction=0.2", ",factor=3,jitter=equal", ",factor=3,jitter=full",
	}},
}

// mostKnocks is how many attempts a request makes, on average, at a server that is down, at the most.
const mostKnocks = 100

// grid returns the policies to try, each with as many attempts as are allowed.
func (t *Tune) grid() []strategies.Policy {
	span := max(t.Outage, t.Needed())
	bases := durationsWithin(t.Outage/1000, 2*span)
	caps := durationsWithin(span/20, 4*span)
	var list []strategies.Policy
	try := func(p strategies.Policy, longest time.Duration) {
		p.Cap = longest
		if t.possible(p) {
			p.ID = fmt.Sprintf("%s-%d", p.Kinds(), len(list)+1)
			list = append(list, p)
		}
	}
	for _, kind := range tuneKinds {
		for _, rest := range kind.rest {
			for _, base := range bases {
				p, err := strategies.ParseText(kind.schedule + ",base=" + base.String() + rest)
				if err != nil {
					panic(err) // a mistake above
				}
				p.MaxAttempts = int64(t.MostAttempts)
				if !kind.capped {
					try(p, 0)
					continue
				}
				for _, longest := range caps {
					if longest > base {
						try(p, longest)
					}
				}
			}
		}
	}
	return list
}

// tuneDurations are the first waits and caps that are tried.
var tuneDurations = []time.Duration{
	50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 20 * time.Hour, 40 * time.Hour,
}

// durationsWithin returns the durations to try that are neither too short nor too long.
func durationsWithin(shortest, longest time.Duration) []time.Duration {
	return slices.DeleteFunc(slices.Clone(tuneDurations), func(d time.Duration) bool { return d < shortest || d > longest })
}

// possible reports whether a policy need be tried: that it does not hammer the closed door, and that enough of its
// requests live to see it opened. If all but 1 % make their last attempt after the outage, and the others no sooner than
// they can, that is the least that its moment can be on average.
func (t *Tune) possible(p strategies.Policy) bool {
	c := p.Compile()
	trip, outage := float64(t.RoundTrip), float64(t.Outage)
	var least, mean float64
	for n := int64(1); ; n++ {
		if n == p.MaxAttempts {
			return mean >= 0.99*outage+0.01*least
		}
		if mean >= outage {
			return n <= mostKnocks
		}
		if n > mostKnocks {
			return false
		}
		lo, hi := c.Bounds(n)
		least += float64(lo) + trip
		mean += (float64(lo)+float64(hi))/2 + trip
	}
}
