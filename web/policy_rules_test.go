package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/strategiestest"
)

// studied is what is known of a policy, given as the page's address gives it.
func studied(t testing.TB, query string) *study {
	t.Helper()
	asked, err := url.ParseQuery(query)
	must(t, err)
	st, err := parsePolicyState(asked)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	s, err := newStudy(t.Context(), st.policy, st.trial)
	must(t, err)
	return s
}

const (
	doublingPolicy = "p=exponential,base=1s,factor=2,maxAttempts=4"
	percentage1    = "p=exponential,base=1s,cap=3s,jitter=percentage,fraction=0.1,maxAttempts=5"
)

// A case is a policy for which a rule speaks, with what it says, or one just beside its edge, for which it does not.
var policyCases = []struct{ rule, query, says, why string }{
	{"held", doublingPolicy + "&down=silent", "Waits for ever on a server that stays silent: it has no attempt timeout.", "No answer comes, and nothing ends the wait for one, so the first attempt is the last."},
	{"held", doublingPolicy + ",attemptTimeout=1ns&down=silent", "", ""},
	{"held", doublingPolicy, "", ""},

	{"never-retries", "p=exponential,base=1s,maxAttempts=1", "Never retries: the first failure is the last.", "It has one attempt."},
	{"never-retries", "p=exponential,base=1s,retryOn=timeout", "Never retries: the first failure is the last.", "What it meets here is not among the failures that it retries."},
	{"never-retries", "p=exponential,base=1s,maxAttempts=2", "", ""},

	{"no-limit", "p=exponential,base=1s", "No limit: it can retry for ever.", "Neither attempts nor a deadline end a request. Work that nobody waits for any more keeps knocking."},
	{"no-limit", "p=exponential,base=1s,maxAttempts=10001", "As good as no limit: it may be tried 10 001 times.", "No deadline ends a request before. Work that nobody waits for any more keeps knocking."},
	{"no-limit", "p=immediate,maxAttempts=10000", "", ""},
	{"no-limit", "p=exponential,base=1s,deadline=168h", "", ""},

	// 1 + 2 + 4 s of waits, and four failures of 40 ms.
	{"gives-up", doublingPolicy, "Gives up after 7.16 s.", "Its last attempt is made after 7.12 s at the latest, and fails after another 40 ms."},
	{"gives-up", doublingPolicy + "&roundTrip=0s", "Gives up after 7 s.", "Its last attempt is made after 7 s at the latest, and fails after another 0 s."},
	{"gives-up", doublingPolicy + ",attemptTimeout=500ms&down=silent", "Gives up after 9 s.", "Its last attempt is made after 8.5 s at the latest, and fails after another 500 ms."},
	{"gives-up", doublingPolicy + ",jitter=full&roundTrip=0s", "Gives up after 7 s at the latest, 3.5 s on average.", "Its last attempt is made after 7 s at the latest, and fails after another 0 s."},
	// The attempt after 30 s, or 20 s, would come too late, and at 30.08 s it does not: each failure takes 40 ms.
	{"gives-up", "p=exponential,base=10s,deadline=29s&roundTrip=0s", "Gives up after 10 s.", "Its last attempt is made after 10 s at the latest, and fails after another 0 s."},
	{"gives-up", "p=exponential,base=20s,deadline=19s", "Gives up after 40 ms.", "Its last attempt is made after 0 s at the latest, and fails after another 40 ms."},
	{"gives-up", "p=exponential,base=10s,deadline=30080ms", "Gives up after 30.1 s.", "Its last attempt is made after 30.1 s at the latest, and fails after another 40 ms."},
	{"gives-up", "p=exponential,base=10s,jitter=full,maxAttempts=2,deadline=4s&roundTrip=0s", "Gives up after 4 s at the latest, 800 ms on average.", "Its last attempt is made after 4 s at the latest, and fails after another 0 s."},
	// Moments that are drawn lie apart from each other, so that not all waits can be at their longest.
	{"gives-up", "p=exponential,base=2s,jitter=decorrelatedV2,maxAttempts=4&roundTrip=0s", "Gives up after 11.4 s at the latest, 8.21 s on average.", "Its last attempt is made after 11.4 s at the latest, and fails after another 0 s."},
	{"gives-up", "p=constant,base=1ms,deadline=1h&outage=1s", "Gives up after 60 min at the latest.", "Its last attempt is made after 60 min at the latest, and fails after another 40 ms."},
	{"gives-up", "p=exponential,base=1s", "", ""},

	{"deadline-never-met", doublingPolicy + ",deadline=7119ms", "The 4th attempt is never made: your 7.12 s deadline comes first.", "No wait is started that would end after the deadline."},
	{"deadline-never-met", doublingPolicy + ",deadline=7120ms", "", ""},
	{"deadline-never-met", doublingPolicy + ",jitter=full,deadline=5s", "", ""},

	// The second of two uniform waits, of 1 and 2 s: it ends after 2 s with probability 1/4 + 1/2·… worked out: P(U[0,1] + U[0,2] > 2) = 1/4.
	{"deadline-may-cut", "p=exponential,base=1s,jitter=full,maxAttempts=3,deadline=2s&roundTrip=0s", "The 3rd attempt can exceed your 2 s deadline (probability 0.25).", "It would be made after 0 s to 3 s. Where that is too late, the request fails at once, without waiting."},
	{"deadline-may-cut", "p=exponential,base=1s,jitter=full,maxAttempts=3,deadline=3s&roundTrip=0s", "", ""},
	{"deadline-may-cut", "p=exponential,base=1s,jitter=full,maxAttempts=3&roundTrip=0s", "", ""},

	{"impatient", doublingPolicy + ",attemptTimeout=39ms", "No attempt can succeed: each is given up after 39 ms, and an answer takes 40 ms.", "The server does the work all the same."},
	{"impatient", doublingPolicy + ",attemptTimeout=40ms", "", ""},

	{"outlives", doublingPolicy + "&outage=7120ms", "Outlives an outage of 7.12 s.", "An attempt is made once it is over: it takes 4 on average, that one included."},
	{"outlives", doublingPolicy + "&outage=7121ms", "", ""},
	// Renewal theory: attempt 5 is made after 7.66 s on average, then 242.34/5.04 + 33.74/(2·5.04²) more.
	{"outlives", "p=exponential,base=1s,cap=10s,jitter=full&outage=4m10s", "Outlives an outage of 4 min 10 s.", "An attempt is made once it is over: it takes 53.7 on average, that one included."},
	{"outlives", "p=constant,base=1ms&outage=1h", "Outlives an outage of 1 h.", "An attempt is made once it is over: it takes more than 10 000 on average, that one included."},
	{"outlives", doublingPolicy + "&outage=0s", "", ""},

	// P(U[0, 1] ≥ 0.05) is 0.95.
	{"outlives-likely", "p=constant,base=1s,jitter=full,maxAttempts=2&roundTrip=0s&outage=50ms", "Outlives an outage of 50 ms with probability 0.95.", "Its last attempt is made after 500 ms on average, 1 s at the latest."},
	{"outlives-likely", "p=constant,base=1s,jitter=full,maxAttempts=2&roundTrip=0s&outage=51ms", "", ""},
	{"outlives-perhaps", "p=constant,base=1s,jitter=full,maxAttempts=2&roundTrip=0s&outage=51ms", "Outlives an outage of 51 ms with probability 0.95.", "Its last attempt is made after 500 ms on average, 1 s at the latest."},
	{"outlives-perhaps", "p=constant,base=1s,jitter=full,maxAttempts=2&roundTrip=0s&outage=999ms", "Outlives an outage of 999 ms with probability 0.001.", "Its last attempt is made after 500 ms on average, 1 s at the latest."},
	{"outlives-perhaps", "p=constant,base=1s,jitter=full,maxAttempts=2&roundTrip=0s&outage=1s", "", ""},
	{"perishes", "p=constant,base=1s,jitter=full,maxAttempts=2&roundTrip=0s&outage=1s", "Does not outlive an outage of 1 s.", "Its last attempt is made after 500 ms on average, 1 s at the latest."},
	{"perishes", "p=constant,base=1s,maxAttempts=1&outage=1ms", "Does not outlive an outage of 1 ms.", "Its only attempt is the one that meets the outage."},
	{"perishes", "p=constant,base=1s,jitter=full,maxAttempts=2&roundTrip=0s&outage=999ms", "", ""},
	{"perishes", "p=constant,base=1s,maxAttempts=1&outage=0s", "", ""},
	{"too-many-to-tell", "p=constant,base=1ms,deadline=2h&outage=1h", "An outage of 1 h takes more attempts than are looked at here.", "The curves end after 10 000 attempts."},
	{"too-many-to-tell", "p=constant,base=1ms,deadline=2h&outage=1m", "", ""},

	{"not-retried", "p=exponential,base=1s,retryOn=timeout", "Does not retry a refused connection: an outage ends the request at once.", "Nothing passes sooner than a connection that is refused while a server starts again."},
	{"not-retried", "p=exponential,base=1s,attemptTimeout=1s,retryOn=unavailable&down=silent", "Does not retry timeouts, which is what it meets here: the outage ends the request at once.", "Whoever stays silent may be back the next moment."},
	{"not-retried", "p=exponential,base=1s,retryOn=unavailable", "", ""},
	{"not-retried", "p=exponential,base=1s,attemptTimeout=1s,retryOn=timeout&down=silent", "", ""},
	{"retries-lasting", "p=exponential,base=1s,retryOn=unavailable/permanent", "Retries 404: that never helps.", "What the client did wrong is as wrong the next time. Of the errors 4xx only a few pass, such as 408 and 429."},
	{"retries-lasting", "p=exponential,base=1s,maxAttempts=1,retryOn=unavailable/permanent", "", ""},
	{"retries-lasting", doublingPolicy, "", ""},

	{"in-step", doublingPolicy, "No jitter: 1000 clients stay in step.", "Who failed together comes back together, each time, and the server meets all of them at once."},
	{"in-step", doublingPolicy + ",jitter=percentage,fraction=0", "No jitter: 1000 clients stay in step.", "Who failed together comes back together, each time, and the server meets all of them at once."},
	{"in-step", doublingPolicy + "&clients=1", "", ""},
	{"in-step", doublingPolicy + ",jitter=full", "", ""},
	{"in-step", "p=exponential,base=1s,maxAttempts=1", "", ""},
	{"in-step", "p=exponential,base=1s,deadline=500ms", "", ""},
	{"in-step", "p=exponential,base=1s,deadline=2s", "No jitter: 1000 clients stay in step.", "Who failed together comes back together, each time, and the server meets all of them at once."},

	{"probes-in-step", doublingPolicy + ",jitter=full,breaker.failures=5", "Breakers that one outage opened probe together, 10 s later.", "Each is open for exactly so long, whatever jitter the waits have: the server meets a probe of every one of them at a time."},
	{"probes-in-step", doublingPolicy + ",jitter=full,breaker.failures=5,breaker.openJitter=0.001", "", ""},
	{"probes-in-step", doublingPolicy + ",jitter=full,breaker.failures=5&clients=1", "", ""},
	{"probes-in-step", doublingPolicy + ",jitter=full,budget.kind=aws", "", ""},

	{"gathers", "p=constant,base=100ms,cap=10s,jitter=decorrelated", "31.5 % of its delays sit exactly on the cap: clients meet there again.", "What is drawn longer is cut to 10 s, so all who are cut wait equally long."},
	{"gathers", "p=constant,base=100ms,cap=100ms,capAfterJitter=true,jitter=range,low=0,high=1.02", "2.0 % of its delays sit exactly on the cap: clients meet there again.", "What is drawn longer is cut to 100 ms, so all who are cut wait equally long."},
	{"gathers", "p=constant,base=100ms,cap=100ms,capAfterJitter=true,jitter=range,low=0,high=1.01", "", ""}, // 0.99 %
	{"gathers", "p=constant,base=100ms,cap=100ms", "", ""}, // no jitter: they meet anyway

	{"over-cap", percentage1, "Exceeds its stated maximum by up to 10 %.", "The cap of 3 s holds before jitter, not after: delays reach 3.3 s."},
	{"over-cap", strings.Replace(percentage1, "cap=3s", "cap=3s,capAfterJitter=true", 1), "", ""},
	{"over-cap", strings.Replace(percentage1, "cap=3s", "cap=1h", 1), "", ""}, // which it does not reach
	{"over-cap", doublingPolicy + ",jitter=percentage", "", ""},

	{"hasty", "p=constant,base=39ms,maxAttempts=4", "First delay shorter than the round trip: 39 ms, where an answer takes 40 ms.", "Hardly anything can have changed so soon."},
	{"hasty", "p=constant,base=79ms,jitter=full,maxAttempts=4", "First delay shorter than the round trip: 39.5 ms on average, where an answer takes 40 ms.", "Hardly anything can have changed so soon."},
	{"hasty", "p=constant,base=40ms,maxAttempts=4", "", ""},
	{"hasty", "p=constant,base=39ms,maxAttempts=1", "", ""},

	// cap · capacity / 2 = 10 s · 200 / 2
	{"crowded", "p=exponential,base=100ms,cap=10s,jitter=full&clients=1001", "Safe for up to 1000 clients, not for 1001.", "5 s × 200 a second = 1000: 5 s is its mean wait before retry 8, so that 1001 clients knock 200 times a second."},
	{"crowded", "p=exponential,base=100ms,cap=10s,jitter=full&clients=1000", "", ""},
	{"uncrowded", "p=exponential,base=100ms,cap=10s,jitter=full&clients=1000", "Safe for up to 1000 clients.", "5 s × 200 a second = 1000: 5 s is its mean wait before retry 8, so that 1000 clients knock 200 times a second."},
	{"uncrowded", "p=exponential,base=1s,jitter=percentage,maxAttempts=5&clients=320", "Safe for up to 320 clients.", "1.6 s × 200 a second = 320: 1.6 s is what it spreads clients over before retry 4, so that 320 clients knock 200 times a second."},
	{"uncrowded", "p=exponential,base=1s,jitter=percentage,maxAttempts=5&clients=321", "", ""},
	{"uncrowded", "p=exponential,base=100ms,cap=10s,jitter=full&clients=1001", "", ""},
	{"uncrowded", "p=exponential,base=100ms,cap=10s", "", ""},

	{"as-advised", "p=exponential,base=500ms,factor=1.5,jitter=additive,max=500ms,maxAttempts=3", "Within what practitioners advise for calls that somebody waits for.", advised},
	{"as-advised", "p=exponential,base=1s,jitter=additive,max=500ms,maxAttempts=5", "Within what practitioners advise for calls that somebody waits for.", advised},
	{"as-advised", "p=exponential,base=499ms,factor=1.5,jitter=additive,max=500ms,maxAttempts=3", "", ""},
	{"as-advised", "p=exponential,base=1s,jitter=additive,max=501ms,maxAttempts=5", "", ""},
	{"strays", "p=exponential,base=1001ms,factor=2.1,jitter=additive,max=600ms,maxAttempts=6", "Not what practitioners advise for calls that somebody waits for: its first wait is 1 s, it grows by a factor of 2.1, it has 6 attempts and its jitter spreads over up to 600 ms.", advised},
	{"strays", "p=constant,base=1s,maxAttempts=2", "Not what practitioners advise for calls that somebody waits for: it has 2 attempts and it has no jitter.", advised},
	{"strays", "p=exponential,base=1s,jitter=additive,max=500ms", "Not what practitioners advise for calls that somebody waits for: it has any number of attempts.", advised},
	{"strays", "p=exponential,base=1s,jitter=additive,max=500ms,maxAttempts=5", "", ""},
	{"strays", "p=exponential,base=1s,maxAttempts=1", "", ""},
}

