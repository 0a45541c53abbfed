package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// ratioBudget is the budget of Finagle and of Linkerd 2: retries may be so many for each request, and a few besides.
// Theirs lets deposits lapse after 10 s; here they stay, up to the burst.
var ratioBudget = BudgetKind{
	Kind: spec.Kind{
		ID:      "ratio",
		Name:    "Share of requests",
		Formula: "+ratio a request, +minPerSecond, a retry takes 1 and needs 1",
		Advice:  "Bounds what retries add to the load in the long run: never more than this share.",
		Params: []spec.Param{
			{
				Key: "ratio", Type: spec.Number, Label: "A request puts in", Max: 1000, Start: 0.1, Unit: "tokens",
				Help: "To the thousandth; a retry takes 1 out.",
			},
			{
				Key: "burst", Type: spec.Number, Label: "Tokens at most", Min: 1, Max: 1e6, Start: 10.0, Unit: "tokens",
				Help: "It starts with so many.",
			},
			{
				Key: "minPerSecond", Type: spec.Number, Label: "Comes in", Max: 1000, Default: 0.0, Unit: "tokens per second",
				Help: "To the thousandth; whatever is asked for.",
			},
		},
	},
	New: func(a spec.Args) *Budget {
		return &Budget{Most: thousandths(a.Number("burst")) * Thousandth, PerRequest: thousandths(a.Number("ratio")) * Thousandth,
			PerSecond: thousandths(a.Number("minPerSecond")), Cost: Token, TimeoutCost: Token}
	},
}
