package export

import (
	"math"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// dotnet is the section of appsettings.json that Microsoft.Extensions.Http.Resilience binds to
// HttpStandardResilienceOptions.
var dotnet = Format{
	ID:        "dotnet",
	Name:      ".NET Http.Resilience",
	Place:     "Bind the section: AddStandardResilienceHandler(configuration.GetSection(\"Resilience\")).",
	Source:    "RetryHelper.cs of Polly 8; HttpStandardResilienceOptions and its validator in Microsoft.Extensions.Http.Resilience 8",
	File:      "appsettings.json",
	MediaType: "application/json",
	fit:       fitDotnet,
	write:     writeDotnet,
}

const (
	dotnetDay  = 24 * time.Hour
	dotnetTick = 100 * time.Nanosecond

	dotnetShortest = 500 * time.Millisecond // that its breaker opens or looks back for
	dotnetSampling = 30 * time.Second       // that it looks back for unless told
)

func fitDotnet(f *fitting) {
	f.attempts(2, math.MaxInt32, ".NET counts at most 2147483647 retries")
	fitDotnetWaits(f)
	const unit = ".NET has ticks of 100 ns; rounded up"
	f.wholeTimeouts(dotnetTick, unit)
	f.change("the standard handler always has both timeouts, and neither of more than a day", func(p *strategies.Policy) {
		if p.Deadline == 0 || p.Deadline > dotnetDay {
			p.Deadline = dotnetDay
		}
		if most := min(p.Deadline, dotnetDay/2); p.AttemptTimeout == 0 || p.AttemptTimeout > most {
			p.AttemptTimeout = most
		}
	})
	if f.fits.Deadline < 10*time.Millisecond || f.fits.AttemptTimeout < 10*time.Millisecond {
		f.refuse("its timeouts must be at least 10 ms")
	}
	f.endWithin(f.fits.Deadline)
	f.leaveOutBudget("", "the standard handler has neither retry budgets nor throttling by clients")
	fitDotnetBreaker(f)
	f.retryOnFixed(strategies.ClassesOf("unavailable", "timeout", "overloaded", "rateLimited", "transient"),
		"the standard handler retries exceptions, timeouts, 408, 429 and 5xx, unless ShouldHandle is set in code")
	if f.fits.RetryAfter != strategies.IgnoreHint {
		f.hints(strategies.FloorHint, "the standard handler waits what Retry-After says")
		f.note("The hint replaces the wait, even where the wait would be longer, and MaxDelay does not hold for it.")
	}
}

// fitDotnetBreaker fits a breaker to the standard handler's, which looks back for a time. Without one, that is written so
// that it never opens.
func fitDotnetBreaker(f *fitting) {
	if f.fits.Breaker.Kind == "" {
		return
	}
	const least, most = 2, 1000 // the most that a window here may hold
	f.change("the standard handler's breaker goes by the share of failures among at least two attempts", func(p *strategies.Policy) {
		window := p.Breaker.Args.Integer("window")
		if p.Breaker.Kind == "failures" {
			window = p.Breaker.Args.Integer("failures")
			p.Breaker = choiceOf("ratio", "window", window, "ratio", 1.0, "openFor", p.Breaker.Args.Duration("openFor"), "openJitter", p.Breaker.Args.Number("openJitter"),
				"probes", p.Breaker.Args.Integer("probes"), "successes", p.Breaker.Args.Integer("successes"), "onOpen", p.Breaker.Args.Text("onOpen"))
		}
		p.Breaker = withArg(p.Breaker, "window", min(max(window, least), most))
	})
	openFor := roundUp(f.fits.Breaker.Args.Duration("openFor"), dotnetTick)
	f.breakerWith("it opens for half a second to a day, in ticks of 100 ns", "openFor", min(max(openFor, dotnetShortest), dotnetDay))
	f.breakerWith("for an open time drawn at random it has to be configured in code", "openJitter", 0.0)
	f.breakerWith("half-open it lets one attempt through, which decides", "probes", int64(1), "successes", int64(1))
	f.breakerWith("the standard handler does not retry what its breaker stops", "onOpen", "fail")
	f.note("The standard handler's breaker looks back for SamplingDuration, not for so many attempts: it opens once MinimumThroughput came within that and the share failed. That has to be at least twice AttemptTimeout: " + timeSpan(samplingOf(f.fits)) + " here.")
}

func fitDotnetWaits(f *fitting) {
	const growth = "Polly keeps the wait, adds the first wait each time, or doubles"
	const formula = "Polly jitters a doubling wait by a formula of its own, decorrelated jitter V2"
	if !momentsOf(f.fits, 1.001, 10) {
		f.independent("Polly draws each wait on its own, but for doubling ones", fullJitter)
	}
	steady := f.fits.Schedule.Kind == "constant" || f.fits.Schedule.Kind == "immediate"
	linear := f.fits.Schedule.Kind == "linear" && f.fits.Schedule.Args.Duration("step") == base(f.fits)
	if steady || linear {
		f.rewrite("", func(p *strategies.Policy) {
			if p.Schedule.Kind == "immediate" {
				p.Schedule = choiceOf("constant", "base", time.Duration(0))
			}
		})
		f.steadyInPolly()
	} else {
		f.exponential(1, 10, growth)
		switch {
		case factor(f.fits) == 1:
			f.steadyInPolly()
		case !drawsMoments(f.fits):
			f.jitter(formula, fullJitter, fullOrNone) // its mean is nearest to that of full jitter
			f.multiplied(2, growth)
			if f.fits.Jitter.Kind != "none" {
				f.change(formula, func(p *strategies.Policy) { p.Jitter = choiceOf("decorrelatedV2") })
			}
		default:
			f.multiplied(2, growth)
		}
	}
	f.rewrite("Polly has waits of at most a day, in ticks of 100 ns", func(p *strategies.Policy) {
		for key, d := range p.Schedule.Args {
			if d, ok := d.(time.Duration); ok {
				p.Schedule = withArg(p.Schedule, key, min(roundUp(d, dotnetTick), dotnetDay))
			}
		}
		p.Cap = min(roundUp(p.Cap, dotnetTick), dotnetDay)
	})
	if f.fits.Jitter.Kind == "none" {
		f.capBeforeJitter("without jitter nothing exceeds the cap")
	} else {
		f.capAfterGrowth("Polly caps what is drawn, and goes on growing before it draws")
	}
}

// steadyInPolly gives waits that do not double the jitter that Polly has for them.
func (f *fitting) steadyInPolly() {
	f.jitter("Polly draws from 0.75 to 1.25 times a wait that does not double", plusMinus(0.25), func(share float64) form {
		if share == 1 {
			return noJitter
		}
		return plusMinus(0.25)
	})
}

// endWithin keeps so many attempts that their scheduled waits together fit into a time, as the target demands.
func (f *fitting) endWithin(total time.Duration) {
	c, left := f.fits.Compile(), int64(total)
	retries := int64(0)
	for n := int64(1); n < f.fits.MaxAttempts; n++ {
		s := c.Scheduled(n)
		if n > 4096 && s > 0 { // settled, or as good as
			retries += min(left/s, f.fits.MaxAttempts-n)
			break
		}
		if left -= s; left < 0 {
			break
		}
		if n > 4096 {
			retries = f.fits.MaxAttempts - 1
			break
		}
		retries++
	}
	switch {
	case retries == 0:
		f.refuse("all waits together must fit into the deadline, and the first one does not")
	case retries < f.fits.MaxAttempts-1:
		f.change("all waits together must fit into TotalRequestTimeout", func(p *strategies.Policy) { p.MaxAttempts = retries + 1 })
	}
}

type dotnetSettings struct {
	Resilience dotnetOptions
}

type dotnetOptions struct {
	TotalRequestTimeout dotnetTimeout
	Retry               dotnetRetry
	CircuitBreaker      dotnetBreaker
	AttemptTimeout      dotnetTimeout
}

type dotnetTimeout struct{ Timeout string }

type dotnetRetry struct {
	MaxRetryAttempts       int64
	BackoffType            string
	UseJitter              bool
	Delay                  string
	MaxDelay               string `json:",omitempty"`
	ShouldRetryAfterHeader bool
}

type dotnetBreaker struct {
	FailureRatio      float64
	MinimumThroughput int64
	SamplingDuration  string
	BreakDuration     string `json:",omitempty"`
}

func writeDotnet(p strategies.Policy) string {
	r := dotnetRetry{
		MaxRetryAttempts:       p.MaxAttempts - 1,
		BackoffType:            map[string]string{"linear": "Linear", "exponential": "Exponential"}[p.Schedule.Kind],
		UseJitter:              p.Jitter.Kind != "none",
		Delay:                  timeSpan(base(p)),
		ShouldRetryAfterHeader: p.RetryAfter != strategies.IgnoreHint,
	}
	if r.BackoffType == "" || p.Schedule.Kind == "exponential" && factor(p) == 1 {
		r.BackoffType = "Constant"
	}
	if p.Cap > 0 {
		r.MaxDelay = timeSpan(p.Cap)
	}
	return indented(dotnetSettings{dotnetOptions{
		TotalRequestTimeout: dotnetTimeout{timeSpan(p.Deadline)},
		Retry:               r,
		CircuitBreaker:      breakerOfDotnet(p),
		AttemptTimeout:      dotnetTimeout{timeSpan(p.AttemptTimeout)},
	}})
}

// samplingOf is how long the breaker looks back, which may not be less than two attempts can take.
func samplingOf(p strategies.Policy) time.Duration { return max(dotnetSampling, 2*p.AttemptTimeout) }

func breakerOfDotnet(p strategies.Policy) dotnetBreaker {
	if p.Breaker.Kind == "" {
		return dotnetBreaker{FailureRatio: 1, MinimumThroughput: math.MaxInt32, SamplingDuration: timeSpan(dotnetDay)}
	}
	a := p.Breaker.Args
	return dotnetBreaker{a.Number("ratio"), a.Integer("window"), timeSpan(samplingOf(p)), timeSpan(a.Duration("openFor"))}
}
