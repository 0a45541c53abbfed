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
	Place:     "Give the policy to failsafe.With, with what must not be retried in AbortOnErrors or AbortIf.",
	Source:    "retrypolicy of failsafe-go 0.9.8",
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
	f.leaveOutGuards("", "in failsafe-go breakers and budgets are policies of their own")
	f.hints(strategies.IgnoreHint, "the policy reads no header; failsafehttp does")
	if f.fits.Deadline > 0 {
		f.note("failsafe-go cuts the last wait short to end at the deadline, and then tries once more; the policy does not start a wait that would end later.")
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
	b.WriteString("\t\tBuild()\n}\n")
	return goSource("github.com/failsafe-go/failsafe-go/retrypolicy", b.String())
}
