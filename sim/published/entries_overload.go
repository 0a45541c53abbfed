package published

import (
	"fmt"

	"github.com/stampede-sim/stampede/sim"
)

// Budgets, throttling, overload that stays, and layers.

var budgets = []Entry{
	failing(0.1, 10, [][2]float64{{0.90, 1}, {0.9999, 1.111}, {0.993, 1.10}}),
	failing(0.3, 10, [][2]float64{{0.70, 1}, {0.992, 1.417}, {0.795, 1.14}}),
	failing(0.3, 60, [][2]float64{{0.70, 1}, {0.992, 1.417}, {0.775, 1.11}}),
	bucketsOf(10, 1000, [2]float64{0.7730, 0.0007}, [2]float64{1.10392, 0.00003},
		"With few clients a bucket for each is soon empty, and costs hardly more than its tenth."),
	bucketsOf(1000, 1100, [2]float64{0.9425, 0.0005}, [2]float64{1.3462, 0.0006},
		"With many clients of few requests each the buckets, which start full, are not emptied in ten seconds: nearly all are served, at nearly the load of three retries."),
	{
		ID: "retry-growth", Title: "Three attempts, and a retry budget of 10 %", runs: 20,
		Says:   "Where a datacentre takes few requests and turns most away, up to three attempts each let the load grow to just below three times; a budget of one retry for ten requests besides keeps it at 1.1 times.",
		Source: overloadBook, URL: overloadURL,
		document: `{"horizon": "1m", "clients": {"count": 1, "workload": {"kind": "open", "rate": 1000}},
			"server": {"rateLimit": {"kind": "window", "limit": 50, "window": "1s"}},
			"policies": [{"id": "three", "name": "3 attempts", "schedule": {"kind": "immediate"}, "maxAttempts": 3},
				{"id": "budget", "name": "3 attempts, a budget of 10 %", "schedule": {"kind": "immediate"}, "maxAttempts": 3, "budget": {"kind": "ratio", "ratio": 0.1, "burst": 10}}]}`,
		Figures: []Figure{
			metric("three", "Growth with 3 attempts: below", "three", "amplification", 1).below(3).in("×"),
			metric("three-just", "Growth with 3 attempts: just", "three", "amplification", 1).above(2.8).in("×"),
			metric("budget", "Growth with the budget", "budget", "amplification", 1).rounded(1.1, 0.05).in("×"),
		},
	},
	{
		ID: "throttling", Title: "Adaptive throttling under heavy overload", runs: 10,
		Says:   "A client that holds back once requests are K times the accepts lets the backend reject one request for each that it processes with K = 2, and one for ten with K = 1.1, however large the overload.",
		Source: overloadBook, URL: overloadURL,
		document: `{"horizon": "5m", "clients": {"count": 1, "workload": {"kind": "open", "rate": 1000}},
			"server": {"rateLimit": {"kind": "tokenBucket", "rate": 200, "burst": 20}},
			"policies": [{"id": "two", "name": "K = 2", "schedule": {"kind": "immediate"}, "maxAttempts": 1, "throttle": {"k": 2}},
				{"id": "tenth", "name": "K = 1.1", "schedule": {"kind": "immediate"}, "maxAttempts": 1, "throttle": {"k": 1.1}}]}`,
		Figures: []Figure{
			share("two", "Rejected for each accepted, K = 2", "two", "refused", "succeeded").rounded(1, 0.05),
			share("tenth", "Rejected for each accepted, K = 1.1", "tenth", "refused", "succeeded").rounded(0.1, 0.005),
		},
	},
	{
		ID: "finagle", Title: "Finagle's default retry budget", runs: 20,
		Says:   "20 % of the requests may be retried, and 10 a second besides. With 100 requests a second that all fail this comes to 1.3 attempts each.",
		Source: "K. Oliver, Retry Budgets, Finagle blog, 2016", URL: "https://finagle.github.io/blog/2016/02/08/retry-budgets",
		Lacks: "Finagle's credits expire after ten seconds; ours stay until the bucket is full.",
		document: `{"horizon": "5m", "clients": {"count": 1, "workload": {"kind": "open", "rate": 100}}, "server": {"errors": {"transient": 1}},
			"policies": [{"id": "budget", "schedule": {"kind": "immediate"}, "maxAttempts": 10, "budget": {"kind": "ratio", "ratio": 0.2, "burst": 10, "minPerSecond": 10}}]}`,
		Figures: []Figure{metric("load", "Attempts each", "budget", "amplification", 1).rounded(1.3, 0.005)},
	},
	{
		ID: "aws-quota", Title: "The AWS SDKs' retry quota", runs: 5,
		Says:   "A client has 500 tokens and pays 5 for a retry: in an outage that does not end it retries 100 times and no more, however many requests it makes.",
		Source: "aws-sdk-js-v3, middleware-retry, pull request 1258", URL: "https://github.com/aws/aws-sdk-js-v3/pull/1258",
		Differs: "The comment beside its cost of 10 speaks of throttling errors, its name of timeouts. Ours charges it for timeouts.",
		document: `{"horizon": "1m", "clients": {"count": 1, "workload": {"kind": "open", "rate": 50}}, "server": {"outages": [{"start": "0s", "end": "1h"}]},
			"policies": [{"id": "sdk", "schedule": {"kind": "exponential", "base": "100ms"}, "jitter": {"kind": "full"}, "cap": "20s", "maxAttempts": 3, "budget": {"kind": "aws"}}]}`,
		Figures: []Figure{{ID: "retries", What: "Retries", Value: 100, of: func(r runs) []float64 {
			values := r.of("sdk", "attempts")
			for i, requests := range r.of("sdk", "requests") {
				values[i] -= requests
			}
			return values
		}}},
	},
}

