package export

import (
	"fmt"
	"math"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
)

// failsafe is Go code for failsafe-go.
var failsafe = Format{
	ID:        "failsafe-go",
	Name:      "Go: failsafe-go",
	Place:     "Give the policy to failsafe.With, with what must not be retried in AbortOnErrors or AbortIf; and after it the breaker, if there is one, which all share that go to the same server.",
	Source:    "retrypolicy and circuitbreaker of failsafe-go 0.9.8",
	File:      "retry.go",
	MediaType: "text/x-go; charset=utf-8",
	fit:       fitFailsafe,
	write:     writeFailsafe,
}

func fitFailsafe(f *fitting) {
	f.attemptsOrNoLimit(1, math.MaxInt32, "failsafe-go counts attempts in an int")
	f.capBeforeJitter("failsafe-go caps before jitter: a wait can exceed the longest by the factor of the jitter")
	f.jitter("failsafe-go's jitter is a share of the wait to either side", plusMinus(0.5), around)
	f.growth("failsafe-go", 1, 10)
	f.uncapSteady()
	if factor(f.fits) > 1 {
		f.needCap("failsafe-go needs a longest wait for one that grows")
		f.uncapSteady()
	}
	f.leaveOutAttemptTimeout("in failsafe-go that is a policy of its own, timeout")
	f.leaveOutBudget("", "failsafe-go's budget bounds what is in flight, and its throttler stands beside the retry policy")
	fitFailsafeBreaker(f)
	f.hints(strategies.IgnoreHint, "the policy reads no header; failsafehttp does")
	if f.fits.Deadline > 0 {
		f.note("failsafe-go cuts the last wait short to end at the deadline, and then tries once more; the policy does not start a wait that would end later.")
	}
}

func fitFailsafeBreaker(f *fitting) {
	if f.fits.Breaker.Kind == "" {
		return
	}
	f.breakerWith("for an open time drawn at random it needs WithDelayFunc", "openJitter", 0.0)
	f.breakerWith("half-open, failsafe-go lets as many attempts through at a time as it needs successes", "probes", f.fits.Breaker.Args.Integer("successes"))
	f.note("failsafe-go counts every outcome in the state that it is in, also of what left before, and all errors as failures unless HandleIf says which.")
	if f.fits.Breaker.Kind == "ratio" {
		f.note("failsafe-go opens on enough failures before its window is full; the policy waits until it is.")
	}
}

func writeFailsafe(p strategies.Policy) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
// Policy is to retry: %s.
func Policy[R any]() retrypolicy.RetryPolicy[R] {
	return retrypolicy.NewBuilder[R]().
`, words(p.RetryOn))
	if factor(p) == 1 {
		fmt.Fprintf(&b, "\t\tWithDelay(%s).\n", goDuration(base(p)))
	} else {
		fmt.Fprintf(&b, "\t\tWithBackoffFactor(%s, %s, %s).\n", goDuration(base(p)), goDuration(p.Cap), number(factor(p)))
	}
	if fraction(p) > 0 {
		fmt.Fprintf(&b, "\t\tWithJitterFactor(%s).\n", number(fraction(p)))
	}
	attempts := p.MaxAttempts
	if attempts == 0 {
		attempts = -1 // no limit
	}
	fmt.Fprintf(&b, "\t\tWithMaxAttempts(%d).\n", attempts)
	if p.Deadline > 0 {
		fmt.Fprintf(&b, "\t\tWithMaxDuration(%s).\n", goDuration(p.Deadline))
	}
	libraries := []string{"github.com/failsafe-go/failsafe-go/retrypolicy"}
	if p.Breaker.Kind != "" {
		libraries = append([]string{"github.com/failsafe-go/failsafe-go/circuitbreaker"}, libraries...)
		if p.Breaker.Args.Text("onOpen") == "fail" {
			b.WriteString("\t\tAbortOnErrors(circuitbreaker.ErrOpen).\n")
		}
	}
	b.WriteString("\t\tBuild()\n}\n")
	if p.Breaker.Kind != "" {
		writeFailsafeBreaker(&b, p)
	}
	return goSource(b.String(), libraries...)
}

func writeFailsafeBreaker(b *strings.Builder, p strategies.Policy) {
	breaker := p.NewBreaker()
	threshold := fmt.Sprintf("WithFailureThreshold(%d)", breaker.Failures)
	if breaker.Window > 0 {
		threshold = fmt.Sprintf("WithFailureThresholdRatio(%d, %d)", breaker.Failures, breaker.Window)
	}
	fmt.Fprintf(b, `
// Breaker is inside the policy: failsafe.With(Policy[R](), breaker).
func Breaker[R any]() circuitbreaker.CircuitBreaker[R] {
	return circuitbreaker.NewBuilder[R]().
		%s.
		WithDelay(%s).
		WithSuccessThreshold(%d).
		Build()
}
`, threshold, goDuration(p.Breaker.Args.Duration("openFor")), p.Breaker.Args.Integer("successes"))
}
