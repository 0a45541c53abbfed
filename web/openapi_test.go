package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// described is openapi.json, and a compiler for the schemas in it as they are served.
var described = sync.OnceValues(func() (map[string]any, *jsonschema.Compiler) {
	s := newTestServer(nil)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	var api map[string]any
	for _, path := range []string{"/api/v1/openapi.json", "/api/v1/schemas/scenario.json", "/api/v1/schemas/policy.json", "/api/v1/schemas/sweep.json", "/api/v1/schemas/tune.json"} {
		doc, err := jsonschema.UnmarshalJSON(ask(s, "GET", path, "").Body)
		if err != nil {
			panic(path + ": " + err.Error())
		}
		if err := compiler.AddResource("http://stampede"+path, doc); err != nil {
			panic(path + ": " + err.Error())
		}
		if api == nil {
			api = doc.(map[string]any)
		}
	}
	return api, compiler
})

// compiling guards the compiler.
var compiling sync.Mutex

// wantValid checks a document against a schema of openapi.json.
func wantValid(t *testing.T, schema string, document []byte) {
	t.Helper()
	_, compiler := described()
	compiling.Lock()
	compiled, err := compiler.Compile("http://stampede/api/v1/openapi.json#/components/schemas/" + schema)
	compiling.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("%v in %.300s", err, document)
	}
	if err := compiled.Validate(doc); err != nil {
		t.Errorf("not a %s: %v\n%.300s", schema, err, document)
	}
}

// TestEveryRouteIsDescribed checks that openapi.json lists the routes of the API: all of them and no others.
func TestEveryRouteIsDescribed(t *testing.T) {
	var routed, listed []string
	err := chi.Walk(newTestServer(nil).routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if strings.HasPrefix(route, apiPrefix) {
			routed = append(routed, method+" "+route)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	api, _ := described()
	for path, operations := range api["paths"].(map[string]any) {
		for method := range operations.(map[string]any) {
			listed = append(listed, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(routed)
	slices.Sort(listed)
	if !slices.Equal(routed, listed) {
		t.Errorf("routed:\n%s\ndescribed:\n%s", strings.Join(routed, "\n"), strings.Join(listed, "\n"))
	}
}

// TestReferencesLead checks that every $ref within openapi.json leads somewhere, and every component is referred to.
func TestReferencesLead(t *testing.T) {
	api, _ := described()
	used := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && strings.HasPrefix(ref, "#/") {
				used[ref] = true
				var at any = api
				for key := range strings.SplitSeq(ref[2:], "/") {
					at = at.(map[string]any)[key]
				}
				if at == nil {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(api)
	used["#/components/schemas/Progress"] = true // in the text about streams alone
	for kind, components := range api["components"].(map[string]any) {
		for name := range components.(map[string]any) {
			if ref := "#/components/" + kind + "/" + name; !used[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

// TestExamplesAreValid checks the examples in openapi.json against their schemas and by sending them.
func TestExamplesAreValid(t *testing.T) {
	api, _ := described()
	examples := api["components"].(map[string]any)["examples"].(map[string]any)
	s := newTestServer(nil)
	for name, c := range map[string]struct{ schema, path, answer string }{
		"scenario": {"Scenario", "/api/v1/simulations", "Result"},
		"sweep":    {"Sweep", "/api/v1/sweeps", "SweepResult"},
		"policy":   {"Policy", "/api/v1/policies/analysis", "Analysis"},
	} {
		doc, err := json.Marshal(examples[name].(map[string]any)["value"])
		if err != nil {
			t.Fatal(err)
		}
		wantValid(t, c.schema, doc)
		wantValid(t, c.answer, bodyOf(t, ask(s, "POST", c.path, string(doc))))
	}
}

// TestCatalogIsValid checks the catalogue against its schema, and its presets against theirs.
func TestCatalogIsValid(t *testing.T) {
	wantValid(t, "Catalog", bodyOf(t, ask(newTestServer(nil), "GET", "/api/v1/catalog", "")))
}
