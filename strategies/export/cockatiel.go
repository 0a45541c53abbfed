package export

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// cockatiel is TypeScript for cockatiel.
var cockatiel = Format{
	ID:        "cockatiel",
	Name:      "TypeScript: cockatiel",
	Place:     "Call policy.execute with your function, and say in isTransient what is retried.",
	Source:    "RetryPolicy.ts, ExponentialBackoff.ts and ExponentialBackoffGenerators.ts of cockatiel 4.0",
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
	f.leaveOutGuards("", "in cockatiel breakers are policies of their own")
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

func writeCockatiel(p strategies.Policy) string {
	attempts := "Number.MAX_SAFE_INTEGER"
	if p.MaxAttempts > 0 {
		attempts = fmt.Sprint(p.MaxAttempts - 1)
	}
	generator, exponent := cockatielGenerators[p.Jitter.Kind], ""
	if drawsMoments(p) && factor(p) != 2 {
		exponent = fmt.Sprintf("      exponent: %v,\n", factor(p))
	}
	return fmt.Sprintf(`import { ExponentialBackoff, %s, handleWhen, retry } from "cockatiel";

// To be retried: %s.
export const policy = (isTransient: (error: unknown) => boolean) =>
  retry(handleWhen(isTransient), {
    maxAttempts: %s, // retries
    backoff: new ExponentialBackoff({
      generator: %[1]s,
%[6]s      initialDelay: %[4]d,
      maxDelay: %[5]d,
    }),
  });
`, generator, words(p.RetryOn), attempts, milliseconds(base(p)), milliseconds(p.Cap), exponent)
}
