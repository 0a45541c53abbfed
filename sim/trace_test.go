package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// One client that thinks for a second between requests, each of which is answered with an injected error after no time
// at all: two attempts a second apart, then the request has failed.
func TestTraceTellsRequestsApart(t *testing.T) {
	s, err := ParseScenario([]byte(`{
		"horizon": "5s", "replications": 1,
		"clients": {"count": 1, "workload": {"kind": "closed", "think": {"kind": "constant", "mean": "1s"}}},
		"server": {"errors": {"transient": 1}},
		"policies": [{"schedule": {"kind": "constant", "base": "1s"}, "maxAttempts": 2}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Runner{Trace: 1}.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace := r.Results[0].Trace
	var got []string
	for i := range trace.Client {
		got = append(got, fmt.Sprint(trace.Request[i], trace.Attempt[i], trace.LeftSeconds[i], trace.Failed[i]))
	}
	if got, want := strings.Join(got, "|"), "1 1 1|1 2 2attempts|2 1 3|2 2 4attempts"; got != want {
		t.Errorf("the trace is %s, want %s", got, want)
	}
}
