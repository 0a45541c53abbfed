package published

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"
	"time"
)

var (
	full    = flag.Bool("full", false, "run everything in full, and write results.json")
	version = flag.String("as", "", "the version that results.json names")
)

// few is how often an entry is run in passing.
func (e *Entry) few() int { return max(2, min(e.runs, max(4, e.runs/20))) }

// TestPublished runs every entry. What it gives agrees with what was published, and with what the committed full run
// gave, within 4 standard errors of both. With -full that is written anew.
func TestPublished(t *testing.T) {
	written := Full{Date: time.Now().UTC().Format(time.DateOnly), Version: *version, Figures: map[string]Measured{}}
	for i := range Entries {
		e := &Entries[i]
		t.Run(e.ID, func(t *testing.T) {
			times := e.few()
			if *full {
				times = e.runs
			}
			measured, err := e.Measure(t.Context(), times)
			if err != nil {
				t.Fatal(err)
			}
			for k, m := range measured {
				f := e.Figures[k]
				t.Logf("%s: %v (%s), published %v", f.What, m.Mean, interval(m), f.Value)
				if !m.Agrees {
					t.Errorf("%s: %v (%s) of %d runs, published %v ± %v, rounded by %v", f.What, m.Mean, interval(m), m.Runs, f.Value, f.Error, f.Half)
				}
				written.Figures[Key(e.ID, f.ID)] = m
				last := LastRun().Figures[Key(e.ID, f.ID)]
				if *full {
					continue
				}
				if last.Runs != e.runs || !last.Agrees {
					t.Errorf("%s: the committed run has %+v of %d runs: make published", f.What, last, e.runs)
				}
				if tolerance := 2*math.Hypot(width(m), width(last)) + 1e-9*math.Abs(m.Mean); math.Abs(m.Mean-last.Mean) > tolerance {
					t.Errorf("%s: %v, but %v in the committed run: make published", f.What, m.Mean, last.Mean)
				}
			}
		})
	}
	if !*full {
		if len(written.Figures) != len(LastRun().Figures) {
			t.Errorf("%d figures, %d in the committed run: make published", len(written.Figures), len(LastRun().Figures))
		}
		return
	}
	data, err := json.MarshalIndent(written, "", "  ")
	if err == nil && !t.Failed() {
		err = os.WriteFile("results.json", append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// width is half of an interval: at least two standard errors.
func width(m Measured) float64 {
	if m.Low == nil {
		return 0
	}
	return (*m.High - *m.Low) / 2
}

func interval(m Measured) string {
	if m.Low == nil {
		return "in every run"
	}
	return fmt.Sprintf("%.6g to %.6g", *m.Low, *m.High)
}

// Every entry says what it has to; figures have names of their own; scenarios are short enough for an address.
func TestEntries(t *testing.T) {
	seen := map[string]bool{}
	for i := range Entries {
		e := &Entries[i]
		if e.Title == "" || e.Says == "" || e.Source == "" || len(e.Figures) == 0 || e.runs < 2 {
			t.Errorf("%s is not complete", e.ID)
		}
		for _, f := range e.Figures {
			if key := Key(e.ID, f.ID); seen[key] || f.What == "" {
				t.Errorf("%s is there twice, or without a name", key)
			} else {
				seen[key] = true
			}
		}
		s := e.Scenario()
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
		if query := s.Query().Encode(); len(query) > 2000 {
			t.Errorf("%s: its address has %d characters", e.ID, len(query))
		}
	}
}

// TestAgreement: edges of what agrees, by hand. Four runs of 1, 1, 3, 3 have the mean 2 and the standard error 1/√3.
func TestAgreement(t *testing.T) {
	values := []float64{1, 1, 3, 3}
	se := 1 / math.Sqrt(3)
	for _, c := range []struct {
		f    Figure
		want bool
	}{
		{Figure{Value: 2 + 4*se}, true}, {Figure{Value: 2 + 4.01*se}, false}, {Figure{Value: 2 - 4.01*se}, false},
		{Figure{Value: 2 + 4.01*se, Half: 0.1}, true}, {Figure{Value: 2 + 5.6*se, Error: se}, true}, {Figure{Value: 2 + 5.7*se, Error: se}, false},
		{Figure{Relation: Below, Value: 2 + 4.01*se}, true}, {Figure{Relation: Below, Value: 2 + 3.99*se}, false},
		{Figure{Relation: Above, Value: 2 - 4.01*se}, true}, {Figure{Relation: Above, Value: 2 - 3.99*se}, false},
	} {
		if got := c.f.measure(values).Agrees; got != c.want {
			t.Errorf("%+v: %v", c.f, got)
		}
	}
	if m := (Figure{Value: 5}).measure([]float64{5, 5}); !m.Agrees || m.Low != nil {
		t.Errorf("equal runs: %+v", m)
	}
	if m := (Figure{Value: 5}).measure([]float64{5, math.NaN()}); m.Agrees {
		t.Error("what does not exist agrees")
	}
}
