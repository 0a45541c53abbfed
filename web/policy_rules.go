package web

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// The rules of what is said of one policy, as view_rules.go has those of the comparison: in each slot the first that
// applies speaks. A new one is an entry here, with a case on each side of its edge in policy_rules_test.go.

const (
	aboutEnd      slot = iota // when it gives up
	aboutDeadline             // whether that cuts it off
	aboutOutage               // the outage
	aboutFilter               // what it retries
	aboutJitter               // whether its clients meet
	aboutCap                  // at the cap
	aboutProbes               // whether its breakers meet
	aboutExcess               // over the cap
	aboutFirst                // of the first retry
	aboutClients              // how many clients may have it
	aboutAdvice               // what practitioners advise
	policySlots
)

// likely is what a probability must reach to be relied on.
const likely = 0.95

// unseen is a probability too small, or too near to 1, to be shown.
const unseen = 0.0005

var policyRules = []ruleOf[*study]{
	{
		id: "held", slot: aboutEnd, tone: bad,
		applies:  func(s *study) bool { return s.held },
		sentence: func(*study) string { return "Waits for ever on a server that stays silent: it has no attempt timeout." },
		why: func(*study) string {
			return "No answer comes, and nothing ends the wait for one, so the first attempt is the last."
		},
		shows: atField("attemptTimeout", "Attempt timeout"),
	},
	{
		id: "never-retries", slot: aboutEnd, tone: neutral,
		applies:  func(s *study) bool { return s.limit() == 1 },
		sentence: func(*study) string { return "Never retries: the first failure is the last." },
		why: func(s *study) string {
			if s.policy.MaxAttempts == 1 {
				return "It has one attempt."
			}
			return "What it meets here is not among the failures that it retries."
		},
		shows: atField("maxAttempts", "Attempts"),
	},
	{
		id: "no-limit", slot: aboutEnd, tone: bad,
		applies: func(s *study) bool { return s.endless() },
		sentence: func(s *study) string {
			if limit := s.limit(); limit > 0 {
				return "As good as no limit: it may be tried " + count(float64(limit)) + " times."
			}
			return "No limit: it can retry for ever."
		},
		why: func(s *study) string {
			if s.limit() > 0 {
				return "No deadline ends a request before. Work that nobody waits for any more keeps knocking."
			}
			return "Neither attempts nor a deadline end a request. Work that nobody waits for any more keeps knocking."
		},
		shows: atField("maxAttempts", "Attempts"),
	},
	{
		id: "gives-up", slot: aboutEnd, tone: neutral,
		applies: func(s *study) bool { return s.end != nil },
		sentence: func(s *study) string {
			latest, mean := seconds(s.end.Max+s.fails.Seconds()), s.meanFailure()
			switch mean {
			case latest:
				return "Gives up after " + latest + "."
			case noValue:
				return "Gives up after " + latest + " at the latest."
			}
			return "Gives up after " + latest + " at the latest, " + mean + " on average."
		},
		why: func(s *study) string {
			return "Its last attempt is made after " + seconds(s.end.Max) + " at the latest, and fails after another " + span(s.fails) + "."
		},
		shows: atTable,
	},
	{
		id: "deadline-never-met", slot: aboutDeadline, tone: bad,
		applies: func(s *study) bool { late := s.tooLate(); return late != nil && late.Made == 0 },
		sentence: func(s *study) string {
			return "The " + ordinal(s.tooLate().Attempt) + " attempt is never made: your " + span(s.policy.Deadline) + " deadline comes first."
		},
		why:   func(s *study) string { return "No wait is started that would end after the deadline." },
		shows: atField("deadline", "Deadline"),
	},
	{
		id: "deadline-may-cut", slot: aboutDeadline, tone: neutral,
		applies: func(s *study) bool { return s.tooLate() != nil },
		sentence: func(s *study) string {
			late := s.tooLate()
			return "The " + ordinal(late.Attempt) + " attempt can exceed your " + span(s.policy.Deadline) + " deadline (probability " + probability(1-late.Made) + ")."
		},
		why: func(s *study) string {
			at := s.tooLate().At
			return "It would be made after " + seconds(at.Min) + " to " + seconds(at.Max) + ". Where that is too late, the request fails at once, without waiting."
		},
		shows: atTable,
	},
	{
		id: "impatient", slot: aboutOutage, tone: bad,
		applies: func(s *study) bool { return s.impatient(s.policy) },
		sentence: func(s *study) string {
			return "No attempt can succeed: each is given up after " + span(s.policy.AttemptTimeout) + ", and an answer takes " + span(s.roundTrip) + "."
		},
		why:   func(*study) string { return "The server does the work all the same." },
		shows: atField("attemptTimeout", "Attempt timeout"),
	},
	{
		id: "outlives", slot: aboutOutage, tone: good,
		applies:  outlastedBy(1 - unseen),
		sentence: func(s *study) string { return "Outlives an outage of " + length(s.outage) + "." },
		why: func(s *study) string {
			return "An attempt is made once it is over: it takes " + s.attemptsMade() + " on average, that one included."
		},
		shows: atCurve,
	},
	{
		id: "outlives-likely", slot: aboutOutage, tone: good,
		applies:  outlastedBy(likely),
		sentence: outlivesWith,
		why:      endsWhen,
		shows:    atCurve,
	},
	{
		id: "outlives-perhaps", slot: aboutOutage, tone: bad,
		applies:  outlastedBy(unseen),
		sentence: outlivesWith,
		why:      endsWhen,
		shows:    atCurve,
	},
	{
		id: "perishes", slot: aboutOutage, tone: bad,
		applies:  outlastedBy(0),
		sentence: func(s *study) string { return "Does not outlive an outage of " + length(s.outage) + "." },
		why:      endsWhen,
		shows:    atCurve,
	},
	{
		id: "too-many-to-tell", slot: aboutOutage, tone: neutral,
		applies: func(s *study) bool { return s.outage > 0 },
		sentence: func(s *study) string {
			return "An outage of " + length(s.outage) + " takes more attempts than are looked at here."
		},
		why:   func(s *study) string { return "The curves end after " + count(float64(s.life.Cut)) + " attempts." },
		shows: atCurve,
	},
	{
		id: "not-retried", slot: aboutFilter, tone: bad,
		applies: func(s *study) bool { return !s.held && !s.policy.RetryOn.Has(s.class(s.policy)) },
		sentence: func(s *study) string {
			if s.class(s.policy) == strategies.Timeout {
				return "Does not retry timeouts, which is what it meets here: the outage ends the request at once."
			}
			return "Does not retry a refused connection: an outage ends the request at once."
		},
		why: func(s *study) string {
			if s.class(s.policy) == strategies.Timeout {
				return "Whoever stays silent may be back the next moment."
			}
			return "Nothing passes sooner than a connection that is refused while a server starts again."
		},
		shows: atField("retryOn", "Retries"),
	},
	{
		id: "retries-lasting", slot: aboutFilter, tone: bad,
		applies:  func(s *study) bool { return s.policy.RetryOn.Has(strategies.Permanent) && s.policy.MaxAttempts != 1 },
		sentence: func(*study) string { return "Retries 404: that never helps." },
		why: func(*study) string {
			return "What the client did wrong is as wrong the next time. Of the errors 4xx only a few pass, such as 408 and 429."
		},
		shows: atField("retryOn", "Retries"),
	},
	{
		id: "in-step", slot: aboutJitter, tone: bad,
		applies: func(s *study) bool {
			late := s.tooLate()
			retries := len(s.delays) > 0 && (late == nil || late.Attempt > 2 || late.Made > 0)
			return retries && s.clients > 1 && !s.jittered()
		},
		sentence: func(s *study) string {
			return "No jitter: " + plural(float64(s.clients), "client", "clients") + " stay in step."
		},
		why: func(s *study) string {
			return "Who failed together comes back together, each time, and the server meets all of them at once."
		},
		shows: func(s *study) templates.Link {
			return templates.Link{Href: s.compareWith(s.inFull()), Label: "beside full jitter"}
		},
	},
	{
		id: "gathers", slot: aboutCap, tone: bad,
		applies: func(s *study) bool { return s.jittered() && s.atCap >= 0.01 },
		sentence: func(s *study) string {
			return nearly(s.atCap, 1) + nbsp + "% of its delays sit exactly on the cap: clients meet there again."
		},
		why: func(s *study) string {
			return "What is drawn longer is cut to " + span(s.policy.Cap) + ", so all who are cut wait equally long."
		},
		shows: func(s *study) templates.Link {
			return templates.Link{Href: s.compareWith(s.inFull()), Label: "beside full jitter"}
		},
	},
	{
		id: "probes-in-step", slot: aboutProbes, tone: bad,
		applies: func(s *study) bool {
			return s.clients > 1 && s.policy.Breaker.Kind != "" && s.policy.Breaker.Args.Number("openJitter") == 0
		},
		sentence: func(s *study) string {
			return "Breakers that one outage opened probe together, " + span(s.policy.Breaker.Args.Duration("openFor")) + " later."
		},
		why: func(s *study) string {
			return "Each is open for exactly so long, whatever jitter the waits have: the server meets a probe of every one of them at a time."
		},
		shows: atField("breaker.openJitter", "Give or take, open"),
	},
	{
		id: "over-cap", slot: aboutExcess, tone: bad,
		applies: func(s *study) bool { return s.overCap() >= 0.001 },
		sentence: func(s *study) string {
			return "Exceeds its stated maximum by up to " + nearly(s.overCap(), 0) + nbsp + "%."
		},
		why: func(s *study) string {
			return "The cap of " + span(s.policy.Cap) + " holds before jitter, not after: delays reach " + seconds(s.longestDelay()) + "."
		},
		shows: atField("capAfterJitter", "Jitter keeps to it"),
	},
	{
		id: "hasty", slot: aboutFirst, tone: bad,
		applies: func(s *study) bool { return len(s.delays) > 0 && s.delays[0].Exact.Mean < s.roundTrip.Seconds() },
		sentence: func(s *study) string {
			return "First delay shorter than the round trip: " + seconds(s.delays[0].Exact.Mean) + s.onAverage() + ", where an answer takes " + span(s.roundTrip) + "."
		},
		why:   func(*study) string { return "Hardly anything can have changed so soon." },
		shows: atFirstWait,
	},
	{
		id: "crowded", slot: aboutClients, tone: bad,
		applies: func(s *study) bool { return s.jittered() && float64(s.clients) > s.safeClients() },
		sentence: func(s *study) string {
			return "Safe for up to " + plural(s.safeClients(), "client", "clients") + ", not for " + count(float64(s.clients)) + "."
		},
		why:   knockingOf,
		shows: inCompare,
	},
	{
		id: "uncrowded", slot: aboutClients, tone: good,
		applies: func(s *study) bool { return s.jittered() },
		sentence: func(s *study) string {
			return "Safe for up to " + plural(s.safeClients(), "client", "clients") + "."
		},
		why:   knockingOf,
		shows: inCompare,
	},
	{
		id: "as-advised", slot: aboutAdvice, tone: good,
		applies: func(s *study) bool { return len(s.delays) > 0 && s.strays() == "" },
		sentence: func(*study) string {
			return "Within what practitioners advise for calls that somebody waits for."
		},
		why:   func(*study) string { return advised },
		shows: atTable,
	},
	{
		id: "strays", slot: aboutAdvice, tone: neutral,
		applies: func(s *study) bool { return len(s.delays) > 0 },
		sentence: func(s *study) string {
			return "Not what practitioners advise for calls that somebody waits for: " + s.strays() + "."
		},
		why:   func(*study) string { return advised },
		shows: atTable,
	},
}

