package export

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/strategiestest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens are policies of which some can be said everywhere and others hardly anywhere.
var goldens = map[string]string{
	"plain":        "exponential,base=1s,cap=30s,maxAttempts=4",
	"aws-full":     "exponential,base=100ms,cap=10s,jitter=full",
	"equal":        "exponential,base=250ms,cap=20s,jitter=equal,maxAttempts=5,deadline=1m,retryAfter=ignore",
	"clamped":      "exponential,base=500ms,factor=1.5,cap=1m,capAfterJitter=true,jitter=percentage,fraction=0.5,deadline=15m",
	"grpc":         "exponential,base=100ms,cap=1s,jitter=percentage,fraction=0.2,maxAttempts=4,retryOn=unavailable/overloaded/rateLimited,retryAfter=ignore",
	"decorrelated": "constant,base=100ms,cap=10s,jitter=decorrelated,maxAttempts=8,attemptTimeout=2s",
	"moments":      "exponential,base=128ms,factor=3,cap=30s,jitter=decorrelatedV2,maxAttempts=5",
	"guarded":      "exponential,base=100ms,cap=2s,jitter=full,maxAttempts=3,breaker.failures=5,budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.1",
	"breaker":      "exponential,base=100ms,cap=2s,jitter=full,maxAttempts=3,attemptTimeout=1s,breaker.kind=ratio,breaker.window=20,breaker.ratio=0.57,breaker.openFor=1h30m,breaker.openJitter=0.2,breaker.successes=3,breaker.onOpen=wait,budget.kind=ratio,budget.ratio=0.2,budget.burst=10",
	"budgeted":     "exponential,base=100ms,cap=2s,jitter=full,maxAttempts=3,budget.kind=ratio,budget.ratio=0.125,budget.burst=2.5,budget.minPerSecond=1",
	"steady":       "constant,base=2s,maxAttempts=3,attemptTimeout=1500ms,retryOn=timeout",
	"linear":       "linear,base=1s,step=500ms,jitter=additive,max=1s,maxAttempts=6",
	"webhook":      "list,delays=5s/5m/1h,maxAttempts=4,retryOn=permanent",
	"at-once":      "immediate,maxAttempts=3",
	"once":         "constant,base=1s,maxAttempts=1",
}

