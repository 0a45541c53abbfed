package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// envoy is the RetryPolicy of a route.
var envoy = Format{
	ID:        "envoy",
	Name:      "Envoy RetryPolicy",
	Place:     "Put it into a route or a virtual host as retry_policy.",
	Source:    "config.route.v3.RetryPolicy and retry_state_impl.cc of Envoy, read in November 2026",
	File:      "retry-policy.json",
	MediaType: "application/json",
	fit:       fitEnvoy,
	write:     writeEnvoy,
	read:      readEnvoy,
}

// envoyWords are names of retry_on and, as numbers, of retriable_status_codes. A timeout of an attempt is a reset.
var envoyWords = vocabulary{
	strategies.Unavailable: {"connect-failure", "refused-stream", "reset"},
	strategies.Timeout:     {"reset"},
	strategies.Overloaded:  {"503"},
	strategies.RateLimited: {"429"},
	strategies.Transient:   {"500", "502"},
	strategies.Conflict:    {"409"},
}

// What Envoy and Istio, which configures it, have in common.
const (
	envoyCount    = "Envoy always counts its retries"
	envoyJitter   = "Envoy always draws from 0 to the wait"
	envoyUnit     = "Envoy has whole milliseconds; rounded up"
	envoyClasses  = "Envoy takes a timeout for a reset connection, and status codes one by one: of lasting errors there are many"
	envoyNoGuards = "Envoy's guards belong to the cluster, not to the route"
)

func fitEnvoy(f *fitting) {
	f.attempts(1, strategies.MaxRetry, envoyCount)
	fitEnvoyWaits(f)
	f.needCap("Envoy's longest wait is ten times the first unless it is given")
	f.leaveOutDeadline("In Envoy that is the timeout of the route, beside its retry policy")
	if f.fits.Budget.Kind == "ratio" {
		f.note("The nearest to the budget is, in the cluster: " + envoyBudget(f.fits.Budget.Args.Number("ratio")) +
			". It bounds the retries under way by a share of all requests under way, three in any case; the budget here bounds them over time.")
	}
	f.leaveOutGuards("", envoyNoGuards)
	f.retryOn(envoyWords, envoyClasses)
	if f.fits.RetryAfter != strategies.IgnoreHint {
		f.hints(strategies.FloorJitter, "Envoy waits 1 to 1.5 times the hint instead of backing off, and heeds none beyond 5 min")
	}
}

// envoyBudget is a cluster with a retry budget of so large a share, which in Envoy is at most all.
func envoyBudget(share float64) string {
	return fmt.Sprintf(`{"circuit_breakers": {"thresholds": [{"retry_budget": {"budget_percent": {"value": %s}}}]}}`, number(min(percent(share), 100)))
}

func fitEnvoyWaits(f *fitting) {
	f.capBeforeJitter("Envoy caps before jitter")
	f.jitter(envoyJitter, fullJitter, always(fullJitter))
	f.growth("Envoy", 2, 2)
	f.mustWait()
	f.whole(time.Millisecond, envoyUnit)
}

type envoyPolicy struct {
	RetryOn              string            `json:"retry_on"`
	NumRetries           int64             `json:"num_retries"`
	PerTryTimeout        string            `json:"per_try_timeout,omitempty"`
	RetriableStatusCodes []int             `json:"retriable_status_codes,omitempty"`
	RetryBackOff         envoyBackOff      `json:"retry_back_off"`
	RateLimited          *envoyRateLimited `json:"rate_limited_retry_back_off,omitempty"`
}

type envoyBackOff struct {
	BaseInterval string `json:"base_interval"`
	MaxInterval  string `json:"max_interval"`
}

type envoyRateLimited struct {
	ResetHeaders []envoyHeader `json:"reset_headers"`
}

type envoyHeader struct {
	Name   string `json:"name"`
	Format string `json:"format"`
}

func writeEnvoy(p strategies.Policy) string {
	out := envoyPolicy{
		NumRetries:   p.MaxAttempts - 1,
		RetryBackOff: envoyBackOff{protoSeconds(base(p)), protoSeconds(p.Cap)},
	}
	words := envoyWords.names(p.RetryOn)
	for _, word := range words {
		if code, err := strconv.Atoi(word); err == nil {
			out.RetriableStatusCodes = append(out.RetriableStatusCodes, code)
		}
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word[0] <= '9' })
	if out.RetriableStatusCodes != nil {
		words = append(words, "retriable-status-codes")
	}
	out.RetryOn = strings.Join(words, ",")
	if p.AttemptTimeout > 0 {
		out.PerTryTimeout = protoSeconds(p.AttemptTimeout)
	}
	if p.RetryAfter != strategies.IgnoreHint {
		out.RateLimited = &envoyRateLimited{[]envoyHeader{{"Retry-After", "SECONDS"}}}
	}
	return indented(out)
}
