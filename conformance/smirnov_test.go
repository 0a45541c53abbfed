package conformance

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// falseAlarm is the probability with which two samples of one distribution are called different. Most libraries cannot be
// given a seed, so it is so small that all comparisons together, some hundred, fail by chance once in ten million runs.
const falseAlarm = 1e-9

// critical is the distance that two samples of n draws each exceed with that probability if they are of one distribution:
// the first term of Kolmogorov's series for the two-sample statistic (Smirnov 1948). For 10^5 draws it is 0.0147, less than
// the 0.0196 by which two full jitters differ whose longest waits differ by 2 %.
func critical(n int) float64 { return math.Sqrt(-math.Log(falseAlarm/2) / float64(n)) }

// distance is the largest difference between two samples' distribution functions, where each draw of the second may be off by
// slack to either side. It sorts them.
func distance[T cmp.Ordered](a, b []T, slack T) float64 {
	slices.Sort(a)
	slices.Sort(b)
	return max(ahead(a, b, slack), ahead(b, a, slack))
}

// ahead is by how much the distribution function of a exceeds that of b, slack later, at most. Both are sorted.
func ahead[T cmp.Ordered](a, b []T, slack T) (most float64) {
	j := 0
	for i, x := range a {
		for j < len(b) && b[j] <= x+slack {
			j++
		}
		most = max(most, float64(i+1)/float64(len(a))-float64(j)/float64(len(b)))
	}
	return most
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b  []int
		slack int
		want  float64
	}{
		{[]int{1, 2, 3, 4}, []int{4, 3, 2, 1}, 0, 0},
		{[]int{1, 1, 1, 1}, []int{2, 2}, 0, 1},
		{[]int{1, 2, 3, 4}, []int{3, 3, 4, 4}, 0, 0.5},
		{[]int{1, 1, 2, 2}, []int{1, 2, 2, 2}, 0, 0.25},
		{[]int{3, 3, 4, 4}, []int{1, 2, 3, 4}, 1, 0.25},
		{[]int{1, 1, 1, 1}, []int{2, 2}, 1, 0},
	} {
		if got := distance(test.a, test.b, test.slack); got != test.want {
			t.Errorf("distance of %v and %v is %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// The comparison tells a full jitter from one that is 2 % longer, and not from itself.
func TestDistanceTellsTwoPercentApart(t *testing.T) {
	source := rand.New(rand.NewPCG(2, 2))
	uniform := func(most time.Duration) []time.Duration {
		sample := make([]time.Duration, draws)
		for i := range sample {
			sample[i] = time.Duration(source.Float64() * float64(most))
		}
		return sample
	}
	if d := distance(uniform(time.Second), uniform(time.Second), 0); d > critical(draws) {
		t.Errorf("the same differ by %v", d)
	}
	if d := distance(uniform(time.Second), uniform(1020*time.Millisecond), 0); d <= critical(draws) {
		t.Errorf("2 %% more differ by only %v", d)
	}
}