const advised = "They advise a first wait of 0.5–1 s that grows by a factor of 1.5–2, 3–5 attempts, and jitter of up to 0.5 s. Work in the background may go on far longer."

// onAverage says that the first delay is random.
func (s *study) onAverage() string {
	if first := s.delays[0].Exact; first.Min == first.Max {
		return ""
	}
	return " on average"
}

// meanFailure is after how long a request fails on average.
func (s *study) meanFailure() string {
	if s.end.Mean == nil {
		return noValue
	}
	return seconds(*s.end.Mean + s.fails.Seconds())
}

// outlastedBy reports whether there is an outage that is outlived with a probability of at least p.
func outlastedBy(p float64) func(*study) bool {
	return func(s *study) bool {
		survives, known := s.outlives()
		return known && s.outage > 0 && survives >= p
	}
}

// strays says where a policy leaves the advice; "" if it does not.
func (s *study) strays() string {
	var how []string
	first := s.delays[0]
	if first.Scheduled < 0.5 || first.Scheduled > 1 {
		how = append(how, "its first wait is "+seconds(first.Scheduled))
	}
	if len(s.delays) > 1 && first.Scheduled > 0 {
		if growth := s.delays[1].Scheduled / first.Scheduled; growth < 1.5 || growth > 2 {
			how = append(how, "it grows by a factor of "+brief(growth))
		}
	}
	switch n := s.limit(); {
	case n == 0:
		how = append(how, "it has any number of attempts")
	case n < 3 || n > 5:
		how = append(how, "it has "+plural(float64(n), "attempt", "attempts"))
	}
	widest := 0.0
	for _, row := range s.delays {
		widest = max(widest, row.Exact.Max-row.Exact.Min)
	}
	switch {
	case widest == 0:
		how = append(how, "it has no jitter")
	case widest > 0.5:
		how = append(how, "its jitter spreads over up to "+seconds(widest))
	}
	return joined(how)
}

