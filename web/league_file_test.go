package web

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

var update = flag.Bool("update", false, "write league.json anew")

// league.json is exactly what the engine gives for the libraries as they are.
func TestLeagueFile(t *testing.T) {
	all := map[string]map[string]map[string]sim.Metric{}
	var policies []strategies.Policy
	for _, l := range strategies.Libraries() {
		policies = append(policies, l.Policy)
	}
	for _, d := range divisions {
		of := map[string]map[string]sim.Metric{}
		for some := range slices.Chunk(policies, sim.MaxPolicies) {
			sc := d.scenario()
			sc.Policies = some
			result, err := sim.Run(t.Context(), sc, nil)
			must(t, err)
			for _, r := range result.Results {
				figures := map[string]sim.Metric{}
				for _, name := range leagueMetrics {
					figures[name] = r.Metrics.Get(name)
				}
				of[r.Policy.ID] = figures
			}
		}
		all[d.id] = of
	}
	document, err := json.MarshalIndent(all, "", " ")
	must(t, err)
	document = append(document, '\n')
	if *update {
		must(t, os.WriteFile("league.json", document, 0o644))
		return
	}
	if !bytes.Equal(document, leagueFile) {
		t.Error("league.json is not what the engine gives; -update writes it anew")
	}
}
