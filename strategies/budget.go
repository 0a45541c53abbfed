package strategies

import (
	"math/bits"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Token is one token of a retry budget. Budgets count in thousandths, so that ten deposits of 0.1 pay for one retry, and
// here each of those in thousand-millionths: at a rate of whole thousandths a second that is what a nanosecond brings.
const (
	Token      = 1000 * Thousandth
	Thousandth = 1_000_000_000
)

// Budget is the rules of a retry budget: what fills it, what a retry costs, and what must be left. Amounts are in units
// of which Token has 10^12.
type Budget struct {
	Most        int64 // it starts with so much and never exceeds it
	PerRequest  int64 // put in for each new request
	PerSuccess  int64 // put in for a success; with Refund only for one without a retry
	PerSecond   int64 // trickles in, in thousandths a second
	PerFailure  int64 // taken for each failure in retryOn, as far as there is so much
	Above       int64 // a retry needs more than this,
	Cost        int64 // and this much, which it pays;
	TimeoutCost int64 // after a timeout this much
	Refund      bool  // a success gives back what its last retry cost
}

// BudgetState is what a process has left.
type BudgetState struct {
	level int64
	at    int64 // when the trickle was last counted
}

// Start returns a full budget.
func (b *Budget) Start() BudgetState { return BudgetState{level: b.Most} }

// Left returns how many thousandths of a token there are.
func (s *BudgetState) Left() int64 { return s.level / Thousandth }

// Requested notes a new request at t.
func (b *Budget) Requested(s *BudgetState, t int64) {
	b.trickle(s, t)
	b.put(s, b.PerRequest)
}

// Failed notes a failure in retryOn, seen at t.
func (b *Budget) Failed(s *BudgetState, t int64) {
	b.trickle(s, t)
	s.level = max(0, s.level-b.PerFailure)
}

// Succeeded notes a success, seen at t. retried says that it came with a retry, and timedOut that this followed a timeout.
func (b *Budget) Succeeded(s *BudgetState, t int64, retried, timedOut bool) {
	b.trickle(s, t)
	if b.Refund && retried {
		b.put(s, b.cost(timedOut))
	} else {
		b.put(s, b.PerSuccess)
	}
}

// Pays reports whether there is enough for a retry that is decided on at t, and takes it. timedOut says that what is
// retried is a timeout.
func (b *Budget) Pays(s *BudgetState, t int64, timedOut bool) bool {
	b.trickle(s, t)
	cost := b.cost(timedOut)
	if s.level <= b.Above || s.level < cost {
		return false
	}
	s.level -= cost
	return true
}

// Outlasts reports whether a full budget pays for so many retries, whatever they follow, even if as many attempts fail and
// nothing is put in.
func (b *Budget) Outlasts(attempts, retries int64) bool {
	cost := float64(max(b.Cost, b.TimeoutCost))
	last := float64(b.Most) - float64(attempts)*float64(b.PerFailure) - float64(retries-1)*cost
	return last > float64(b.Above) && last >= cost
}

func (b *Budget) cost(timedOut bool) int64 {
	if timedOut {
		return b.TimeoutCost
	}
	return b.Cost
}

func (b *Budget) put(s *BudgetState, amount int64) { s.level += min(amount, b.Most-s.level) }

func (b *Budget) trickle(s *BudgetState, t int64) {
	if b.PerSecond > 0 {
		hi, gained := bits.Mul64(uint64(b.PerSecond), uint64(t-s.at))
		if hi > 0 || gained > uint64(b.Most) {
			gained = uint64(b.Most)
		}
		b.put(s, int64(gained))
	}
	s.at = t
}

// warn warns of a budget that its own rules keep from ever paying for a retry, or from ever being refilled. timeouts says
// that timeouts are retried.
func (b *Budget) warn(timeouts bool, warn func(format string, args ...any)) {
	after := b.Most - b.PerFailure // what a full one has left at the first failure
	switch {
	case after <= b.Above:
		warn("the budget never allows a retry: a failure leaves %s of its %s tokens, and a retry needs more than %s",
			tokens(after), tokens(b.Most), tokens(b.Above))
	case timeouts && b.TimeoutCost > b.Most:
		warn("the budget never allows a retry after a timeout: that costs %s tokens, and it holds at most %s",
			tokens(b.TimeoutCost), tokens(b.Most))
	case b.PerRequest+b.PerSuccess+b.PerSecond == 0:
		warn("nothing fills the budget again: what a process retries in all is at most %d", b.Most/b.Cost)
	}
}

// tokens prints an amount.
func tokens(amount int64) string { return spec.Format(float64(max(0, amount)/Thousandth) / 1000) }
