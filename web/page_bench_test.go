package web

import (
	"fmt"
	"testing"
)

// BenchmarkPage is the server's part of BenchmarkPageUpdate.
func BenchmarkPage(b *testing.B) {
	s := newTestServer(nil)
	for n := 0; b.Loop(); n++ {
		get(s, fmt.Sprintf("replications=5&clients.count=%d", 1001+n), true)
	}
}
