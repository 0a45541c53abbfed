package export

import "github.com/stampede-sim/stampede/strategies"

// grpc is the retryPolicy of a gRPC service config (proposal A6).
var grpc = Format{
	ID:        "grpc",
	Name:      "gRPC service config",
	Place:     "Give it to the channel: grpc.WithDefaultServiceConfig in Go, the option grpc.service_config elsewhere. Name your services instead of {} to have it for some alone.",
	Source:    "gRPC proposal A6; service_config.go and stream.go of grpc-go 1.85",
	File:      "service-config.json",
	MediaType: "application/json",
	fit:       fitGRPC,
	write:     writeGRPC,
	read:      readGRPC,
}

// grpcCodes are the status codes that stand for the failure classes.
var grpcCodes = vocabulary{
	strategies.Unavailable: {"UNAVAILABLE"},
	strategies.Timeout:     {"DEADLINE_EXCEEDED"},
	strategies.Overloaded:  {"UNAVAILABLE"},
	strategies.RateLimited: {"RESOURCE_EXHAUSTED"},
	strategies.Transient:   {"INTERNAL"},
	strategies.Permanent:   {"FAILED_PRECONDITION"},
	strategies.Conflict:    {"ABORTED"},
}

func fitGRPC(f *fitting) {
	f.attempts(2, 5, "gRPC takes any number of attempts above 5 for 5, and says nothing")
	f.capBeforeJitter("gRPC caps before jitter, so a wait can exceed maxBackoff by 20 %")
	const jitter = "gRPC always draws from 0.8 to 1.2 times the wait"
	f.jitter(jitter, plusMinus(0.2), always(plusMinus(0.2)))
	f.growth("gRPC", 1, 10)
	f.needCap("gRPC needs a longest wait")
	f.mustWait()
	f.leaveOutAttemptTimeout("gRPC has no timeout for a single attempt")
	f.leaveOutGuards("grpc", "gRPC has no guard but its own retry throttling")
	f.retryOn(grpcCodes, "gRPC has the code UNAVAILABLE for a refused connection and for an overloaded server alike")
	f.hints(strategies.IgnoreHint, "gRPC knows no Retry-After; its servers send grpc-retry-pushback-ms, which always replaces the wait")
	if f.fits.Deadline > 0 {
		f.note("The timeout ends the call even while an attempt is under way; the policy's deadline only keeps from starting another.")
	}
}

type grpcConfig struct {
	MethodConfig    []grpcMethod  `json:"methodConfig"`
	RetryThrottling *grpcThrottle `json:"retryThrottling,omitempty"`
}

type grpcThrottle struct {
	MaxTokens  int64   `json:"maxTokens"`
	TokenRatio float64 `json:"tokenRatio"`
}

type grpcMethod struct {
	Name        []struct{} `json:"name"` // one empty name: every method
	Timeout     string     `json:"timeout,omitempty"`
	RetryPolicy grpcRetry  `json:"retryPolicy"`
}

type grpcRetry struct {
	MaxAttempts          int64    `json:"maxAttempts"`
	InitialBackoff       string   `json:"initialBackoff"`
	MaxBackoff           string   `json:"maxBackoff"`
	BackoffMultiplier    float64  `json:"backoffMultiplier"`
	RetryableStatusCodes []string `json:"retryableStatusCodes"`
}

func writeGRPC(p strategies.Policy) string {
	m := grpcMethod{Name: make([]struct{}, 1), RetryPolicy: grpcRetry{
		MaxAttempts:          p.MaxAttempts,
		InitialBackoff:       protoSeconds(base(p)),
		MaxBackoff:           protoSeconds(p.Cap),
		BackoffMultiplier:    factor(p),
		RetryableStatusCodes: grpcCodes.names(p.RetryOn),
	}}
	if p.Deadline > 0 {
		m.Timeout = protoSeconds(p.Deadline)
	}
	config := grpcConfig{MethodConfig: []grpcMethod{m}}
	if p.Budget.Kind == "grpc" {
		config.RetryThrottling = &grpcThrottle{p.Budget.Args.Integer("maxTokens"), p.Budget.Args.Number("tokenRatio")}
	}
	return indented(config)
}