// failing is the retry article's simulation for so many seconds at one rate of failures: success and load without
// retries, with three, and with a token bucket.
func failing(p float64, seconds int, says [][2]float64) Entry {
	e := Entry{
		ID: fmt.Sprintf("token-bucket-%g-%ds", p, seconds), Title: fmt.Sprintf("Retries and a token bucket where %g %% fail for %d s", 100*p, seconds), runs: 500 / seconds,
		Says:   fmt.Sprintf("100 clients make 10 requests a second each for %d s. ", seconds) + "Three retries save nearly all and cost load; a bucket that each request fills by a tenth, of 5, costs a tenth in the long run.",
		Source: retryArticle, URL: retryURL,
		Differs: "The text fills the bucket by a tenth for each success, the program for each request, which is what we run. The text gives N retries a failure rate of x^N; with N retries it is x^(N+1), which is what the program comes to.",
		Lacks:   "The article's circuit breaker stops retries only; ours stops first attempts too.",
		document: fmt.Sprintf(`{"horizon": "%ds", "bin": "200ms", "network": {"latency": {"kind": "exponential", "mean": "10ms"}},
			"clients": {"count": 100, "workload": {"kind": "open", "rate": 0, "surges": [{"start": "0s", "end": "%ds", "rate": 1000}]}},
			"server": {"errors": {"transient": %v}},
			"policies": [{"id": "none", "name": "No retry", "schedule": {"kind": "immediate"}, "maxAttempts": 1},
				{"id": "three", "name": "3 retries", "schedule": {"kind": "immediate"}, "maxAttempts": 4},
				{"id": "bucket", "name": "Token bucket", "schedule": {"kind": "immediate"}, "budget": {"kind": "ratio", "ratio": 0.1, "burst": 5}}]}`, seconds+2, seconds, p),
	}
	for i, policy := range []struct{ id, name string }{{"none", "no retry"}, {"three", "3 retries"}, {"bucket", "token bucket"}} {
		half := [2]float64{0.0005, 0.005}
		if i == 1 {
			half = [2]float64{0.0005, 0.0005}
		}
		e.Figures = append(e.Figures,
			metric("success-"+policy.id, "Share served, "+policy.name, policy.id, "successRate", 1).rounded(says[i][0], half[0]),
			metric("load-"+policy.id, "Attempts each, "+policy.name, policy.id, "amplification", 1).rounded(says[i][1], half[1]))
	}
	return e
}

