package strategies

import "github.com/stampede-sim/stampede/strategies/spec"

// awsBudget is the retry quota of the AWS SDKs' standard mode, as in aws-sdk-go-v2 (aws/retry: DefaultRetryRateTokens,
// DefaultRetryCost, DefaultRetryTimeoutCost, DefaultNoRetryIncrement).
var awsBudget = BudgetKind{
	Kind: spec.Kind{
		ID:      "aws",
		Name:    "AWS SDK",
		Formula: "a retry costs retryCost, or timeoutCost; a success refunds its last retry, or +1",
		Advice:  "Lets a process retry a hundred times in a row, and as often as before once retries succeed.",
		Params: []spec.Param{
			{
				Key: "retryCost", Type: spec.Integer, Label: "A retry costs", Min: 1, Max: 1e6, Default: int64(5), Unit: "tokens",
				Help: "Paid when the retry is decided on.",
			},
			{
				Key: "timeoutCost", Type: spec.Integer, Label: "After a timeout", Min: 1, Max: 1e6, Default: int64(10), Unit: "tokens",
				Help: "What a retry costs instead if the attempt before it timed out.",
			},
			{
				Key: "capacity", Type: spec.Integer, Label: "Tokens at most", Min: 1, Max: 1e6, Default: int64(500), Unit: "tokens", AtLeast: "retryCost",
				Help: "It starts with so many.",
			},
		},
	},
	New: func(a spec.Args) *Budget {
		return &Budget{Most: a.Integer("capacity") * Token, Cost: a.Integer("retryCost") * Token,
			TimeoutCost: a.Integer("timeoutCost") * Token, PerSuccess: Token, Refund: true, Above: -1}
	},
}