func TestPolicyRules(t *testing.T) {
	simtest.PlainRunOnly(t)
	speaks, keeps := map[string]int{}, map[string]int{}
	for _, c := range policyCases {
		said := hear(policyRules, policySlots, studied(t, c.query))
		at := slices.IndexFunc(said, func(s spoken) bool { return s.id == c.rule })
		switch {
		case c.says == "":
			keeps[c.rule]++
			if at >= 0 {
				t.Errorf("%s: %s should not say %s", c.query, c.rule, said[at].sentence)
			}
		case at < 0:
			t.Errorf("%s: %s does not speak, but %v", c.query, c.rule, said)
		default:
			speaks[c.rule]++
			if got := plainSpaces.Replace(said[at].sentence); got != c.says {
				t.Errorf("%s: %s\nsays %s\nwant %s", c.query, c.rule, got, c.says)
			}
			if got := plainSpaces.Replace(said[at].why); got != c.why {
				t.Errorf("%s: %s\nwhy  %s\nwant %s", c.query, c.rule, got, c.why)
			}
			if said[at].shows.Href == "" || said[at].shows.Label == "" {
				t.Errorf("%s leads nowhere", c.rule)
			}
		}
	}
	for _, r := range policyRules {
		if speaks[r.id] == 0 || keeps[r.id] == 0 {
			t.Errorf("%s has %d cases in which it speaks and %d in which it does not", r.id, speaks[r.id], keeps[r.id])
		}
	}
}

