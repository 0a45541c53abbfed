package conformance

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/avast/retry-go/v5"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/cenkalti/backoff/v7"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/googleapis/gax-go/v2"
	"github.com/hashicorp/go-retryablehttp"
	goretry "github.com/sethvargo/go-retry"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	k8serrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8sretry "k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"

	"github.com/stampede-sim/stampede/strategies"
)

// goLibraries are those that can be run here as they come. Each makes attempts until one of them returns nil, or gives up.
var goLibraries = []struct {
	preset, module string
	run            func(attempt func() error)
}{
	{"cenkalti-backoff", "github.com/cenkalti/backoff/v7", func(attempt func() error) {
		backoff.Retry(context.Background(), func() (any, error) { return nil, attempt() })
	}},
	{"go-retryablehttp", "github.com/hashicorp/go-retryablehttp", func(attempt func() error) {
		c := retryablehttp.NewClient()
		c.Logger = nil
		c.HTTPClient.Transport = server(attempt)
		if response, err := c.Get("http://localhost"); err == nil {
			response.Body.Close()
		}
	}},
	{"failsafe-go", "github.com/failsafe-go/failsafe-go", func(attempt func() error) {
		failsafe.With[any](retrypolicy.NewWithDefaults[any]()).Run(attempt)
	}},
	{"retry-go", "github.com/avast/retry-go/v5", func(attempt func() error) {
		retry.New().Do(attempt)
	}},
	{"go-retry", "github.com/sethvargo/go-retry", func(attempt func() error) {
		goretry.Exponential(context.Background(), time.Second, func(context.Context) error { return goretry.RetryableError(attempt()) })
	}},
	{"gax-go", "github.com/googleapis/gax-go/v2", func(attempt func() error) {
		onUnavailable := func() gax.Retryer { return gax.OnCodes([]codes.Code{codes.Unavailable}, gax.Backoff{}) }
		gax.Invoke(context.Background(), func(context.Context, gax.CallSettings) error {
			return as(attempt(), func(f failure) error { return status.Error(f.code(), "down") })
		}, gax.WithRetry(onUnavailable))
	}},
	{"client-go-conflict", "k8s.io/client-go", func(attempt func() error) {
		k8sretry.RetryOnConflict(k8sretry.DefaultRetry, func() error {
			return as(attempt(), func(f failure) error {
				if code := f.status(); code > 0 {
					return k8serrors.NewGenericServerResponse(code, "put", schema.GroupResource{}, "object", "", 0, false)
				}
				return f.dial()
			})
		})
	}},
	{"franz-go", "github.com/twmb/franz-go", func(attempt func() error) {
		client, err := kgo.NewClient(kgo.SeedBrokers("one", "other"), kgo.Dialer(func(context.Context, string, string) (net.Conn, error) {
			err := as(attempt(), failure.kafka)
			if err == nil {
				err = errors.New("enough") // an answer would take a broker
			}
			return nil, err
		}))
		if err != nil {
			panic(err)
		}
		defer client.Close()
		client.Request(context.Background(), kmsg.NewPtrApiVersionsRequest())
	}},
	{"client-go-workqueue", "k8s.io/client-go", func(attempt func() error) {
		limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
		for attempt() != nil {
			time.Sleep(limiter.When("item"))
		}
	}},
	{"azure-go", "github.com/Azure/azure-sdk-for-go/sdk/azcore", func(attempt func() error) {
		pipeline := azruntime.NewPipeline("conformance", "v1", azruntime.PipelineOptions{},
			&policy.ClientOptions{Transport: &http.Client{Transport: server(attempt)}})
		request, err := azruntime.NewRequest(context.Background(), http.MethodGet, "https://localhost")
		if err != nil {
			panic(err)
		}
		pipeline.Do(request)
	}},
	{"aws-go", "github.com/aws/aws-sdk-go-v2", func(attempt func() error) {
		runAWS(awsretry.NewStandard(), func() error {
			return as(attempt(), func(f failure) error {
				if code := f.status(); code > 0 {
					return &smithyhttp.ResponseError{
						Response: &smithyhttp.Response{Response: &http.Response{StatusCode: code}},
						Err:      &smithy.GenericAPIError{Code: http.StatusText(code)},
					}
				}
				return f.dial()
			})
		})
	}},
}

