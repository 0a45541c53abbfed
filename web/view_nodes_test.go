package web

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
)

// The row that is opened shows each node, without the script too, and says how many there are where not all have a strip.
func TestNodesInTheRow(t *testing.T) {
	s := newTestServer(nil)
	for query, want := range map[string]int{
		"server.nodes.count=5&open=exponential-full":  5,
		"server.nodes.count=5":                        0,
		"open=exponential-full":                       0,
		"server.nodes.count=30&open=exponential-full": 20,
		"server.kind=occ&open=exponential-full":       0,
	} {
		page := string(bodyOf(t, ask(s, "GET", "/?replications=2&clients.count=200&"+query, "")))
		if n := strings.Count(page, `class="node"><span>`); n != want {
			t.Errorf("%s: %d nodes, want %d", query, n, want)
		}
		if left := strings.Contains(page, "The first 20 of 30 nodes."); left != (want == 20) {
			t.Errorf("%s: says that there are more: %v", query, left)
		}
	}
}

// A node's numbers, in words and in the table, are those of the run.
func TestNodeNumbers(t *testing.T) {
	sc := sim.Default()
	sc.Server.Nodes, sc.Server.Workers, sc.Server.Queue = sim.Nodes{Count: 4, Balancer: sim.RandomNode, ComeUp: sc.Server.Crash.Restart}, 5, 20
	sc.Replications = 1
	r, err := sim.Runner{Nodes: true}.Run(t.Context(), sc, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Results {
		p := &r.Results[i]
		shown := newStrips(r).nodes(sc, p)
		if len(shown.Strips) != 4 || shown.Left != "" || !strings.Contains(shown.Load.Title, "1× is 50 a second") {
			t.Fatalf("%d strips, %q, %q", len(shown.Strips), shown.Left, shown.Load.Title)
		}
		limited := *sc
		limited.Server.RateLimit = &sim.RateLimit{Kind: sim.TokenBucket, Rate: 60, Burst: 1} // for all nodes, so that one can have it all but 10
		if title := newStrips(&sim.Result{Scenario: &limited}).nodes(&limited, p).Load.Title; !strings.Contains(title, "1× is 50 a second") {
			t.Errorf("with a limit: %q", title)
		}
		for k, nd := range shown.Strips {
			crashes := 0
			for _, d := range p.Run.Nodes[k].Down {
				if d.Why == "crash" {
					crashes++
				}
			}
			for row, counts := range [][]int64{p.Run.Nodes[k].Arrivals, p.Run.Nodes[k].Served, p.Run.Nodes[k].Refused} {
				want, got := int64(0), 0
				for _, n := range counts {
					want += n
				}
				for _, v := range nd.Rows[row].Values {
					n, err := strconv.Atoi(strings.ReplaceAll(plainSpaces.Replace(v), " ", ""))
					if err != nil {
						t.Fatal(err)
					}
					got += n
				}
				if got != int(want) {
					t.Errorf("%s of %s, %s: %d in the table, %d in the run", nd.Name, p.Policy.ID, nd.Rows[row].What, got, want)
				}
				if nd.Rows[row].What == "served" && nd.Says != "served "+count(float64(want))+", "+plural(float64(crashes), "crash", "crashes") {
					t.Errorf("%s of %s: %q, but %d served and %d crashes", nd.Name, p.Policy.ID, nd.Says, want, crashes)
				}
			}
		}
	}
}