// longestDelay is in seconds.
func (s *study) longestDelay() float64 {
	longest := 0.0
	for _, row := range s.delays {
		longest = max(longest, row.Exact.Max)
	}
	return longest
}

// overCap is by what share of the cap delays can exceed it.
func (s *study) overCap() float64 {
	if s.policy.Cap == 0 {
		return 0
	}
	return s.longestDelay()/s.policy.Cap.Seconds() - 1
}

func outlivesWith(s *study) string {
	return "Outlives an outage of " + length(s.outage) + " with probability " + probability(s.met.Survives) + "."
}

func endsWhen(s *study) string {
	if s.end == nil {
		return ""
	}
	if s.end.Max == 0 {
		return "Its only attempt is the one that meets the outage."
	}
	if s.end.Mean == nil {
		return "Its last attempt is made after " + seconds(s.end.Max) + " at the latest."
	}
	if seconds(*s.end.Mean) == seconds(s.end.Max) {
		return "Its last attempt is made after " + seconds(s.end.Max) + "."
	}
	return "Its last attempt is made after " + seconds(*s.end.Mean) + " on average, " + seconds(s.end.Max) + " at the latest."
}

// knockingOf shows the sum: by then N clients knock N ÷ wait times a second.
func knockingOf(s *study) string {
	wait, how := s.late.Exact.Mean, " is its mean wait before"
	if spread := s.spread(); spread < wait {
		wait, how = spread, " is what it spreads clients over before"
	}
	return seconds(wait) + " × " + brief(s.capacity) + " a second = " + count(s.safeClients()) + ": " + seconds(wait) + how + " retry " + count(float64(s.late.Retry)) +
		", so that " + plural(float64(s.clients), "client", "clients") + " knock " + knocks(float64(s.clients)/wait) + "."
}

