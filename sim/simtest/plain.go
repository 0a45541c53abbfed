package simtest

import "testing"

// PlainRunOnly leaves a test to the run without the race detector, which is the one without -short: it makes much, and
// starts no goroutine that smaller tests do not start as well, such as those of a run.
func PlainRunOnly(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("large, and run without the race detector")
	}
}
