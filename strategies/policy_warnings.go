package strategies

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Warnings says what is allowed in a valid policy but hardly meant.
func (p Policy) Warnings() []string {
	c := p.Compile()
	warnings := []string{}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }

	first, _ := c.Bounds(1)
	retries := p.MaxAttempts != 1
	made := int64(MaxRetry)
	if p.MaxAttempts > 1 {
		made = p.MaxAttempts - 1
	}
	if p.Deadline > 0 && first > int64(p.Deadline) && retries {
		warn("the deadline of %s is shorter than the first wait, at least %s: nothing is ever retried", show(p.Deadline), show(first))
	}
	if !retries && c.highest(made) > 0 {
		warn("with 1 attempt nothing is retried, and the waits do not matter")
	}
	if wait := p.uncapped().Scheduled(1); p.Cap > 0 && wait > int64(p.Cap) {
		warn("the cap of %s is below the first wait of %s", show(p.Cap), show(wait))
	}
	if highest := c.highest(made); p.Cap > 0 && highest > int64(p.Cap) {
		warn("waits can reach %s: the cap of %s holds before jitter, not after", show(highest), show(p.Cap))
	}
	if p.Cap == 0 && (p.RetryAfter == ClampHint || p.RetryAfter == GiveUp) {
		warn("retryAfter %s is the same as floor without a cap", p.RetryAfter)
	}
	if b := p.NewBudget(); b != nil && retries {
		b.warn(p.AttemptTimeout > 0 && p.RetryOn.Has(Timeout), warn)
	}
	return warnings
}

// show prints nanoseconds.
func show[T ~int64](ns T) string { return spec.Format(time.Duration(ns)) }

// uncapped is the policy without its cap.
func (p Policy) uncapped() *Compiled {
	p.Cap = 0
	return p.Compile()
}

// highest returns the longest delay of so many retries.
func (c *Compiled) highest(retries int64) int64 {
	var highest int64
	for n := range min(int64(len(c.windows)), retries) {
		_, hi := c.Bounds(n + 1)
		highest = max(highest, hi)
	}
	_, last := c.Bounds(retries)
	return max(highest, last)
}
