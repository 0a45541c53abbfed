package web

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies"
)

var update = flag.Bool("update", false, "write league.json anew")

// league.json is exactly what the engine gives for the libraries as they are.
func TestLeagueFile(t *testing.T) {
	simtest.PlainRunOnly(t)
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
	if *update {
		document, err := json.MarshalIndent(all, "", " ")
		must(t, err)
		must(t, os.WriteFile("league.json", append(document, '\n'), 0o644))
		return
	}
	if len(leagueResults) != len(divisions) {
		t.Errorf("league.json has %d scenarios of %d", len(leagueResults), len(divisions))
	}
	for id, of := range all {
		if !reflect.DeepEqual(leagueResults[id], of) {
			t.Errorf("league.json is not what the engine gives for %s; -update writes it anew", id)
		}
	}
}
