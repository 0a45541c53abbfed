package sim

// How durations are drawn: latencies, service times, think times. A new distribution is an entry in Distributions.

import (
	"math"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// DistributionKind is one way to draw a duration.
type DistributionKind struct {
	spec.Kind

	// New returns the monotone function that turns a number uniform in (0, 1) into a draw, in nanoseconds.
	// Draws below zero are folded: their absolute value is taken.
	New func(a spec.Args) func(u float64) float64

	// Mean is that of the folded draws, in nanoseconds.
	Mean func(a spec.Args) float64
}

// Distributions are the kinds that latency, serviceTime and think choose from.
var Distributions = []DistributionKind{
	{
		Kind: spec.Kind{
			ID: "constant", Name: "Constant", Formula: "mean",
			Advice: "Every draw is the same; what remains random is the clients'.",
			Params: []spec.Param{meanParam(time.Duration(0))},
		},
		New: func(a spec.Args) func(float64) float64 {
			mean := ns(a, "mean")
			return func(float64) float64 { return mean }
		},
		Mean: func(a spec.Args) float64 { return ns(a, "mean") },
	},
	{
		Kind: spec.Kind{
			ID: "exponential", Name: "Exponential", Formula: "−mean·ln U",
			Advice: "Memoryless service, as in the textbook queues.",
			Params: []spec.Param{meanParam(nil)},
		},
		New: func(a spec.Args) func(float64) float64 {
			mean := ns(a, "mean")
			return func(u float64) float64 { return -mean * math.Log(u) }
		},
		Mean: func(a spec.Args) float64 { return ns(a, "mean") },
	},
	{
		Kind: spec.Kind{
			ID: "normal", Name: "Normal, folded", Formula: "|mean + sd·Z|",
			Advice: "Latency as in the AWS contention model; the absolute value is taken.",
			Params: []spec.Param{
				meanParam(nil),
				{Key: "sd", Type: spec.Duration, Label: "Standard deviation", Help: "Before folding.", Max: spec.MaxDuration, Start: 20 * time.Millisecond},
			},
		},
		New: func(a spec.Args) func(float64) float64 {
			mean, scale := ns(a, "mean"), math.Sqrt2*ns(a, "sd")
			return func(u float64) float64 { return mean + scale*math.Erfinv(2*u-1) }
		},
		Mean: func(a spec.Args) float64 { return foldedNormalMean(ns(a, "mean"), ns(a, "sd")) },
	},
	{
		Kind: spec.Kind{
			ID: "lognormal", Name: "Lognormal", Formula: "median·e^(sigma·Z)",
			Advice: "Skewed to the right, as measured latencies are.",
			Params: []spec.Param{
				{Key: "median", Type: spec.Duration, Label: "Median", Help: "Half of the draws are shorter.", Max: spec.MaxDuration, Start: 100 * time.Millisecond},
				{Key: "sigma", Type: spec.Number, Label: "Spread", Help: "Standard deviation of the logarithm.", Max: 5, Start: 0.5},
			},
		},
		New: func(a spec.Args) func(float64) float64 {
			median, scale := ns(a, "median"), math.Sqrt2*a.Number("sigma")
			return func(u float64) float64 { return median * math.Exp(scale*math.Erfinv(2*u-1)) }
		},
		Mean: func(a spec.Args) float64 {
			sigma := a.Number("sigma")
			return ns(a, "median") * math.Exp(sigma*sigma/2)
		},
	},
	{
		Kind: spec.Kind{
			ID: "uniform", Name: "Uniform", Formula: "U[min, max]",
			Advice: "Anything between two bounds, all as likely.",
			Params: []spec.Param{
				{Key: "min", Type: spec.Duration, Label: "At least", Max: spec.MaxDuration, Start: 50 * time.Millisecond},
				{Key: "max", Type: spec.Duration, Label: "At most", Max: spec.MaxDuration, Start: 150 * time.Millisecond, AtLeast: "min"},
			},
		},
		New: func(a spec.Args) func(float64) float64 {
			lo, span := ns(a, "min"), ns(a, "max")-ns(a, "min")
			return func(u float64) float64 { return lo + span*u }
		},
		Mean: func(a spec.Args) float64 { return (ns(a, "min") + ns(a, "max")) / 2 },
	},
}

func meanParam(standard any) spec.Param {
	return spec.Param{Key: "mean", Type: spec.Duration, Label: "Mean", Max: spec.MaxDuration, Default: standard, Start: 100 * time.Millisecond}
}

func ns(a spec.Args, key string) float64 { return float64(a.Duration(key)) }

// foldedNormalMean is the mean of |X| for X normal: sd·√(2/π)·e^(−mean²/2sd²) + mean·erf(mean/(sd·√2)).
// F. C. Leone, L. S. Nelson, R. B. Nottingham, The folded normal distribution, Technometrics 3 (1961).
func foldedNormalMean(mean, sd float64) float64 {
	if sd == 0 {
		return mean
	}
	z := mean / (sd * math.Sqrt2)
	return sd*math.Sqrt(2/math.Pi)*math.Exp(-z*z) + mean*math.Erf(z)
}

// distribution draws durations of one kind with its parameters. The zero value is the constant 0.
type distribution struct {
	draw     func(u float64) float64 // nil: constant
	table    *quantileTable          // nil: draw is asked
	min, max int64
	mean     float64
}

// compileDistribution makes a valid choice from Distributions fast to draw from.
// It panics on a kind that Distributions does not have.
func compileDistribution(c spec.Choice) distribution {
	return spec.Find(Distributions, c.Kind).compile(c.Args)
}

func (k DistributionKind) compile(a spec.Args) distribution {
	draw := k.New(a)
	first, last := draw(unit(0)), draw(unit(math.MaxUint64))
	d := distribution{draw: draw, mean: k.Mean(a)}
	d.min, d.max = nearest(min(first, last)), nearest(max(math.Abs(first), math.Abs(last)))
	if d.min == d.max {
		d.draw = nil
	}
	return d
}

// Draw turns a uniform 64-bit number into a duration: nanoseconds, rounded to the nearest, 0 to strategies.Saturated.
func (d *distribution) Draw(u uint64) int64 {
	if d.draw == nil {
		return d.min
	}
	return nearest(math.Abs(d.quantile(u)))
}

// Constant returns the value of every draw, and whether there is just one.
func (d *distribution) Constant() (ns int64, ok bool) { return d.min, d.draw == nil }

// Max returns the largest value that Draw gives, in nanoseconds. It is finite, since Draw has 2^52 values to give:
// an exponential draw is at most 36.7 means, a normal one at most 8.2 standard deviations off.
func (d *distribution) Max() int64 { return d.max }

// Mean returns the exact mean before rounding, in nanoseconds.
func (d *distribution) Mean() float64 { return d.mean }

// unit turns 64 random bits into a number in the open interval (0, 1): the middle of one of 2^52 equal cells.
func unit(u uint64) float64 { return (float64(int64(u>>12)) + 0.5) * 0x1p-52 }

// nearest rounds x to whole nanoseconds from 0 to strategies.Saturated.
func nearest(x float64) int64 {
	switch {
	case x >= strategies.Saturated:
		return strategies.Saturated
	case x >= 1<<52: // whole already
		return int64(x)
	case x > 0:
		return int64(x + 0.5)
	}
	return 0
}
