package published

import (
	"fmt"
	"math"

	"github.com/stampede-sim/stampede/sim"
)

// Exact values of probability and queueing theory.

var exact = []Entry{
	{
		ID: "renewal", Title: "Full jitter in an endless outage", runs: 50,
		Says:   "With full jitter on a constant wait w a client has made e^(t/w) − 1 retries by t ≤ w on average: e attempts by w.",
		Source: "W. Feller, An Introduction to Probability Theory and Its Applications II, XI.3", URL: "https://en.wikipedia.org/wiki/Renewal_theory",
		document: `{"horizon": "1s", "bin": "10ms", "clients": {"count": 10000}, "server": {"outages": [{"start": "0s", "end": "1h"}]},
			"policies": [{"id": "full", "schedule": {"kind": "constant", "base": "1s"}, "jitter": {"kind": "full"}}]}`,
		Figures: []Figure{metric("attempts", "Attempts each by w", "full", "amplification", 1).is(math.E)},
	},
	decorrelated(100, 0.3148, 0.5272), decorrelated(60, 0.3388, 0.5620), decorrelated(10, 0.4833, 0.7366),
	{
		ID: "erlang-b", Title: "No room to wait", runs: 50,
		Says:   "Of Poisson arrivals that offer four workers' work to five, 19.9 % find all of them busy.",
		Source: "A. K. Erlang's first formula, 1917", URL: "https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_B_formula",
		document: queueing(5, 0, 4),
		Figures:  []Figure{share("blocked", "Turned away", "once", "refused.overloaded", "attempts").is(erlangB(5, 4))},
	},
	{
		ID: "erlang-c", Title: "Room for all to wait", runs: 50,
		Says:   "With two workers that are busy half the time an arrival waits with probability 1/3, and takes 4/3 of a service on average.",
		Source: "A. K. Erlang's second formula, 1917", URL: "https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_C_formula",
		document: queueing(2, math.MaxInt32, 1),
		Figures:  []Figure{metric("mean", "Time taken, mean", "once", "completion.mean", 1e3).is(4. / 3).in("ms")},
	},
	{
		ID: "finite-queue", Title: "Room for some to wait", runs: 50,
		Says:   "One worker and three places in all, at one and a half times its work: (1 − ρ)ρ³/(1 − ρ⁴) = 41.5 % are turned away.",
		Source: "The M/M/1/K queue, K = 3", URL: "https://en.wikipedia.org/wiki/M/M/1_queue",
		document: queueing(1, 2, 1.5),
		Figures:  []Figure{share("blocked", "Turned away", "once", "refused.overloaded", "attempts").is(0.5 * math.Pow(1.5, 3) / (math.Pow(1.5, 4) - 1))},
	},
	{
		ID: "finite-queue-full", Title: "Room for some to wait, and just as much work", runs: 50,
		Says:   "One worker and five places in all, at exactly its work: one in six is turned away.",
		Source: "The M/M/1/K queue, K = 5, ρ = 1", URL: "https://en.wikipedia.org/wiki/M/M/1_queue",
		document: queueing(1, 4, 1),
		Figures:  []Figure{share("blocked", "Turned away", "once", "refused.overloaded", "attempts").is(1. / 6)},
	},
}

// decorrelated is decorrelated jitter on a constant base with a cap of so many times that, as its delays settle: the
// delays before retries 41 to 99, of 500 clients.
func decorrelated(ratio int, atCap, mean float64) Entry {
	const settled, last = 40, 99
	settledDelays := func(value func(delay float64) float64) func(r runs) []float64 {
		return func(r runs) []float64 {
			return r.each("decorrelated", func(p sim.PolicyResult) float64 {
				left, sum, n := map[int]float64{}, 0.0, 0.0
				for i, client := range p.Trace.Client {
					if p.Trace.Attempt[i] > settled+1 {
						sum += value((p.Trace.LeftSeconds[i] - left[client]) / float64(ratio))
						n++
					}
					left[client] = p.Trace.LeftSeconds[i]
				}
				return sum / n
			})
		}
	}
	return Entry{
		ID: fmt.Sprintf("decorrelated-%d", ratio), Title: fmt.Sprintf("Decorrelated jitter with a cap of %d bases", ratio), runs: 40, apart: true, traced: 500,
		Says:   fmt.Sprintf("In the long run %.2f %% of the delays lie exactly on the cap, and their mean is %.4g of it; full jitter has none there, and half.", 100*atCap, mean),
		Source: "The balance equation of min(cap, U(base, 3·previous)), solved", URL: jitterURL,
		document: fmt.Sprintf(`{"horizon": "%ds", "clients": {"count": 500}, "server": {"outages": [{"start": "0s", "end": "100h"}]},
			"policies": [{"id": "decorrelated", "schedule": {"kind": "constant", "base": "1s"}, "cap": "%ds", "jitter": {"kind": "decorrelated"}, "maxAttempts": %d}]}`, (last+1)*ratio, ratio, last+1),
		Figures: []Figure{
			{ID: "at-cap", What: "Delays on the cap", Value: atCap, Half: 0.00005, of: settledDelays(func(d float64) float64 {
				if d > 1-1e-7 { // seconds are not exact to the nanosecond
					return 1
				}
				return 0
			})},
			{ID: "mean", What: "Mean delay, in caps", Value: mean, Half: 0.00005, of: settledDelays(func(d float64) float64 { return d })},
		},
	}
}

// queueing is Poisson traffic that does not retry, at workers whose service takes 1 ms on average: 20 000 arrivals.
func queueing(workers, queue int, load float64) string {
	return fmt.Sprintf(`{"horizon": "%vs", "bin": "1s", "clients": {"count": 1, "workload": {"kind": "open", "rate": %v}},
		"server": {"workers": %d, "serviceTime": {"kind": "exponential", "mean": "1ms"}, "queue": %d},
		"policies": [{"id": "once", "name": "One attempt", "schedule": {"kind": "constant", "base": "1s"}, "maxAttempts": 1}]}`, 20/load, 1000*load, workers, queue)
}

// erlangB is the probability that an arrival finds all workers busy.
func erlangB(workers int, load float64) float64 {
	b := 1.0
	for k := 1; k <= workers; k++ {
		b = load * b / (float64(k) + load*b)
	}
	return b
}
