package export

import (
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// bullMQ is the options of a job.
var bullMQ = Format{
	ID:        "bullmq",
	Name:      "BullMQ job options",
	Place:     "Give it to queue.add as the options of a job, or to the queue as defaultJobOptions.",
	Source:    "src/classes/backoffs.ts and job.ts of bullmq 6.7",
	File:      "job-options.json",
	MediaType: "application/json",
	fit:       fitBullMQ,
	write:     writeBullMQ,
}

func fitBullMQ(f *fitting) {
	f.attempts(1, strategies.MaxRetry, "BullMQ does not retry unless it is given a number of attempts")
	const cap = "BullMQ has no longest wait, unless you write a backoffStrategy"
	f.capBeforeJitter(cap)
	f.jitter("BullMQ's jitter only shortens a wait, by a share of it", upTo(0.5), func(share float64) form { return upTo(1 - share) })
	f.growth("BullMQ", 1, 10)
	f.uncapSteady()
	if k := factor(f.fits); k != 1 {
		f.multiplied(2, "BullMQ doubles the wait or keeps it")
	}
	f.rewrite(cap, func(p *strategies.Policy) { p.Cap = 0 })
	f.whole(time.Millisecond, "BullMQ has whole milliseconds; rounded up")
	f.leaveOutDeadline("BullMQ has no deadline over several attempts")
	f.leaveOutAttemptTimeout("BullMQ has no timeout for an attempt")
	f.leaveOutGuards("", "BullMQ has neither breaker nor budget")
	f.retryOnFixed(strategies.AllClasses, "BullMQ retries whatever a job throws but UnrecoverableError, which your processor has to throw")
	f.hints(strategies.IgnoreHint, "BullMQ knows no Retry-After; a processor can move its job to the delayed ones itself")
}

type bullOptions struct {
	Attempts int64       `json:"attempts"`
	Backoff  bullBackoff `json:"backoff"`
}

type bullBackoff struct {
	Type   string  `json:"type"` // "fixed" or "exponential"
	Delay  int64   `json:"delay"`
	Jitter float64 `json:"jitter,omitempty"`
}

func writeBullMQ(p strategies.Policy) string {
	b := bullBackoff{Type: "exponential", Delay: milliseconds(base(p))}
	if factor(p) == 1 {
		b.Type = "fixed"
	}
	if low, _, _ := spread(p); low < 1 {
		b.Jitter = 1 - low
	}
	return indented(bullOptions{p.MaxAttempts, b})
}
