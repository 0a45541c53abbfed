package export

import (
	"fmt"
	"go/format"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
)

// cenkalti is Go code for cenkalti/backoff.
var cenkalti = Format{
	ID:        "cenkalti-backoff",
	Name:      "Go: cenkalti/backoff v7",
	Place:     "Retry calls your operation; wrap what must not be retried in backoff.Permanent.",
	Source:    "exponential.go and retry.go of cenkalti/backoff v7.0.3",
	File:      "retry.go",
	MediaType: "text/x-go; charset=utf-8",
	fit:       fitCenkalti,
	write:     writeCenkalti,
}

func fitCenkalti(f *fitting) {
	f.capBeforeJitter("the package caps before jitter: a wait can exceed MaxInterval by the factor of the jitter")
	f.jitter("the package's jitter is a share of the wait to either side", plusMinus(0.5), around)
	f.growth("the package", 1, 10)
	f.leaveOutAttemptTimeout("give your operation a context with a timeout")
	f.leaveOutGuards("", "the package has neither breaker nor budget")
	f.hints(strategies.IgnoreHint, "the package reads no header; return backoff.RetryAfter, which replaces the wait and starts the waits anew")
}

func writeCenkalti(p strategies.Policy) string {
	var b strings.Builder
	longest := "math.MaxInt64"
	imports := []string{"context", "math", "time"}
	if p.Cap > 0 {
		longest, imports = goDuration(p.Cap), []string{"context", "time"}
	}
	b.WriteString("package retry\n\nimport (\n")
	for _, name := range imports {
		fmt.Fprintf(&b, "\t%q\n", name)
	}
	fmt.Fprintf(&b, `
	"github.com/cenkalti/backoff/v7"
)

// Retry calls operation until it succeeds, its error is backoff.Permanent, or a limit is reached.
// To be retried: %s.
func Retry[T any](ctx context.Context, operation backoff.Operation[T]) (T, error) {
	return backoff.Retry(ctx, operation,
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval:     %s,
			RandomizationFactor: %s,
			Multiplier:          %s,
			MaxInterval:         %s,
		}),
		backoff.WithMaxTries(%d),
		backoff.WithMaxElapsedTime(%s),
	)
}
`, words(p.RetryOn), goDuration(base(p)), number(fraction(p)), number(factor(p)), longest, p.MaxAttempts, goDuration(p.Deadline))
	return formatted(b.String())
}

// words are a set of classes in a sentence.
func words(set strategies.Classes) string {
	if set == 0 {
		return "nothing"
	}
	return strings.Join(set.Names(), ", ")
}

// formatted is Go source as gofmt has it.
func formatted(source string) string {
	text, err := format.Source([]byte(source))
	if err != nil {
		panic("export: " + err.Error()) // a test writes every kind of policy
	}
	return string(text)
}
