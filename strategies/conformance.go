package strategies

import (
	_ "embed"
	"encoding/json"
)

// Conformance says how far the conformance module has run a library itself and found it to do what its preset says.
type Conformance struct {
	Module  string   `json:"module"`  // the library, as its package registry names it
	Version string   `json:"version"` // that was run
	Checks  []string `json:"checks"`  // what was found equal, a phrase each
}

// conformanceFile is by preset id. `make conformance` fails if it is not what the run finds.
//
//go:embed conformance.json
var conformanceFile []byte

var conformance = func() (byPreset map[string]Conformance) {
	if err := json.Unmarshal(conformanceFile, &byPreset); err != nil {
		panic("strategies: conformance.json: " + err.Error())
	}
	return byPreset
}()

// Conformance returns what was checked against the library itself; false if it was only read, in code or documentation.
func (l Library) Conformance() (Conformance, bool) {
	c, ok := conformance[l.Policy.ID]
	return c, ok
}
