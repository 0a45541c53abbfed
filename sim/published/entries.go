package published

import (
	"fmt"
	"math"
	"slices"

	"github.com/stampede-sim/stampede/sim"
)

// Entries are all that is checked. A new one is an entry here, and `make published`.
var Entries = slices.Concat(contention, outage, budgets, overload, layers, exact)

const (
	jitterArticle = "M. Brooker, Exponential Backoff And Jitter, AWS Architecture Blog, 2015, and its program"
	jitterURL     = "https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/"
	retryArticle  = "M. Brooker, Fixing retries with token buckets and circuit breakers, 2022, and its program"
	retryURL      = "https://brooker.co.za/blog/2022/02/28/retries.html"
	backoffURL    = "https://brooker.co.za/blog/2022/08/11/backoff.html"
	overloadBook  = "Site Reliability Engineering, chapter 21, Handling Overload"
	overloadURL   = "https://sre.google/sre-book/handling-overload/"
	cascadeBook   = "Site Reliability Engineering, chapter 22, Addressing Cascading Failures"
	cascadeURL    = "https://sre.google/sre-book/addressing-cascading-failures/"
	libraryURL    = "https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/"
	hotosURL      = "https://sigops.org/s/conferences/hotos/2021/papers/hotos21-s11-bronson.pdf"
)

// metric is a figure that is a metric of a policy, times something.
func metric(id, what, policy, name string, times float64) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		values := r.of(policy, name)
		for i := range values {
			values[i] *= times
		}
		return values
	}}
}

// share is a figure that is one metric over another.
func share(id, what, policy, name, over string) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		values := r.of(policy, name)
		for i, all := range r.of(policy, over) {
			values[i] /= all
		}
		return values
	}}
}

// ratio is a figure that is a metric of one policy over the same of another.
func ratio(id, what, name, policy, over string) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		values := r.of(policy, name)
		for i, all := range r.of(over, name) {
			values[i] /= all
		}
		return values
	}}
}

func (f Figure) is(value float64) Figure            { f.Value = value; return f }
func (f Figure) rounded(value, half float64) Figure { f.Value, f.Half = value, half; return f }
func (f Figure) mean(value, e float64) Figure       { f.Value, f.Error = value, e; return f }
func (f Figure) below(value float64) Figure         { f.Relation, f.Value = Below, value; return f }
func (f Figure) above(value float64) Figure         { f.Relation, f.Value = Above, value; return f }
func (f Figure) in(unit string) Figure              { f.Unit = unit; return f }

// Contention

var contention = []Entry{contended(1, 1000), contended(10, 500), contended(20, 500), contended(50, 300), contended(100, 300), contended(200, 100)}

// writers are the policies of the article, with the means and standard errors that its program prints: calls, and
// milliseconds until all are done, by the number of writers.
var writers = []struct {
	policy, name string
	calls, times map[int][2]float64
}{
	{"none", "no backoff", map[int][2]float64{10: {50.85, .09}, 20: {152.3, 0.39}, 50: {689.28, 0.57}, 100: {2422.7, 2.3}, 200: {8823.17, 7.73}}, map[int][2]float64{1: {39.99, 0.1}, 10: {379.8, .8}, 20: {604, 1.7}, 50: {1139.6, 1.4}, 100: {2027, 3}, 200: {3704.8, 4.5}}},
	{"exponential", "exponential", map[int][2]float64{10: {50.72, .09}, 20: {149.98, 0.44}, 50: {623.63, 0.93}, 100: {1854.7, 4.5}, 200: {5589.8, 12.39}}, map[int][2]float64{10: {3432, 29}, 20: {14445, 90.5}, 50: {36460.4, 105.2}, 100: {63545, 267}, 200: {104763, 470.1}}},
	{"equal", "equal jitter", map[int][2]float64{10: {42.51, .06}, 20: {108.05, 0.13}, 50: {347.44, 0.19}, 100: {812.7, .5}, 200: {1871.4, 1.16}}, map[int][2]float64{10: {723, 4}, 20: {1627.1, 14.3}, 50: {4264.6, 19.2}, 100: {6548, 48}, 200: {9769.8, 58.1}}},
	{"full", "full jitter", map[int][2]float64{10: {39.09, .05}, 20: {100.4, 0.11}, 50: {332.54, 0.15}, 100: {796.2, .5}, 200: {1891.16, 1.33}}, map[int][2]float64{10: {468, 2.5}, 20: {1011.9, 9.3}, 50: {2896.7, 17.4}, 100: {4889, 36}, 200: {7542.8, 48.8}}},
	{"decorrelated", "decorrelated jitter", map[int][2]float64{10: {37.67, .05}, 20: {101.15, 0.15}, 50: {374, 0.4}, 100: {998.3, 2.1}, 200: {2607.6, 6.59}}, map[int][2]float64{10: {435, 2}, 20: {818.8, 5.7}, 50: {2227.1, 15.7}, 100: {4721, 52}, 200: {8282.9, 84.8}}},
}

