package sim

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/stampede-sim/stampede/strategies"
)

// What one replication of a policy measured becomes one value a metric here; what does not exist is NaN. The
// definitions are the model's.

// Recovered is the metric that says which replications recovered.
const Recovered = "recovered"

// measured is a replication's value of a metric.
type measured struct {
	name  string
	value float64
}

// measurements lists the values of one replication, in the order of the model's table.
type measurements []measured

func (m *measurements) add(name string, value float64) { *m = append(*m, measured{name, value}) }

func (m *measurements) count(name string, value int64) { m.add(name, float64(value)) }

// measure evaluates a replication that has been run.
func (e *engine) measure(s *Scenario, recovery int64) measurements {
	var m measurements
	g := e.groups[0]
	burst := g.workload.Kind == Burst
	pending := g.pending()
	recovered := recovery < e.horizon
	after := func(v float64) float64 { // what exists only after recovery
		if !recovered {
			return math.NaN()
		}
		return v
	}

	m.count("requests", g.requests)
	m.count("attempts", g.attempts)
	m.count("succeeded", g.succeeded())
	m.add("successRate", ratio(g.succeeded(), g.requests))
	m.add(Recovered, g.recovered())
	m.failures(g, pending)
	m.count("timedOut", g.timedOut)
	m.count("notSent", g.notSent)
	m.count("wasted", e.server.wasted)
	m.add("amplification", ratio(g.attempts, g.requests))

	peak, recoveryPeak := e.peaks.finish()
	window := s.PeakWindow.Seconds()
	m.add("peakLoad", float64(peak)/window)
	m.add("recoveryPeak", after(float64(recoveryPeak)/window))
	overshoot := math.NaN()
	if capacity, ok := s.Capacity(); ok {
		overshoot = float64(recoveryPeak) / window / capacity
	}
	m.add("overshoot", after(overshoot))

	m.times(g, burst)
	drained := burst && pending == 0 && recovered
	m.add("drain", when(drained, func() float64 { return seconds(max(0, g.lastEnd-recovery)) }))
	m.add("settle", after(seconds(max(0, g.lastTrouble-recovery))))
	m.add("idle", when(drained && e.server.workers > 0, func() float64 { return e.idle(recovery, g.lastEnd) }))
	m.add("dispersion", when(drained, func() float64 {
		width := int64(s.Bin)
		return dispersion(e.series.counts[countArrivals][(recovery+width-1)/width : max((recovery+width-1)/width, g.lastEnd/width)])
	}))
	m.count("crashes", e.server.crashes)
	m.add("downtime", e.server.downtime.until(e.horizon)/1e9)
	until := e.horizon
	if burst && pending == 0 {
		until = g.lastEnd
	}
	m.add("goodput", perSecond(g.succeeded(), until))
	for i, o := range s.Clients.Others {
		m.others(o.Name, e.groups[i+1])
	}
	return m
}

func (m *measurements) failures(g *group, pending int64) {
	for reason, name := range reasonNames {
		m.count("failed."+name, g.failed[reason])
	}
	m.count("pending", pending)
	var refused int64
	for _, n := range g.refused {
		refused += n
	}
	m.count("refused", refused)
	for c, n := range g.refused {
		if class := strategies.Class(c); class != strategies.Timeout {
			m.count("refused."+class.String(), n)
		}
	}
}

// shares are those of the requests, or of the successes, that completion and within ask for.
var shares = []struct {
	name  string
	share float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}}

// times measures how long requests took: completion over those that succeeded, in R's type 7, linear between the order
// statistics around (n−1)·p; and within, the ⌈share·requests⌉-th fastest success.
func (m *measurements) times(g *group, burst bool) {
	n := len(g.completions)
	var ranks []int
	for _, s := range shares {
		low := int(s.share * float64(n-1))
		kth := int(math.Ceil(s.share*float64(g.requests)-1e-9)) - 1 // 0.99·1000 is a little above 990 in binary
		ranks = append(ranks, low, min(low+1, n-1), kth)
	}
	ordered := orderStatistics(g.completions, ranks)
	m.completion("completion.", g, ordered)
	for i, s := range shares {
		exists := burst && g.requests > 0 && ranks[3*i+2] < n
		m.add("within."+s.name, when(exists, func() float64 { return seconds(ordered[3*i+2]) }))
	}
}

