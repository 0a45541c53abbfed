package conformance

// What is exported, read by the parser of the system that it is for. It has to accept it, and to make of it what the export
// says that the target does.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	clusterv3 "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	routev3 "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/server/common/retrypolicy"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/durationpb"
	networking "istio.io/api/networking/v1alpha3"
	"istio.io/istio/pkg/config"
	"istio.io/istio/pkg/config/validation"
	"istio.io/istio/pkg/util/protomarshal"
	"sigs.k8s.io/yaml"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// parsers are the real ones that run in Go, by format, and schemas where none does. Each returns an error if it does not accept the text, or makes of it
// something else than the policy.
var parsers = map[string]struct {
	parse func(t *testing.T, text string, does strategies.Policy) error
	// broken is what it must not accept: otherwise it checks nothing.
	broken []string
}{
	"grpc":     {parseGRPC, []string{`{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`, `{"methodConfig": [{"name": [{}], "timeout": "1m"}]}`}},
	"temporal": {parseTemporal, []string{`{"initialInterval": "1m"}`, `{"initialInterval": "2s", "maximumInterval": "1s"}`, `{"backoffCoefficient": 0.5}`}},
	"envoy": {parseEnvoy, []string{`{"retry_policy": {"retry_back_off": {"base_interval": "1s", "max_interval": "10s"}}, "circuit_breakers": {"thresholds": [{"retry_budget": {"budget_percent": {"value": 120}}}]}}`,
		`{"retry_back_off": {}}`, `{"retry_back_off": {"base_interval": "0s"}}`, `{"retries": 1}`, `{"retry_on": "whatever"}`}},
	"istio": {parseIstio, []string{istioRetries("attempts: 0\n        retryOn: reset"), istioRetries("attempts: 1\n        backoff: 0.0001s"), istioRetries("attempts: 1\n        retryOn: often")}},
	"dotnet": {parseDotnet, []string{`{"Resilience": {"TotalRequestTimeout": {"Timeout": "2"}, "Retry": {}, "CircuitBreaker": {}, "AttemptTimeout": {"Timeout": "00:00:10"}}}`,
		`{"Resilience": {"TotalRequestTimeout": {"Timeout": "00:00:10"}, "Retry": {}, "CircuitBreaker": {"SamplingDuration": "00:00:30"}, "AttemptTimeout": {"Timeout": "00:00:30"}}}`}},
	"resilience4j": {parseResilience4j, []string{
		"resilience4j:\n  retry:\n    instances:\n      backend:\n        maxAttempts: 2\n        waitDuration: 1s\n        enableRandomizedWait: true\n        randomizedWaitFactor: 1\n",
		"resilience4j:\n  circuitbreaker:\n    instances:\n      backend:\n        failureRateThreshold: 0.5\n  retry:\n    instances:\n      backend:\n        maxAttempts: 2\n        waitDuration: 1s\n",
		"resilience4j:\n  retry:\n    instances:\n      backend:\n        maxAttempts: 0\n        waitDuration: 1s\n",
		"resilience4j:\n  retry:\n    instances:\n      backend:\n        maxAttempts: 2\n        waitDuration: 1s\n        exponentialMaxWaitDuration: 2s\n"}},
	"tenacity":   {parseTenacity, []string{"from tenacity import retry\n"}},
	"aws-config": {parseAWS, []string{"[default]\nretry_mode = legacy\n", "[default]\nmax_attempts = 2.5\n"}},
}

func TestExportsAreAccepted(t *testing.T) {
	t.Parallel()
	some, err := strategies.ParseText("exponential,base=1s,cap=10s,maxAttempts=3")
	if err != nil {
		t.Fatal(err)
	}
	for format, parser := range parsers {
		t.Run(format, func(t *testing.T) {
			for _, broken := range parser.broken {
				err := parser.parse(t, broken, some)
				if _, accepted := errors.AsType[mismatch](err); accepted || err == nil {
					t.Errorf("accepted: %s", broken)
				}
			}
			for _, file := range exports(t, format, wanted) {
				if err := parser.parse(t, file.Text, file.Does); err != nil {
					t.Errorf("%v; written for %s:\n%s", err, file.Does.Text(), file.Text)
				}
			}
		})
	}
}

// mismatch is the error of a text that was accepted, and read as something else.
type mismatch string

func (m mismatch) Error() string { return string(m) }

// same compares what a parser read with what the policy says.
func same(what string, got, want any) error {
	if got != want {
		return mismatch(fmt.Sprintf("%s is read as %v, want %v", what, got, want))
	}
	return nil
}

func base(p strategies.Policy) time.Duration { return p.Schedule.Args.Duration("base") }
func factor(p strategies.Policy) float64     { return p.Schedule.Args.Number("factor") }

// parseTemporal reads a policy as the server does, fills in its defaults and validates it.
func parseTemporal(_ *testing.T, text string, does strategies.Policy) error {
	var p commonpb.RetryPolicy
	if err := protojson.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	retrypolicy.EnsureDefaults(&p, retrypolicy.DefaultDefaultRetrySettings)
	if err := retrypolicy.Validate(&p); err != nil {
		return err
	}
	return errors.Join(
		same("initialInterval", p.InitialInterval.AsDuration(), base(does)),
		same("maximumInterval", p.MaximumInterval.AsDuration(), does.Cap),
		same("backoffCoefficient", p.BackoffCoefficient, factor(does)),
		same("maximumAttempts", int64(p.MaximumAttempts), does.MaxAttempts),
		same("the retried types", (strategies.AllClasses&^strategies.ClassesOf(p.NonRetryableErrorTypes...)).String(), does.RetryOn.String()),
	)
}

