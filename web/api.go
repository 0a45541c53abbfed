package web

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/go-chi/chi/v5"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// apiPrefix is where the API is. Its description, openapi.json, lists every route below it.
const apiPrefix = "/api/v1"

//go:embed openapi.json
var openAPI []byte

func (s *Server) api(r chi.Router) {
	r.Get("/openapi.json", document("application/json", func() []byte { return openAPI }))
	r.Get("/schemas/scenario.json", document("application/schema+json", scenarioSchema))
	r.Get("/schemas/policy.json", document("application/schema+json", policySchema))
	r.Get("/catalog", document("application/json", catalogDocument))
	r.Get("/schemas/sweep.json", document("application/schema+json", sweepSchema))
	r.Post("/simulations", s.postSimulation)
	r.Get("/simulations", s.getSimulation)
	r.Post("/traces", s.postTrace)
	r.Get("/traces", s.getTrace)
	r.Get("/schemas/tune.json", document("application/schema+json", tuneSchema))
	r.Post("/sweeps", s.postSweep)
	r.Post("/tune", s.postTune)
	r.Get("/league", s.getLeague)
	r.Post("/policies/analysis", s.analyse)
	r.Get("/policies/export", s.getExport)
	r.Post("/policies/export", s.postExport)
	r.Post("/policies/import", s.postImport)
	r.Get("/export/scenario.json", s.exportScenario)
	r.Get("/export/policy.json", s.exportPolicy)
	r.Get("/export/result.json", s.exportResult)
	r.Get("/export/table.csv", s.exportTable)
	r.Get("/export/sweep.json", s.exportSweep)
	r.Get("/export/sweep.csv", s.exportSweepTable)
	r.Get("/export/table.md", s.exportMarkdown)
}

// Documents that say what the program knows. Each is written when it is first asked for.
var (
	scenarioSchema  = written(func() any { return sim.ScenarioSchema() })
	policySchema    = written(func() any { return strategies.PolicySchema() })
	sweepSchema     = written(func() any { return sim.SweepSchema() })
	tuneSchema      = written(func() any { return sim.TuneSchema() })
	catalogDocument = written(func() any { return theCatalog() })
)

func written(v func() any) func() []byte {
	return sync.OnceValue(func() []byte { return asJSON(v()) })
}

// document serves a text that is part of the program.
func document(contentType string, body func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		send(w, r, http.StatusOK, contentType, body())
	}
}

// asJSON writes what is known to be fit for it.
func asJSON(v any) []byte {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(doc, '\n')
}

// maxRetries is the longest delay table there is.
const maxRetries = 1000
