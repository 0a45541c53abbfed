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

var overload = []Entry{
	{
		ID: "backoff-unbounded", Title: "Backoff for clients without bounds", runs: 50,
		Says:   "In a long spell of failures clients that send their requests independently are not helped by backing off: the load is the same, only later.",
		Source: "M. Brooker, What is Backoff For?, 2022, and its program", URL: backoffURL,
		document: `{"horizon": "1m", "network": {"latency": {"kind": "exponential", "mean": "10ms"}},
			"clients": {"count": 100, "workload": {"kind": "open", "rate": 0, "surges": [{"start": "0s", "end": "10s", "rate": 1000}]}},
			"server": {"errors": {"transient": 0.9}},
			"policies": [{"id": "at-once", "name": "3 retries at once", "schedule": {"kind": "immediate"}, "maxAttempts": 4},
				{"id": "backoff", "name": "3 retries, exponential, full jitter", "schedule": {"kind": "exponential", "base": "100ms"}, "jitter": {"kind": "full"}, "cap": "10s", "maxAttempts": 4}]}`,
		Figures: []Figure{
			metric("at-once", "Attempts each at 90 % failing, at once", "at-once", "amplification", 1).is(3.439),
			metric("backoff", "Attempts each at 90 % failing, with backoff", "backoff", "amplification", 1).is(3.439),
		},
	},
	{
		ID: "backoff-bounded", Title: "Backoff for clients that do one thing at a time", runs: 50,
		Says:   "Clients that wait for one request before they make the next do less work when they back off: fewer first tries, too.",
		Source: "M. Brooker, What is Backoff For?, 2022, and its program", URL: backoffURL,
		Lacks: "The program's serial clients wait longer between requests the more of them have failed, without a cap and without jitter; ours wait between the attempts of one request.",
		document: `{"horizon": "1m", "network": {"latency": {"kind": "exponential", "mean": "10ms"}},
			"clients": {"count": 100, "workload": {"kind": "closed", "think": {"kind": "exponential", "mean": "100ms"}}},
			"server": {"errors": {"transient": 0.9}},
			"policies": [{"id": "at-once", "name": "3 retries at once", "schedule": {"kind": "immediate"}, "maxAttempts": 4},
				{"id": "backoff", "name": "3 retries, exponential, full jitter", "schedule": {"kind": "exponential", "base": "100ms"}, "jitter": {"kind": "full"}, "cap": "10s", "maxAttempts": 4}]}`,
		Figures: []Figure{{ID: "work", What: "Attempts, of those made at once", Relation: Below, Value: 1, of: func(r runs) []float64 {
			values := r.of("backoff", "attempts")
			for i, all := range r.of("at-once", "attempts") {
				values[i] /= all
			}
			return values
		}}},
	},
	metastable(280, []Figure{
		metric("recovered", "Runs that recover", "retry", sim.Recovered, 1).is(0),
		lateRate("load", "Queries a second in the end", func(p sim.PolicyResult) []int64 { return p.Run.Arrivals }).is(560).in("/s"),
		lateRate("goodput", "Served in time a second in the end", func(p sim.PolicyResult) []int64 { return p.Run.Succeeded }).is(0).in("/s"),
	}),
	metastable(140, []Figure{metric("recovered", "Runs that recover", "retry", sim.Recovered, 1).is(1)}),
}

// metastable is the HotOS paper's web application and its database, at a rate of requests.
func metastable(rate int, figures []Figure) Entry {
	e := Entry{
		ID: fmt.Sprintf("metastable-%d", rate), Title: fmt.Sprintf("%d queries a second at a database that can do 300", rate), runs: 20, traced: true,
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
		return r.each("retry", func(p sim.PolicyResult) float64 {
			all := counts(p)
			all = all[len(all)-45:]
			sum := 0.0
			for _, n := range all {
				sum += float64(n)
			}
			return sum / float64(len(all))
		})
	}}
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
