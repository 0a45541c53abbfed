package sim_test

import (
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

const ms = time.Millisecond

// scenarioWith returns a scenario that is valid but for what the given fields may do to it.
func scenarioWith(fields ...string) string {
	document := strings.Join(fields, ", ")
	if !strings.Contains(document, `"clients"`) {
		document += `, "clients": {"count": 5}`
	}
	if !strings.Contains(document, `"policies"`) {
		document += `, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]`
	}
	return "{" + strings.TrimPrefix(document, ", ") + "}"
}

func parse(t interface{ Fatalf(string, ...any) }, document string) *sim.Scenario {
	s, err := sim.ParseScenario([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return s
}
