package web

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// never is a time that does not exist.
var never = math.NaN()

// Policies of the opening scenario.
const (
	plainText = "exponential,base=100ms,cap=10s"
	fullText  = "exponential,base=100ms,cap=10s,jitter=full"
	equalText = "exponential,base=100ms,cap=10s,jitter=equal"
	shortText = "exponential,base=100ms,cap=2s,jitter=full"
	threeText = "exponential,base=100ms,cap=10s,jitter=full,maxAttempts=3"
)

const (
	fourText = "exponential,base=100ms,cap=2s,jitter=full,maxAttempts=4,attemptTimeout=1s"
	twoText  = "exponential,base=100ms,cap=2s,jitter=full,maxAttempts=2,attemptTimeout=1s"
)

var (
	recovers = map[string]float64{"recovered": 1}
	stays    = map[string]float64{"recovered": 0, "amplification": 3.5}
)

// queued is steady traffic at the opening scenario's server, which cannot crash, with its outage and another queue.
func queued(rate float64, queue int) func(*sim.Scenario) {
	return func(sc *sim.Scenario) {
		sc.Clients.Workload = sim.Workload{Kind: sim.Open, Rate: rate}
		sc.Server.Queue, sc.Server.Crash = queue, nil
	}
}

func steadily(rate float64) func(*sim.Scenario) {
	return func(sc *sim.Scenario) {
		sc.Clients.Workload = sim.Workload{Kind: sim.Open, Rate: rate}
		sc.Server.Outages = nil
	}
}

// downLate is steady traffic at a server that is down in the last quarter of the time.
func downLate(sc *sim.Scenario) {
	queued(140, 1000)(sc)
	sc.Server.Outages[0].End = sc.Horizon - sc.Horizon/4
}

// slowed is steady traffic at a server that a thousand requests at once make sixty times as slow: it serves 328 a second then.
func slowed(rate float64) func(*sim.Scenario) {
	return func(sc *sim.Scenario) {
		queued(rate, 0)(sc)
		sc.Server.Workers, sc.Server.Slowdown = 1000, 0.06
		sc.Server.ServiceTime.Args["mean"] = 50 * time.Millisecond
	}
}

// fiveNodes puts nodes so far apart in place of the machine.
func fiveNodes(apart time.Duration) func(*sim.Scenario) {
	return func(sc *sim.Scenario) {
		sc.Server.Nodes = sim.Nodes{Count: 5, Balancer: sim.LeastInFlight, ComeUp: apart}
		sc.Server.Workers, sc.Server.Queue = 4, 80
	}
}

// A case is figures for which a rule speaks, or figures just beside its edge, for which another does or none.
type verdictCase struct {
	rule     string
	speaks   bool
	edit     func(*sim.Scenario) // nil: the opening scenario
	policies []made
	want     string // the sentence, if it speaks
	why      string
}

var fullBest = made{name: "F", policy: fullText, success: 1, third: 19.6}

