package sim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

func TestPresets(t *testing.T) {
	valid := spectest.Validator(t, sim.ScenarioSchema())
	presets := sim.Presets()
	files, _ := filepath.Glob("presets/*.json")
	for _, file := range files {
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(document); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !slices.ContainsFunc(presets, func(p sim.Preset) bool { return p.ID+".json" == filepath.Base(file) }) {
			t.Errorf("%s is of no preset", file)
		}
	}
	names := map[string]bool{}
	for _, p := range presets {
		canonical, _ := json.Marshal(p.Scenario)
		if err := valid(canonical); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		if names[p.Scenario.Name] {
			t.Errorf("%s has the name of another", p.ID)
		}
		names[p.Scenario.Name] = true
		checkScenario(t, p.Scenario)
		if p.Shows == "" || p.Scenario.Name == "" {
			t.Errorf("%s does not say what it shows", p.ID)
		}
	}
}

// What the schema's vocabulary can say, schema and parser refuse alike.
func TestScenarioSchemaRefuses(t *testing.T) {
	valid := spectest.Validator(t, sim.ScenarioSchema())
	for _, document := range []string{
		`{}`, `{"clients": {"count": 1}}`, `{"clients": {"count": 1}, "policies": []}`, scenarioWith(`"replications": 0`),
		scenarioWith(`"seed": 9007199254740992`), scenarioWith(`"seed": "x"`), scenarioWith(`"horizon": 60`), scenarioWith(`"colour": 1`),
		scenarioWith(`"clients": {"count": 1.5}`), scenarioWith(`"clients": {"count": 1, "workload": {"kind": "open"}}`),
		scenarioWith(`"clients": {"count": 1, "workload": {"rate": 5}}`), scenarioWith(`"network": {"latency": {"kind": "normal", "mean": "1s"}}`),
		scenarioWith(`"server": {"kind": "occ", "workers": 1}`), scenarioWith(`"server": {"rateLimit": {"kind": "tokenBucket", "rate": 0, "burst": 1}}`),
		scenarioWith(`"server": {"rateLimit": null}`), scenarioWith(`"server": {"crash": {"on": "queueFull", "restart": "1s", "rate": 1}}`),
		scenarioWith(`"server": {"warmup": {"from": 0, "duration": "1s"}}`), scenarioWith(`"server": {"outages": [{"start": "1s"}]}`),
		scenarioWith(`"server": {"retryAfter": {"kind": "none", "after": "1s"}}`), scenarioWith(`"policies": [5]`),
	} {
		if valid([]byte(document)) == nil {
			t.Errorf("the schema accepts %s", document)
		}
		if _, err := sim.ParseScenario([]byte(document)); err == nil {
			t.Errorf("ParseScenario accepts %s", document)
		}
	}
}

// The random scenarios of the property tests have every field, and every kind and option of those that have some.
func TestRandomScenariosCoverTheSchema(t *testing.T) {
	simtest.PlainRunOnly(t)
	schema, _ := json.Marshal(sim.ScenarioSchema())
	missing := map[string]bool{}
	eachInSchema("", toAny(t, schema), func(place string) { missing[place] = true })
	random := rapid.Custom(func(t *rapid.T) []byte { return simtest.Scenario(t, spec.Kinds(sim.Distributions)) })
	for seed := range 1000 {
		canonical, err := json.Marshal(parse(t, string(random.Example(seed))))
		if err != nil {
			t.Fatal(err)
		}
		eachInDocument("", toAny(t, canonical), func(place string) { delete(missing, place) })
	}
	for place := range missing {
		t.Errorf("%s is never there", place)
	}
}

func toAny(t *testing.T, data []byte) (v any) {
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// eachInSchema names the places that documents of a schema have: paths, and paths with a value where there is a choice.
func eachInSchema(path string, schema any, use func(place string)) {
	s := schema.(map[string]any)
	use(path)
	for _, kind := range anySlice(s["oneOf"]) {
		eachInSchema(path, kind, use)
	}
	properties, _ := s["properties"].(map[string]any)
	for key, property := range properties {
		eachInSchema(path+"/"+key, property, use)
	}
	for _, option := range append(anySlice(s["enum"]), s["const"]) {
		if option != nil {
			use(fmt.Sprint(path, "=", option))
		}
	}
	if items, ok := s["items"]; ok {
		eachInSchema(path+"/*", items, use)
	}
}

func anySlice(v any) []any { list, _ := v.([]any); return list }

// eachInDocument names the places that a document has.
func eachInDocument(path string, document any, use func(place string)) {
	use(path)
	switch v := document.(type) {
	case map[string]any:
		for key, value := range v {
			eachInDocument(path+"/"+key, value, use)
		}
	case []any:
		for _, value := range v {
			eachInDocument(path+"/*", value, use)
		}
	case string:
		use(path + "=" + v)
	}
}
