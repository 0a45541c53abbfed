package strategies

// throttleSlots is in how many slots a throttle's window is counted.
const throttleSlots = 60

// Throttle is the rules of client-side throttling: a probability to drop what would leave, from how many attempts of late
// there were and how many of them a server accepted.
type Throttle struct {
	K    float64 // attempts are dropped when there are more than K times as many as were accepted
	Slot int64   // width of a slot, in nanoseconds; what is counted is the last throttleSlots of them
}

// ThrottleState is what a process has counted.
type ThrottleState struct {
	requests, accepts int64 // over all slots
	last              int64 // number of the newest slot
	slots             [throttleSlots]struct{ requests, accepts uint32 }
}

// Probability returns the probability with which an attempt that would leave at t is dropped.
func (r *Throttle) Probability(s *ThrottleState, t int64) float64 {
	r.reach(s, t)
	requests := float64(s.requests)
	return max(0, (requests-r.K*float64(s.accepts))/(requests+1))
}

// Requested counts an attempt at t, dropped or not.
func (r *Throttle) Requested(s *ThrottleState, t int64) {
	s.slots[r.reach(s, t)].requests++
	s.requests++
}

// Accepted counts an answer, seen at t, that is none of a server that cannot serve.
func (r *Throttle) Accepted(s *ThrottleState, t int64) {
	s.slots[r.reach(s, t)].accepts++
	s.accepts++
}

// Rejects reports whether a failure of this class is that of a server that did not accept the attempt.
func (r *Throttle) Rejects(c Class) bool {
	return c == Unavailable || c == Overloaded || c == RateLimited || c == Timeout
}

// reach forgets the slots that have left the window by t, and returns the place of t's slot.
func (r *Throttle) reach(s *ThrottleState, t int64) int64 {
	now := t / r.Slot
	for n := max(s.last+1, now-throttleSlots+1); n <= now; n++ {
		slot := &s.slots[n%throttleSlots]
		s.requests -= int64(slot.requests)
		s.accepts -= int64(slot.accepts)
		slot.requests, slot.accepts = 0, 0
	}
	s.last = max(s.last, now)
	return now % throttleSlots
}
