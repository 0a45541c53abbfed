package strategies

import (
	"math"
	"testing"
	"time"
)

// between is what a library draws from before retry n, in seconds, written after its source.
type between func(n float64) (lo, hi float64)

// sources are the libraries' own formulas. They share nothing with the presets.
var sources = map[string]struct {
	attempts int64 // 0: no limit
	waits    between
}{
	"cenkalti-backoff": {0, func(n float64) (lo, hi float64) {
		interval := min(0.5*math.Pow(1.5, n-1), 60)
		return interval - 0.5*interval, interval + 0.5*interval
	}},
	"go-retryablehttp":    {5, exactly(func(n float64) float64 { return min(math.Pow(2, n-1), 30) })},
	"failsafe-go":         {3, exactly(func(float64) float64 { return 0 })},
	"retry-go":            {10, func(n float64) (lo, hi float64) { d := 0.1 * math.Pow(2, n-1); return d, d + 0.1 }},
	"go-retry":            {0, exactly(func(n float64) float64 { return math.Pow(2, n-1) })},
	"gax-go":              {0, upToMost(func(n float64) float64 { return min(math.Pow(2, n-1), 30) })},
	"client-go-conflict":  {5, func(float64) (lo, hi float64) { return 0.010, 0.011 }},
	"client-go-workqueue": {0, exactly(func(n float64) float64 { return min(0.005*math.Pow(2, n-1), 1000) })},
	"franz-go": {21, func(n float64) (lo, hi float64) { // fails > 10 is exactly max
		backoff := 0.25 * math.Pow(2, n-1)
		if n > 10 {
			return 5, 5
		}
		return min(backoff*0.8, 5), min(backoff*1.2, 5)
	}},
	"grpc-connection": {0, func(n float64) (lo, hi float64) {
		retries := n - 1
		if retries == 0 {
			return 1, 1
		}
		backoff := min(math.Pow(1.6, retries), 120)
		return backoff * 0.8, backoff * 1.2
	}},
	"cockatiel":              {0, differences(0.128, 30)},
	"dotnet-http-resilience": {4, differences(2, math.Inf(1))},
	"sidekiq": {26, func(n float64) (lo, hi float64) { // rand leaves the last second out
		count := n - 1
		delay := math.Pow(count, 4) + 15
		return delay, delay + 10*(count+1)
	}},
	"bullmq":           {3, exactly(func(n float64) float64 { return math.Pow(2, n-1) })},
	"resilience4j":     {3, exactly(func(float64) float64 { return 0.5 })},
	"spring-retry":     {3, exactly(func(n float64) float64 { return min(0.1*math.Pow(2, n-1), 30) })},
	"spring-framework": {0, exactly(func(n float64) float64 { return min(2*math.Pow(1.5, n-1), 30) })},
	"kafka-java": {0, func(n float64) (lo, hi float64) {
		term := 0.1 * math.Pow(2, min(n-1, math.Log2(10)))
		return min(term*0.8, 1), min(term*1.2, 1)
	}},
	"polly":       {4, exactly(func(float64) float64 { return 2 })},
	"p-retry":     {11, exactly(func(n float64) float64 { return math.Pow(2, n-1) })},
	"axios-retry": {4, exactly(func(float64) float64 { return 0 })},
	"kafkajs": {6, func(n float64) (lo, hi float64) { // the extremes of all draws before
		return min(0.3*0.8*math.Pow(1.6, n-1), 30), min(0.3*1.2*math.Pow(2.4, n-1), 30)
	}},
	"azure-js": {4, func(n float64) (lo, hi float64) { c := min(math.Pow(2, n-1), 64); return c / 2, c }},
	"azure-go": {4, func(n float64) (lo, hi float64) {
		d := (math.Pow(2, n) - 1) * 0.8
		return min(d*0.8, 60), min(d*1.3, 60)
	}},
	"aws-go":          {3, upToMost(func(n float64) float64 { return min(0.05*math.Pow(2, n-1), 20) })},
	"botocore":        {3, upToMost(func(n float64) float64 { return min(math.Pow(2, n-1), 20) })},
	"botocore-legacy": {5, upToMost(func(n float64) float64 { return math.Pow(2, n-1) })},
	"google-api-core": {0, upToMost(func(n float64) float64 { return min(math.Pow(2, n-1), 60) })},
	"tenacity":        {0, func(n float64) (lo, hi float64) { d := math.Pow(2, n-1); return d, d + 1 }},
	"backoff":         {0, upToMost(func(n float64) float64 { return math.Pow(2, n-1) })},
	"urllib3":         {11, exactly(func(float64) float64 { return 0 })},
	"celery":          {4, upToMost(func(n float64) float64 { return min(math.Pow(2, n-1), 600) })},
	"backon":          {4, exactly(func(n float64) float64 { return min(math.Pow(2, n-1), 60) })},
	"temporal":        {0, exactly(func(n float64) float64 { return min(math.Pow(2, n-1), 100) })},
	"envoy":           {2, upToMost(func(n float64) float64 { return min(0.025*math.Pow(2, n-1), 0.25) })},
	"istio":           {3, upToMost(func(n float64) float64 { return min(0.025*math.Pow(2, n-1), 0.25) })},
	"step-functions":  {4, exactly(func(n float64) float64 { return math.Pow(2, n-1) })},
	"crash-loop": {0, exactly(func(n float64) float64 { // there is no back-off until a restart has entered one
		restarts := n - 1
		if restarts == 0 {
			return 0
		}
		return min(10*math.Pow(2, restarts-1), 300)
	})},
}

