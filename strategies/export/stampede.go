package export

import "github.com/stampede-sim/stampede/strategies"

// stampede is our own document: everything can be said.
var stampede = Format{
	ID:        "stampede",
	Name:      "Stampede policy (JSON)",
	Place:     "POST it to /api/v1/policies/analysis, put it into a scenario, or paste it on the page.",
	Source:    "/api/v1/schemas/policy.json",
	File:      "policy.json",
	MediaType: "application/json",
	fit:       func(*fitting) {},
	write:     func(p strategies.Policy) string { return indented(p) },
	read:      func(node) strategies.Policy { return strategies.Policy{} }, // Import leaves it to ParsePolicy
}
