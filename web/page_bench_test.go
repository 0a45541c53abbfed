package web

import (
	"fmt"
	"testing"
)

// BenchmarkPage is the server's part of BenchmarkPageUpdate.
func BenchmarkPage(b *testing.B) {
	s := newTestServer(nil)
	for n := 0; b.Loop(); n++ {
		get(s, fmt.Sprintf("from=replications%%3D5&clients.count=%d", 1001+n), true)
	}
}
