package conformance

import (
	"encoding/json"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/strategies/strategiestest"
)

// wanted is how many exports of each format the real parsers are given.
const wanted = 200

// anyPolicy draws over all policies there can be; mildPolicy over such as people have.
var (
	anyPolicy  = rapid.Custom(func(t *rapid.T) strategies.Policy { return parsed(t, strategiestest.AnyPolicy(t)) })
	mildPolicy = rapid.Custom(func(t *rapid.T) strategies.Policy {
		data, err := json.Marshal(strategiestest.Policy(t, strategiestest.Mild))
		if err != nil {
			t.Fatal(err)
		}
		return parsed(t, data)
	})
)

func parsed(t *rapid.T, data []byte) strategies.Policy {
	p, err := strategies.ParsePolicy(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var (
	randomLock     sync.Mutex
	randomPolicies []strategies.Policy
)

func randomPolicy(seed int) strategies.Policy {
	randomLock.Lock()
	defer randomLock.Unlock()
	for seed >= len(randomPolicies) {
		policies := mildPolicy
		if len(randomPolicies)%2 == 0 {
			policies = anyPolicy
		}
		randomPolicies = append(randomPolicies, policies.Example(len(randomPolicies)))
	}
	return randomPolicies[seed]
}

// exports writes random policies, and every preset, in a format; the same ones each time. Those that it refuses are not among
// them.
func exports(t *testing.T, format string, wanted int) (files []export.File) {
	t.Helper()
	f, ok := export.Find(format)
	if !ok {
		t.Fatalf("there is no format %s", format)
	}
	for _, l := range strategies.Libraries() {
		if file, err := f.Export(l.Policy); err == nil {
			files = append(files, file)
		}
	}
	for seed := 0; len(files) < wanted; seed++ {
		if file, err := f.Export(randomPolicy(seed)); err == nil {
			files = append(files, file)
		}
		if seed > 20*wanted {
			t.Fatalf("%s refuses nearly everything", format)
		}
	}
	return files
}
