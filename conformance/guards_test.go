package conformance

// Guards beside the real ones: the same random events through both, step by step.
//
// Where the rules differ, so that only some traces can be compared:
//   - While half-open, gobreaker admits as many requests in all as it needs successes; ours as many at a time. The same with
//     one probe, or with one request at a time.
//   - failsafe-go counts every outcome in the state that the breaker is in; ours and gobreaker's those of what was sent in it.
//     The same with one request at a time.
//   - failsafe-go opens on so many failures before its window is full; ours and resilience4j's only then.
//   - failsafe-go's throttler counts its window in ten parts, ours in sixty. The same within one part.
//   - failsafe-go's budget bounds the share of retries among what is in flight, as Envoy's does; the budgets here bound what
//     comes in over time. There is nothing to compare.
//   - aws-sdk-go-v2 takes 5 tokens for a retry after throttling; our budget knows no such price.

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/failsafe-go/failsafe-go/adaptivethrottler"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/sony/gobreaker/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/stampede-sim/stampede/strategies"
)

const (
	traces = 40
	steps  = 1000 // of each
)

const down = failure(strategies.Unavailable)

// guarded is a policy with guards, given as text.
func guarded(t *testing.T, text string) strategies.Policy {
	t.Helper()
	p, err := strategies.ParseText("immediate,maxAttempts=3," + text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// breaker is a real one. allow returns nil if it stops what would leave, else what to call with the outcome.
type breaker struct {
	allow  func() (done func(failed bool))
	isOpen func() bool
}

// compareBreakers drives both with random events, at most so many requests at a time. Where full is not 0, outcomes are
// successes until there are so many since the breaker closed.
func compareBreakers(t *testing.T, source *rand.Rand, ours *strategies.Breaker, theirs breaker, most, full int) {
	type flight struct {
		mark uint32
		done func(failed bool)
	}
	var state strategies.BreakerState
	var flying []flight
	start, closed, opened := time.Now(), 0, 0
	for range steps {
		time.Sleep(time.Duration(source.Int64N(int64(2 * time.Second))))
		now := int64(time.Since(start))
		if len(flying) < most && source.IntN(2) == 0 {
			done := theirs.allow()
			if allowed := ours.Allows(&state, now); allowed != (done != nil) {
				t.Fatalf("at %v ours lets through: %v", time.Since(start), allowed)
			}
			if done != nil {
				flying = append(flying, flight{ours.Sent(&state), done})
			}
		} else if len(flying) > 0 {
			i := source.IntN(len(flying))
			f := flying[i]
			flying = append(flying[:i], flying[i+1:]...)
			failed := source.IntN(2) == 0 && closed >= full
			f.done(failed)
			closed++
			if ours.Seen(&state, f.mark, failed) {
				ours.OpenFrom(&state, now, 0)
				opened++
				closed = 0
			}
		}
		if ours, theirs := state.Open(now), theirs.isOpen(); ours != theirs {
			t.Fatalf("at %v ours is open: %v, theirs: %v", time.Since(start), ours, theirs)
		}
	}
	if opened < 3 {
		t.Errorf("opened only %d times: the trace shows nothing", opened)
	}
}

func TestGobreaker(t *testing.T) {
	for seed := range uint64(traces) {
		synctest.Test(t, func(t *testing.T) {
			source := rand.New(rand.NewPCG(seed, 1))
			failures, probes, most := 1+source.IntN(3), 1+source.IntN(4), 1
			if seed%2 == 0 {
				probes, most = 1, 5
			}
			ours := &strategies.Breaker{Failures: failures, Open: strategies.Window{Lo: int64(10 * time.Second)}, Probes: probes, Successes: probes}
			real := gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
				MaxRequests: uint32(probes), Timeout: 10 * time.Second,
				ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= uint32(failures) },
			})
			compareBreakers(t, source, ours, breaker{
				allow: func() func(bool) {
					done, err := real.Allow()
					if err != nil {
						return nil
					}
					return func(failed bool) {
						if failed {
							done(down)
						} else {
							done(nil)
						}
					}
				},
				isOpen: func() bool { return real.State() == gobreaker.StateOpen },
			}, most, 0)
		})
	}
}

func TestFailsafeBreaker(t *testing.T) {
	for seed := range uint64(traces) {
		synctest.Test(t, func(t *testing.T) {
			source := rand.New(rand.NewPCG(seed, 2))
			failures, successes, window := 1+source.IntN(3), 1+source.IntN(3), 0
			builder := circuitbreaker.NewBuilder[any]().WithFailureThreshold(uint(failures))
			if seed%2 == 0 {
				window = failures + source.IntN(100)
				builder = circuitbreaker.NewBuilder[any]().WithFailureThresholdRatio(uint(failures), uint(window))
			}
			real := builder.WithDelay(10 * time.Second).WithSuccessThreshold(uint(successes)).Build()
			ours := &strategies.Breaker{Failures: failures, Window: window, Open: strategies.Window{Lo: int64(10 * time.Second)}, Probes: 1, Successes: successes}
			compareBreakers(t, source, ours, breaker{
				allow: func() func(bool) {
					if !real.TryAcquirePermit() {
						return nil
					}
					return func(failed bool) {
						if failed {
							real.RecordFailure()
						} else {
							real.RecordSuccess()
						}
					}
				},
				isOpen: func() bool { return real.IsOpen() && real.RemainingDelay() > 0 },
			}, 1, window+successes)
		})
	}
}

