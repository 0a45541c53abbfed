package sim_test

// What a preset is said to show is what comes out.

import (
	"context"
	"fmt"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

// figures are a preset's means by policy and metric; what does not exist is a fault of the test.
type figures struct {
	*testing.T
	result *sim.Result
}

func (f figures) of(policy, metric string) float64 {
	f.Helper()
	for _, r := range f.result.Results {
		if r.Policy.ID == policy {
			if mean := r.Metrics.Get(metric).Mean; mean != nil {
				return *mean
			}
		}
	}
	f.Fatalf("%s: %s does not exist", policy, metric)
	return 0
}

// within holds a figure to [low, high].
func (f figures) within(policy, metric string, low, high float64) {
	f.Helper()
	if v := f.of(policy, metric); v < low || v > high {
		f.Errorf("%s: %s is %v, want %v to %v", policy, metric, v, low, high)
	}
}

// is holds figures of several policies to one value.
func (f figures) is(metric string, want float64, policies ...string) {
	f.Helper()
	for _, p := range policies {
		f.within(p, metric, want, want)
	}
}

// storms holds policies to recovering in no run.
func (f figures) storms(policies ...string) {
	f.Helper()
	f.is(sim.Recovered, 0, policies...)
}

// less holds a figure of one policy to be less than another's, beyond the intervals.
func (f figures) less(metric, policy, than string) {
	f.Helper()
	f.of(policy, metric)
	f.of(than, metric)
	if high, low := f.metric(policy, metric).High, f.metric(than, metric).Low; *high >= *low {
		f.Errorf("%s of %s reaches to %v, that of %s from %v", metric, policy, *high, than, *low)
	}
}

func (f figures) metric(policy, metric string) sim.Metric {
	for _, r := range f.result.Results {
		if r.Policy.ID == policy {
			return r.Metrics.Get(metric)
		}
	}
	return sim.Metric{}
}

// claims are what the sentences of the presets say.
var claims = map[string]func(f figures){
	"default": func(f figures) {
		f.within("every-second", "crashes", 1, 99)
		f.within("exponential", "crashes", 1, 99)
		f.within("full-short-cap", "crashes", 1, 99) // spread out, not patient
		f.is("crashes", 0, "exponential-equal", "exponential-full")
		f.is("successRate", 1, "exponential-equal", "exponential-full")
		f.is("successRate", 0, "full-three") // not patient enough
	},
	"spread-failures": func(f figures) {
		f.is("crashes", 0, "exponential", "exponential-full")
		f.less("within.p99", "exponential", "exponential-full")
	},
	"ordinary-traffic": func(f figures) {
		f.within("exponential-full", "successRate", 0.25, 0.32)
		f.is("successRate", 1, "full-long-cap")
		alone := sim.Default()
		for _, r := range run(f.T, alone).Results {
			if r.Policy.ID == "exponential-full" && *r.Metrics.Get("successRate").Mean != 1 {
				f.Errorf("without the traffic %v are served", *r.Metrics.Get("successRate").Mean)
			}
		}
		capacity, _ := alone.Capacity()
		if got := f.result.Scenario.Clients.Others[0].Workload.Rate / capacity; got != 0.15 {
			f.Errorf("the traffic is %v of the capacity", got)
		}
	},
	"quarter-every-second": func(f figures) {
		const theirs = "others.old version.successRate"
		f.is("successRate", 1, "exponential-full")
		f.is(theirs, 1, "exponential-full", "exponential")
		f.within("exponential", "successRate", 0, 0.05)
	},
	"cold-cache": func(f figures) {
		f.within("exponential-full", "crashes", 6.5, 7.5)
		f.within("exponential-equal", "crashes", 6.5, 7.5)
		f.within("full-long-cap", "crashes", 0, 1.1)
		f.within("full-minute-cap", "crashes", f.of("full-long-cap", "crashes"), 1.1)
		f.less("within.p99", "full-long-cap", "full-minute-cap")
	},
	"first-node-back": func(f figures) {
		alone, s := run(f.T, sim.Default()), f.result.Scenario
		before, _ := alone.Scenario.Capacity()
		if now, _ := s.Capacity(); now != before || s.Server.Places() != alone.Scenario.Server.Places() {
			f.Errorf("%v a second and %d places, where one machine has %v and %d", now, s.Server.Places(), before, alone.Scenario.Server.Places())
		}
		figures{f.T, alone}.is("crashes", 0, "exponential-full")
		f.within("exponential-full", "crashes", 15, 25)
		f.is("successRate", 1, "exponential-full", "full-long-cap")
		for _, p := range []string{"full-long-cap", "exponential-equal"} {
			f.within(p, "crashes", 0.15*f.of("exponential-full", "crashes"), 0.35*f.of("exponential-full", "crashes"))
			f.less("within.p99", p, "exponential-full")
		}
	},
	"knocked-over-again": func(f figures) {
		// The herd that stays together returns every 30 s once it is at its cap; the one that spreads out never does.
		f.is("crashes", 6, "exponential")
		f.is("crashes", 0, "exponential-full")
		f.less("crashes", "exponential", "constant")
	},
	"mobile-reconnect": func(f figures) {
		f.within("full-short-cap", "crashes", 24, 99)
		f.is("crashes", 0, "full", "full-long-cap")
		f.is("successRate", 1, "full", "full-long-cap")
		f.less("within.p99", "full", "full-long-cap")
	},
	"cron-full-hour": func(f figures) {
		for _, p := range f.result.Scenario.Policies {
			down := f.run(p.ID).Down
			if len(down) == 0 || down[0].From > 0.5 { // the soonest retry, after 1 s, comes later; full jitter's may not
				f.Errorf("%s: the first crash is not at once: %v", p.ID, down)
			}
			if p.ID != "full-first-long" {
				f.less("crashes", "full-first-long", p.ID)
			}
		}
		f.is("crashes", 1, "full-first-long")
		f.is("successRate", 1, "full-first-long")
	},
	"rolling-deploy": func(f figures) {
		for _, p := range []string{"every-second", "exponential", "exponential-full"} {
			f.less("successRate", p, "no-retry")
		}
		f.within("within-ten-seconds", "successRate", 0.995, 1)
		f.is("crashes", 0, "within-ten-seconds")
	},
	"database-failover": func(f figures) {
		f.within("five", "successRate", f.of("no-retry", "successRate"), f.of("no-retry", "successRate")+0.02)
		for _, reason := range []string{"deadline", "attempts"} {
			f.is("failed."+reason, 0, "minute")
		}
		f.within("minute", "successRate", 0.999, 1) // the rest had only just been asked at the end
	},
	"steady-traffic-timeouts": func(f figures) {
		f.within("no-retry", "successRate", 0.9, 1)
		f.within("three-at-once", "successRate", 0, 0.25)
		f.within("exponential-full", "successRate", 0, 0.25)
	},
	"retry-storm": func(f figures) {
		f.storms("four-at-once", "four")
		f.within("four", "successRate", 0.175, 0.185)
		f.within("four-at-once", "successRate", 0.175, 0.185)
		f.is(sim.Recovered, 1, "no-retry", "two", "budget", "breaker")
		f.less("successRate", "four", "throttle")
		f.less("successRate", "throttle", "two")
		capacity, _ := f.result.Scenario.Capacity()
		if got := f.result.Scenario.Clients.Workload.Rate / capacity; got != 0.7 {
			f.Errorf("the load is %v of the capacity", got)
		}
	},
	"retry-storm-jitter": func(f figures) {
		f.storms("four-at-once", "four")
		at, full := f.metric("four-at-once", "successRate"), f.metric("four", "successRate")
		if *at.Low > *full.High || *full.Low > *at.High {
			f.Errorf("full jitter is told from none: %v and %v", *full.Mean, *at.Mean)
		}
	},
	"retry-storm-two-attempts": func(f figures) {
		f.storms("four")
		f.is(sim.Recovered, 1, "two")
		f.within("two", "successRate", 0.96, 0.975)
	},
	"retry-storm-budget": func(f figures) {
		f.storms("four")
		f.is(sim.Recovered, 1, "budget")
		f.within("budget", "amplification", 1, 1.11)
	},
	"retry-storm-breaker": func(f figures) {
		f.storms("four")
		f.is(sim.Recovered, 1, "breaker")
		f.within("breaker", "notSent", 100, 2000)
	},
	"retry-storm-closed": func(f figures) {
		f.is(sim.Recovered, 1, "four-at-once", "four", "two")
		for _, p := range []string{"four-at-once", "four", "two"} {
			f.within(p, "goodput", 130, 140)
		}
	},
	"retry-storm-shedding": func(f figures) {
		f.is(sim.Recovered, 1, "four-at-once", "four", "two")
		f.within("four-at-once", "successRate", 0.965, 0.975)
		f.within("four", "successRate", 0.965, 0.975)
	},
	"retry-storm-short-queue": func(f figures) {
		f.is(sim.Recovered, 1, "four-at-once", "four", "two")
		f.within("four-at-once", "successRate", 0.965, 0.975)
		f.within("four", "successRate", 0.965, 0.975)
		if capacity, _ := f.result.Scenario.Capacity(); float64(f.result.Scenario.Server.Queue)/capacity != 0.75 {
			f.Error("the queue takes another time")
		}
	},
	"slow-when-busy": func(f figures) {
		f.storms("four")
		f.is(sim.Recovered, 1, "two", "budget")
		s := f.result.Scenario.Server
		if got := s.ServiceTime.Args.Duration("mean").Seconds() * (1 + s.Slowdown*float64(s.Workers-1)); got < 3 || got > 3.1 {
			f.Errorf("at its fullest a request takes %v s", got)
		}
	},
	"probes-in-step": func(f figures) {
		f.within("in-step", "crashes", 8.5, 9.5)
		f.within("in-step", "successRate", 0.3, 0.5)
		f.is("crashes", 0, "spread")
		f.is("successRate", 1, "spread")
	},
	"unsynchronised": func(f figures) {
		first := f.result.Scenario.Policies[0].ID
		for _, p := range f.result.Scenario.Policies[1:] {
			for _, metric := range []string{"successRate", "goodput", "recoveryPeak"} {
				a, b := f.metric(first, metric), f.metric(p.ID, metric)
				if *a.Low > *b.High || *b.Low > *a.High {
					f.Errorf("%s tells %s from %s", metric, p.ID, first)
				}
			}
		}
		f.within(first, "amplification", 1.1, 1.13) // they do retry: 1/(1 − 0.1) attempts
	},
	"outage": func(f figures) {
		f.is("recoveryPeak", 1000, "exponential")
		f.less("recoveryPeak", "exponential-full", "exponential")
		f.less("within.p99", "exponential-full", "exponential")
	},
	"rate-limited-api": func(f figures) {
		f.within("simple", "failed.attempts", 300, 400)
		f.less("successRate", "equal-capped", "email-sender") // heeding the hint alone is not enough within five attempts
		f.less("successRate", "simple", "equal-capped")
	},
	"contention": func(f figures) {
		f.less("attempts", "full", "none")
	},
}

func (f figures) run(policy string) sim.FirstRun {
	for _, r := range f.result.Results {
		if r.Policy.ID == policy {
			return r.Run
		}
	}
	return sim.FirstRun{}
}

// TestPresetsShowWhatTheySay runs each preset as it is. For such scenarios the estimate is right to within a factor of 2.
func TestPresetsShowWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, p := range sim.Presets() {
		t.Run(p.ID, func(t *testing.T) {
			claim := claims[p.ID]
			if claim == nil {
				t.Fatalf("nothing is tested of %q", p.Shows)
			}
			estimate := sim.Estimate(p.Scenario)
			if estimate > 20_000_000 {
				t.Errorf("it costs about %d events: too many to look at in passing", estimate)
			}
			if query := p.Scenario.Query().Encode(); len(query) > 2000 {
				t.Errorf("its address is %d characters long", len(query))
			}
			if testing.Short() && estimate > 1_000_000 {
				t.Skip("large")
			}
			result := run(t, p.Scenario)
			claim(figures{t, result})
			s := p.Scenario
			bins := int64((s.Horizon-1)/s.Bin + 1)
			events := result.Engine.Events + int64(len(s.Policies)*s.Replications)*(300+bins/2) // what a replication counts for besides
			if estimate > 2*events || events > 2*estimate {
				t.Errorf("the estimate is %d of %d events", estimate, events)
			}
		})
	}
}

func run(t *testing.T, s *sim.Scenario) *sim.Result {
	t.Helper()
	result, err := sim.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", s.Name, err))
	}
	return result
}