var verdictCases = []verdictCase{
	{rule: "backing-off-alone", speaks: true, policies: []made{fullBest, {name: "X", policy: plainText, success: 0.021, crashes: 5, third: never}},
		want: "Backing off alone does not save this server: with “X” it crashes 5 times a run, and only 2.10 % get through.",
		why:  "Without jitter 1000 return in step, and 400 can wait."},
	{rule: "backing-off-alone", speaks: true, edit: fiveNodes(3 * time.Second), policies: []made{fullBest, {name: "X", policy: plainText, success: 0.021, crashes: 5, third: never}},
		want: "Backing off alone does not save this server: with “X” nodes crash 5 times a run, and only 2.10 % get through.",
		why:  "Without jitter 1000 return in step, and 400 can wait."},
	{rule: "backing-off-alone", speaks: true, policies: []made{fullBest, {name: "X", policy: plainText, crashes: 0.94, third: never}},
		want: "Backing off alone is not enough: with “X” nobody gets through.",
		why:  "Without jitter 1000 return in step, and 400 can wait."},
	{rule: "backing-off-alone", speaks: true, policies: []made{fullBest, {name: "X", policy: plainText, success: 1, crashes: 1, third: 30}}, // all served, after a crash
		want: "Backing off alone does not save this server: with “X” it crashes once a run, and all get through in the end.",
		why:  "Without jitter 1000 return in step, and 400 can wait."},
	{rule: "backing-off-alone", policies: []made{fullBest, {name: "X", policy: plainText, success: 1, crashes: 0.94, third: 30}}},                                  // all served, hardly a crash
	{rule: "backing-off-alone", policies: []made{{name: "F", policy: fullText, success: 0.9, third: 19}, {name: "X", policy: plainText, success: 0.9, third: 30}}}, // as many
	{rule: "backing-off-alone", policies: []made{fullBest, {name: "X", policy: "constant,base=1s", success: 0.02, crashes: 5, third: never}}},                      // does not back off
	{rule: "backing-off-alone", policies: []made{{name: "C", policy: "constant,base=1s", success: 1, third: 19}, {name: "X", policy: plainText, third: never}}},    // the best has no jitter either

	{rule: "giving-up-helps", speaks: true, edit: steadily(160), policies: []made{{name: "T", policy: threeText, success: 0.8, third: 132},
		{name: "F", policy: fullText, success: 0.1, third: 16, more: map[string]float64{"amplification": 12}}, {name: "C", success: 0.02, third: 2}},
		want: "Here it is giving up that helps: whoever retries without end gets fewer served, 10 % of the 1000 requests at the most, with “F”.",
		why:  "“F” makes 160 × 12 = 1920 attempts a second, where 200 can be served."},
	{rule: "giving-up-helps", edit: steadily(160), policies: []made{{name: "T", policy: threeText, success: 0.8, third: 132}, {name: "F", policy: fullText, success: 0.8, third: 16}}},  // as many
	{rule: "giving-up-helps", edit: steadily(160), policies: []made{{name: "T", policy: threeText, success: 0.8, third: 132}, {name: "U", policy: threeText, success: 0.1, third: 16}}}, // nobody is endless
	{rule: "giving-up-helps", policies: []made{{name: "T", policy: threeText, success: 0.8, third: never}, {name: "F", policy: fullText, success: 0.1, third: never}}},                  // a burst

	{rule: "guard-helps", speaks: true, edit: steadily(140), policies: []made{
		{name: "G", policy: fourText + ",budget.kind=ratio,budget.ratio=0.1,budget.burst=10", success: 0.9, third: 126, more: map[string]float64{"failed.budget": 30}},
		{name: "F", policy: fourText, success: 0.18, third: 25, more: map[string]float64{"amplification": 3.5, "recovered": 0}}},
		want: "The retry budget helps: with “G” 90 % get through; without it (“F”) only 18 % get through.",
		why:  "“F” makes 140 × 3.5 = 490 attempts a second, where 200 can be served. In the long run the budget allows 140 × (1 + 0.1) = 154 attempts a second. “G” had no retry left for 30 requests a run."},
	{rule: "guard-helps", speaks: true, policies: []made{ // of a burst too; and several
		{name: "G", policy: fullText + ",breaker.failures=5,throttle.k=2", success: 1, third: 20, more: map[string]float64{"notSent": 7}}, {name: "F", policy: fullText, success: 0.9, third: never}},
		want: "The circuit breaker and throttling help: with “G” all get through in the end; without them (“F”) 90 % get through.", why: "“G” stopped 7 attempts a run before they left."},
	{rule: "guard-helps", policies: []made{{name: "G", policy: fullText + ",breaker.failures=5", success: 1, successHalf: 0.05, third: 20}, {name: "F", policy: fullText, success: 0.9, successHalf: 0.05, third: never}}},                        // they meet
	{rule: "guard-helps", policies: []made{{name: "G", policy: fullText + ",breaker.failures=5", success: 1, third: 20}, {name: "F", policy: equalText, success: 0.9, third: never}}},                                                             // another policy
	{rule: "guard-helps", policies: []made{{name: "E", policy: equalText, success: 1, third: 20}, {name: "G", policy: fullText + ",breaker.failures=5", success: 0.95, third: never}, {name: "F", policy: fullText, success: 0.9, third: never}}}, // others serve more

	{rule: "overload-stays", speaks: true, edit: queued(140, 1000), policies: []made{{name: "T", policy: "immediate,maxAttempts=1", success: 0.9, third: 126, more: recovers},
		{name: "F", policy: fourText, success: 0.18, successHalf: 0.01, third: 25, more: stays},
		{name: "A", policy: "immediate,maxAttempts=4,attemptTimeout=1s", success: 0.179, successHalf: 0.01, third: 25, more: stays}},
		want: "Overload stays here: with “F” and “A” no run recovers, with jitter as without, although 140 requests come a second where 200 can be served.",
		why:  "“F” makes 140 × 3.5 = 490 attempts a second, where 200 can be served. A full queue takes 1000 ÷ 200 a second = 5 s to work off, and clients wait 1 s: what is served then nobody waits for."},
	{rule: "overload-stays", speaks: true, edit: queued(140, 200), policies: []made{{name: "T", policy: "immediate,maxAttempts=1", success: 0.9, third: 126, more: recovers},
		{name: "F", policy: fourText, success: 0.18, third: 25, more: stays}, {name: "A", policy: "immediate,maxAttempts=4", success: 0.1, third: 25, more: stays}},
		want: "Overload stays here: with “F” and “A” no run recovers, although 140 requests come a second where 200 can be served.", // jitter does help, a little
		why:  "“F” makes 140 × 3.5 = 490 attempts a second, where 200 can be served."},
	{rule: "overload-stays", speaks: true, edit: queued(140, 1000), policies: []made{{name: "F", policy: fourText, success: 0.18, third: 25, more: stays}}, // nobody recovers
		want: "Overload stays here: with “F” no run recovers, although 140 requests come a second where 200 can be served.",
		why:  "“F” makes 140 × 3.5 = 490 attempts a second, where 200 can be served. A full queue takes 1000 ÷ 200 a second = 5 s to work off, and clients wait 1 s: what is served then nobody waits for."},
	{rule: "overload-stays", edit: downLate, policies: []made{{name: "F", policy: fourText, success: 0.18, third: 25, more: stays}}}, // it could not yet
	{rule: "overload-stays", speaks: true, edit: slowed(200), policies: []made{{name: "T", policy: twoText, success: 0.9, third: 126, more: recovers}, {name: "F", policy: fourText, success: 0.5, third: 25, more: stays}},
		want: "Overload stays here: with “F” no run recovers, although 200 requests come a second where 328 can be served.",
		why:  "“F” makes 200 × 3.5 = 700 attempts a second, where 328 can be served."},
	{rule: "overload-stays", edit: slowed(400), policies: []made{{name: "T", policy: twoText, success: 0.9, third: 126, more: recovers}, {name: "F", policy: fourText, success: 0.5, third: 25, more: stays}}},                           // more than it can serve
	{rule: "overload-stays", edit: queued(140, 1000), policies: []made{{name: "T", success: 0.9, third: 126, more: recovers}, {name: "F", success: 0.5, third: 74, more: map[string]float64{"recovered": 0, "amplification": 1.4}}}},     // not overloaded
	{rule: "overload-stays", edit: queued(140, 1000), policies: []made{{name: "T", success: 0.9, third: 126, more: recovers}, {name: "F", success: 0.18, third: 25, more: map[string]float64{"recovered": 0.05, "amplification": 3.5}}}}, // a run does
	{rule: "overload-stays", edit: queued(140, 1000), policies: []made{{name: "T", success: 0.9, third: 126, more: map[string]float64{"recovered": 0.95}}, {name: "F", success: 0.18, third: 25, more: stays}}},
	{rule: "overload-stays", edit: queued(140, 1000), policies: []made{{name: "T", success: 0.9, successHalf: 0.11, third: 126, more: recovers}, {name: "F", success: 0.7, successHalf: 0.1, third: 25, more: stays}}}, // it serves as many
	{rule: "overload-stays", edit: queued(200, 1000), policies: []made{{name: "T", success: 0.9, third: 126, more: recovers}, {name: "F", success: 0.18, third: 25, more: stays}}},                                     // more than it can serve
	{rule: "overload-stays", policies: []made{{name: "T", success: 1, third: 19, more: recovers}, {name: "F", success: 0.18, third: never, more: stays}}},                                                              // a burst

	{rule: "server-sheds", speaks: true, edit: queued(140, 199), policies: []made{{name: "F", policy: fourText, success: 0.97, third: 135, more: recovers}, {name: "T", policy: twoText, success: 0.96, third: 134, more: recovers}},
		want: "Every run recovers, whatever the policy: a full queue takes 199 ÷ 200 a second = 995 ms, and clients wait 1 s, so that what is served is hardly ever too late.",
		why:  "All attempts of “F” would be 140 × 4 = 560 a second, where 200 can be served."},
	{rule: "server-sheds", speaks: true, edit: func(sc *sim.Scenario) { queued(140, 1000)(sc); sc.Server.MaxQueueWait = 500 * time.Millisecond }, policies: []made{{name: "F", policy: fourText, success: 0.97, third: 135, more: recovers}},
		want: "Every run recovers, whatever the policy: the server turns away what has waited 500 ms, and clients wait 1 s, so that what is served is hardly ever too late.",
		why:  "All attempts of “F” would be 140 × 4 = 560 a second, where 200 can be served."},
	{rule: "server-sheds", edit: queued(140, 200), policies: []made{{name: "F", policy: fourText, success: 0.97, third: 135, more: recovers}}},                                                                                            // as long as clients wait
	{rule: "server-sheds", edit: queued(140, 199), policies: []made{{name: "F", policy: fourText, success: 0.97, third: 135, more: map[string]float64{"recovered": 0.95}}}},                                                               // a run does not recover
	{rule: "server-sheds", edit: queued(50, 199), policies: []made{{name: "F", policy: fourText, success: 0.97, third: 48, more: recovers}}},                                                                                              // could not stay overloaded: 4 × 50 is not more than 200
	{rule: "server-sheds", edit: func(sc *sim.Scenario) { queued(140, 199)(sc); sc.Server.Outages = nil }, policies: []made{{name: "F", policy: fourText, success: 0.97, third: 135, more: recovers}}},                                    // nothing happens
	{rule: "server-sheds", edit: queued(140, 199), policies: []made{{name: "F", policy: fourText, success: 0.97, third: 135, more: recovers}, {name: "U", policy: "immediate,maxAttempts=4", success: 0.97, third: 135, more: recovers}}}, // waits for ever

	{rule: "spread-already", speaks: true, edit: func(sc *sim.Scenario) { sc.Clients.Workload.Spread = 5 * time.Second },
		policies: []made{{name: "X", policy: plainText, success: 1, third: 14}, {name: "F", policy: fullText, success: 1, third: 18.3}},
		want:     "Jitter only costs time here: 99 % are served within 14 s without it, within 18.3 s with “F”.",
		why:      "They lose the server over 5 s, and the work of 1000 takes 5 s: that wave is wide enough as it is."},
	{rule: "spread-already", speaks: true, edit: func(sc *sim.Scenario) { sc.Clients.Workload.Spread = 4 * time.Second }, // not as wide as the work
		policies: []made{{name: "X", policy: plainText, success: 1, third: 14}, {name: "F", policy: fullText, success: 1, third: 18.3}},
		want:     "Jitter only costs time here: 99 % are served within 14 s without it, within 18.3 s with “F”."},
	{rule: "spread-already", policies: []made{{name: "X", policy: plainText, success: 1, third: 14}, {name: "F", policy: fullText, success: 1, third: 18.3}}}, // all at once
	{rule: "spread-already", edit: func(sc *sim.Scenario) { sc.Clients.Workload.Spread = 5 * time.Second },
		policies: []made{{name: "X", policy: plainText, success: 1, third: 14, thirdHalf: 3}, {name: "F", policy: fullText, success: 1, third: 18.3, thirdHalf: 3}}}, // cannot be told apart
	{rule: "spread-already", edit: func(sc *sim.Scenario) { sc.Clients.Workload.Spread = 5 * time.Second },
		policies: []made{{name: "X", policy: plainText, success: 1, third: 14}, {name: "F", policy: shortText, success: 1, third: 18.3}}}, // they differ in more than the jitter

	{rule: "nobody", speaks: true, policies: []made{{name: "A", third: never}, {name: "B", crashes: 2, third: never}},
		want: "Nobody is served: no policy brings a single one of the 1000 clients through."},
	{rule: "nobody", policies: []made{{name: "A", success: 0.001, third: never}}},

	{rule: "not-even-half", speaks: true, policies: []made{{name: "A", success: 0.499, third: never}, {name: "B", success: 0.1, third: never}},
		want: "No policy serves even half of the 1000 clients: “A” comes closest, with 49.9 % of the 1000 clients, without a crash.",
		why:  "The wave must be at least 1000 ÷ 200 a second = 5 s wide."},
	{rule: "not-even-half", speaks: true, policies: []made{{name: "A", success: 0.4, successHalf: 0.1, third: never}, {name: "B", success: 0.3, successHalf: 0.1, third: never}},
		want: "No policy serves even half of the 1000 clients: “A” and “B” come closest and cannot be told apart; “A” serves 40 % of the 1000 clients, without a crash.",
		why:  "The wave must be at least 1000 ÷ 200 a second = 5 s wide."},
	{rule: "not-even-half", policies: []made{{name: "A", success: 0.5, third: never}, {name: "B", success: 0.1, third: never}}},
	{rule: "not-even-half", policies: []made{{name: "A", success: 0.3, third: never}}}, // alone on the page

	{rule: "no-crowd", speaks: true, edit: steadily(160), policies: []made{{name: "X", policy: plainText, success: 1, third: 159, thirdHalf: 1}, {name: "F", policy: fullText, success: 1, third: 160, thirdHalf: 1}},
		want: "Jitter makes no difference here: the policies cannot be told apart, every difference lies within the intervals. “X” serves all 1000 requests, 159 a second, without a crash.",
		why:  "Requests come one by one at random moments and fail at random ones: there is no crowd to spread. Jitter spreads what an outage or a common start has brought together."},
	{rule: "no-crowd", edit: steadily(160), policies: []made{{name: "X", policy: plainText, success: 1, third: 158, thirdHalf: 0.9}, {name: "F", policy: fullText, success: 1, third: 160, thirdHalf: 1}}},                             // told apart
	{rule: "no-crowd", edit: steadily(160), policies: []made{{name: "X", policy: fullText, success: 1, third: 159, thirdHalf: 1}, {name: "F", policy: fullText, success: 1, third: 160, thirdHalf: 1}}},                                // one jitter
	{rule: "no-crowd", edit: steadily(160), policies: []made{{name: "X", policy: plainText, success: 1, crashes: 0.1, crashHalf: 0.2, third: 159, thirdHalf: 1}, {name: "F", policy: fullText, success: 1, third: 160, thirdHalf: 1}}}, // a crash brings them together
	{rule: "no-crowd", edit: func(sc *sim.Scenario) { sc.Clients.Workload = sim.Workload{Kind: sim.Open, Rate: 160} }, // so does an outage
		policies: []made{{name: "X", policy: plainText, success: 1, third: 159, thirdHalf: 1}, {name: "F", policy: fullText, success: 1, third: 160, thirdHalf: 1}}},
	{rule: "no-crowd", policies: []made{{name: "X", policy: plainText, success: 1, third: 19, thirdHalf: 1}, {name: "F", policy: fullText, success: 1, third: 20, thirdHalf: 1}}}, // and a burst

	{rule: "level", speaks: true, policies: []made{{name: "A", success: 1, third: 20, thirdHalf: 1}, {name: "B", success: 1, third: 20, thirdHalf: 1}},
		want: "The policies cannot be told apart: every difference lies within the intervals. They serve all 1000 clients, 99 % of them within 20.0 s, without a crash.",
		why:  "The wave must be at least 1000 ÷ 200 a second = 5 s wide."},
	{rule: "level", policies: []made{{name: "A", success: 1, third: 20, thirdHalf: 1}, {name: "B", success: 1, third: 22.01, thirdHalf: 1}}},

	{rule: "level-at-the-top", speaks: true, policies: []made{{name: "A", success: 1, third: 20, thirdHalf: 1}, {name: "B", success: 1, third: 22, thirdHalf: 1}, {name: "C", success: 1, third: 35, thirdHalf: 1}},
		want: "“A” and “B” are best and cannot be told apart: “A” serves all 1000 clients, 99 % of them within 20.0 s, without a crash.",
		why:  "The wave must be at least 1000 ÷ 200 a second = 5 s wide."},
	{rule: "level-at-the-top", policies: []made{{name: "A", success: 1, third: 20, thirdHalf: 1}, {name: "B", success: 1, third: 22.01, thirdHalf: 1}, {name: "C", success: 1, third: 35, thirdHalf: 1}}},

	{rule: "best-and-next", speaks: true, policies: []made{fullBest, {name: "E", policy: equalText, success: 1, third: 20.1}, {name: "C", success: 0.5, third: never}},
		want: "“F” serves all 1000 clients, 99 % of them within 19.6 s, without a crash; “E” serves as many in 20.1 s.",
		why:  "The wave must be at least 1000 ÷ 200 a second = 5 s wide. By the recovery “F” waits 5 s on average: 1000 clients knock 200 times a second, where 200 can be served."},
	{rule: "best-and-next", policies: []made{fullBest, {name: "E", policy: equalText, success: 1, third: 20.1}}},                                                      // the cost says it
	{rule: "best-and-next", policies: []made{fullBest, {name: "E", policy: equalText, success: 1, crashes: 1, third: 20.1}, {name: "C", success: 0.5, third: never}}}, // not as safe
	{rule: "best-and-next", policies: []made{fullBest, {name: "E", policy: equalText, success: 0.98, third: never}, {name: "C", success: 0.5, third: never}}},         // not as many

	{rule: "best", speaks: true, policies: []made{{name: "A", success: 0.5, third: never}, {name: "B", success: 0.1, third: never}},
		want: "“A” serves 50 % of the 1000 clients, without a crash.", why: "The wave must be at least 1000 ÷ 200 a second = 5 s wide."},
	{rule: "best", speaks: true, edit: func(sc *sim.Scenario) { sc.Server.Crash = nil }, policies: []made{{name: "A", success: 1, third: 0.25}}, // cannot crash
		want: "“A” serves all 1000 clients, 99 % of them within 250 ms.", why: "The wave must be at least 1000 ÷ 200 a second = 5 s wide."},
	{rule: "best", speaks: true, edit: steadily(160), policies: []made{{name: "A", success: 1, third: 160, more: map[string]float64{"amplification": 1.1}}},
		want: "“A” serves all 1000 requests, 160 a second, without a crash.", why: "“A” makes 160 × 1.1 = 176 attempts a second, where 200 can be served."},
	{rule: "best", policies: []made{{name: "A", success: 0.499, third: never}, {name: "B", success: 0.1, third: never}}},

	// Four workers and 80 places, at 40 a second, are filled by 200 a second within 525 ms.
	{rule: "first-node", speaks: true, edit: fiveNodes(526 * time.Millisecond), policies: []made{{name: "E", policy: equalText, success: 1, crashes: 4, third: 29}, {name: "F", policy: fullText, success: 1, crashes: 20, third: 49}},
		want: "The first node back meets the whole herd: with “F” nodes crash 20 times a run, although all 5 together could serve what knocks.",
		why: "By the recovery “F” waits 5 s on average: 1000 clients knock 200 times a second, where 200 can be served. " +
			"The first node back can serve 40 a second and has room for 84: it is full within 525 ms, and the second is up 526 ms after it."},
	{rule: "first-node", edit: fiveNodes(525 * time.Millisecond), policies: []made{{name: "F", policy: fullText, success: 1, crashes: 20, third: 49}}}, // the second is up in time
	{rule: "first-node", edit: fiveNodes(3 * time.Second), policies: []made{{name: "F", policy: fullText, success: 1, crashes: 0.94, third: 49}}},      // hardly a crash
	{rule: "first-node", edit: fiveNodes(3 * time.Second), policies: []made{{name: "S", policy: shortText, success: 1, crashes: 20, third: 49}}},       // more than all can serve
	{rule: "first-node", edit: fiveNodes(3 * time.Second), policies: []made{{name: "X", policy: plainText, success: 1, crashes: 20, third: 49}}},       // all in step
	{rule: "first-node", policies: []made{{name: "F", policy: fullText, success: 1, crashes: 20, third: 49}}},                                          // one machine
	{rule: "first-node", edit: steadily(160), policies: []made{{name: "F", policy: fullText, success: 1, crashes: 20, third: 49}}},                     // no herd

	{rule: "jitter-not-enough", speaks: true, policies: []made{fullBest, {name: "S", policy: shortText, success: 0.307, crashes: 9, third: never},
		{name: "T", policy: threeText, third: never, more: map[string]float64{"failed.attempts": 1000}}},
		want: "Jitter is not enough: with at most 2 s between tries (“S”) it crashes 9 times a run, and only 30.7 % get through; giving up after 3 attempts (“T”) serves nobody.",
		why: "By the recovery “S” waits 1 s on average: 1000 clients knock 1000 times a second, where 200 can be served. " +
			"3 attempts are over after at most 300 ms; the server is down for 10 s."},
	{rule: "jitter-not-enough", speaks: true, policies: []made{fullBest, {name: "D", policy: fullText + ",deadline=5s", success: 0.1, third: never, more: map[string]float64{"failed.deadline": 900}}},
		want: "Jitter is not enough: giving up after 5 s (“D”) leaves 900 of 1000 clients unserved.", why: "The server is down for 10 s, longer than those 5 s."},
	{rule: "jitter-not-enough", speaks: true, policies: []made{fullBest, {name: "S", policy: shortText, success: 0.307, crashes: 0.95, third: never}},
		want: "Jitter is not enough: with at most 2 s between tries (“S”) it crashes once a run, and only 30.7 % get through.",
		why:  "By the recovery “S” waits 1 s on average: 1000 clients knock 1000 times a second, where 200 can be served."},
	{rule: "jitter-not-enough", policies: []made{fullBest, {name: "S", policy: shortText, success: 0.307, crashes: 0.94, third: never}}},                                                                                                 // hardly a crash
	{rule: "jitter-not-enough", policies: []made{fullBest, {name: "S", policy: equalText, success: 0.307, crashes: 9, third: never}}},                                                                                                    // as patient
	{rule: "jitter-not-enough", policies: []made{fullBest, {name: "S", policy: shortText, success: 1, crashes: 9, third: 40}}},                                                                                                           // serves all
	{rule: "jitter-not-enough", edit: steadily(160), policies: []made{{name: "T", policy: twoText, success: 0.9, third: 140}, {name: "F", policy: fourText, success: 0.5, third: 80, more: map[string]float64{"failed.attempts": 900}}}}, // the best gives up sooner
	{rule: "jitter-not-enough", policies: []made{fullBest, {name: "T", policy: threeText, third: never}}},                                                                                                                                // they did not fail by their attempts
	{rule: "jitter-not-enough", policies: []made{fullBest, {name: "S", policy: shortText, success: 0.307, crashes: 9, third: never}, {name: "E", policy: equalText, success: 0.2, third: never}}},                                        // not the worst

	{rule: "guard-costs", speaks: true, edit: steadily(140), policies: []made{{name: "F", policy: fourText, success: 0.97, third: 135},
		{name: "G", policy: fourText + ",throttle.k=2", success: 0.53, third: 74, more: map[string]float64{"notSent": 6651}}},
		want: "Throttling costs requests: with “G” 53 % get through; without it (“F”) 97 % get through.", why: "“G” stopped 6651 attempts a run before they left."},
	{rule: "guard-costs", edit: steadily(140), policies: []made{{name: "F", policy: fourText, success: 0.97, successHalf: 0.01, third: 135}, {name: "G", policy: fourText + ",throttle.k=2", success: 0.95, successHalf: 0.01, third: 134}}}, // they meet
	{rule: "guard-costs", edit: steadily(140), policies: []made{{name: "F", policy: fullText, success: 0.97, third: 135}, {name: "G", policy: fourText + ",throttle.k=2", success: 0.5, third: 74}}},                                         // another policy

	{rule: "harm", speaks: true, policies: []made{fullBest, {name: "B", success: 0.04, crashes: 10, third: never}, {name: "C", third: never}},
		want: "“B” crashes the server 10 times a run and leaves 960 of 1000 clients unserved; “C” serves nobody."},
	{rule: "harm", speaks: true, policies: []made{fullBest, {name: "B", success: 0.04, successHalf: 0.04, crashes: 10, third: never}, {name: "C", third: never}}, // they cannot be told apart
		want: "“B” crashes the server 10 times a run and leaves 960 of 1000 clients unserved."},
	{rule: "harm", speaks: true, edit: fiveNodes(0), policies: []made{fullBest, {name: "B", success: 0.04, crashes: 10, third: never}},
		want: "“B” crashes nodes 10 times a run and leaves 960 of 1000 clients unserved."},
	{rule: "harm", speaks: true, policies: []made{fullBest, {name: "B", success: 0.5, crashes: 0.94, third: never}},
		want: "“B” leaves 500 of 1000 clients unserved."},
	{rule: "harm", policies: []made{fullBest, {name: "B", success: 1, crashes: 10, third: 30}}},           // as many
	{rule: "harm", policies: []made{fullBest, {name: "X", policy: plainText, crashes: 10, third: never}}}, // was told already

	{rule: "cost", speaks: true, policies: []made{fullBest, {name: "E", policy: equalText, success: 1, third: 35}},
		want: "“E” serves as many, within the intervals, but takes 35 s for 99 % of them."},
	{rule: "cost", speaks: true, policies: []made{fullBest, {name: "E", policy: equalText, success: 1, crashes: 0.3, crashHalf: 0.2, third: 35}},
		want: "“E” serves as many, within the intervals, but with a crash in some runs."},
	{rule: "cost", speaks: true, policies: []made{{name: "A", success: 0.985, successHalf: 0.01, third: 20}, {name: "B", success: 0.98, successHalf: 0.01, third: never}},
		want: "“B” serves as many, within the intervals, but never 99 %."},
	{rule: "cost", speaks: true, policies: []made{fullBest, {name: "E", policy: equalText, success: 1, third: 35}, {name: "X", policy: plainText, crashes: 5, third: never}}, // X was told already
		want: "“E” serves as many, within the intervals, but takes 35 s for 99 % of them."},
	{rule: "cost", speaks: true, edit: steadily(160), policies: []made{{name: "A", success: 0.9, third: 144}, {name: "B", success: 0.9, third: 140}},
		want: "“B” serves as many, within the intervals, but at 140 a second."},
	{rule: "cost", policies: []made{fullBest, {name: "E", policy: equalText, success: 1, third: 19.6}}},     // level
	{rule: "cost", policies: []made{fullBest, {name: "E", policy: equalText, success: 0.99, third: never}}}, // fewer
	{rule: "cost", policies: []made{fullBest, {name: "X", policy: plainText, crashes: 10, third: never}}},   // fewer, and told already
}