func TestFailsafeThrottler(t *testing.T) {
	for seed := range uint64(traces) {
		source := rand.New(rand.NewPCG(seed, 3))
		k := 1 + source.Float64()
		ours := &strategies.Throttle{K: k, Slot: int64(time.Hour)}
		real := adaptivethrottler.NewBuilder[any]().WithFailureRateThreshold(1-1/k, 0, 60*time.Hour).WithMaxRejectionRate(1).Build()
		var state strategies.ThrottleState
		dropping := 0
		for range steps {
			real.AcquirePermit()
			p, want := ours.Probability(&state, 0), real.RejectionRate()
			if math.Abs(p-want) > 1e-9 {
				t.Fatalf("ours drops %v, theirs %v", p, want)
			}
			if p > 0 {
				dropping++
			}
			ours.Requested(&state, 0)
			if source.IntN(2) == 0 {
				real.RecordSuccess()
				ours.Accepted(&state, 0)
			} else {
				real.RecordFailure()
			}
		}
		if dropping == 0 {
			t.Error("nothing was ever dropped: the trace shows nothing")
		}
	}
}

// A client of gRPC makes calls one after the other; each makes as many attempts as our budget pays for.
func TestGRPCThrottling(t *testing.T) {
	const config = `{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.001s", "maxBackoff": "1s",
		"backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}], "retryThrottling": {"maxTokens": `
	for _, throttling := range []struct{ tokens, ratio string }{{"10", "0.1"}, {"10", "0.5"}, {"7", "0.3"}, {"3", "1"}, {"100", "0.125"}, {"20", "2.5"}} {
		synctest.Test(t, func(t *testing.T) {
			budget := guarded(t, "budget.kind=grpc,budget.maxTokens="+throttling.tokens+",budget.tokenRatio="+throttling.ratio).NewBudget()
			state := budget.Start()
			source := rand.New(rand.NewPCG(1, 4))
			attempt, last, refused, retried := 0, false, 0, 0
			client := dial(t, config+throttling.tokens+`, "tokenRatio": `+throttling.ratio+`}}`, func() error {
				if attempt++; last {
					t.Error("an attempt for which our budget does not pay")
				}
				switch draw := source.IntN(10); {
				case draw < 5:
					budget.Failed(&state, 0)
					last = attempt == 4
					if !last && !budget.Pays(&state, 0, false) {
						last, refused = true, refused+1
					}
					if !last {
						retried++
					}
					return status.Error(codes.Unavailable, "down")
				case draw < 6:
					last = true
					return status.Error(codes.InvalidArgument, "not retried, and no token taken")
				}
				last = true
				budget.Succeeded(&state, 0, attempt > 1, false)
				return nil
			})
			for range steps {
				attempt, last = 0, false
				call(client)
				if !last {
					t.Fatal("our budget pays for another attempt")
				}
			}
			if refused == 0 || retried == 0 {
				t.Errorf("%d retries refused, %d made: the trace shows nothing", refused, retried)
			}
		})
	}
}

// Requests through the AWS SDK's retryer, one after the other: after each attempt there are as many tokens as in our budget.
func TestAWSBudget(t *testing.T) {
	for seed := range uint64(traces) {
		synctest.Test(t, func(t *testing.T) {
			source := rand.New(rand.NewPCG(seed, 5))
			p := guarded(t, "budget.kind=aws,budget.retryCost=14,budget.timeoutCost=14,budget.capacity=60")
			budget, limiter := p.NewBudget(), ratelimit.NewTokenRateLimit(60)
			retryer := awsretry.NewStandard(func(o *awsretry.StandardOptions) {
				o.RateLimiter, o.Backoff, o.MaxAttempts = limiter, awsretry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil }), int(p.MaxAttempts)
			})
			state, quotas := budget.Start(), 0
			compare := func() {
				if ours, theirs := state.Left(), int64(limiter.Remaining())*1000; ours != theirs {
					t.Fatalf("ours has %d thousandths of a token, theirs %d", ours, theirs)
				}
			}
			for range steps / 10 {
				attempt, paid := 0, false
				outcome := func() error { // of an attempt, seen by our budget
					attempt++
					failed := source.IntN(3) > 0
					if !failed {
						budget.Succeeded(&state, 0, attempt > 1, false)
						return nil
					}
					budget.Failed(&state, 0)
					if paid = attempt < int(p.MaxAttempts) && budget.Pays(&state, 0, false); !paid && attempt < int(p.MaxAttempts) {
						quotas++
					}
					return down.dial()
				}
				err := runAWS(retryer, func() error {
					if attempt > 0 {
						if !paid {
							t.Fatal("a retry for which our budget does not pay")
						}
						compare()
					}
					return outcome()
				})
				compare()
				if exceeded := new(ratelimit.QuotaExceededError); errors.As(err, exceeded) == (paid || err == nil || attempt == int(p.MaxAttempts)) {
					t.Fatalf("after %d attempts, paid %v: %v", attempt, paid, err)
				}
			}
			if quotas == 0 {
				t.Error("never out of tokens: the trace shows nothing")
			}
		})
	}
}