// Whatever the policy, probabilities are such, an outage is the less likely outlived the longer it is, and what is said
// has no number that does not exist.
func TestAnyPolicyCanBeStudied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := strategies.ParsePolicy(strategiestest.AnyPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		query := url.Values{}
		for key, values := range map[string][]string{
			"outage": {"0s", "1ns", "10s", "168h"}, "roundTrip": {"0s", "1ns", "40ms", "168h"}, "down": {refuses, staysSilent},
			"clients": {"1", "1000", "10000000"}, "capacity": {"0.001", "200", "1e9"}, "retries": {"1", "30"},
		} {
			query.Set(key, rapid.SampledFrom(values).Draw(t, key))
		}
		trial, err := takeTrial(query)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newStudy(t.Context(), p, trial)
		if err != nil {
			t.Fatal(err)
		}
		before := 1.0
		for _, x := range s.life.Survival {
			if !(x.Survives >= 0 && x.Survives <= before+1e-6) || !(x.Attempts >= x.Survives) {
				t.Fatalf("after %v: %+v", before, x)
			}
			before = x.Survives
		}
		for _, said := range hear(policyRules, policySlots, s) {
			text := said.sentence + said.why
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "  ") {
				t.Errorf("%s: %q", said.id, text)
			}
		}
		asJSON(s.table())
		survivalChart(s)
		attemptsChart(s)
		if rows := s.shown(); len(rows) > 0 {
			waitsChart(rows)
			momentsChart(s.moments())
		}
	})
}
