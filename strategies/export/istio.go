package export

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// istio is the retries of an HTTP route in a VirtualService.
var istio = Format{
	ID:        "istio",
	Name:      "Istio VirtualService",
	Place:     "Name your service in the place of my-service and apply it with kubectl.",
	Source:    "networking.istio.io/v1 HTTPRetry and its validation in istio.io/istio, read in November 2026",
	File:      "virtual-service.yaml",
	MediaType: "application/yaml",
	fit:       fitIstio,
	write:     writeIstio,
}

func fitIstio(f *fitting) {
	f.attempts(2, math.MaxInt32, envoyCount)
	fitEnvoyWaits(f)
	f.rewrite("Istio's longest wait is always ten times the first", func(p *strategies.Policy) {
		p.Cap = min(10*base(*p), maxDuration)
	})
	f.wholeTimeouts(time.Millisecond, "Istio has whole milliseconds; rounded up")
	f.leaveOutGuards("", "Istio's guards belong to the DestinationRule")
	f.retryOn(envoyWords, envoyClasses)
	f.hints(strategies.IgnoreHint, "Istio cannot have Envoy read Retry-After")
	if f.fits.Deadline > 0 {
		f.note("The timeout ends the request even while an attempt is under way; the policy's deadline only keeps from starting another.")
	}
}

func writeIstio(p strategies.Policy) string {
	var b strings.Builder
	b.WriteString(`apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: my-service
spec:
  hosts:
    - my-service
  http:
    - route:
        - destination:
            host: my-service
`)
	if p.Deadline > 0 {
		fmt.Fprintf(&b, "      timeout: %s\n", protoSeconds(p.Deadline))
	}
	fmt.Fprintf(&b, "      retries:\n        attempts: %d\n", p.MaxAttempts-1)
	if p.AttemptTimeout > 0 {
		fmt.Fprintf(&b, "        perTryTimeout: %s\n", protoSeconds(p.AttemptTimeout))
	}
	fmt.Fprintf(&b, "        retryOn: %q\n", strings.Join(envoyWords.names(p.RetryOn), ","))
	fmt.Fprintf(&b, "        backoff: %s\n", protoSeconds(base(p)))
	return b.String()
}
