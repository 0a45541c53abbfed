package export

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// envoy is the RetryPolicy of a route; with a budget, beside the circuit breakers of a cluster, where Envoy has that.
var envoy = Format{
	ID:        "envoy",
	Name:      "Envoy RetryPolicy",
	Place:     "Put it into a route or a virtual host as retry_policy; of one with a budget, put circuit_breakers into the cluster.",
	Source:    "config.route.v3.RetryPolicy, config.cluster.v3.CircuitBreakers and retry_state_impl.cc of Envoy, read in November 2026",
	File:      "envoy-retry-policy.json",
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
	envoyCount   = "Envoy always counts its retries"
	envoyJitter  = "Envoy always draws from 0 to the wait"
	envoyUnit    = "Envoy has whole milliseconds; rounded up"
	envoyClasses = "Envoy takes a timeout for a reset connection, and status codes one by one: of lasting errors there are many"
)

func fitEnvoy(f *fitting) {
	f.attempts(1, strategies.MaxRetry, envoyCount)
	fitEnvoyWaits(f)
	f.needCap("Envoy's longest wait is ten times the first unless it is given")
	f.leaveOutDeadline("In Envoy that is the timeout of the route, beside its retry policy")
	fitEnvoyGuards(f)
	f.retryOn(envoyWords, envoyClasses)
	if f.fits.RetryAfter != strategies.IgnoreHint {
		f.hints(strategies.FloorJitter, "Envoy waits 1 to 1.5 times the hint instead of backing off, and heeds none beyond 5 min")
	}
}

// fitEnvoyGuards keeps a budget that is a share of the requests.
func fitEnvoyGuards(f *fitting) {
	f.leaveOutGuards("ratio", "Envoy has no guard of clients but a budget for the share of retries")
	if f.fits.Budget.Kind == "" && f.fits.MaxAttempts > 1 {
		f.note("Unless the cluster's circuit breakers say otherwise (max_retries, or a retry_budget), Envoy lets 3 retries be under way at a time, waits included.")
	}
	if f.fits.Budget.Kind == "" {
		return
	}
	inThousandths := func(p *strategies.Policy) { p.Budget = withArg(p.Budget, "ratio", thousandths(p.Budget)/1000) }
	inThousandths(&f.asked) // a budget passes over what is less
	inThousandths(&f.fits)
	f.change("Envoy's budget is at most 100 % of the requests", func(p *strategies.Policy) {
		p.Budget = withArg(p.Budget, "ratio", min(1, p.Budget.Args.Number("ratio")))
	})
	f.change("Envoy counts whole retries; rounded up", func(p *strategies.Policy) {
		p.Budget = withArg(p.Budget, "burst", math.Ceil(p.Budget.Args.Number("burst")))
	})
	f.change("in Envoy nothing comes in but with requests", func(p *strategies.Policy) {
		p.Budget = withArg(p.Budget, "minPerSecond", 0.0)
	})
	f.note("Envoy bounds how many retries are under way, waits included, by how many requests are; the policy's budget bounds how many are made by how many requests came. The latter is shown.")
}

// thousandths are those of what a request puts into a budget.
func thousandths(budget spec.Choice) float64 {
	return math.Floor(budget.Args.Number("ratio")*1000 + 1e-6)
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

// envoyParts are what goes into the route and what goes into the cluster.
type envoyParts struct {
	RetryPolicy     envoyPolicy   `json:"retry_policy"`
	CircuitBreakers envoyBreakers `json:"circuit_breakers"`
}

type envoyBreakers struct {
	Thresholds []envoyThreshold `json:"thresholds"`
}

type envoyThreshold struct {
	RetryBudget envoyBudget `json:"retry_budget"`
}

type envoyBudget struct {
	BudgetPercent       envoyPercent `json:"budget_percent"`
	MinRetryConcurrency int64        `json:"min_retry_concurrency"`
}

type envoyPercent struct {
	Value float64 `json:"value"`
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
	if p.Budget.Kind == "" {
		return indented(out)
	}
	budget := envoyBudget{envoyPercent{thousandths(p.Budget) / 10}, int64(p.Budget.Args.Number("burst"))}
	return indented(envoyParts{out, envoyBreakers{[]envoyThreshold{{budget}}}})
}