func TestEachRuleSpeaksUpToItsEdge(t *testing.T) {
	speaks, keeps := map[string]int{}, map[string]int{}
	for i, c := range verdictCases {
		r := resultOf(sim.Burst, true, c.policies...)
		if c.edit != nil {
			c.edit(r.Scenario)
			if r.Scenario.Clients.Workload.Kind != sim.Burst {
				edited := r.Scenario
				r = resultOf(sim.Open, true, c.policies...)
				r.Scenario = edited
			}
		}
		said := speak(r.Scenario, rank(r))
		at := slices.IndexFunc(said, func(s spoken) bool { return s.id == c.rule })
		switch {
		case !c.speaks:
			keeps[c.rule]++
			if at >= 0 {
				t.Errorf("case %d: %s should not say %s", i, c.rule, said[at].sentence)
			}
		case at < 0:
			t.Errorf("case %d: %s does not speak, but %v", i, c.rule, said)
		default:
			speaks[c.rule]++
			if got := plainSpaces.Replace(said[at].sentence); got != c.want {
				t.Errorf("case %d: %s\nsays %s\nwant %s", i, c.rule, got, c.want)
			}
			if got := plainSpaces.Replace(said[at].why); got != c.why {
				t.Errorf("case %d: %s\nwhy  %s\nwant %s", i, c.rule, got, c.why)
			}
		}
	}
	for _, r := range rules {
		if speaks[r.id] == 0 || keeps[r.id] == 0 {
			t.Errorf("%s has %d cases in which it speaks and %d in which it does not", r.id, speaks[r.id], keeps[r.id])
		}
	}
}