// bucketsOf is the same article's simulation of how much the number of clients matters: 1000 requests a second in all, of
// which 30 % fail, and a token bucket for each client.
func bucketsOf(clients int, rate float64, success, load [2]float64, says string) Entry {
	e := Entry{
		ID: fmt.Sprintf("token-bucket-%d-clients", clients), Title: fmt.Sprintf("A token bucket for each of %d clients", clients), runs: 50,
		Says:   says + " The figures are those of 40 runs of the program.",
		Source: retryArticle, URL: retryURL,
		Differs: "The text divides the same number of requests among the clients, which is 1000 a second in one version of the program and 100 in another. Its clients pay for a retry only with more than one token, which rounding makes now 1, now 1.1.",
		document: fmt.Sprintf(`{"horizon": "12s", "bin": "200ms", "network": {"latency": {"kind": "exponential", "mean": "10ms"}},
			"clients": {"count": %d, "workload": {"kind": "open", "rate": 0, "surges": [{"start": "0s", "end": "10s", "rate": %v}]}},
			"server": {"errors": {"transient": 0.3}},
			"policies": [{"id": "bucket", "name": "Token bucket", "schedule": {"kind": "immediate"}, "budget": {"kind": "ratio", "ratio": 0.1, "burst": 5}}]}`, clients, rate),
		Figures: []Figure{
			metric("success", "Share served", "bucket", "successRate", 1).mean(success[0], success[1]),
			metric("load", "Attempts each", "bucket", "amplification", 1).mean(load[0], load[1]),
		},
	}
	if rate > 1000 {
		e.Lacks = "Each of the program's clients makes a request at the start, besides; here so many more come at random."
	}
	return e
}

