package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
)

// tenacity is Python for tenacity.
var tenacity = Format{
	ID:        "tenacity",
	Name:      "Python: tenacity",
	Place:     "Decorate your function with it, and say in is_transient what is retried.",
	Source:    "wait.py and stop.py of tenacity, July 2026",
	File:      "retrying.py",
	MediaType: "text/x-python; charset=utf-8",
	fit:       fitTenacity,
	write:     writeTenacity,
}

func fitTenacity(f *fitting) {
	f.capBeforeJitter("what tenacity adds to a wait, it adds after the cap")
	if f.fits.Jitter.Kind != "additive" || f.fits.Jitter.Args.Duration("max") == 0 {
		f.jitter("tenacity draws from 0 to the wait, or adds a random time", fullJitter, fullOrNone)
	}
	if f.fits.Schedule.Kind != "linear" || f.fits.Jitter.Kind == "full" {
		f.growth("tenacity", 1, 10)
		f.uncapSteady()
	}
	f.leaveOutAttemptTimeout("tenacity has no timeout for an attempt")
	f.leaveOutGuards("", "tenacity has neither breaker nor budget")
	f.hints(strategies.IgnoreHint, "tenacity reads no header; a wait of your own can")
}

func writeTenacity(p strategies.Policy) string {
	names, wait := tenacityWait(p)
	stop := []string{}
	if p.MaxAttempts > 0 {
		names, stop = append(names, "stop_after_attempt"), append(stop, fmt.Sprintf("stop_after_attempt(%d)", p.MaxAttempts))
	}
	if p.Deadline > 0 {
		names, stop = append(names, "stop_before_delay"), append(stop, "stop_before_delay("+decimal(p.Deadline)+")")
	}
	if len(stop) == 0 {
		names, stop = append(names, "stop_never"), []string{"stop_never"}
	}
	names = append(names, "retry", "retry_if_exception")
	slices.Sort(names)
	return fmt.Sprintf(`from tenacity import %s


def is_transient(error: BaseException) -> bool:
    """To be retried: %s."""
    return True


retrying = retry(
    retry=retry_if_exception(is_transient),
    wait=%s,
    stop=%s,
    reraise=True,
)
`, strings.Join(names, ", "), words(p.RetryOn), wait, strings.Join(stop, " | "))
}

// tenacityWait returns what to import, and the wait.
func tenacityWait(p strategies.Policy) (names []string, wait string) {
	name, args := "wait_exponential", []string{"multiplier=" + decimal(base(p)), "exp_base=" + number(factor(p))}
	full := p.Jitter.Kind == "full"
	switch {
	case p.Schedule.Kind == "linear":
		name, args = "wait_incrementing", []string{"start=" + decimal(base(p)), "increment=" + decimal(p.Schedule.Args.Duration("step"))}
	case factor(p) == 1 && full:
		name, args = "wait_random", []string{"0", decimal(base(p))}
	case factor(p) == 1:
		name, args = "wait_fixed", []string{decimal(base(p))}
	case full:
		name = "wait_random_exponential"
	}
	if p.Cap > 0 {
		args = append(args, "max="+decimal(p.Cap))
	}
	names, wait = []string{name}, name+"("+strings.Join(args, ", ")+")"
	if most := p.Jitter.Args.Duration("max"); p.Jitter.Kind == "additive" && most > 0 {
		if name != "wait_random" {
			names = append(names, "wait_random")
		}
		wait += " + wait_random(0, " + decimal(most) + ")"
	}
	return names, wait
}
