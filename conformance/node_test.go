package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// nodeLibraries are those of node/waits.mjs.
var nodeLibraries = []struct {
	preset, module string
	slack          func(retry int) time.Duration
}{
	{"p-retry", "p-retry", always(0)},
	{"axios-retry", "axios-retry", always(0)},
	{"kafkajs", "kafkajs", kafkaSlack},
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
	for _, l := range nodeLibraries {
		t.Run(l.preset, func(t *testing.T) {
			sample := func(t *testing.T, attempts, runs int) (waits [][]time.Duration) {
				var ms [][]float64
				if err := json.Unmarshal(node(t, "waits.mjs", l.preset, fmt.Sprint(attempts), fmt.Sprint(runs)), &ms); err != nil {
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

// node runs a script of the folder node and returns what it writes.
func node(t *testing.T, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("there is no Node.js on this machine, so nothing can be said of what runs in it")
	}
	if _, err := os.Stat("node/node_modules"); err != nil {
		t.Fatal("the npm packages are not installed; make conformance does it")
	}
	var out, errors bytes.Buffer
	cmd := exec.Command("node", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "node", &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s", args[0], err, errors.String())
	}
	return out.Bytes()
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