// completion takes the order statistics around each of shares, in threes.
func (m *measurements) completion(prefix string, g *group, ordered []int64) {
	exists := len(g.completions) > 0
	m.add(prefix+"mean", when(exists, func() float64 { return mean(g.completions) }))
	for i, s := range shares {
		m.add(prefix+s.name, when(exists, func() float64 {
			h := s.share * float64(len(g.completions)-1)
			low, high := seconds(ordered[3*i]), seconds(ordered[3*i+1])
			return low + (h-math.Floor(h))*(high-low)
		}))
	}
	m.add(prefix+"max", when(exists, func() float64 { return seconds(slices.Max(g.completions)) }))
}

func (m *measurements) others(name string, g *group) {
	prefix := "others." + name + "."
	m.count(prefix+"requests", g.requests)
	m.count(prefix+"succeeded", g.succeeded())
	m.add(prefix+"successRate", ratio(g.succeeded(), g.requests))
	n := len(g.completions)
	var ranks []int
	for _, s := range shares {
		low := int(s.share * float64(n-1))
		ranks = append(ranks, low, min(low+1, n-1), -1)
	}
	m.completion(prefix+"completion.", g, orderStatistics(g.completions, ranks))
}

func (g *group) succeeded() int64 { return int64(len(g.completions)) }

func (g *group) pending() int64 {
	n := g.requests - g.succeeded()
	for _, failed := range g.failed {
		n -= failed
	}
	return n
}

// recovered is 1 if the clients came through in the end, else 0. Of a burst 99 % of the requests were served; otherwise at
// least 95 % as many successes were seen as requests were created in the last quarter of the time. If none were, nobody knows.
func (g *group) recovered() float64 {
	offered, carried, percent := g.offered, g.carried, int64(95)
	if g.workload.Kind == Burst {
		offered, carried, percent = g.requests, g.succeeded(), 99
	}
	switch {
	case offered == 0:
		return math.NaN()
	case 100*carried >= percent*offered:
		return 1
	}
	return 0
}

// idle is the share of the time between from and to in which workers of nodes that were up had nothing to do.
func (e *engine) idle(from, to int64) float64 {
	u, d := &e.server.usage, &e.server.nodesDown
	u.passTo(e.horizon)
	d.passTo(e.horizon)
	up := float64(len(e.server.nodes))*float64(to-from) - (d.atWatched - d.atRecovery)
	if up <= 0 {
		return math.NaN()
	}
	return 1 - (u.atWatched-u.atRecovery)/(float64(e.server.workers)*up)
}

// dispersion compares the mean squared difference of neighbouring bins with their mean: 1 for a Poisson process.
func dispersion(x []int64) float64 {
	if len(x) < 10 {
		return math.NaN()
	}
	var sum, squares float64
	for i, n := range x {
		sum += float64(n)
		if i > 0 {
			d := float64(n - x[i-1])
			squares += d * d
		}
	}
	m := float64(len(x))
	if sum == 0 {
		return math.NaN()
	}
	return squares / (2 * (m - 1) * (sum / m))
}

