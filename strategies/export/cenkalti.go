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
	longest := "math.MaxInt64"
	if p.Cap > 0 {
		longest = goDuration(p.Cap)
	}
	return goSource(fmt.Sprintf(`
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
`, words(p.RetryOn), goDuration(base(p)), number(fraction(p)), number(factor(p)), longest, p.MaxAttempts, goDuration(p.Deadline)), "github.com/cenkalti/backoff/v7")
}

// words are a set of classes in a sentence.
func words(set strategies.Classes) string {
	if set == 0 {
		return "nothing"
	}
	return strings.Join(set.Names(), ", ")
}

// goSource is a Go file that imports a library, and of the standard library what it uses.
func goSource(body string, libraries ...string) string {
	var imports strings.Builder
	for _, name := range []string{"context", "math", "time"} {
		if strings.Contains(body, name+".") {
			fmt.Fprintf(&imports, "\t%q\n", name)
		}
	}
	imports.WriteByte('\n')
	for _, library := range libraries {
		fmt.Fprintf(&imports, "\t%q\n", library)
	}
	text, err := format.Source(fmt.Appendf(nil, "package retry\n\nimport (\n%s)\n%s", &imports, body))
	if err != nil {
		panic("export: " + err.Error()) // a test writes every kind of policy
	}
	return string(text)
}
