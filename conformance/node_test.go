package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// nodeLibraries are those of node/waits.mjs.
var nodeLibraries = []struct {
	preset, module string
	slack          func(retry int) time.Duration
}{
	{"p-retry", "p-retry", always(0)},
	{"axios-retry", "axios-retry", always(0)},
	{"kafkajs", "kafkajs", kafkaSlack},
	{"bullmq", "bullmq", always(0)},
	{"cockatiel", "cockatiel", always(time.Microsecond)},
	{"azure-js", "@typespec/ts-http-runtime", always(time.Millisecond)},
}

// kafkaSlack: kafkajs rounds the first wait up to a millisecond; what it draws for the next, at most 1.2 times that, up again;
// and then doubles it.
func kafkaSlack(retry int) time.Duration {
	slack := time.Millisecond
	for range retry - 1 {
		slack = 2 * (slack*12/10 + time.Millisecond)
	}
	return slack
}

func TestNodeLibraries(t *testing.T) {
	t.Parallel()
	for _, l := range nodeLibraries {
		t.Run(l.preset, func(t *testing.T) {
			sample := func(t *testing.T, class strategies.Class, attempts, runs int) (waits [][]time.Duration) {
				var ms [][]float64
				if err := json.Unmarshal(node(t, "waits.mjs", l.preset, class.String(), fmt.Sprint(attempts), fmt.Sprint(runs)), &ms); err != nil {
					t.Fatal(err)
				}
				for _, run := range ms {
					waits = append(waits, make([]time.Duration, len(run)))
					for i, w := range run {
						waits[len(waits)-1][i] = time.Duration(w * float64(time.Millisecond))
					}
				}
				return waits
			}
			compare(t, library{preset: l.preset, module: l.module, version: npmVersionOf(t, l.module), slack: l.slack, sample: sample})
		})
	}
}

// nodeCase is an export and what it is to do, for node/exports.test.mjs.
type nodeCase struct {
	Text     string       `json:"text"`
	Attempts int64        `json:"attempts"`
	Bounds   [][2]float64 `json:"bounds"`
}

// TestNode runs the tests of the folder node. What they report is shown as it is.
func TestNode(t *testing.T) {
	t.Parallel()
	cmd := nodeCommand(t, "--test", "--test-reporter=spec", "exports.test.mjs")
	cases := map[string][]nodeCase{}
	for _, format := range []string{"grpc", "step-functions", "bullmq", "cockatiel"} {
		for _, file := range exports(t, format, wanted) {
			c := nodeCase{file.Text, file.Does.MaxAttempts, nil}
			for n := range int64(observed) {
				lo, hi := file.Does.Compile().Bounds(n + 1)
				c.Bounds = append(c.Bounds, [2]float64{float64(lo) / 1e6, float64(hi) / 1e6})
			}
			cases[format] = append(cases[format], c)
		}
	}
	cases["cockatielBreakers"] = cockatielBreakers(t)
	data, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cases.json")
	write(t, path, string(data))
	cmd.Env = append(os.Environ(), "CASES="+path)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}

// cockatielBreakers are exports with a breaker, and the waits between attempts that all fail.
func cockatielBreakers(t *testing.T) (cases []nodeCase) {
	for _, broken := range breakerWaits {
		file := exportBroken(t, "cockatiel", broken.breaker)
		c := nodeCase{Text: file.Text, Attempts: int64(len(broken.waits)) + 1}
		for _, w := range broken.waits {
			c.Bounds = append(c.Bounds, [2]float64{float64(w.Milliseconds()), float64(w.Milliseconds())})
		}
		for range observed - len(c.Bounds) { // none of them is made
			c.Bounds = append(c.Bounds, [2]float64{})
		}
		cases = append(cases, c)
	}
	return cases
}

// node runs a script of the folder node and returns what it writes.
func node(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := nodeCommand(t, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v", args[0], err)
	}
	return out
}

func nodeCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("there is no Node.js on this machine: what runs in it is not checked")
	}
	if _, err := os.Stat("node/node_modules"); err != nil {
		t.Fatal("the npm packages are not installed; make conformance does it")
	}
	cmd := exec.Command("node", args...)
	cmd.Dir = "node"
	return cmd
}

// npmVersionOf returns the version of an npm package that is installed.
func npmVersionOf(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("node/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	return lock.Packages["node_modules/"+name].Version
}
