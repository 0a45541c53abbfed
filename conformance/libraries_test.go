package conformance

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/avast/retry-go/v5"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	"github.com/cenkalti/backoff/v7"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/googleapis/gax-go/v2"
	"github.com/hashicorp/go-retryablehttp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	k8serrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8sretry "k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
)

// goLibraries are those that can be run here as they come. Each makes attempts until one of them returns nil, or gives up.
var goLibraries = []struct {
	preset, module string
	run            func(attempt func() error)
}{
	{"cenkalti-backoff", "github.com/cenkalti/backoff/v7", func(attempt func() error) {
		backoff.Retry(context.Background(), func() (struct{}, error) { return struct{}{}, attempt() })
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
	{"gax-go", "github.com/googleapis/gax-go/v2", func(attempt func() error) {
		onUnavailable := func() gax.Retryer { return gax.OnCodes([]codes.Code{codes.Unavailable}, gax.Backoff{}) }
		gax.Invoke(context.Background(), func(context.Context, gax.CallSettings) error {
			if attempt() == nil {
				return nil
			}
			return status.Error(codes.Unavailable, "down")
		}, gax.WithRetry(onUnavailable))
	}},
	{"client-go-conflict", "k8s.io/client-go", func(attempt func() error) {
		k8sretry.RetryOnConflict(k8sretry.DefaultRetry, func() error {
			if attempt() == nil {
				return nil
			}
			return k8serrors.NewConflict(schema.GroupResource{}, "object", errDown)
		})
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
			if attempt() == nil {
				return nil
			}
			return &net.OpError{Op: "dial", Err: errDown}
		})
	}},
}

func TestGoLibraries(t *testing.T) {
	for _, l := range goLibraries {
		t.Run(l.preset, func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, 1) // for the libraries that draw from crypto/rand
			compare(t, library{preset: l.preset, module: l.module, version: versionOf(t, l.module), slack: always(1), sample: inBubble(l.run)})
		})
	}
}

// inBubble runs a library where the clock jumps to the next timer's end as soon as all wait for one.
func inBubble(run func(func() error)) func(t *testing.T, attempts, runs int) [][]time.Duration {
	return func(t *testing.T, attempts, runs int) (waits [][]time.Duration) {
		synctest.Test(t, func(*testing.T) {
			for range runs {
				waits = append(waits, waitsOf(run, attempts))
			}
		})
		return waits
	}
}

// waitsOf runs a library and returns the time between its attempts, at most so many.
func waitsOf(run func(func() error), attempts int) (waits []time.Duration) {
	last, made := time.Now(), 0
	run(func() error {
		if made > 0 {
			waits = append(waits, time.Since(last))
		}
		last, made = time.Now(), made+1
		if made == attempts {
			return nil
		}
		return errDown
	})
	return waits
}

var errDown = errors.New("down")

// server answers each attempt: with 503 if it fails.
type server func() error

func (attempt server) RoundTrip(r *http.Request) (*http.Response, error) {
	code := http.StatusOK
	if attempt() != nil {
		code = http.StatusServiceUnavailable
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