// They run before all tests that are parallel: what they draw from is everyone's.
func TestGoLibraries(t *testing.T) {
	for _, l := range goLibraries {
		t.Run(l.preset, func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, 1) // for the libraries that draw from crypto/rand
			compare(t, library{preset: l.preset, module: l.module, version: versionOf(t, l.module), slack: always(1), sample: inBubble(l.run)})
		})
	}
}

// inBubble runs a library where the clock jumps to the next timer's end as soon as all wait for one.
func inBubble(run func(func() error)) sampler {
	return func(t *testing.T, class strategies.Class, attempts, runs int) (waits [][]time.Duration) {
		synctest.Test(t, func(*testing.T) {
			for range runs {
				waits = append(waits, waitsOf(run, class, attempts))
			}
		})
		return waits
	}
}

// waitsOf runs a library and returns the time between its attempts, which fail but for the last of so many.
func waitsOf(run func(func() error), class strategies.Class, attempts int) (waits []time.Duration) {
	last, made := time.Now(), 0
	run(func() error {
		if made > 0 {
			waits = append(waits, time.Since(last))
		}
		last, made = time.Now(), made+1
		if made == attempts {
			return nil
		}
		return failure(class)
	})
	return waits
}

// failure is the error of an attempt, which adapters translate for their library.
type failure strategies.Class

func (f failure) Error() string { return strategies.Class(f).String() }

// as translates a failure; nil stays nil.
func as(err error, translate func(failure) error) error {
	if f, ok := errors.AsType[failure](err); ok {
		return translate(f)
	}
	return err
}

// status is the HTTP status of a failure; 0 where there is no answer.
func (f failure) status() int {
	return map[strategies.Class]int{strategies.Overloaded: 503, strategies.RateLimited: 429, strategies.Transient: 500,
		strategies.Permanent: 404, strategies.Conflict: 409}[strategies.Class(f)]
}

// dial is the error of a failure without an answer: the connection is refused, or it takes too long.
func (f failure) dial() error {
	if strategies.Class(f) == strategies.Timeout {
		return &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	}
	return &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
}

// code is the status of gRPC.
func (f failure) code() codes.Code {
	return map[strategies.Class]codes.Code{strategies.Unavailable: codes.Unavailable, strategies.Timeout: codes.DeadlineExceeded,
		strategies.Overloaded: codes.Unavailable, strategies.RateLimited: codes.ResourceExhausted, strategies.Transient: codes.Internal,
		strategies.Permanent: codes.FailedPrecondition, strategies.Conflict: codes.Aborted}[strategies.Class(f)]
}

// kafka is the error of Kafka's protocol, or of the connection; that of a conflict is a stale leader.
func (f failure) kafka() error {
	if err := map[strategies.Class]error{strategies.Overloaded: kerr.CoordinatorLoadInProgress, strategies.RateLimited: kerr.ThrottlingQuotaExceeded,
		strategies.Transient: kerr.RequestTimedOut, strategies.Permanent: kerr.InvalidTopicException, strategies.Conflict: kerr.NotLeaderForPartition}[strategies.Class(f)]; err != nil {
		return err
	}
	return f.dial()
}

// server answers each attempt, or does not.
type server func() error

func (attempt server) RoundTrip(r *http.Request) (*http.Response, error) {
	code := http.StatusOK
	if f, ok := errors.AsType[failure](attempt()); ok {
		if code = f.status(); code == 0 {
			return nil, f.dial()
		}
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// runAWS makes one request, with retries, through the SDK's own middleware.
func runAWS(retryer aws.Retryer, attempt func() error) error {
	m := awsretry.NewAttemptMiddleware(retryer, func(request any) any { return request })
	_, _, err := m.HandleFinalize(context.Background(), middleware.FinalizeInput{}, middleware.FinalizeHandlerFunc(
		func(context.Context, middleware.FinalizeInput) (out middleware.FinalizeOutput, metadata middleware.Metadata, err error) {
			return out, metadata, attempt()
		}))
	return err
}
