package conformance

// The exported service config at work in a real client, against a server that always fails.

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
)

// A client that keeps on trying to connect. One takes a millisecond, so that there are fewer than of other libraries.
func TestGRPCConnecting(t *testing.T) {
	const module = "google.golang.org/grpc"
	compare(t, library{preset: "grpc-connection", module: module, version: versionOf(t, module), slack: always(1), draws: 10_000, sample: inBubble(connect)})
}

func connect(attempt func() error) {
	enough := make(chan struct{})
	conn, err := grpc.NewClient("passthrough:///server", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithIdleTimeout(0),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			err := attempt()
			if err == nil {
				close(enough)
				err = errors.New("enough") // a connection would take a server
			}
			return nil, err
		}))
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	conn.Connect()
	<-enough
}

func parseGRPC(_ *testing.T, text string, _ strategies.Policy) error {
	client, err := grpc.NewClient("passthrough:///nowhere", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(text))
	if err != nil {
		return err
	}
	return client.Close()
}

func TestGRPCRetriesAsExported(t *testing.T) {
	t.Parallel()
	for _, file := range exports(t, "grpc", 150) {
		synctest.Test(t, func(t *testing.T) {
			at := attemptsOfGRPC(t, file)
			compareAttempts(t, file.Does, at)
			if want := attemptsInBudget(file.Does); file.Does.Deadline == 0 && len(at) != want {
				t.Errorf("%d attempts, want %d: %s", len(at), want, file.Does.Text())
			}
		})
	}
}

// attemptsOfGRPC calls a method once and returns when its attempts reached the server.
func attemptsOfGRPC(t *testing.T, file export.File) (at []time.Duration) {
	start := time.Now()
	client := dial(t, file.Text, func() error {
		at = append(at, time.Since(start))
		return status.Error(retriedCode(t, file.Text), "down")
	})
	if call(client) == nil {
		t.Error("the call succeeded")
	}
	return at
}

// retriedCode is the first status code that a service config retries.
func retriedCode(t *testing.T, text string) codes.Code {
	var config struct {
		MethodConfig []struct {
			RetryPolicy struct{ RetryableStatusCodes []codes.Code }
		}
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	return config.MethodConfig[0].RetryPolicy.RetryableStatusCodes[0]
}

// dial connects to a server in memory that answers every call as told.
func dial(t *testing.T, serviceConfig string, answer func() error) *grpc.ClientConn {
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.ForceServerCodec(nothing{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if err := answer(); err != nil {
			return err
		}
		return stream.SendMsg(nothing{})
	}))
	go server.Serve(listener)
	client, err := grpc.NewClient("passthrough:///server", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Stop()
		synctest.Wait()
	})
	return client
}

func call(client *grpc.ClientConn) error {
	return client.Invoke(context.Background(), "/service/method", nothing{}, nothing{}, grpc.ForceCodec(nothing{}))
}

// nothing is an empty message and its codec.
type nothing struct{}

func (nothing) Marshal(any) ([]byte, error) { return nil, nil }
func (nothing) Unmarshal([]byte, any) error { return nil }
func (nothing) Name() string                { return "nothing" }

// compareAttempts compares when attempts were made with what a policy allows: no wait out of bounds, none started that ends
// past the deadline, and no more attempts than it has.
func compareAttempts(t *testing.T, p strategies.Policy, at []time.Duration) {
	t.Helper()
	c := p.Compile()
	for i := 1; i < len(at); i++ {
		lo, hi := c.Bounds(int64(i))
		w, slack := float64(at[i]-at[i-1]), rounding(p, i)
		if w < float64(lo)-slack || w > float64(hi)+slack {
			t.Errorf("retry %d waits %v, want %v to %v: %s", i, at[i]-at[i-1], time.Duration(lo), time.Duration(hi), p.Text())
		}
	}
	if last := at[len(at)-1]; p.Deadline > 0 && last > p.Deadline {
		t.Errorf("attempt after %v: %s", last, p.Text())
	}
	if p.MaxAttempts > 0 && len(at) > int(p.MaxAttempts) {
		t.Errorf("%d attempts: %s", len(at), p.Text())
	}
}

// rounding is by how much a target that cuts each wait to whole nanoseconds, before it multiplies it for the next, can differ at
// retry n: a nanosecond multiplied n−1 times, one multiplied n−2 times, and so on. Floating point adds a thousand-millionth.
func rounding(p strategies.Policy, n int) float64 {
	lost := 1.0
	for range n {
		lost = 1 + lost*max(1, factor(p))
	}
	_, hi := p.Compile().Bounds(int64(n))
	return lost + float64(hi)*1e-9
}

// attemptsInBudget is how many attempts a policy makes while all fail, which its budget may end.
func attemptsInBudget(p strategies.Policy) (attempts int) {
	budget := p.NewBudget()
	if budget == nil {
		return int(p.MaxAttempts)
	}
	state := budget.Start()
	for attempts = 1; ; attempts++ {
		budget.Failed(&state, 0)
		if attempts == int(p.MaxAttempts) || !budget.Pays(&state, 0, false) {
			return attempts
		}
	}
}
