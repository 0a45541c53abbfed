package conformance

// The exported Go code, compiled and run with operations that always fail.

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
)

// snippets are the formats that are Go code, each with a function that runs what it declares in package p.
var snippets = map[string]string{
	"cenkalti-backoff": `func(attempt func() error) { p.Retry(context.Background(), func() (any, error) { return nil, attempt() }) }`,
	"failsafe-go":      `func(attempt func() error) { failsafe.With[any](p.Policy[any]()).Run(attempt) }`,
}

// observed is how many attempts of each are looked at.
const observed = 12

func TestSnippetsRun(t *testing.T) {
	t.Parallel()
	for format, run := range snippets {
		t.Run(format, func(t *testing.T) {
			files := exports(t, format, 80)
			for i, waits := range runSnippets(t, files, run) {
				compareSnippet(t, files[i], waits)
			}
		})
	}
}

// breakerWaits are the waits between attempts that all fail, under a policy that waits a second before each of its 24 retries, and
// a breaker: once that is open it gives up, or waits on until half-open one more is let through. By hand.
var breakerWaits = []struct {
	breaker string
	waits   []time.Duration
}{
	{"failures=3,breaker.openFor=10s", []time.Duration{1e9, 1e9}},
	{"failures=3,breaker.openFor=10s,breaker.onOpen=wait", []time.Duration{1e9, 1e9, 10e9, 10e9}},
	{"failures=1,breaker.openFor=3s,breaker.successes=3,breaker.onOpen=wait", []time.Duration{3e9, 3e9, 3e9, 3e9, 3e9, 3e9, 3e9, 3e9}},
	{"kind=ratio,breaker.window=4,breaker.ratio=1,breaker.openFor=20s,breaker.onOpen=wait", []time.Duration{1e9, 1e9, 1e9, 20e9}},
}

func exportBroken(t *testing.T, format, breaker string) export.File {
	t.Helper()
	p, err := strategies.ParseText("constant,base=1s,maxAttempts=25,breaker." + breaker)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := export.Find(format)
	file, err := f.Export(p)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// What is exported for failsafe-go stops what the policy's breaker stops.
func TestFailsafeSnippetsBreak(t *testing.T) {
	t.Parallel()
	const run = `func(attempt func() error) { failsafe.With[any](p.Policy[any](), p.Breaker[any]()).Run(attempt) }`
	var files []export.File
	for _, broken := range breakerWaits {
		files = append(files, exportBroken(t, "failsafe-go", broken.breaker))
	}
	for i, got := range runSnippets(t, files, run) {
		want := breakerWaits[i].waits
		wrong := len(got) != len(want)
		for k := 0; !wrong && k < len(got); k++ {
			wrong = (got[k] - want[k]).Abs() > time.Microsecond // attempts take a nanosecond each
		}
		if wrong {
			t.Errorf("%s: waits %v, want %v", breakerWaits[i].breaker, got, want)
		}
	}
}

func compareSnippet(t *testing.T, file export.File, waits []time.Duration) {
	p, at := file.Does, []time.Duration{0}
	for _, w := range waits {
		at = append(at, at[len(at)-1]+w)
	}
	want := observed
	if p.MaxAttempts > 0 {
		want = min(want, int(p.MaxAttempts))
	}
	_, longest := p.Compile().Bounds(int64(len(at)))
	next := at[len(at)-1] + time.Duration(len(at)) + time.Duration(longest) // at the latest
	if inTime := p.Deadline == 0 || next <= p.Deadline; len(at) < want && inTime {
		t.Errorf("%d attempts, want %d: %s", len(at), want, p.Text())
	}
	if file.Format == "failsafe-go" && p.Deadline > 0 && 1 < len(at) && len(at) < want {
		at = at[:len(at)-1] // its last wait is cut short, as the export's note says
	}
	compareAttempts(t, p, at)
}

// runSnippets compiles files as packages of this module, runs each and returns its waits.
func runSnippets(t *testing.T, files []export.File, run string) (waits [][]time.Duration) {
	dir, err := os.MkdirTemp(".", "snippets-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var imports, runs strings.Builder
	for i, file := range files {
		write(t, filepath.Join(dir, fmt.Sprintf("p%d", i), file.Name), file.Text)
		fmt.Fprintf(&imports, "\tp%d %q\n", i, fmt.Sprintf("github.com/stampede-sim/stampede/conformance/%s/p%d", filepath.Base(dir), i))
		fmt.Fprintf(&runs, "\t%s,\n", strings.ReplaceAll(run, "p.", fmt.Sprintf("p%d.", i)))
	}
	write(t, filepath.Join(dir, "snippets_test.go"), fmt.Sprintf(runner, imports.String(), runs.String(), observed))
	if out, err := exec.Command("go", "test", "-count", "1", "./"+dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "waits.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &waits); err != nil || len(waits) != len(files) {
		t.Fatal(len(waits), err)
	}
	return waits
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runner is a test that runs functions in bubbles of time and writes their waits.
const runner = `package snippets

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go"

%s)

var (
	_    = context.Background
	_    = failsafe.With[any]
	runs = []func(func() error){
%s	}
)

func Test(t *testing.T) {
	all := [][]time.Duration{}
	for _, run := range runs {
		synctest.Test(t, func(*testing.T) {
			waits, last, attempts := []time.Duration{}, time.Now(), 0
			run(func() error {
				if attempts++; attempts > 1 {
					waits = append(waits, time.Since(last))
				}
				time.Sleep(1) // an attempt takes time
				last = time.Now()
				if attempts == %d {
					return nil
				}
				return errors.New("down")
			})
			all = append(all, waits)
		})
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("waits.json", data, 0o644); err != nil {
		t.Fatal(err)
	}
}
`
