package sim

import (
	"context"
	"strings"
	"testing"
)

// A panic on one of a run's goroutines has to reach the caller, who can recover from it; else it would end the process.
func TestPanicsReachTheCaller(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "on the way") {
			t.Errorf("recovered %v", p)
		}
	}()
	Run(context.Background(), herd(10), func(done, total int) { panic("on the way") })
	t.Error("Run returned")
}
