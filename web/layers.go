package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// The page of layers that each retry: how many attempts at the bottom one request at the top becomes. All of it is exact,
// and nothing is simulated. Its address holds the layers; its form works as that of the policy page.

// maxLayers is how many layers there can be.
const maxLayers = 6

// layering is what the page shows. Its fields are the controls, and keys of the address.
type layering struct {
	attempts [maxLayers]int64 // 0: there is no such layer
	fails    float64          // per cent
	budget   float64          // retries that a budget allows, per cent of the requests
}

func (l *layering) Fields() []spec.Field {
	var fields []spec.Field
	for i := range l.attempts {
		p := spec.Param{Key: fmt.Sprintf("layer%d", i+1), Label: fmt.Sprintf("Attempts of layer %d", i+1), Max: 100, Default: 0}
		switch i {
		case 0:
			p.Label, p.Help, p.Default = "Attempts of layer 1", "The one that users call. 1: it does not retry.", 4
		case 1, 2:
			p.Default = 4
		case maxLayers - 1:
			p.Help = "0: there is no such layer."
		}
		fields = append(fields, spec.Value(p, &l.attempts[i]))
	}
	return append(fields,
		spec.Value(spec.Param{
			Key: "fails", Type: spec.Number, Label: "Attempts that fail at the bottom", Unit: "%", Max: 100, Default: 50,
			Help: "Each by itself.",
		}, &l.fails),
		spec.Value(spec.Param{
			Key: "budget", Type: spec.Number, Label: "A retry budget of each layer", Unit: "%", Max: 100, Default: 10,
			Help: "So many retries for 100 requests, to compare with.",
		}, &l.budget),
	)
}

// layers are those that there are.
func (l *layering) layers() strategies.Layers {
	var layers strategies.Layers
	for _, n := range l.attempts {
		if n > 0 {
			layers = append(layers, n)
		}
	}
	return layers
}

// takeLayering removes the page's fields from a query.
func takeLayering(query url.Values) (l layering, err error) {
	l, err = takeFields[layering](query)
	if err == nil && len(l.layers()) == 0 {
		err = spec.Faults{{Pointer: "?layer1", Detail: "layer1 must be at least 1 where there is no other layer"}}
	}
	return l, err
}

// layersPage answers GET /layers.
func (s *Server) layersPage(w http.ResponseWriter, r *http.Request) {
	asked, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	edited := asked.Has("from")
	query := url.Values{}
	for key, values := range asked {
		if key != "from" {
			query[key] = values
		}
	}
	l, err := takeLayering(query)
	err = allFaults(err, unknownParams(query))
	if len(l.layers()) == 0 {
		l.attempts[0] = 1
	}
	state := url.Values{}
	writeFields(state, &l)
	address := encode(state)
	if err == nil && (edited || encode(asked) != address) {
		http.Redirect(w, r, strings.TrimSuffix("/layers?"+address, "?"), http.StatusSeeOther)
		return
	}
	page, status := l.page(), http.StatusOK
	page.State = address
	if err != nil {
		status = problemOf(err).Status
		page.Problems = complaints(&page.Form, asked, pointed(err, edited))
	}
	s.sendPage(w, r, status, templates.LayersOf(page))
}

// pointed makes faults of a query point to the controls that were sent.
func pointed(err error, edited bool) error {
	var faults spec.Collector
	for _, f := range faultsOf(err) {
		if name, ok := strings.CutPrefix(f.Pointer, "?"); ok && edited {
			f.Pointer = "/" + name
		}
		faults.Add(f.Pointer, f.Detail)
	}
	return faults.Err()
}

