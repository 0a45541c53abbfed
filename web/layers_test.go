package web

import (
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// The page says what layers come to, exactly, in words, facts, table and chart.
func TestLayersPage(t *testing.T) {
	html := plainSpaces.Replace(pageAt(t, "/layers", 200))
	for _, want := range []string{
		"<h1>Layers that each retry: 64 attempts for one request</h1>",
		"one request at the top becomes 4 × 4 × 4 = 64 attempts at the bottom",
		"When 50 % of the attempts fail there, it becomes 2 on average, and fails with a probability of less than 0.01 %.",
		"<dd>at most 1.33, in the long run</dd>", "<dd>at most 4</dd>",
		`<th scope="row">3</th><td>4</td><td>64</td><td>2</td><td>1.33</td>`,
		`<th scope="row">100 %</th><td>4</td><td>16</td><td>64</td><td>100 %</td>`,
		`name="layer6"`, `href="/?bin=100ms&amp;`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, c := range []struct{ query, want string }{
		{"layer1=1&layer2=0&layer3=0", "<h1>Layers that do not retry</h1>"},
		{"fails=100&layer2=0&layer3=0", "fails with a probability of 100 %"},
		{"fails=0", "fails with a probability of 0 %"},
		{"layer1=100&layer2=100&layer3=100&layer4=100&layer5=100&layer6=100&fails=99.99", "When 99.99 % of the attempts fail there, it becomes 10 000 on average, and fails with a probability of less than 0.01 %."},
		{"layer1=100&layer2=100&layer3=100&layer4=100&layer5=100&layer6=100", "1 000 000 000 000 attempts for one request"},
	} {
		if html := plainSpaces.Replace(pageAt(t, "/layers?"+c.query, 200)); !strings.Contains(html, c.want) {
			t.Errorf("%s: the page lacks %s", c.query, c.want)
		}
	}
}

// Faults are told all at once, and the page shows what can be read. The form leads to the shortest address.
func TestLayersAddress(t *testing.T) {
	html := pageAt(t, "/layers?layer1=101&layer2=x&fails=-1&luck=1", 422)
	for _, want := range []string{"at most 100", "not &#34;x&#34;", "at least 0", "luck"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if html := pageAt(t, "/layers?layer2=3&layer2=5", 422); !strings.Contains(html, "given 2 times") {
		t.Error("a layer may be given twice")
	}
	if html := pageAt(t, "/layers?layer1=0&layer2=0&layer3=0", 422); !strings.Contains(html, "where there is no other layer") {
		t.Error("no layer at all is accepted")
	}
	s := newTestServer(nil)
	for from, want := range map[string]string{
		"/layers?from=&layer1=4&layer2=4&layer3=2&layer4=0&fails=50": "/layers?layer3=2",
		"/layers?from=layer3%3D2&layer3=4":                           "/layers",
	} {
		if got := ask(s, "GET", from, "").Header.Get("Location"); got != want {
			t.Errorf("%s leads to %q, want %s", from, got, want)
		}
	}
}

// The compare page makes as many attempts as the formula says, within 4 standard errors, which are less than 2 %.
func TestLayersSimulated(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, fails := range []float64{10, 50, 90} {
		l, err := takeLayering(url.Values{})
		must(t, err)
		l.fails = fails
		sc, err := sim.ParseQuery(l.query(l.layers()))
		must(t, err)
		sc.Server.Workers, sc.Server.Queue, sc.Clients.Workload.Rate = 0, 0, 1000 // more to count
		r, err := sim.Run(t.Context(), sc, nil)
		must(t, err)
		for i, got := range r.Results {
			n := l.layers()[:i+1]
			want, m := n.Expected(fails / 100)[i], got.Metrics.Get("amplification")
			const t9 = 2.262157                               // of the 95 % interval over ten runs
			tolerance := 4*(*m.High-*m.Low)/2/t9 + 0.002*want // some are under way at the end
			if math.Abs(*m.Mean-want) > tolerance || tolerance > 0.02*want {
				t.Errorf("%v %% fail, %d layers: %v attempts, want %v within %v", fails, i+1, *m.Mean, want, tolerance)
			}
		}
	}
}