func TestVerdictIsInOrder(t *testing.T) {
	r := resultOf(sim.Burst, true, fullBest, made{name: "S", policy: shortText, success: 0.3, crashes: 9, third: never}, made{name: "X", policy: plainText, success: 0.02, crashes: 5, third: never})
	var ids []string
	for _, s := range speak(r.Scenario, rank(r)) {
		ids = append(ids, s.id)
	}
	if got := strings.Join(ids, " "); got != "backing-off-alone best jitter-not-enough" {
		t.Errorf("the verdict is %s", got)
	}
}

// Whatever the figures are, nobody is praised who serves fewer than anybody else beyond the intervals, a policy without
// a place among the best is not called that, and every number exists.
func TestVerdictPraisesNobodyWhoServesFewer(t *testing.T) {
	named := regexp.MustCompile(`“P\d+”`)
	texts := []string{plainText, fullText, equalText, shortText, threeText, fullText + ",deadline=5s", "constant,base=1s", "immediate",
		"constant,base=100ms,cap=10s,jitter=decorrelated", "linear,base=1s,jitter=additive,max=1s,maxAttempts=1",
		fourText, fourText + ",throttle.k=2", fullText + ",breaker.failures=5", fullText + ",budget.kind=ratio,budget.ratio=0.1,budget.burst=1"}
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SampledFrom([]float64{0, 0.001, 0.3, 0.499, 0.5, 0.98, 0.9999, 1})
		half := rapid.SampledFrom([]float64{0, 0.001, 0.1})
		var policies []made
		for i := range rapid.IntRange(1, 6).Draw(t, "policies") {
			m := made{name: fmt.Sprint("P", i), policy: rapid.SampledFrom(texts).Draw(t, "policy"),
				success: share.Draw(t, "success"), successHalf: half.Draw(t, "half"),
				crashes: rapid.SampledFrom([]float64{0, 0.1, 0.94, 0.95, 1, 9}).Draw(t, "crashes"), crashHalf: half.Draw(t, "crashHalf"),
				third: rapid.SampledFrom([]float64{0, 0.2, 20, 21, 5000}).Draw(t, "third"), thirdHalf: half.Draw(t, "thirdHalf"),
				more: map[string]float64{"failed.attempts": rapid.SampledFrom([]float64{0, 500}).Draw(t, "gaveUp"), "amplification": 3,
					"recovered": rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "recovered"), "notSent": rapid.SampledFrom([]float64{0, 9}).Draw(t, "stopped")}}
			if m.success < 0.99 {
				m.third = never
			}
			policies = append(policies, m)
		}
		kind := rapid.SampledFrom([]string{sim.Burst, sim.Open, sim.Closed}).Draw(t, "workload")
		r := resultOf(kind, rapid.Bool().Draw(t, "crash"), policies...)
		r.Scenario.Clients.Workload.Spread = rapid.SampledFrom([]time.Duration{0, 5 * time.Second}).Draw(t, "spread")
		r.Scenario.Clients.Workload.Rate = rapid.SampledFrom([]float64{0, 140, 300}).Draw(t, "rate")
		if rapid.Bool().Draw(t, "nodes") {
			fiveNodes(rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "apart"))(r.Scenario)
		}
		if rapid.Bool().Draw(t, "no outage") {
			r.Scenario.Server.Outages = nil
		}
		all := rank(r)
		said := speak(r.Scenario, all)
		praised := false
		for _, s := range said {
			if strings.Contains(s.sentence+s.why, "NaN") || strings.Contains(s.sentence, noValue) || strings.Contains(s.sentence, "  ") || s.sentence == "" {
				t.Errorf("%s: %q", s.id, s.sentence)
			}
			i := slices.IndexFunc(rules, func(r rule) bool { return r.id == s.id })
			praised = praised || rules[i].slot == praise
			if rules[i].slot != praise && s.id != "cost" {
				continue
			}
			for _, name := range named.FindAllString(s.sentence, -1) {
				at := slices.IndexFunc(all, func(s standing) bool { return quoted(s) == name })
				for _, other := range all {
					if success := criteria(kind)[0]; served(other) > served(all[at]) && !success.meet(other, all[0]) && !success.meet(other, all[at]) {
						t.Errorf("%s serves %v, %s %v: %s", name, served(all[at]), quoted(other), served(other), s.sentence)
					}
				}
				if success := criteria(kind)[0]; !success.meet(all[0], all[at]) {
					t.Errorf("%s serves fewer than %s: %s", name, quoted(all[0]), s.sentence)
				}
			}
		}
		if !praised || len(said) > 3 {
			t.Errorf("%d sentences: %v", len(said), said)
		}
	})
}

