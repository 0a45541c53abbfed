package sim

// The figures of the model's §8, computed in the plainest way from what the reference simulator wrote down.

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/stampede-sim/stampede/strategies"
)

// values returns the replication's metrics by name; NaN for what does not exist.
func (r *reference) values() map[string]float64 {
	g := r.groups[0]
	v := g.requestValues("", true)
	maps.Copy(v, g.attemptValues())
	burst := g.workload.Kind == Burst
	drained := burst && v["pending"] == 0
	recovered := r.recovery < r.horizon

	v["wasted"] = r.wasted()
	v["amplification"] = v["attempts"] / v["requests"]
	window := r.s.PeakWindow.Seconds()
	v["peakLoad"] = float64(r.peak(0)) / window
	v["recoveryPeak"] = exists(recovered, float64(r.peak(r.recovery))/window)
	capacity, limited := r.s.Capacity()
	v["overshoot"] = exists(limited, v["recoveryPeak"]/capacity)
	for _, share := range []float64{50, 90, 99} {
		v[percentName("within", share)] = exists(burst, within(g, share))
	}
	last := g.lastEnd()
	v["drain"] = exists(drained && recovered, refSeconds(max(0, last-r.recovery)))
	v["settle"] = exists(recovered, refSeconds(max(0, g.lastTrouble()-r.recovery)))
	v["idle"] = exists(drained && recovered && r.s.Server.Workers > 0, r.idleShare(last))
	v["dispersion"] = exists(drained && recovered, r.dispersion(last))
	v["crashes"] = float64(r.crashes)
	v["downtime"] = refSeconds(overlap(r.downStays, 0, r.horizon))
	until := r.horizon
	if drained {
		until = last
	}
	v["goodput"] = exists(true, v["succeeded"]/refSeconds(until))
	if v["succeeded"] == 0 {
		v["goodput"] = 0
	}
	v["recovered"] = r.recoveredIn(g)
	for i, o := range r.s.Clients.Others {
		theirs := r.groups[i+1].requestValues("others."+o.Name+".", false)
		maps.Copy(v, theirs)
	}
	return v
}

// recoveredIn compares what was served with what was asked for in the last quarter; of a burst, in all.
func (r *reference) recoveredIn(g *refGroup) float64 {
	from, share := 3*r.horizon, 0.95
	if g.workload.Kind == Burst {
		from, share = 0, 0.99
	}
	offered, carried := 0.0, 0.0
	for _, q := range g.requests {
		if 4*q.created >= from {
			offered++
		}
		if q.reason == "succeeded" && 4*q.ended >= from {
			carried++
		}
	}
	switch {
	case offered == 0:
		return math.NaN()
	case carried >= share*offered-1e-6:
		return 1
	}
	return 0
}

