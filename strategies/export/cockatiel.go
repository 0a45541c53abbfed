package export

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// cockatiel is TypeScript for cockatiel.
var cockatiel = Format{
	ID:        "cockatiel",
	Name:      "TypeScript: cockatiel",
	Place:     "Call policy.execute with your function, and say in isTransient what is retried. One with a circuit breaker is made once for all calls to a server.",
	Source:    "CircuitBreakerPolicy.ts, RetryPolicy.ts, ExponentialBackoff.ts and ExponentialBackoffGenerators.ts of cockatiel 4.0",
	File:      "retry.ts",
	MediaType: "text/plain; charset=utf-8",
	fit:       fitCockatiel,
	write:     writeCockatiel,
}

var cockatielGenerators = map[string]string{"none": "noJitterGenerator", "full": "fullJitterGenerator", "equal": "halfJitterGenerator",
	"decorrelatedV2": "decorrelatedJitterGenerator"}

func fitCockatiel(f *fitting) {
	if momentsOf(f.fits, 1, 10) {
		f.clampedByCockatiel()
	} else {
		f.shortenedByCockatiel()
	}
	f.whole(time.Millisecond, "timers have whole milliseconds; rounded up")
	f.leaveOutDeadline("in cockatiel that is a timeout policy wrapped around this one, which also ends the attempt under way")
	f.leaveOutAttemptTimeout("in cockatiel that is a timeout policy inside this one")
	f.leaveOutBudget("", "cockatiel has neither retry budgets nor throttling")
	fitCockatielBreaker(f)
	f.hints(strategies.IgnoreHint, "cockatiel reads no header; a DelegateBackoff can")
}

const cockatielCap = "cockatiel's longest wait is 30 s unless it is given"

// clampedByCockatiel is for the jitter that cockatiel has by default.
func (f *fitting) clampedByCockatiel() {
	if f.fits.Cap == 0 {
		f.change(cockatielCap, func(p *strategies.Policy) { p.Cap = maxDuration })
	}
}

// shortenedByCockatiel is for its other jitters, which draw after the cap.
func (f *fitting) shortenedByCockatiel() {
	f.capBeforeJitter("cockatiel caps before jitter, which only shortens the wait")
	f.jitter("cockatiel has full jitter, equal jitter, decorrelated jitter V2 on waits that multiply, or none", fullJitter, func(share float64) form {
		if share > 0.499999 && share < 0.500001 {
			return form{choiceOf("equal"), 0.5, 1}
		}
		return fullOrNone(share)
	})
	f.growth("cockatiel", 2, 2)
	f.needCap(cockatielCap)
	f.note("cockatiel ignores an exponent that is given with these generators, and always doubles.")
}

func fitCockatielBreaker(f *fitting) {
	if f.fits.Breaker.Kind == "" {
		return
	}
	f.breakerWith("timers have whole milliseconds; rounded up", "openFor", roundUp(f.fits.Breaker.Args.Duration("openFor"), time.Millisecond))
	f.breakerWith("for an open time drawn at random it needs a backoff of your own in halfOpenAfter", "openJitter", 0.0)
	f.breakerWith("half-open, cockatiel lets as many attempts through as it needs successes", "probes", f.fits.Breaker.Args.Integer("successes"))
	f.note("Half-open, cockatiel lets what comes beside its trial wait for the outcome instead of stopping it, and it counts outcomes whenever their attempt left.")
}

func writeCockatiel(p strategies.Policy) string {
	attempts := "Number.MAX_SAFE_INTEGER"
	if p.MaxAttempts > 0 {
		attempts = fmt.Sprint(p.MaxAttempts - 1)
	}
	generator, exponent := cockatielGenerators[p.Jitter.Kind], ""
	if drawsMoments(p) && factor(p) != 2 {
		exponent = fmt.Sprintf("      exponent: %v,\n", factor(p))
	}
	imports := []string{"ExponentialBackoff", generator, "handleWhen", "retry"}
	handled, inside := "isTransient", ""
	if p.Breaker.Kind != "" {
		var used []string
		handled, inside, used = cockatielBreaker(p)
		imports = append(imports, used...)
	}
	slices.Sort(imports)
	policy := fmt.Sprintf(`  retry(handleWhen(%s), {
    maxAttempts: %s, // retries
    backoff: new ExponentialBackoff({
      generator: %s,
%s      initialDelay: %d,
      maxDelay: %d,
    }),
  })`, handled, attempts, generator, exponent, milliseconds(base(p)), milliseconds(p.Cap))
	if inside != "" {
		policy = "  wrap(\n" + indent(policy) + ",\n" + indent(inside) + ",\n  )"
	}
	return fmt.Sprintf(`import { %s } from "cockatiel";

// To be retried: %s.
export const policy = (isTransient: (error: unknown) => boolean) =>
%s;
`, strings.Join(imports, ", "), words(p.RetryOn), policy)
}

// cockatielBreaker is the breaker inside a retry policy, what that handles then, and what is to be imported for both. A share of
// failures opens it beyond its threshold, so that lies between two counts.
func cockatielBreaker(p strategies.Policy) (handled, breaker string, imports []string) {
	b, a := p.NewBreaker(), p.Breaker.Args
	handled = "(error) => !(error instanceof BrokenCircuitError) && isTransient(error)"
	if a.Text("onOpen") == "wait" {
		handled = "(error) => error instanceof BrokenCircuitError || isTransient(error)"
	}
	kind, opens := "ConsecutiveBreaker", fmt.Sprintf("new ConsecutiveBreaker(%d)", b.Failures)
	if b.Window > 0 {
		kind = "CountBreaker"
		opens = fmt.Sprintf("new CountBreaker({ threshold: %v, size: %d })", (float64(b.Failures)-0.5)/float64(b.Window), b.Window)
	}
	halfOpen := ""
	if n := a.Integer("successes"); n > 1 {
		halfOpen = fmt.Sprintf("    halfOpenSampling: { calls: %d, threshold: 0 },\n", n)
	}
	return handled, fmt.Sprintf(`  circuitBreaker(handleWhen(isTransient), {
    halfOpenAfter: %d,
%s    breaker: %s,
  })`, milliseconds(a.Duration("openFor")), halfOpen, opens), []string{"BrokenCircuitError", kind, "circuitBreaker", "wrap"}
}

// indent moves lines one level in.
func indent(lines string) string { return "  " + strings.ReplaceAll(lines, "\n", "\n  ") }
