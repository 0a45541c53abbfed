package web

import "testing"

func BenchmarkPolicyPage(b *testing.B) {
	s := newTestServer(nil)
	for name, path := range policyPaths {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ask(s, "GET", path, "").Body.Close()
			}
		})
	}
	for name, path := range map[string]string{
		"worst":          "/policy?p=constant,base=1ms,jitter=full&roundTrip=0s&outage=168h&retries=1000",
		"worst-feedback": "/policy?p=constant,base=1ns,cap=5m,jitter=decorrelated,deadline=168h&roundTrip=0s&outage=168h&retries=1000",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ask(s, "GET", path, "").Body.Close()
			}
		})
	}
}
