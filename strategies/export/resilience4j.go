package export

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// resilience4j is the Spring Boot configuration of a retry instance.
var resilience4j = Format{
	ID:        "resilience4j",
	Name:      "resilience4j (Spring YAML)",
	Place:     "Put it into application.yml and name the instance as your code does. The exceptions are those of Spring's RestClient.",
	Source:    "IntervalFunction.java and RetryConfig.java of resilience4j, read in November 2026; CommonRetryConfigurationProperties.java",
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
	f.growth("resilience4j", 1, 10)
	f.mustWait()
	f.whole(time.Millisecond, "resilience4j has whole milliseconds; rounded up")
	if f.fits.Jitter.Kind != "none" && f.fits.Cap > 0 {
		f.rewrite("resilience4j caps what is drawn", func(p *strategies.Policy) { p.CapAfterJitter = true })
		f.note("Beyond the longest wait resilience4j goes on growing before it draws: later waits are all exactly the longest, not only a part of them.")
	} else {
		f.capBeforeJitter("without jitter nothing exceeds the cap")
	}
	f.leaveOutDeadline("resilience4j has no deadline over several attempts")
	f.leaveOutAttemptTimeout("in resilience4j that is a time limiter of its own")
	f.leaveOutGuards("", "in resilience4j breakers have a configuration of their own")
	f.retryOn(javaExceptions, "Spring has an exception for every status: of lasting errors there are many")
	f.hints(strategies.IgnoreHint, "resilience4j reads no Retry-After; an IntervalBiFunction can")
}

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
	b.WriteString("        retryExceptions:\n")
	for _, name := range javaExceptions.names(p.RetryOn) {
		fmt.Fprintf(&b, "          - %s\n", name)
	}
	return b.String()
}