func (l *layering) page() templates.LayersPage {
	layers := l.layers()
	reached, _ := layers.Reached()
	bottom := len(layers) - 1
	page := templates.LayersPage{Static: static.URL}
	for _, item := range spec.Items(l) {
		page.Form.Plain = append(page.Form.Plain, fieldOf(item))
	}
	p := l.fails / 100
	all, some := float64(reached[bottom]), layers.Expected(p)[bottom]
	page.Title = "Layers that each retry: " + count(all) + " attempts for one request"
	if all == 1 {
		page.Title = "Layers that do not retry"
	}
	page.Says = []string{
		"When everything fails, one request at the top becomes " + product(layers) + " at the bottom: the retries of layers multiply, just when there is no strength to spare.",
		"When " + spec.Format(l.fails) + nbsp + "% of the attempts fail there, it becomes " + brief(some) + " on average, and fails with a probability of " + inWords.Replace(chance(layers.Fails(p))) + ".",
	}
	page.Facts = []templates.Fact{
		{Label: "When everything fails", Value: count(all)},
		{Label: "When " + spec.Format(l.fails) + nbsp + "% fails", Value: brief(some)},
		{Label: "If only the last layer retries", Value: "at most " + count(float64(layers[bottom]))},
		{Label: "With a budget of " + spec.Format(l.budget) + nbsp + "% in each layer", Value: "at most " + brief(l.budgeted(len(layers))) + ", in the long run"},
	}
	page.Layers = l.layerTable(layers)
	page.Chart = l.chart(layers)
	page.Compare = "/?" + encode(l.query(layers))
	return page
}

// budgeted is how many attempts at the bottom a request makes at most, in the long run, if each layer has a budget.
func (l *layering) budgeted(layers int) float64 {
	x := 1.0
	for range layers {
		x *= 1 + l.budget/100
	}
	return x
}

// product is the arithmetic in full: "4 × 4 × 4 = 64 attempts".
func product(layers strategies.Layers) string {
	factors := make([]string, len(layers))
	for i, n := range layers {
		factors[i] = count(float64(n))
	}
	reached, _ := layers.Reached()
	all := plural(float64(reached[len(layers)-1]), "attempt", "attempts")
	if len(layers) == 1 {
		return all
	}
	return strings.Join(factors, " × ") + " = " + all
}

// chance is a probability.
func chance(p float64) string {
	return nearly(p, significant(100*p, 3)) + nbsp + "%"
}

// inWords writes a bound as a sentence does.
var inWords = strings.NewReplacer("<", "less than ", ">", "more than ")

// layerTable has what reaches each layer's attempts, the top first.
func (l *layering) layerTable(layers strategies.Layers) templates.Table {
	t := templates.Table{
		Caption: "Attempts that one request at the top becomes, layer by layer",
		Head:    []string{"Layer", "Attempts of its own", "If everything fails", "At " + spec.Format(l.fails) + nbsp + "%, on average", "With budgets, at most"},
	}
	reached, _ := layers.Reached()
	expected := layers.Expected(l.fails / 100)
	for i, n := range layers {
		t.Rows = append(t.Rows, []string{strconv.Itoa(i + 1), count(float64(n)), count(float64(reached[i])), brief(expected[i]), brief(min(l.budgeted(i+1), float64(reached[i])))})
	}
	return t
}

// query is what the compare page can say of it: layers that retry at once are no other than one with the product of their
// attempts, so each product so far is a policy there.
func (l *layering) query(layers strategies.Layers) url.Values {
	query := url.Values{
		"clients.workload.kind": {sim.Open}, "clients.workload.rate": {"100"}, "horizon": {"20s"}, "bin": {"100ms"}, "replications": {"10"},
		"network.latency.kind": {"constant"}, "network.latency.mean": {"1ms"},
		"server.outages": {""}, "server.crash": {""}, "server.warmup": {""}, "server.errors.transient": {strconv.FormatFloat(l.fails/100, 'g', -1, 64)},
	}
	const most = 1000 // attempts that anybody would wait for
	reached, _ := layers.Reached()
	for i, n := range reached {
		if i == 0 || n > reached[i-1] && n <= most {
			query.Add("p", fmt.Sprintf("immediate,maxAttempts=%d,id=layers-%d,name=%s as one", n, i+1, plural(float64(i+1), "layer", "layers")))
		}
	}
	return query
}