var overload = []Entry{
	{
		ID: "retries-grow", Title: "100 queries a second too many, and retries", runs: 100, apart: true,
		Says:   "A task takes 10 000 queries a second and gets 10 100. The hundred that it turns away are tried again after a second, when it gets 10 200; then 10 300, and so on: retries destabilise a system that is hardly overloaded.",
		Source: cascadeBook, URL: cascadeURL,
		Lacks: "Queries come at a constant rate there, and at random here.",
		document: `{"horizon": "11s", "bin": "1s", "network": {"latency": {"kind": "constant", "mean": "1ms"}}, "clients": {"count": 1000, "workload": {"kind": "open", "rate": 10100}},
			"server": {"rateLimit": {"kind": "tokenBucket", "rate": 10000, "burst": 100}},
			"policies": [{"id": "second", "name": "Every second", "schedule": {"kind": "constant", "base": "1s"}}]}`,
		Figures: []Figure{
			second("second", "Queries in the second second", 2).rounded(10200, 50),
			second("third", "Queries in the third", 3).rounded(10300, 50),
			second("tenth", "Queries in the tenth", 10).rounded(11000, 50),
		},
	},
	{
		ID: "backoff-unbounded", Title: "Backoff for clients without bounds", runs: 50,
		Says:   "In a long spell of failures clients that send their requests independently are not helped by backing off: the load is the same, only later. Here three of four attempts fail for ten seconds.",
		Source: "M. Brooker, What is Backoff For?, 2022, and its program", URL: backoffURL,
		Differs: "The text speaks of backoff and jitter; the program waits 100 ms, 200 ms, 400 ms and so on, without jitter and without a cap. So do we.",
		document: `{"horizon": "2m", "network": {"latency": {"kind": "exponential", "mean": "10ms"}},
			"clients": {"count": 100, "workload": {"kind": "open", "rate": 0, "surges": [{"start": "0s", "end": "10s", "rate": 1000}]}},
			"server": {"errors": {"transient": 0.75}},
			"policies": [{"id": "at-once", "name": "3 retries at once", "schedule": {"kind": "immediate"}, "maxAttempts": 4},
				{"id": "backoff", "name": "3 retries, backed off", "schedule": {"kind": "exponential", "base": "100ms"}, "maxAttempts": 4},
				{"id": "bucket", "name": "Token bucket, at once", "schedule": {"kind": "immediate"}, "budget": {"kind": "ratio", "ratio": 0.1, "burst": 5}},
				{"id": "bucket-backoff", "name": "Token bucket, backed off", "schedule": {"kind": "exponential", "base": "100ms"}, "budget": {"kind": "ratio", "ratio": 0.1, "burst": 5}}]}`,
		Figures: []Figure{
			metric("at-once", "Attempts each, at once", "at-once", "amplification", 1).is(2.734375),
			metric("backoff", "Attempts each, backed off", "backoff", "amplification", 1).is(2.734375),
			metric("bucket", "Attempts each, token bucket at once", "bucket", "amplification", 1).rounded(1.143, 0.0005),
			metric("bucket-backoff", "Attempts each, token bucket backed off", "bucket-backoff", "amplification", 1).rounded(1.143, 0.0005),
		},
	},
	{
		ID: "backoff-bounded", Title: "Backoff for clients that do one thing at a time", runs: 50,
		Says:   "Clients that wait for one request before they make the next do less work when they back off: fewer first tries, too.",
		Source: "M. Brooker, What is Backoff For?, 2022, and its program", URL: backoffURL,
		Differs: "The text compares serial clients that back off with others that do not; the program, serial clients with independent ones, which back off alike.",
		Lacks:   "The program's serial clients make the next request at a random time after they made the last one, or at once if that is over; ours pause after the last one has ended.",
		document: `{"horizon": "1m", "network": {"latency": {"kind": "exponential", "mean": "10ms"}},
			"clients": {"count": 100, "workload": {"kind": "closed", "think": {"kind": "exponential", "mean": "100ms"}}},
			"server": {"errors": {"transient": 0.75}},
			"policies": [{"id": "at-once", "name": "3 retries at once", "schedule": {"kind": "immediate"}, "maxAttempts": 4},
				{"id": "backoff", "name": "3 retries, backed off", "schedule": {"kind": "exponential", "base": "100ms"}, "maxAttempts": 4}]}`,
		Figures: []Figure{
			ratio("work", "Attempts, of those made at once", "attempts", "backoff", "at-once").below(1),
			ratio("first", "First tries, of those made at once", "requests", "backoff", "at-once").below(1),
		},
	},
	{
		ID: "collapse", Title: "A spike of load that outlasts itself", runs: 400, apart: true,
		Says:   "A server takes a second for a request, and a hundredth more for each that is under way; clients have 3 s of patience. 40 requests come a second, and 80 for five seconds. With two more attempts at once the server is still lost after a minute in three runs of four; with full jitter of 20 and 40 s before them it hardly ever is. The figures are those of 600 runs of the program.",
		Source: "M. Brooker, simple_collapse_sim, a program", URL: "https://github.com/mbrooker/simulator_example",
		Differs: "Its comment has clients retry up to three times; it makes three attempts, which are two retries.",
		document: `{"horizon": "80s", "bin": "1s", "network": {"latency": {"kind": "exponential", "mean": "100ms"}},
			"clients": {"count": 1, "workload": {"kind": "open", "rate": 40, "surges": [{"start": "20s", "end": "25s", "rate": 80}]}},
			"server": {"workers": 0, "serviceTime": {"kind": "constant", "mean": "1010ms"}, "slowdown": 0.00990099009900990},
			"policies": [{"id": "at-once", "name": "3 attempts at once", "schedule": {"kind": "immediate"}, "maxAttempts": 3, "attemptTimeout": "3s"},
				{"id": "backoff", "name": "3 attempts, full jitter", "schedule": {"kind": "exponential", "base": "20s"}, "jitter": {"kind": "full"}, "maxAttempts": 3, "attemptTimeout": "3s"}]}`,
		Figures: []Figure{
			serves("recover-at-once", "Runs that serve more than half in the last 20 s, at once", "at-once").mean(0.2533, 0.0178),
			metric("attempts-at-once", "Attempts each, at once", "at-once", "amplification", 1).mean(1.929, 0.022),
			serves("recover-backoff", "Runs that serve more than half in the last 20 s, full jitter", "backoff").mean(0.9983, 0.0017),
			metric("attempts-backoff", "Attempts each, full jitter", "backoff", "amplification", 1).mean(1.0436, 0.0013),
		},
	},
	metastable(280, []Figure{
		metric("recovered", "Runs that recover", "retry", sim.Recovered, 1).is(0),
		lateRate("load", "Queries a second in the end", func(p sim.PolicyResult) []int64 { return p.Run.Arrivals }).is(560).in("/s"),
		lateRate("goodput", "Served in time a second in the end", func(p sim.PolicyResult) []int64 { return p.Run.Succeeded }).is(0).in("/s"),
	}),
	metastable(140, []Figure{metric("recovered", "Runs that recover", "retry", sim.Recovered, 1).is(1)}),
}