func knocks(rate float64) string {
	if math.IsInf(rate, 1) {
		return "without a pause"
	}
	return brief(rate) + " times a second"
}

// atField leads to a control of the policy.
func atField(path, label string) func(*study) templates.Link {
	return func(*study) templates.Link {
		return templates.Link{Href: "#field-" + editorPrefix + path, Label: label}
	}
}

// atFirstWait leads to what sets the first wait: schedules without a base have a list, or nothing but their kind.
func atFirstWait(s *study) templates.Link {
	for _, key := range []string{"base", "delays"} {
		if _, has := s.policy.Schedule.Args[key]; has {
			return atField("schedule."+key, "First wait")(s)
		}
	}
	return atField("schedule.kind", "Growth")(s)
}

func atTable(*study) templates.Link { return templates.Link{Href: "#retries", Label: "every retry"} }

func atCurve(*study) templates.Link {
	return templates.Link{Href: "#chart-survival", Label: "outages of any length"}
}

func inCompare(s *study) templates.Link {
	return templates.Link{Href: s.compareWith(), Label: "simulate it"}
}

// probability writes one with two decimals, and never as 0 or 1 where it is neither.
func probability(p float64) string {
	switch {
	case p > 0 && p < 0.005:
		return brief(p)
	case p < 1 && p >= 0.995:
		return strings.TrimRight(fmt.Sprintf("%.4f", math.Floor(p*1e4)/1e4), "0")
	}
	return fmt.Sprintf("%.2f", p)
}

// length writes a duration with every unit that it has: "4 min 10 s".
func length(d time.Duration) string {
	if d < 2*time.Minute {
		return span(d)
	}
	var parts []string
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}} {
		if n := d / u.of; n > 0 {
			parts = append(parts, count(float64(n))+nbsp+u.name)
			d -= n * u.of
		}
	}
	if d > 0 {
		parts = append(parts, span(d))
	}
	return strings.Join(parts, " ")
}

func ordinal(n int64) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return count(float64(n)) + suffix
}