func contended(n, runs int) Entry {
	e := Entry{ID: fmt.Sprintf("contention-%d", n), Title: fmt.Sprintf("%d writers of one row", n), preset: "contention", runs: runs,
		Source: jitterArticle, URL: jitterURL, edit: func(s *sim.Scenario) { s.Clients.Count = n }}
	switch n {
	case 1:
		e.Title = "One writer of one row"
		e.Says = "A write takes four hops of 10 ms on average when nobody else writes."
		e.edit = func(s *sim.Scenario) { s.Clients.Count, s.Policies = 1, s.Policies[:1] }
	case 10:
		e.Says = "With few writers jitter saves calls, and decorrelated jitter most. The figures are the program's, with its standard errors."
	case 20:
		e.Says = "From about twenty writers on full jitter makes no more calls than decorrelated jitter, which is done sooner. The figures are those of 1000 runs of the program."
	case 50:
		e.Says = "At fifty full jitter makes fewer calls than any other, and decorrelated jitter is done sooner by a quarter. The figures are those of 1000 runs of the program."
	case 200:
		e.Says = "With many writers full jitter overtakes decorrelated jitter in time as well. The figures are those of 100 runs of the program."
		e.Differs = "The program that is public now stops at 50 writers."
	default:
		e.Says = "Full and equal jitter more than halve the calls of un-jittered exponential backoff, which is the clear loser in time."
		e.Differs = "The article does not say that without any backoff all are done first, at the highest cost: its program does."
	}
	for _, w := range writers {
		if says, ok := w.calls[n]; ok {
			e.Figures = append(e.Figures, metric("calls-"+w.policy, "Calls, "+w.name, w.policy, "attempts", 1).mean(says[0], says[1]))
		}
	}
	for _, w := range writers {
		if says, ok := w.times[n]; ok {
			e.Figures = append(e.Figures, metric("time-"+w.policy, "Until all are done, "+w.name, w.policy, "drain", 1e3).mean(says[0], says[1]).in("ms"))
		}
	}
	return e
}

// Outage

var outage = []Entry{
	{
		ID: "outage", Title: "1000 clients after a ten-second outage", preset: "outage", runs: 200, apart: true,
		Says:   "Refused for 10 s, then taken 200 at a time in each second: without jitter all thousand come back together again and again; full jitter makes fewer attempts, a fifth of the peak, and a third of the time.",
		Source: "A published Go simulation of 1000 clients, run again",
		edit:   func(s *sim.Scenario) { s.Policies = s.Policies[:2] },
		Figures: []Figure{
			metric("attempts-none", "Attempts, no jitter", "exponential", "attempts", 1).is(10000),
			peakSecond("peak-none", "Most in a second after recovery, no jitter", "exponential").is(1000),
			metric("p99-none", "99 % of those served within, no jitter", "exponential", "completion.p99", 1).rounded(52.7, 0.05).in("s"),
			metric("attempts-full", "Attempts, full jitter", "exponential-full", "attempts", 1).mean(9436, 26/math.Sqrt(200)),
			peakSecond("peak-full", "Most in a second after recovery, full jitter", "exponential-full").rounded(179, 0.5),
			metric("p99-full", "99 % of those served within, full jitter", "exponential-full", "completion.p99", 1).rounded(19.0, 0.05).in("s"),
		},
	},
	{
		ID: "herd", Title: "500 clients that retry after 1, 2, 4 … s", runs: 40, apart: true, traced: 500,
		Says:   "Without jitter all 500 come within any tenth of a second, on every retry. Equal jitter spreads them, more with each retry: so many come in the fullest tenth of a second.",
		Source: "Computed from the law of the delays", URL: "",
		document: `{"horizon": "70s", "clients": {"count": 500}, "server": {"outages": [{"start": "0s", "end": "1h"}]},
			"policies": [{"id": "none", "schedule": {"kind": "exponential", "base": "1s"}, "maxAttempts": 7}, {"id": "equal", "schedule": {"kind": "exponential", "base": "1s"}, "jitter": {"kind": "equal"}, "maxAttempts": 7}]}`,
		Figures: []Figure{
			crowd("none-6", "Retry 6, no jitter", "none", 6).is(500),
			crowd("equal-1", "Retry 1, equal jitter", "equal", 1).rounded(118.8, 0.05),
			crowd("equal-2", "Retry 2, equal jitter", "equal", 2).rounded(64.3, 0.05),
			crowd("equal-3", "Retry 3, equal jitter", "equal", 3).rounded(36.8, 0.05),
			crowd("equal-4", "Retry 4, equal jitter", "equal", 4).rounded(22.3, 0.05),
			crowd("equal-5", "Retry 5, equal jitter", "equal", 5).rounded(14.2, 0.05),
			crowd("equal-6", "Retry 6, equal jitter", "equal", 6).rounded(9.6, 0.05),
		},
	},
}

// peakSecond is the most arrivals in a whole second from the tenth on.
func peakSecond(id, what, policy string) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		return r.each(policy, func(p sim.PolicyResult) float64 { return float64(slices.Max(p.Run.Arrivals[10:])) })
	}}
}

// crowd is how many of the traced clients make one retry in the fullest tenth of a second, wherever that lies.
func crowd(id, what, policy string, retry int64) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		return r.each(policy, func(p sim.PolicyResult) float64 {
			var times []float64
			for i, n := range p.Trace.Attempt {
				if n == retry+1 {
					times = append(times, p.Trace.LeftSeconds[i])
				}
			}
			slices.Sort(times)
			most, first := 0, 0
			for i, t := range times {
				for times[first] <= t-0.1 {
					first++
				}
				most = max(most, i-first+1)
			}
			return float64(most)
		})
	}}
}
