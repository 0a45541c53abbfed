package strategies

import (
	"math"
	"reflect"
	"regexp"
	"testing"
)

// articles are the delays before retry n as the presets' sources compute them, in seconds, from a random number in
// [0, 1) and the delay before.
var articles = map[string]func(n int, random, prev float64) float64{
	"at-once":  func(int, float64, float64) float64 { return 0 },
	"constant": func(int, float64, float64) float64 { return 1 },
	"linear":   func(n int, _, _ float64) float64 { return float64(n) },
	"exponential": func(n int, _, _ float64) float64 {
		return []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}[n-1]
	},
	"exponential-percentage": func(n int, random, _ float64) float64 {
		delay := math.Pow(2, float64(n-1))
		return delay + delay*0.1*(2*random-1)
	},
	"exponential-full": func(n int, random, _ float64) float64 { return random * math.Pow(2, float64(n-1)) },
	"exponential-equal": func(n int, random, _ float64) float64 {
		delay := math.Pow(2, float64(n-1))
		return delay/2 + random*delay/2
	},
	"exponential-decorrelated": func(n int, random, prev float64) float64 {
		delay, maxDelay := min(30, math.Pow(2, float64(n-1))), 30.0
		return math.Min(maxDelay, random*math.Max(0, 3*prev-delay)+delay)
	},
	"email-sender": func(n int, random, _ float64) float64 {
		attempt := n - 1
		attempt++
		return math.Pow(2, float64(attempt)) + random
	},
	"capped": func(n int, random, _ float64) float64 {
		delay := math.Min(30, math.Pow(2, float64(n-1)))
		return delay/2 + random*delay/2
	},
	"filtered": func(n int, _, _ float64) float64 { return float64(n) },
	"aws-full": func(n int, random, _ float64) float64 {
		const base, cap = 0.1, 10
		attempt := n - 1
		return random * math.Min(cap, base*math.Pow(2, float64(attempt)))
	},
	"aws-decorrelated": func(_ int, random, sleep float64) float64 {
		const base, cap = 0.1, 10
		return math.Min(cap, base+random*(3*sleep-base))
	},
	"grpc": func(n int, random, _ float64) float64 {
		return math.Min(0.1*math.Pow(2, float64(n-1)), 1) * (0.8 + 0.4*random)
	},
}

// attempts are how often the sources try; 0: no limit.
var attempts = map[string]int64{
	"at-once": 3, "constant": 3, "linear": 5, "exponential": 5, "exponential-percentage": 5, "exponential-full": 5,
	"exponential-equal": 5, "exponential-decorrelated": 5, "email-sender": 5, "capped": 3, "filtered": 4, "grpc": 4,
}

// Each preset waits as its source's code does, to the nanosecond, whatever the random number.
func TestPresetsEqualTheirSources(t *testing.T) {
	if len(articles) != len(Presets()) {
		t.Errorf("%d presets, %d sources", len(Presets()), len(articles))
	}
	for _, preset := range Presets() {
		id := preset.Policy.ID
		formula, c := articles[id], preset.Policy.Compile()
		if preset.Policy.MaxAttempts != attempts[id] {
			t.Errorf("%s: %d attempts, want %d", id, preset.Policy.MaxAttempts, attempts[id])
		}
		for _, u := range []uint64{0, 1 << 62, 1 << 63, 0xdeadbeefcafef00d, math.MaxUint64} {
			random := float64(u>>11) / (1 << 53)
			prev := c.First()
			for n := 1; n <= 10; n++ {
				got := c.Draw(int64(n), prev, u)
				want := formula(n, random, float64(prev)/1e9) * 1e9
				if math.Abs(float64(got)-want) > 1 {
					t.Errorf("%s: retry %d at random = %v waits %d ns, its source %.1f", id, n, random, got, want)
				}
				prev = got
			}
		}
	}
}

func TestPresetsRetryWhatTheirSourcesDo(t *testing.T) {
	filtered := ClassesOf("unavailable", "overloaded", "rateLimited")
	for _, preset := range Presets() {
		want := DefaultRetryOn // all but a 4xx other than 429
		if id := preset.Policy.ID; id == "filtered" || id == "grpc" {
			want = filtered
		}
		if preset.Policy.RetryOn != want {
			t.Errorf("%s retries on %v, want %v", preset.Policy.ID, preset.Policy.RetryOn, want)
		}
	}
}

func TestPresetsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, preset := range Presets() {
		p := preset.Policy
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(p.ID) || seen[p.ID] {
			t.Errorf("id %q is taken or not in kebab case", p.ID)
		}
		seen[p.ID] = true
		if p.Name == "" || !isSentence(preset.Advice) || preset.Source == "" {
			t.Errorf("%s lacks name, advice or source: %+v", p.ID, preset)
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		if again, err := ParseText(p.Text()); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%s: %q reads back as %+v, %v", p.ID, p.Text(), again, err)
		}
	}
}