// envoyConditions are the names of x-envoy-retry-on and x-envoy-retry-grpc-on in Envoy's documentation, which its parser
// passes over if it does not know them.
var envoyConditions = strings.Fields("5xx gateway-error reset reset-before-request connect-failure envoy-ratelimited retriable-4xx " +
	"refused-stream retriable-status-codes retriable-headers http3-post-connect-failure " +
	"cancelled deadline-exceeded internal resource-exhausted unavailable")

// parseEnvoy reads a RetryPolicy, or one beside the CircuitBreakers of a cluster.
func parseEnvoy(_ *testing.T, text string, does strategies.Policy) error {
	var parts struct {
		RetryPolicy     json.RawMessage `json:"retry_policy"`
		CircuitBreakers json.RawMessage `json:"circuit_breakers"`
	}
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		return err
	}
	if parts.RetryPolicy == nil {
		parts.RetryPolicy = []byte(text)
	}
	var p routev3.RetryPolicy
	if err := protojson.Unmarshal(parts.RetryPolicy, &p); err != nil {
		return err
	}
	if err := p.ValidateAll(); err != nil {
		return err
	}
	var breakers clusterv3.CircuitBreakers
	if parts.CircuitBreakers != nil {
		if err := protojson.Unmarshal(parts.CircuitBreakers, &breakers); err != nil {
			return err
		}
		if err := breakers.ValidateAll(); err != nil {
			return err
		}
	}
	for _, name := range strings.Split(p.RetryOn, ",") {
		if p.RetryOn != "" && !slices.Contains(envoyConditions, name) {
			return fmt.Errorf("no condition is called %s", name)
		}
	}
	backOff := p.RetryBackOff
	if backOff.GetMaxInterval().AsDuration() < backOff.GetBaseInterval().AsDuration() {
		return errors.New("max_interval is less than base_interval, which Envoy refuses when it loads the route")
	}
	return errors.Join(
		same("base_interval", backOff.GetBaseInterval().AsDuration(), base(does)),
		same("max_interval", backOff.GetMaxInterval().AsDuration(), does.Cap),
		same("num_retries", int64(p.NumRetries.GetValue()), does.MaxAttempts-1),
		same("per_try_timeout", p.PerTryTimeout.AsDuration(), does.AttemptTimeout),
		sameEnvoyBudget(&breakers, does.Budget.Args),
		same("that a hint counts", p.RateLimitedRetryBackOff != nil, does.RetryAfter != strategies.IgnoreHint),
	)
}

func sameEnvoyBudget(breakers *clusterv3.CircuitBreakers, want spec.Args) error {
	var budget *clusterv3.CircuitBreakers_Thresholds_RetryBudget
	if len(breakers.Thresholds) > 0 {
		budget = breakers.Thresholds[0].RetryBudget
	}
	return errors.Join(
		same("the thousandths of budget_percent", math.Round(10*budget.GetBudgetPercent().GetValue()), math.Floor(1000*want.Number("ratio")+1e-6)),
		same("min_retry_concurrency", float64(budget.GetMinRetryConcurrency().GetValue()), want.Number("burst")),
	)
}

func istioRetries(fields string) string {
	return "spec:\n  hosts: [a]\n  http:\n    - route:\n        - destination: {host: a}\n      retries:\n        " + fields + "\n"
}

func parseIstio(_ *testing.T, text string, does strategies.Policy) error {
	var document struct {
		APIVersion, Kind string
		Metadata         map[string]any
		Spec             map[string]any
	}
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return err
	}
	spec, err := yaml.Marshal(document.Spec)
	if err != nil {
		return err
	}
	var service networking.VirtualService
	if err := protomarshal.ApplyYAMLStrict(string(spec), &service); err != nil {
		return err
	}
	if _, err := validation.ValidateVirtualService(config.Config{Meta: config.Meta{Name: "my-service", Namespace: "default"}, Spec: &service}); err != nil {
		return err
	}
	route := service.Http[0]
	return errors.Join(
		same("kind", document.APIVersion+" "+document.Kind, "networking.istio.io/v1 VirtualService"),
		same("attempts", int64(route.Retries.Attempts), does.MaxAttempts-1),
		same("backoff", duration(route.Retries.Backoff), base(does)),
		same("ten times the backoff", min(10*duration(route.Retries.Backoff), 168*time.Hour), does.Cap),
		same("perTryTimeout", duration(route.Retries.PerTryTimeout), does.AttemptTimeout),
		same("timeout", duration(route.Timeout), does.Deadline),
	)
}

// duration is 0 where there is none.
func duration(d *durationpb.Duration) time.Duration { return d.AsDuration() }

func parseAWS(t *testing.T, text string, does strategies.Policy) error {
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := awsconfig.LoadDefaultConfig(context.Background(),
		awsconfig.WithSharedConfigFiles([]string{path}), awsconfig.WithSharedCredentialsFiles(nil))
	if err != nil {
		return err
	}
	return errors.Join(
		same("retry_mode", loaded.RetryMode, aws.RetryModeStandard),
		same("max_attempts", int64(loaded.RetryMaxAttempts), min(does.MaxAttempts, math.MaxInt32)),
	)
}