// What is said of the scenarios in which overload stays or guards meet, from five runs of each; "" where nothing of that is to
// be said. The charts show at first what the scenario is about.
func TestVerdictOnRetryStorms(t *testing.T) {
	simtest.PlainRunOnly(t)
	want := map[string]string{
		"retry-storm":              "Overload stays here: with “4 attempts at once” and “4 attempts, full jitter” no run recovers, with jitter as without, although 140 requests come a second where 200 can be served.",
		"retry-storm-jitter":       "Overload stays here: with “4 attempts at once” and “4 attempts, full jitter” no run recovers, with jitter as without, although 140 requests come a second where 200 can be served.",
		"slow-when-busy":           "Overload stays here: with “4 attempts, full jitter” no run recovers, although 200 requests come a second where 328 can be served.",
		"retry-storm-two-attempts": "Overload stays here: with “4 attempts, full jitter” no run recovers, although 140 requests come a second where 200 can be served.",
		"retry-storm-budget":       "The retry budget helps: with “4 attempts, a retry budget” 95.7 % get through; without it (“4 attempts, full jitter”) only 18.0 % get through.",
		"retry-storm-breaker":      "The circuit breaker helps: with “4 attempts, a circuit breaker” 94.5 % get through; without it (“4 attempts, full jitter”) only 18.0 % get through.",
		"retry-storm-shedding":     "Every run recovers, whatever the policy: the server turns away what has waited 500 ms, and clients wait 1 s, so that what is served is hardly ever too late.",
		"retry-storm-short-queue":  "Every run recovers, whatever the policy: a full queue takes 150 ÷ 200 a second = 750 ms, and clients wait 1 s, so that what is served is hardly ever too late.",
		"retry-storm-closed":       "",
		"probes-in-step":           "The circuit breaker helps: with “Breakers open for 5 s ± 50 %” all get through in the end; without it (“Full jitter up to 1 s”) only 14.0 % get through.",
	}
	charts := map[string]string{
		"retry-storm": "four-at-once two", "retry-storm-budget": "four budget", "retry-storm-breaker": "four breaker", "slow-when-busy": "four two", "probes-in-step": "in-step spread",
	}
	for _, p := range sim.Presets() {
		sentence, told := want[p.ID]
		if !told {
			continue
		}
		p.Scenario.Replications = 5
		r, err := sim.Run(t.Context(), p.Scenario, nil)
		must(t, err)
		said := verdict(r.Scenario, rank(r))
		for i := range said {
			said[i] = plainSpaces.Replace(said[i])
			t.Logf("%s: %s", p.ID, said[i])
		}
		if sentence != "" && !slices.Contains(said, sentence) || sentence == "" && strings.Contains(strings.Join(said, " "), "recovers") {
			t.Errorf("%s: %q, want %q", p.ID, said, sentence)
		}
		if got := strings.Join(idsOf(charted(rank(r), nil)), " "); charts[p.ID] != "" && got != charts[p.ID] {
			t.Errorf("%s: the charts show %s at first, want %s", p.ID, got, charts[p.ID])
		}
		delete(want, p.ID)
	}
	if len(want) > 0 {
		t.Errorf("%v are no presets", want)
	}
}
