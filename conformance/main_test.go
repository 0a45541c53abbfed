package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/stampede-sim/stampede/strategies"
)

// resultsFile says which presets were compared with the real library, for the pages.
const resultsFile = "../strategies/conformance.json"

var update = flag.Bool("update", false, "write "+resultsFile+" anew")

// results are by preset id.
var (
	resultsLock sync.Mutex
	results     = map[string]strategies.Conformance{}
)

// record notes that a library was found to do what its preset says, which has to have been read from the same version.
func record(t *testing.T, l strategies.Library, module, version string, checks ...string) {
	t.Helper()
	words := strings.Fields(l.Version)
	if read := words[len(words)-1]; !strings.HasPrefix(strings.TrimPrefix(version, "v"), read) {
		t.Errorf("%s was read from version %s, and run is %s", l.Policy.ID, l.Version, version)
	}
	if !t.Failed() {
		resultsLock.Lock()
		defer resultsLock.Unlock()
		results[l.Policy.ID] = strategies.Conformance{Module: module, Version: version, Checks: checks}
	}
}

// preset returns a library by its id.
func preset(t *testing.T, id string) strategies.Library {
	t.Helper()
	all := strategies.Libraries()
	i := slices.IndexFunc(all, func(l strategies.Library) bool { return l.Policy.ID == id })
	if i < 0 {
		t.Fatalf("there is no preset %s", id)
	}
	return all[i]
}

func TestMain(m *testing.M) {
	flag.Set("rapid.seed", "1") // the same random policies each time
	flag.Parse()
	rand.Seed(1) // for the libraries that draw from math/rand; see godebug in go.mod
	code := m.Run()
	if all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""; code == 0 && all {
		code = settle()
	}
	os.Exit(code)
}

// settle compares what was found with what the pages say, and returns the exit code.
func settle() int {
	found, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		panic(err)
	}
	found = append(found, '\n')
	said, _ := os.ReadFile(resultsFile)
	switch {
	case bytes.Equal(said, found):
	case !*update:
		fmt.Printf("%s is not what this run found; `make conformance UPDATE=-update` writes it anew. Found:\n%s", resultsFile, found)
		return 1
	default:
		if err := os.WriteFile(resultsFile, found, 0o644); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	fmt.Printf("%d of %d presets do what the real library does\n", len(results), len(strategies.Libraries()))
	return 0
}

// versionOf returns the version of a module that is compared with.
func versionOf(t *testing.T, module string) string {
	t.Helper()
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Require {
		if r.Mod.Path == module {
			return r.Mod.Version
		}
	}
	t.Fatalf("%s is not in go.mod", module)
	return ""
}