func policy(t testing.TB, text string) strategies.Policy {
	t.Helper()
	p, err := strategies.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every format writes every policy as it did when someone last looked at it.
func TestGolden(t *testing.T) {
	for _, f := range Formats {
		for name, text := range goldens {
			p := policy(t, text)
			got := "# " + text + "\n"
			file, err := f.Export(p)
			if err != nil {
				got += "refused: " + err.Error() + "\n"
			} else {
				got += "# " + file.Name + "\n" + file.Text
				for _, l := range file.Lossy {
					got += "lost: " + l.Field + ": " + l.Wanted + " → " + l.Written + " (" + l.Reason + ")\n"
				}
				for _, n := range file.Notes {
					got += "note: " + n + "\n"
				}
			}
			path := filepath.Join("testdata", f.ID, name+".golden")
			if *update {
				os.MkdirAll(filepath.Dir(path), 0o755)
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || string(want) != got {
				t.Errorf("%s of %s has changed (%v); -update accepts it:\n%s", f.ID, name, err, got)
			}
		}
	}
}

func anyPolicy(t *rapid.T) strategies.Policy {
	p, err := strategies.ParsePolicy(strategiestest.AnyPolicy(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What is not listed as lost is what was asked for.
func TestNothingIsLostInSilence(t *testing.T) {
	for _, f := range Formats {
		t.Run(f.ID, rapid.MakeCheck(func(t *rapid.T) {
			p := anyPolicy(t)
			file, err := f.Export(p)
			if refusal, ok := errors.AsType[*Refusal](err); ok {
				if refusal.Reason == "" {
					t.Error("refused without a reason")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			lost := map[string]bool{}
			for _, l := range file.Lossy {
				if l.Reason == "" || l.Wanted == l.Written {
					t.Errorf("%s: %+v", p.Text(), l)
				}
				top, _, _ := strings.Cut(l.Field, ".")
				lost[top] = true
			}
			waits := lost["schedule"] || lost["cap"] || lost["capAfterJitter"] || lost["jitter"]
			limited := p // to the retries that there are
			limited.MaxAttempts = file.Does.MaxAttempts
			if !waits && !sameWaits(limited, file.Does) {
				t.Errorf("%s: does %s, and does not say so", p.Text(), file.Does.Text())
			}
			for _, d := range differences(p, file.Does) {
				if top, _, _ := strings.Cut(d.field, "."); !isWaiting(top) && !lost[top] {
					t.Errorf("%s: %s is %s and not in the list", p.Text(), d.field, d.is)
				}
			}
			if err := file.Does.Validate(); err != nil {
				t.Errorf("%s: does what no policy can: %v", p.Text(), err)
			}
			if strings.Contains(file.Text, "NaN") || strings.Contains(file.Text, "Inf") {
				t.Errorf("%s: %s", p.Text(), file.Text)
			}
			if f.MediaType == "application/json" && !json.Valid([]byte(file.Text)) {
				t.Errorf("%s: not JSON:\n%s", p.Text(), file.Text)
			}
		}))
	}
}

// What a target does can be written for it again, and nothing more is lost.
func TestWhatATargetDoesIsWrittenTheSame(t *testing.T) {
	for _, f := range Formats {
		t.Run(f.ID, rapid.MakeCheck(func(t *rapid.T) {
			file, err := f.Export(anyPolicy(t))
			if err != nil {
				return
			}
			again, err := f.Export(file.Does)
			if err != nil || again.Text != file.Text || len(again.Lossy) > 0 {
				t.Errorf("%s: written again (%v) as\n%s\nnot\n%s\nlost %+v", file.Does.Text(), err, again.Text, file.Text, again.Lossy)
			}
		}))
	}
}

// Equal laws are told from different ones, however they are written.
func TestSameWaits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"constant,base=1s", "exponential,base=1s,factor=1", true},
		{"constant,base=1s", "exponential,base=1s,cap=1s", true},
		{"exponential,base=1s,cap=10s,jitter=full", "exponential,base=500ms,cap=5s,jitter=percentage,fraction=1", true},
		{"exponential,base=1s,jitter=equal", "exponential,base=1s,jitter=range,low=0.5,high=1", true},
		{"exponential,base=1s,cap=8s,maxAttempts=4", "exponential,base=1s", true},
		{"exponential,base=1s,cap=8s,maxAttempts=6", "exponential,base=1s", false},
		{"exponential,base=1s,cap=8s,jitter=percentage,fraction=0.2", "exponential,base=1s,cap=8s,jitter=percentage,fraction=0.2,capAfterJitter=true", false},
		{"exponential,base=1s,cap=8s,jitter=full", "exponential,base=1s,cap=8s,jitter=full,capAfterJitter=true", true},
		{"constant,base=1s,cap=8s,jitter=decorrelated", "constant,base=1s,cap=8s,jitter=decorrelated", true},
		{"constant,base=1s,cap=8s,jitter=decorrelated", "constant,base=1s,cap=8s,jitter=decorrelated,multiplier=2", false},
		{"constant,base=1s,cap=8s,jitter=decorrelated", "constant,base=1s,cap=8s,capAfterJitter=true,jitter=decorrelated", true},
		{"constant,base=1s,cap=8s,jitter=decorrelated", "constant,base=1s,cap=8s,growsPastCap=true,jitter=decorrelated", false},
		{"exponential,base=1s,cap=8s,jitter=decorrelatedV2", "exponential,base=1s,cap=8s,growsPastCap=true,jitter=decorrelatedV2", true},
	} {
		if got := sameWaits(policy(t, test.a), policy(t, test.b)); got != test.want {
			t.Errorf("%s and %s wait the same: %v", test.a, test.b, got)
		}
	}
}

// Without jitter clients would be in step: a target that has any keeps some where waits depend on the one before, with the same
// mean. AWS's is fixed, and Polly's formula has one of its own.
func TestWaitsThatDependOnEachOtherStayJittered(t *testing.T) {
	const waits = "constant,base=2s,cap=1h,maxAttempts=5,jitter="
	for jitter, mean := range map[string]float64{"decorrelated": 4, "compounding,low=0.5,high=2": 2.5} { // of U[2 s, 6 s], and of U[1 s, 4 s]
		for _, f := range Formats {
			jittered, err := f.Export(policy(t, waits+"full"))
			if err != nil || jittered.Does.Jitter.Kind == "none" {
				continue
			}
			file, err := f.Export(policy(t, waits+jitter))
			if err != nil {
				t.Errorf("%s: %v", f.ID, err)
				continue
			}
			got := file.Does.Compile().Delays(1)[0].Exact.Mean
			if file.Does.Jitter.Kind == "none" || math.Abs(got-mean) > 0.01*mean && f.ID != "aws-config" && f.ID != "dotnet" {
				t.Errorf("%s: %s is written as %s, which waits %v s at first, not %v", f.ID, jitter, file.Does.Text(), got, mean)
			}
		}
	}
}

// A single status code is a text in YAML too, as Istio wants it.
func TestIstioQuotesCodes(t *testing.T) {
	file, err := istio.Export(policy(t, "exponential,base=25ms,jitter=full,maxAttempts=3,retryOn=overloaded"))
	if err != nil || !strings.Contains(file.Text, `retryOn: "503"`) {
		t.Errorf("%v:\n%s", err, file.Text)
	}
}

// Go does not compile a file that imports what it does not use.
func TestGoImportsWhatItUses(t *testing.T) {
	for text, want := range map[string]bool{"immediate,maxAttempts=3": false, "constant,base=1s,maxAttempts=3": true} {
		file, err := failsafe.Export(policy(t, text))
		if err != nil || strings.Contains(file.Text, `"time"`) != want {
			t.Errorf("%s: %v:\n%s", text, err, file.Text)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 100 * time.Millisecond: "0.1s", time.Nanosecond: "0.000000001s", 90 * time.Second: "90s", 1500 * time.Millisecond: "1.5s",
	} {
		if got := protoSeconds(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

// .NET reads "2" as two days; a time span is written in full.
func TestTimeSpans(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Second: "00:00:02", 100 * time.Millisecond: "00:00:00.1", 100 * time.Nanosecond: "00:00:00.0000001",
		24 * time.Hour: "1.00:00:00", 25*time.Hour + 90*time.Second: "1.01:01:30",
	} {
		if got := timeSpan(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

func TestGoDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", 1: "1", time.Second: "time.Second", 1500 * time.Millisecond: "1500 * time.Millisecond", 90 * time.Minute: "90 * time.Minute",
	} {
		if got := goDuration(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
