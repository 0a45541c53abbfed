package strategies

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLayersMultiply: three layers that each retry three times make 64 attempts of one (Site Reliability Engineering, chapter
// 22, "Addressing Cascading Failures").
func TestLayersMultiply(t *testing.T) {
	got, ok := Layers{4, 4, 4}.Reached()
	if !ok || !slices.Equal(got, []int64{4, 16, 64}) {
		t.Errorf("%v, want 4, 16, 64", got)
	}
	if got := (Layers{4, 4, 4}).Expected(1); !slices.Equal(got, []float64{4, 16, 64}) {
		t.Errorf("%v expected where all fail, want 4, 16, 64", got)
	}
	if got, ok := (Layers{1000, 1000, 1000, 1000}).Reached(); !ok || got[3] != MaxLayered {
		t.Errorf("%v, want 10^12 at the most", got)
	}
	for _, l := range []Layers{{1000, 1000, 1000, 1001}, {math.MaxInt64, math.MaxInt64}, {0}, {-1}} {
		if _, ok := l.Reached(); ok {
			t.Errorf("%v is accepted", l)
		}
	}
}

// TestLayersExpected has values by hand: four attempts that fail half the time make 1 + 1/2 + 1/4 + 1/8; two layers of two
// fail below with 1/4, so the upper makes 1.25 attempts and each of them 1.5.
func TestLayersExpected(t *testing.T) {
	for _, c := range []struct {
		layers Layers
		p      float64
		want   []float64
		fails  float64
	}{
		{Layers{4}, 0.5, []float64{1.875}, 1. / 16},
		{Layers{2, 2}, 0.5, []float64{1.25, 1.875}, 1. / 16},
		{Layers{4, 4, 4}, 0, []float64{1, 1, 1}, 0},
		{Layers{1, 3, 1}, 0.1, []float64{1, 1.11, 1.11}, 0.001},
		{Layers{1000}, 1 - 1e-12, []float64{1000 - 499500e-12}, 1 - 1e-9},
		{nil, 0.5, nil, 0.5},
	} {
		got := c.layers.Expected(c.p)
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-9*want {
				t.Errorf("%v at %v: %v, want %v", c.layers, c.p, got, c.want)
			}
		}
		if fails := c.layers.Fails(c.p); len(got) != len(c.want) || math.Abs(fails-c.fails) > 1e-9 {
			t.Errorf("%v at %v: fails with %v, want %v", c.layers, c.p, fails, c.fails)
		}
	}
}

// TestLayersAgreeWithCalls makes the calls: the closed form is within 4 standard errors of the mean of 200 000 requests,
// which are less than 1 % of it.
func TestLayersAgreeWithCalls(t *testing.T) {
	const requests = 200_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, l := range []Layers{{4, 4, 4}, {2, 3}, {3, 1, 2, 2}} {
		for _, p := range []float64{0.1, 0.5, 0.9} {
			made := make([]float64, len(l))
			squares := make([]float64, len(l))
			for range requests {
				calls := make([]float64, len(l))
				l.call(0, calls, func() bool { return random.Float64() < p })
				for i, n := range calls {
					made[i] += n / requests
					squares[i] += n * n / requests
				}
			}
			for i, want := range l.Expected(p) {
				tolerance := 4 * math.Sqrt((squares[i]-made[i]*made[i])/requests)
				if math.Abs(made[i]-want) > tolerance+1e-9 || tolerance > 0.02*want {
					t.Errorf("%v at %v, layer %d: %v attempts, want %v within %v", l, p, i+1, made[i], want, tolerance)
				}
			}
		}
	}
}

// call lets layer i try; it reports whether it failed.
func (l Layers) call(i int, calls []float64, fails func() bool) bool {
	if i == len(l) {
		return fails()
	}
	for range l[i] {
		calls[i]++
		if !l.call(i+1, calls, fails) {
			return false
		}
	}
	return true
}

// Attempts grow with what fails, up to their product, and do not shrink from layer to layer.
func TestLayersAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Layers(rapid.SliceOfN(rapid.Int64Range(1, 100), 1, 6).Draw(t, "layers"))
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		more := rapid.Float64Range(p, 1).Draw(t, "more")
		reached, ok := l.Reached()
		if !ok {
			t.Fatalf("%v", l)
		}
		low, high := l.Expected(p), l.Expected(more)
		for i := range l {
			const slack = 1 + 1e-9
			if !(low[i] >= 1/slack && low[i] <= high[i]*slack && high[i] <= float64(reached[i])*slack) || i > 0 && low[i]*slack < low[i-1] {
				t.Errorf("%v: %v at %v, %v at %v", l, low, p, high, more)
			}
		}
	})
}