// differences are those of decorrelated jitter V2: from the latest moment before to the earliest, and the other way round.
func differences(delay, maxDelay float64) between {
	next := func(t float64) float64 { return math.Pow(2, t) * math.Tanh(math.Sqrt(4*t)) }
	return func(n float64) (lo, hi float64) {
		prev := 0.0 // the state before the first
		if n > 1 {
			prev = next(n - 2)
		}
		return 0, min((next(n)-prev)/1.4*delay, maxDelay)
	}
}

func exactly(f func(n float64) float64) between {
	return func(n float64) (lo, hi float64) { return f(n), f(n) }
}

func upToMost(f func(n float64) float64) between {
	return func(n float64) (lo, hi float64) { return 0, f(n) }
}

// Each library's shortest and longest delays are those of its source, for as many retries as it makes.
func TestLibrariesEqualTheirSources(t *testing.T) {
	if len(sources) != len(Libraries()) {
		t.Errorf("%d libraries, %d sources", len(Libraries()), len(sources))
	}
	for _, l := range Libraries() {
		id, c := l.Policy.ID, l.Policy.Compile()
		source, ok := sources[id]
		if !ok {
			t.Errorf("%s: no source", id)
			continue
		}
		if l.Policy.MaxAttempts != source.attempts {
			t.Errorf("%s: %d attempts, want %d", id, l.Policy.MaxAttempts, source.attempts)
		}
		retries := int64(20)
		if source.attempts > 0 {
			retries = source.attempts - 1
		}
		for n := int64(1); n <= retries; n++ {
			lo, hi := c.Bounds(n)
			wantLo, wantHi := source.waits(float64(n))
			if math.Abs(float64(lo)-wantLo*1e9) > 1 || math.Abs(float64(hi)-wantHi*1e9) > 1 {
				t.Errorf("%s: retry %d waits %d to %d ns, its source %.1f to %.1f", id, n, lo, hi, wantLo*1e9, wantHi*1e9)
			}
		}
	}
}

// The Azure SDK for Go multiplies 800 ms by 1, 3, 7, 15; sums with other factors follow from the formula.
func TestGeometricSum(t *testing.T) {
	for _, test := range []struct {
		factor float64
		want   []int64
	}{
		{2, []int64{800e6, 2400e6, 5600e6, 12000e6}},
		{1, []int64{800e6, 1600e6, 2400e6, 3200e6}},
		{1.5, []int64{800e6, 2000e6, 3800e6, 6500e6}},
		{10, []int64{800e6, 8800e6, 88800e6, 888800e6}},
	} {
		c := plain(choice("geometric", "base", 800*time.Millisecond, "factor", test.factor), 0).Compile()
		for i, want := range test.want {
			if got := c.Scheduled(int64(i) + 1); got != want {
				t.Errorf("factor %v: retry %d after %d ns, want %d", test.factor, i+1, got, want)
			}
		}
	}
}

func TestLibrariesAreComplete(t *testing.T) {
	seen, groups := map[string]bool{}, map[string]bool{}
	for _, l := range Libraries() {
		if seen[l.Policy.ID] {
			t.Errorf("%s is there twice", l.Policy.ID)
		}
		seen[l.Policy.ID], groups[l.Group] = true, true
		if l.Version == "" || l.Source == "" || l.Group == "" || l.Differs != "" && !isSentence(l.Differs) {
			t.Errorf("%s lacks version, source or group: %+v", l.Policy.ID, l)
		}
		if err := l.Policy.Validate(); err != nil {
			t.Errorf("%s: %v", l.Policy.ID, err)
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d libraries", len(seen))
	}
}
