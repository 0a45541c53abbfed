package strategies

// What others published about waiting like this.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// sample is figures of the same kind from independent replications.
type sample []float64

// meets checks the sample's mean against a figure that was published to so many units, within 4.5 standard errors.
func (s sample) meets(t *testing.T, what string, published, unit float64) {
	t.Helper()
	var sum, squares float64
	for _, x := range s {
		sum += x
		squares += x * x
	}
	n := float64(len(s))
	mean := sum / n
	standardError := math.Sqrt((squares/n - mean*mean) / n)
	tolerance := unit/2 + 4.5*standardError
	if tolerance > 0.02*published {
		t.Errorf("%s: the tolerance of %.3f would miss an error of 2 %%", what, tolerance)
	}
	approx(t, what, mean, published, tolerance)
}

// 500 clients that retry after exactly 1, 2, 4, … s meet in one 100 ms window every time. With equal jitter the
// fullest sliding 100 ms window holds 118.8, 64.3, 36.8, 22.3, 14.2 and 9.6 of them on retries 1 to 6.
func TestEqualJitterDispersesAHerd(t *testing.T) {
	const clients, replications = 500, 4000
	published := []float64{118.8, 64.3, 36.8, 22.3, 14.2, 9.6}
	doubling := choice("exponential", "base", time.Second, "factor", 2.0)
	together, dispersed := wait(doubling, choice("none"), 0, false).Compile(), wait(doubling, choice("equal"), 0, false).Compile()

	source := rand.NewPCG(500, 1)
	fullest := make([]sample, len(published))
	for range replications {
		moments := make([]int64, clients)
		for i := range fullest {
			for j := range moments {
				moments[j] += dispersed.Draw(int64(i)+1, 0, source.Uint64())
			}
			fullest[i] = append(fullest[i], float64(fullestWindow(moments, int64(100*time.Millisecond))))
		}
	}
	for i, want := range published {
		fullest[i].meets(t, fmt.Sprintf("fullest window of retry %d", i+1), want, 0.1)
		if lo, hi := together.Bounds(int64(i) + 1); lo != hi {
			t.Errorf("without jitter retry %d comes after %d to %d ns", i+1, lo, hi)
		}
	}
}

// fullestWindow returns the most moments in any [x, x + width).
func fullestWindow(moments []int64, width int64) int {
	sorted := slices.Sorted(slices.Values(moments))
	most, first := 0, 0
	for i, m := range sorted {
		for m-sorted[first] >= width {
			first++
		}
		most = max(most, i+1-first)
	}
	return most
}

// Full jitter on a constant schedule w is a renewal process of U[0, w]: e^(t/w) − 1 retries by time t ≤ w on average.
func TestFullJitterIsARenewalProcess(t *testing.T) {
	const w = int64(time.Second)
	c := wait(choice("constant", "base", time.Second), choice("full"), 0, false).Compile()
	for _, by := range []int64{w / 4, w / 2, w} {
		source := rand.NewPCG(uint64(by), 1)
		retries := make(sample, 400_000)
		for i := range retries {
			n := int64(0)
			for now := int64(0); ; n++ {
				if now += c.Draw(n+1, 0, source.Uint64()); now > by {
					break
				}
			}
			retries[i] = float64(n)
		}
		retries.meets(t, fmt.Sprintf("retries by %v", time.Duration(by)), math.Expm1(float64(by)/float64(w)), 0)
	}
}

// Windows of well-known libraries that are a schedule and a jitter of ours, for a retry each, in seconds.
func TestLibraryWindows(t *testing.T) {
	for _, test := range []struct {
		library string
		policy  string
		retry   int64
		lo, hi  float64
	}{
		{"gRPC retry, min(init·mult^(n−1), max)·U(0.8, 1.2)", "exponential,base=100ms,cap=1s,jitter=percentage,fraction=0.2", 3, 0.32, 0.48},
		{"gRPC retry at its cap: 1.2 times maxBackoff", "exponential,base=100ms,cap=1s,jitter=percentage,fraction=0.2", 9, 0.8, 1.2},
		{"cenkalti/backoff, 500ms ×1.5, ±50 %, 60 s", "exponential,base=500ms,factor=1.5,cap=60s,jitter=percentage,fraction=0.5", 2, 0.375, 1.125},
		{"resilience4j, the same with the maximum after jitter", "exponential,base=500ms,factor=1.5,cap=60s,capAfterJitter=true,jitter=percentage,fraction=0.5", 20, 30, 60},
		{"Kafka, min(B·2^(n−1)·U(0.8, 1.2), C)", "exponential,base=100ms,cap=1s,capAfterJitter=true,jitter=percentage,fraction=0.2", 4, 0.64, 0.96},
		{"Kafka at its cap", "exponential,base=100ms,cap=1s,capAfterJitter=true,jitter=percentage,fraction=0.2", 5, 0.8, 1},
		{"Kubernetes wait.Backoff, D + U[0, 0.1)·D", "constant,base=10ms,jitter=range,low=1,high=1.1", 4, 0.010, 0.011},
		{"Azure SDK for JavaScript, c/2 + U[0, c/2]", "exponential,base=1s,cap=64s,jitter=equal", 9, 32, 64},
		{"Envoy, U[0, I], 25 ms to 250 ms", "exponential,base=25ms,cap=250ms,jitter=full", 6, 0, 0.25},
		{"Spring Retry, U(I, I·M) up to the maximum", "exponential,base=100ms,cap=30s,capAfterJitter=true,jitter=range,low=1,high=2", 3, 0.4, 0.8},
		{"p-retry with randomize, U[1, 2)·I", "exponential,base=1s,jitter=range,low=1,high=2", 10, 512, 1024},
		{"BullMQ with jitter 0.3, U[0.7·d, d]", "exponential,base=1s,jitter=range,low=0.7,high=1", 3, 2.8, 4},
		{"Step Functions, U(0, min(I·rate^(n−1), max))", "exponential,base=1s,jitter=full", 3, 0, 4},
		{"CrashLoopBackOff, 10 s to 5 min", "exponential,base=10s,cap=5m", 6, 300, 300},
	} {
		p, err := ParseText(test.policy)
		if err != nil {
			t.Fatal(err)
		}
		row := p.Compile().Delays(int(test.retry))[test.retry-1].Exact
		approx(t, test.library+": shortest", row.Min, test.lo, 1e-9)
		approx(t, test.library+": longest", row.Max, test.hi, 1e-9)
	}
}
