package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// grpcBudget is gRPC's retryThrottling (gRFC A6, "Throttling Retry Attempts and Hedged RPCs"): token_count starts at
// maxTokens, each failed RPC takes 1 from it and each success puts tokenRatio in, and nothing is retried while it is
// less than or equal to the threshold, maxTokens / 2.
var grpcBudget = BudgetKind{
	Kind: spec.Kind{
		ID:      "grpc",
		Name:    "gRPC",
		Formula: "−1 a failure, +tokenRatio a success, retries while tokens > maxTokens/2",
		Advice:  "Stops all retries of a process within some failures, and lets them back only as attempts succeed.",
		Params: []spec.Param{
			{
				Key: "maxTokens", Type: spec.Integer, Label: "Tokens at most", Min: 1, Max: 1000, Start: int64(10), Unit: "tokens",
				Help: "It starts with so many; no retry with half of them or less.",
			},
			{
				Key: "tokenRatio", Type: spec.Number, Label: "A success puts in", Min: 0.001, Max: 1000, Start: 0.1, Unit: "tokens",
				Help: "To the thousandth; a failure takes 1 out.",
			},
		},
	},
	New: func(a spec.Args) *Budget {
		most := a.Integer("maxTokens") * Token
		return &Budget{Most: most, Above: most / 2, PerFailure: Token, PerSuccess: thousandths(a.Number("tokenRatio")) * Thousandth}
	},
}