func when(exists bool, value func() float64) float64 {
	if !exists {
		return math.NaN()
	}
	return value()
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

func perSecond(n, nanoseconds int64) float64 {
	if n == 0 {
		return 0
	}
	if nanoseconds == 0 {
		return math.NaN()
	}
	return float64(n) / seconds(nanoseconds)
}

// mean returns the mean of times, in seconds.
func mean(times []int64) float64 {
	var hi, lo, carry uint64
	for _, t := range times {
		lo, carry = bits.Add64(lo, uint64(t), 0)
		hi += carry
	}
	return (float64(hi)*0x1p64 + float64(lo)) / float64(len(times)) / 1e9
}

// orderStatistics returns the values at the given ranks, from 0, of times as if they were sorted; 0 for a rank that
// does not exist. It counts the times by their upper bits first, so that only few must be sorted.
func orderStatistics(times []int64, ranks []int) []int64 {
	const cells = 4096
	out := make([]int64, len(ranks))
	if len(times) <= cells {
		sorted := slices.Sorted(slices.Values(times))
		for i, r := range ranks {
			if r >= 0 && r < len(sorted) {
				out[i] = sorted[r]
			}
		}
		return out
	}
	least, most := slices.Min(times), slices.Max(times)
	if least == most {
		for i, r := range ranks {
			if r >= 0 && r < len(times) {
				out[i] = least
			}
		}
		return out
	}
	shift := max(0, bits.Len64(uint64(most-least))-12)
	var counts, place [cells]int
	for _, t := range times {
		counts[(t-least)>>shift]++
	}
	parts := []part{{}} // the first stands for the cells that nobody asks for
	for i, r := range ranks {
		if r < 0 || r >= len(times) {
			continue
		}
		cell := 0
		for ; counts[cell] <= r; cell++ {
			r -= counts[cell]
		}
		if place[cell] == 0 {
			place[cell] = len(parts)
			parts = append(parts, part{times: make([]int64, 0, counts[cell])})
		}
		p := &parts[place[cell]]
		p.ranks, p.asked = append(p.ranks, r), append(p.asked, i)
	}
	for _, t := range times {
		if k := place[(t-least)>>shift]; k > 0 {
			parts[k].times = append(parts[k].times, t)
		}
	}
	for _, p := range parts {
		for i, v := range orderStatistics(p.times, p.ranks) {
			out[p.asked[i]] = v
		}
	}
	return out
}

// part holds the times of one cell, the ranks within it that are asked for, and by which of the caller's ranks.
type part struct {
	times        []int64
	ranks, asked []int
}

// summarize makes metrics of the replications' measurements, which all have the same names.
func summarize(replications []measurements, keep bool) (Metrics, []string) {
	var warnings []string
	metrics := make(Metrics, 0, len(replications[0]))
	values := make([]float64, 0, len(replications))
	for i, first := range replications[0] {
		values = values[:0]
		metric := NamedMetric{Name: first.name}
		for _, r := range replications {
			v := r[i].value
			if !math.IsNaN(v) {
				values = append(values, v)
			}
			if keep {
				metric.Values = append(metric.Values, number(v))
			}
		}
		metric.Mean, metric.Low, metric.High = interval(values)
		if first.name == Recovered {
			metric.Mean, metric.Low, metric.High = proportion(values)
		}
		metrics = append(metrics, metric)
		if n := len(values); n > 0 && n < len(replications) {
			warnings = append(warnings, fmt.Sprintf("%s exists in %d of %d replications; its mean is over those", first.name, n, len(replications)))
		}
	}
	return metrics, warnings
}

// interval returns the mean of values and its 95 % interval by Student's t.
func interval(values []float64) (mean, low, high *float64) {
	if len(values) == 0 {
		return nil, nil, nil
	}
	if len(values) == 1 {
		return number(values[0]), nil, nil
	}
	m, sd := stat.MeanStdDev(values, nil)
	half := studentsT(len(values)) * sd / math.Sqrt(float64(len(values)))
	return number(m), number(m - half), number(m + half)
}

// studentsTs holds what studentsT has found, by n: it is asked some 30 times for every policy, and takes 20 µs.
var studentsTs sync.Map

// studentsT returns the 97.5 % quantile of Student's t for n values.
func studentsT(n int) float64 {
	if t, ok := studentsTs.Load(n); ok {
		return t.(float64)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	studentsTs.Store(n, t)
	return t
}

// proportion returns the mean of values that are 0 or 1, and its 95 % interval by E. B. Wilson (JASA 22, 1927): Student's
// would have no width where all replications end alike.
func proportion(values []float64) (mean, low, high *float64) {
	const z = 1.959963984540054
	mean, low, high = interval(values)
	if low == nil {
		return mean, low, high
	}
	n, p := float64(len(values)), *mean
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return mean, number(max(0, centre-half)), number(min(1, centre+half))
}

func number(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