func exists(ok bool, v float64) float64 {
	if !ok || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

func refSeconds(t int64) float64 { return float64(t) / 1e9 }

func percentName(prefix string, share float64) string {
	return prefix + ".p" + map[float64]string{50: "50", 90: "90", 99: "99"}[share]
}

// requestValues are the figures about a group's requests; of another group only some are reported.
func (g *refGroup) requestValues(prefix string, tested bool) map[string]float64 {
	v := map[string]float64{prefix + "requests": float64(len(g.requests))}
	v[prefix+"succeeded"] = float64(len(g.successes()))
	v[prefix+"successRate"] = v[prefix+"succeeded"] / v[prefix+"requests"]
	took := g.successes()
	ok := len(took) > 0
	v[prefix+"completion.mean"] = exists(ok, stat.Mean(took, nil))
	for _, share := range []float64{50, 90, 99} {
		v[percentName(prefix+"completion", share)] = exists(ok, linear(took, share))
	}
	v[prefix+"completion.max"] = linear(took, 100)
	if tested {
		for _, reason := range []string{"notRetryable", "attempts", "deadline", "retryAfter", "budget", "breaker", "throttled"} {
			v["failed."+reason] = g.endedBy(reason)
		}
		v["pending"] = g.endedBy("")
	}
	return v
}

// successes returns how long the requests that succeeded took, the fastest first.
func (g *refGroup) successes() (took []float64) {
	for _, q := range g.requests {
		if q.reason == "succeeded" {
			took = append(took, refSeconds(q.ended-q.created))
		}
	}
	slices.Sort(took)
	return took
}

func (g *refGroup) endedBy(reason string) (n float64) {
	for _, q := range g.requests {
		if q.reason == reason {
			n++
		}
	}
	return n
}

// linear is the percentile of R's type 7.
func linear(sorted []float64, percent float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := percent / 100 * float64(len(sorted)-1)
	low := sorted[int(math.Floor(h))]
	return low + (h-math.Floor(h))*(sorted[int(math.Ceil(h))]-low)
}

// within is the time by which so many percent of all requests had succeeded.
func within(g *refGroup, percent float64) float64 {
	took := g.successes()
	k := (int(percent)*len(g.requests) + 99) / 100
	if k == 0 || k > len(took) {
		return math.NaN()
	}
	return took[k-1]
}

func (g *refGroup) attemptValues() map[string]float64 {
	v := map[string]float64{"attempts": 0, "refused": 0, "timedOut": 0, "notSent": 0}
	for _, name := range strategies.ClassNames() {
		if name != "timeout" {
			v["refused."+name] = 0
		}
	}
	for _, a := range g.attempts {
		if a.outcome == "notSent" {
			v["notSent"]++
			continue
		}
		v["attempts"]++
		switch a.outcome {
		case "ok", "inFlight":
		case "timeout":
			v["timedOut"]++
		default:
			v["refused"]++
			v["refused."+a.outcome]++
		}
	}
	return v
}

// wasted counts the services of all groups' attempts that had been abandoned.
func (r *reference) wasted() (n float64) {
	for _, a := range r.served {
		if a.outcome == "timeout" {
			n++
		}
	}
	return n
}

// peak is the most arrivals, at or after from, in any window that starts at a whole hundredth of its width.
func (r *reference) peak(from int64) (most int) {
	step := int64(r.s.PeakWindow) / 100
	var cells []int64
	for _, t := range r.arrivals {
		if t >= from {
			cells = append(cells, t/step)
		}
	}
	first := 0
	for i, c := range cells {
		for cells[first] <= c-100 {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

func (g *refGroup) lastEnd() (t int64) {
	for _, q := range g.requests {
		if q.ended != never {
			t = max(t, q.ended)
		}
	}
	return t
}

func (g *refGroup) lastTrouble() (t int64) {
	for _, a := range g.attempts {
		switch a.outcome {
		case "unavailable", "overloaded", "rateLimited", "conflict", "timeout":
			t = max(t, a.seen)
		}
	}
	return t
}

// overlap is how much of [from, to) the stays take, which do not overlap each other, or count twice if they do.
func overlap(stays []refStay, from, to int64) (sum int64) {
	for _, s := range stays {
		sum += max(0, min(s.to, to)-max(s.from, from))
	}
	return sum
}

// idleShare is the share of the time from recovery to to in which workers of nodes that were up did nothing.
func (r *reference) idleShare(to int64) float64 {
	up, busy := int64(0), int64(0)
	for _, nd := range r.nodes {
		up += to - r.recovery - overlap(nd.downStays, r.recovery, to)
		busy += overlap(nd.busyStays, r.recovery, to)
	}
	if up <= 0 {
		return math.NaN()
	}
	return 1 - float64(busy)/float64(r.s.Server.Workers)/float64(up)
}

// dispersion is Σ(x(i+1) − x(i))² / (2·(m−1)·mean) over the whole bins from recovery to the last end.
func (r *reference) dispersion(last int64) float64 {
	width := int64(r.s.Bin)
	x := r.perBin(r.arrivals)
	from, to := (r.recovery+width-1)/width, last/width
	if to-from < 10 {
		return math.NaN()
	}
	x = x[from:to]
	squares, sum := 0.0, x[0]
	for i := 1; i < len(x); i++ {
		squares += (x[i] - x[i-1]) * (x[i] - x[i-1])
		sum += x[i]
	}
	m := float64(len(x))
	return exists(sum > 0, squares/(2*(m-1)*sum/m))
}

// refSeries is a replication's series, one value a bin, over all bins.
type refSeries map[string][]float64

func (r *reference) series() refSeries {
	g := r.groups[0]
	s := refSeries{"arrivals": r.perBin(r.arrivals), "served": r.perBin(r.servedAt)}
	seen := map[string][]int64{}
	for _, a := range g.attempts {
		switch a.outcome {
		case "inFlight", "notSent":
		case "ok":
			seen["succeeded"] = append(seen["succeeded"], a.seen)
		case "timeout":
			seen["timedOut"] = append(seen["timedOut"], a.seen)
		default:
			seen["refused"] = append(seen["refused"], a.seen)
		}
	}
	for _, name := range []string{"succeeded", "refused", "timedOut"} {
		s[name] = r.perBin(seen[name])
	}
	var queued, inService []refStay
	for _, nd := range r.nodes {
		queued, inService = append(queued, nd.queueStays...), append(inService, nd.serviceStays...)
	}
	s["queue"] = r.averages(queued)
	s["inService"] = r.averages(inService)
	s["waiting"] = r.averages(g.waits)
	return s
}

// guardSeries are those that say nothing of whether anything happens.
func (r *reference) guardSeries() (opens, tokens []float64) {
	g := r.groups[0]
	tokens = r.averageLevel(g.tokens)
	for i := range tokens {
		tokens[i] /= float64(len(g.processes))
	}
	return r.averages(g.opens), tokens
}

func (r *reference) bins() int64 { return (r.horizon-1)/int64(r.s.Bin) + 1 }

func (r *reference) perBin(times []int64) []float64 {
	x := make([]float64, r.bins())
	for _, t := range times {
		x[t/int64(r.s.Bin)]++
	}
	return x
}

// averages are how many are there, on average over each bin's time.
func (r *reference) averages(stays []refStay) []float64 {
	width := int64(r.s.Bin)
	x := make([]float64, r.bins())
	for _, stay := range stays {
		for i := stay.from / width; i < r.bins() && i*width < stay.to; i++ {
			begin, end := i*width, min((i+1)*width, r.horizon)
			if share := min(end, stay.to) - max(begin, stay.from); share > 0 {
				x[i] += float64(share) / float64(end-begin)
			}
		}
	}
	return x
}

// active is one past the last bin in which anything happened.
func (s refSeries) active() (n int) {
	for _, x := range s {
		for i, v := range x {
			if v != 0 {
				n = max(n, i+1)
			}
		}
	}
	return n
}

// traced returns the attempts of the clients under test in the order of their leaving.
func (r *reference) traced() []*refAttempt {
	attempts := slices.Clone(r.groups[0].attempts)
	slices.SortFunc(attempts, func(a, b *refAttempt) int {
		return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.request.id(), b.request.id()), cmp.Compare(a.n, b.n))
	})
	return attempts
}

// failedWith is why the request failed with this attempt, "" if it did not.
func (a *refAttempt) failedWith() string {
	if a.n != a.request.last || a.request.reason == "succeeded" {
		return ""
	}
	return a.request.reason
}

// client is whose request it is.
func (r *reference) client(q *refRequest) int {
	switch g := q.group; g.workload.Kind {
	case Open:
		return int(below(r.draw(q, 0, drawClient), int64(g.count)-1))
	case Closed:
		clients := uint64(1)
		for clients < uint64(g.count) {
			clients *= 2
		}
		return int(q.number % clients)
	}
	return int(q.number)
}
