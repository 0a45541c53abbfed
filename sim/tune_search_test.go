package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
)

// Whoever asks for less is never offered less: what is met stays met when one demand is eased.
func TestTuneIsMonotonic(t *testing.T) {
	simtest.PlainRunOnly(t)
	standard, err := ParseTune([]byte(`{"clients": 40, "capacity": 8, "replications": 2, "longestWait": "25s"}`))
	if err != nil {
		t.Fatal(err)
	}
	s := &search{ctx: t.Context(), meter: &meter{}, report: func(TuneProgress) {}, screened: map[Tune][]tried{}}
	for name, ease := range map[string]func(tune *Tune, step int){
		DemandWait:     func(tune *Tune, step int) { tune.LongestWait = time.Duration(11+4*step) * time.Second },
		DemandAttempts: func(tune *Tune, step int) { tune.MostAttempts = 1 << step },
		DemandOutage:   func(tune *Tune, step int) { tune.Outage = time.Duration(24-6*step) * time.Second },
		DemandClients:  func(tune *Tune, step int) { tune.Clients, tune.LongestWait = 40>>step, 14*time.Second },
		DemandCapacity: func(tune *Tune, step int) { tune.Capacity, tune.LongestWait = float64(int(4)<<step), 14*time.Second },
	} {
		if testing.Short() && name != DemandWait { // once more under the race detector: one will do
			continue
		}
		met := false
		for step := range 4 {
			tune := *standard
			ease(&tune, step)
			final, err := s.run(&tune, leastFinal)
			if err != nil {
				t.Fatal(err)
			}
			now := slices.ContainsFunc(final, func(c tried) bool { return tune.meets(c.figures) })
			if step == 0 && now || met && !now {
				t.Errorf("%s, step %d: met %v, before %v", name, step, now, met)
			}
			met = now
		}
		if !met {
			t.Errorf("%s is never met", name)
		}
	}
}

// A policy whose last attempt cannot come late enough need not be tried, one that knocks too often neither.
func TestTunePrunes(t *testing.T) {
	standard, err := ParseTune([]byte(`{"outage": "10s", "roundTrip": "1ms"}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"constant,base=5s,maxAttempts=3":               true,  // at 10.002 s
		"constant,base=5s,maxAttempts=2":               false, // at 5 s
		"constant,base=20s,jitter=full,maxAttempts=2":  true,  // at 10 s on average
		"constant,base=19s,jitter=full,maxAttempts=2":  false, // half of them before 9.5 s
		"constant,base=101ms":                          true,  // 99 attempts in 10 s
		"constant,base=98ms":                           false, // 102
		"exponential,base=100ms,cap=10s,maxAttempts=7": false, // at 6.3 s
		"exponential,base=100ms,cap=10s,maxAttempts=8": true,  // at 12.7 s
	} {
		p, err := strategies.ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := standard.possible(p); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