// second is how much arrives in the n-th second of a run with bins of one.
func second(id, what string, n int) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		return r.each("second", func(p sim.PolicyResult) float64 { return float64(p.Run.Arrivals[n-1]) })
	}}
}

// metastable is the HotOS paper's web application and its database, at a rate of requests.
func metastable(rate int, figures []Figure) Entry {
	e := Entry{
		ID: fmt.Sprintf("metastable-%d", rate), Title: fmt.Sprintf("%d queries a second at a database that can do 300", rate), runs: 20, apart: true,
		Says:   "A database is quick up to 300 queries a second; the application asks once more after a second. At 280 a second ten seconds without network leave it with 560 for good, and nothing is answered in time.",
		Source: "N. Bronson and others, Metastable Failures in Distributed Systems, HotOS 2021, section 2", URL: hotosURL,
		Lacks: "What was lost on the network is sent again at once when it is back: here as so many new requests within a second.",
		document: fmt.Sprintf(`{"horizon": "6m", "bin": "1s", "network": {"latency": {"kind": "constant", "mean": "1ms"}},
			"clients": {"count": 100, "workload": {"kind": "open", "rate": %d, "surges": [{"start": "40s", "end": "41s", "rate": %d}]}},
			"server": {"outages": [{"start": "30s", "end": "40s", "mode": "hang"}], "workers": 15, "serviceTime": {"kind": "exponential", "mean": "50ms"}, "queue": 1000000},
			"policies": [{"id": "retry", "name": "One retry", "schedule": {"kind": "immediate"}, "maxAttempts": 2, "attemptTimeout": "1s"}]}`, rate, 11*rate),
		Figures: figures,
	}
	if rate < 150 {
		e.Says = "Below 150 queries a second the same application is stable: twice the load is not more than the database can do, and it recovers by itself."
	}
	return e
}

// lateRate is how many of something there are a second in the last quarter.
func lateRate(id, what string, counts func(sim.PolicyResult) []int64) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		return r.each("retry", func(p sim.PolicyResult) float64 { return late(counts(p), 45) / 45 })
	}}
}

// serves is whether more than half of what comes in the last 20 s of the collapse is served.
func serves(id, what, policy string) Figure {
	return Figure{ID: id, What: what, of: func(r runs) []float64 {
		return r.each(policy, func(p sim.PolicyResult) float64 {
			if late(p.Run.Succeeded, 20) > 20*40/2 {
				return 1
			}
			return 0
		})
	}}
}

// late is how many there are in the last bins.
func late(counts []int64, bins int) (sum float64) {
	for _, n := range counts[len(counts)-bins:] {
		sum += float64(n)
	}
	return sum
}

var layers = []Entry{
	layered(64, "Three layers that each retry three times", "Three layers that each make four attempts of a query that cannot be served make 4³ = 64 of one request.", cascadeBook, cascadeURL, ""),
	layered(243, "Five layers with three retries each", "Five layers above a failing database, three retries in each, raise its load 243 times: first three tries, then nine, and so on.",
		"M. Brooker, Timeouts, retries, and backoff with jitter, Amazon Builders' Library", libraryURL,
		"243 is 3⁵: the text counts three tries in a layer where it says three retries. Three retries are four attempts: 4⁵ = 1024."),
}

// layered is a failing request of layers, which are no other than one with the product of their attempts.
func layered(attempts int64, title, says, source, url, differs string) Entry {
	return Entry{
		ID: fmt.Sprintf("layers-%d", attempts), Title: title, runs: 2, Says: says, Source: source, URL: url, Differs: differs,
		Lacks: "Layers are not simulated one by one: they are one with the product of their attempts. The page of layers has their arithmetic.",
		document: fmt.Sprintf(`{"horizon": "1m", "clients": {"count": 10}, "network": {"latency": {"kind": "constant", "mean": "1ms"}}, "server": {"errors": {"transient": 1}},
			"policies": [{"id": "layers", "schedule": {"kind": "immediate"}, "maxAttempts": %d}]}`, attempts),
		Figures: []Figure{metric("load", "Attempts at the bottom", "layers", "amplification", 1).is(float64(attempts))},
	}
}
