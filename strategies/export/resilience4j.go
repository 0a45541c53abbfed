package export

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// resilience4j is the Spring Boot configuration of a retry instance, and of a circuit breaker.
var resilience4j = Format{
	ID:        "resilience4j",
	Name:      "resilience4j (Spring YAML)",
	Place:     "Put it into application.yml and name the instance as your code does. The exceptions are those of Spring's RestClient.",
	Source:    "IntervalFunction.java, RetryConfig.java and CircuitBreakerStateMachine.java of resilience4j, read in November 2026; CommonRetryConfigurationProperties.java and CommonCircuitBreakerConfigurationProperties.java",
	File:      "application.yml",
	MediaType: "application/yaml",
	fit:       fitResilience4j,
	write:     writeResilience4j,
}

const springClient = "org.springframework.web.client."

var javaExceptions = vocabulary{
	strategies.Unavailable: {"java.net.ConnectException", "java.net.SocketException"},
	strategies.Timeout:     {"java.net.SocketTimeoutException", "java.util.concurrent.TimeoutException"},
	strategies.Overloaded:  {springClient + "HttpServerErrorException$ServiceUnavailable"},
	strategies.RateLimited: {springClient + "HttpClientErrorException$TooManyRequests"},
	strategies.Transient:   {springClient + "HttpServerErrorException$InternalServerError", springClient + "HttpServerErrorException$BadGateway"},
	strategies.Conflict:    {springClient + "HttpClientErrorException$Conflict"},
}

func fitResilience4j(f *fitting) {
	f.attempts(1, math.MaxInt32, "resilience4j always counts its attempts")
	f.jitter("resilience4j's jitter is a share of the wait to either side", plusMinus(0.5), around)
	f.change(resilience4jBelow1, func(p *strategies.Policy) {
		p.Jitter = withArg(p.Jitter, "fraction", min(mostRandomizedWait, fraction(*p)))
	})
	f.growth("resilience4j", 1, 10)
	f.mustWait()
	f.whole(time.Millisecond, "resilience4j has whole milliseconds; rounded up")
	if f.fits.Jitter.Kind != "none" && f.fits.Cap > 0 {
		f.capAfterGrowth("resilience4j caps what is drawn, and goes on growing before it draws")
	} else {
		f.capBeforeJitter("without jitter nothing exceeds the cap")
	}
	f.leaveOutDeadline("resilience4j has no deadline over several attempts")
	f.leaveOutAttemptTimeout("in resilience4j that is a time limiter of its own")
	f.leaveOutBudget("", "resilience4j has neither retry budgets nor throttling by clients")
	fitResilience4jBreaker(f)
	f.retryOn(javaExceptions, "Spring has an exception for every status: of lasting errors there are many")
	f.hints(strategies.IgnoreHint, "resilience4j reads no Retry-After; an IntervalBiFunction can")
}

// The starter refuses a randomizedWaitFactor of 1, though the library does not.
const (
	mostRandomizedWait = 0.999
	resilience4jBelow1 = "the Spring starter takes a factor below 1 only"
)

// fitResilience4jBreaker fits a breaker to a sliding window that counts: of so many failures in a row as well, of which it
// has to be full.
func fitResilience4jBreaker(f *fitting) {
	if f.fits.Breaker.Kind == "" {
		return
	}
	f.breakerWith("resilience4j has whole milliseconds; rounded up", "openFor", roundUp(f.fits.Breaker.Args.Duration("openFor"), time.Millisecond))
	f.breakerWith(resilience4jBelow1, "openJitter", min(mostRandomizedWait, f.fits.Breaker.Args.Number("openJitter")))
	f.breakerWith("the Spring starter takes a threshold of at least 1 %", "ratio", max(0.01, f.fits.Breaker.Args.Number("ratio")))
	f.breakerWith("half-open, resilience4j goes by the share of failures among so many attempts; one decides alike", "probes", int64(1), "successes", int64(1))
	f.note("resilience4j counts every outcome in the state that it is in, also of what left before. The retry has to be around the breaker, as it is with annotations.")
}

// notPermitted is what resilience4j's breaker throws at what it stops.
const notPermitted = "io.github.resilience4j.circuitbreaker.CallNotPermittedException"

func writeResilience4j(p strategies.Policy) string {
	var b strings.Builder
	fmt.Fprintf(&b, `resilience4j:
  retry:
    instances:
      backend:
        maxAttempts: %d
        waitDuration: %dms
`, p.MaxAttempts, milliseconds(base(p)))
	if factor(p) != 1 || p.Cap > 0 {
		fmt.Fprintf(&b, "        enableExponentialBackoff: true\n        exponentialBackoffMultiplier: %s\n", number(factor(p)))
	}
	if p.Cap > 0 {
		fmt.Fprintf(&b, "        exponentialMaxWaitDuration: %dms\n", milliseconds(p.Cap))
	}
	if fraction(p) > 0 {
		fmt.Fprintf(&b, "        enableRandomizedWait: true\n        randomizedWaitFactor: %s\n", number(fraction(p)))
	}
	exceptions := javaExceptions.names(p.RetryOn)
	waits := p.Breaker.Kind != "" && p.Breaker.Args.Text("onOpen") == "wait"
	if waits {
		writeYAMLList(&b, "retryExceptions", append(slices.Clip(exceptions), notPermitted))
	} else {
		writeYAMLList(&b, "retryExceptions", exceptions)
	}
	if p.Breaker.Kind != "" {
		writeResilience4jBreaker(&b, p.Breaker.Args, exceptions)
	}
	return b.String()
}

func writeResilience4jBreaker(b *strings.Builder, a spec.Args, exceptions []string) {
	window, share := a.Integer("window"), a.Number("ratio")
	if failures := a.Integer("failures"); failures > 0 {
		window, share = failures, 1
	}
	fmt.Fprintf(b, `  circuitbreaker:
    instances:
      backend:
        slidingWindowType: COUNT_BASED
        slidingWindowSize: %d
        minimumNumberOfCalls: %d
        failureRateThreshold: %s
        waitDurationInOpenState: %dms
`, window, window, number(percent(share)), milliseconds(a.Duration("openFor")))
	if stray := a.Number("openJitter"); stray > 0 {
		fmt.Fprintf(b, "        enableRandomizedWait: true\n        randomizedWaitFactor: %s\n", number(stray))
	}
	fmt.Fprintf(b, "        permittedNumberOfCallsInHalfOpenState: %d\n", a.Integer("probes"))
	writeYAMLList(b, "recordExceptions", exceptions)
}

func writeYAMLList(b *strings.Builder, key string, items []string) {
	fmt.Fprintf(b, "        %s:\n", key)
	for _, item := range items {
		fmt.Fprintf(b, "          - %s\n", item)
	}
}
