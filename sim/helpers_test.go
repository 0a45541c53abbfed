package sim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
)

const ms = time.Millisecond

// scenarioWith returns a scenario that is valid but for what the given fields may do to it.
func scenarioWith(fields ...string) string {
	document := strings.Join(fields, ", ")
	if !strings.Contains(document, `"clients"`) {
		document += `, "clients": {"count": 5}`
	}
	if !strings.Contains(document, `"policies"`) {
		document += `, "policies": [{"schedule": {"kind": "constant", "base": "1s"}}]`
	}
	return "{" + strings.TrimPrefix(document, ", ") + "}"
}

func parse(t interface{ Fatalf(string, ...any) }, document string) *sim.Scenario {
	s, err := sim.ParseScenario([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return s
}

// faultLines returns a line for each fault: its pointer and its detail.
func faultLines(err error) string {
	faults, ok := err.(spec.Faults)
	if !ok {
		return fmt.Sprint(err)
	}
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = f.Pointer + " " + f.Detail
	}
	return strings.Join(lines, "\n")
}

func compileSchema(t *testing.T, schema map[string]any) *jsonschema.Schema {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func validateJSON(schema *jsonschema.Schema, data []byte) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
