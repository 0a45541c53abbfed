package web

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the form of a state: the controls in plain words, then every other field of the scenario from its
// declaration.

const maxRows = 12 // policies on the page

// stops are the values of the sliders beside fields of the scenario, by path.
var stops = map[string]string{
	"clients.workload.rate": "5 10 20 30 50 70 100 120 140 160 180 200 250 300 500 700 1000 1500 2000",

	"clients.count": "10 20 50 100 200 300 500 700 1000 1500 2000 3000 5000 7000 10000 20000 50000 100000",
}

func formOf(st state) templates.Form {
	sc := st.scenario
	items := spec.Items(sc)
	f := templates.Form{State: st.address, Workload: workloadSwitch(sc)}
	f.Adding = templates.Adding{Paste: pasting, Notes: st.notes, Open: len(st.notes) > 0}
	if !st.offered {
		f.Adding.Offers = offersTo(sc.Policies)
	}
	load := "clients.count"
	if sc.Clients.Workload.Kind == sim.Open {
		load = "clients.workload.rate"
	}
	if first, ok := find(items, load); ok {
		field := fieldOf(first)
		if field.Unit != "" {
			field.Label, field.Unit = "New requests", "a second"
		}
		f.Plain = append(f.Plain, field)
	}
	f.Plain = append(f.Plain, controlsOf(plainControls, sc)...)
	f.Policies = controlsOf(policyControls, sc)
	server, clients, runs := templates.Group{ID: "server", Title: "More about the server"},
		templates.Group{ID: "clients", Title: "More about the clients"}, templates.Group{ID: "runs", Title: "More about the runs"}
	for _, item := range items {
		switch item.Path {
		case "policies":
			// They are changed in the editor.
		case "server":
			fill(&server, item.Items)
		case "clients":
			fill(&clients, prune(item.Items, load))
		case "network":
			fill(&clients, item.Items)
		default:
			fill(&runs, []spec.Item{item})
		}
	}
	f.More = []templates.Group{server, clients, runs}
	f.Editor = editorOf(st)
	return f
}

func controlsOf(controls []control, sc *sim.Scenario) []templates.Field {
	var fields []templates.Field
	for _, c := range controls {
		if c.show == nil || c.show(sc) {
			f := c.field(sc)
			f.Name, f.Value = c.name, c.get(sc)
			fields = append(fields, f)
		}
	}
	return fields
}

// prune leaves out the item at a path.
func prune(items []spec.Item, path string) []spec.Item {
	var rest []spec.Item
	for _, item := range items {
		if item.Path == path {
			continue
		}
		if strings.HasPrefix(path, item.Path+".") {
			item.Items = prune(item.Items, path)
		}
		rest = append(rest, item)
	}
	return rest
}

// fill adds items to a group: scalars as fields, objects and lists as groups within.
func fill(g *templates.Group, items []spec.Item) {
	for _, item := range items {
		switch {
		case item.Param.Type == spec.List:
			g.Groups = append(g.Groups, listOf(item))
		case item.Absent:
			g.Groups = append(g.Groups, templates.Group{
				ID: item.Path, Title: item.Param.Label, Help: item.Param.Help,
				Actions: []templates.Action{{Do: "put:" + item.Path, Label: "add", Title: "Add: " + item.Param.Label}},
			})
		case item.Items != nil:
			g.Groups = append(g.Groups, objectOf(item))
		default:
			g.Fields = append(g.Fields, fieldOf(item))
		}
	}
}

func objectOf(item spec.Item) templates.Group {
	g := templates.Group{ID: item.Path, Title: item.Param.Label, Help: item.Param.Help}
	fill(&g, item.Items)
	if item.Optional {
		g.Actions = []templates.Action{{Do: "drop:" + item.Path, Label: "remove", Title: "Remove: " + item.Param.Label}}
	}
	return g
}

func listOf(list spec.Item) templates.Group {
	g := templates.Group{ID: list.Path, Title: list.Param.Label, Help: list.Param.Help}
	for i, entry := range list.Items {
		e := templates.Group{ID: entry.Path, Title: "No. " + count(float64(i+1))}
		fill(&e, entry.Items)
		e.Actions = []templates.Action{{Do: "drop:" + entry.Path, Label: "remove", Title: "Remove: " + list.Param.Label + " no. " + count(float64(i+1))}}
		g.Groups = append(g.Groups, e)
	}
	if float64(len(list.Items)) < list.Param.Max {
		g.Actions = []templates.Action{{Do: "put:" + list.Path, Label: "add one", Title: "Add to: " + list.Param.Label}}
	}
	return g
}

func fieldOf(item spec.Item) templates.Field {
	p := item.Param
	f := templates.Field{
		Name: item.Path, Label: p.Label, Help: p.Help, Unit: p.Unit, Value: item.Text,
		Input: templates.TextInput, Stops: stops[item.Path],
	}
	switch p.Type {
	case spec.Number, spec.Integer, spec.Seed:
		f.Input = templates.NumberInput
	case spec.Flag:
		f.Input, f.Options = templates.SelectInput, []templates.Option{{Value: "false", Label: "no"}, {Value: "true", Label: "yes"}}
	case spec.Option:
		f.Input, f.Options = templates.SelectInput, optionsOf(p)
	case spec.Options:
		f.Input, f.Options = templates.ChecksInput, optionsOf(p)
	case spec.Text, spec.Durations:
		if p.Max > 64 || p.Type != spec.Text {
			f.Input = templates.AreaInput
		}
	}
	return f
}

func optionsOf(p spec.Param) []templates.Option {
	options := make([]templates.Option, len(p.Options))
	for i, value := range p.Options {
		options[i] = templates.Option{Value: value, Label: value}
		if i < len(p.Names) {
			options[i].Label = p.Names[i]
		}
	}
	return options
}

// pasting takes a document.
var pasting = templates.Field{
	Name: "document", Label: "Or paste or drop one", Input: templates.AreaInput, Keep: true,
	Help: "The JSON of a policy, which is added, in our form or as gRPC, Envoy, Step Functions or Temporal have it; of a scenario, which replaces all of this; or policies as text, one a line, such as exponential,base=100ms,cap=10s,jitter=full.",
}

// offersTo offers every schedule with every jitter, the presets, and what libraries do, beside the policies there are.
func offersTo(there []strategies.Policy) *templates.Offers {
	if len(there) >= maxRows {
		return &templates.Offers{Full: "There is room for " + count(maxRows) + " policies. Remove one to add another."}
	}
	a := &templates.Offers{Presets: presetActions(), Groups: libraryGroups()}
	like := usualOf(there)
	for _, jitter := range strategies.Jitters {
		a.Jitters = append(a.Jitters, jitter.Name)
	}
	for _, schedule := range strategies.Schedules {
		row := templates.GridRow{Schedule: schedule.Name, Formula: schedule.Formula}
		for _, jitter := range strategies.Jitters {
			row.Cells = append(row.Cells, like.cell(there, schedule.Kind, jitter.Kind))
		}
		a.Rows = append(a.Rows, row)
	}
	return a
}

var presetActions = sync.OnceValue(func() []templates.Action {
	var actions []templates.Action
	for _, p := range strategies.Presets() {
		actions = append(actions, templates.Action{Do: "add:" + p.Policy.Text(), Label: title(p.Policy), Title: p.Advice})
	}
	return actions
})

// usual is what a policy from the grid starts with: what those on the page have most often, by path.
type usual map[string]string

func usualOf(policies []strategies.Policy) usual {
	votes, most := map[[2]string]int{}, usual{}
	for i := range policies {
		for item := range spec.Scalars(&policies[i]) {
			vote := [2]string{item.Path, item.Text}
			votes[vote]++
			if votes[vote] > votes[[2]string{item.Path, most[item.Path]}] {
				most[item.Path] = item.Text
			}
		}
	}
	return most
}

// cell offers a schedule with a jitter.
func (u usual) cell(policies []strategies.Policy, schedule, jitter spec.Kind) templates.GridCell {
	text := schedule.ID + u.args("schedule.", schedule)
	if limit := u["cap"]; limit != "0s" {
		text += ",cap=" + limit
	}
	if jitter.ID != "none" {
		text += ",jitter=" + jitter.ID + u.args("jitter.", jitter)
	}
	name := kindsTitle(schedule, jitter)
	there := slices.ContainsFunc(policies, func(p strategies.Policy) bool {
		return p.Schedule.Kind == schedule.ID && p.Jitter.Kind == jitter.ID
	})
	c := templates.GridCell{Action: templates.Action{Do: "add:" + text, Label: "add", Title: "Add: " + name}, There: there}
	if there {
		c.Title = "Add another: " + name
	}
	return c
}

// args are the parameters that must be given, as text.
func (u usual) args(prefix string, k spec.Kind) string {
	text := ""
	for _, p := range k.Params {
		if p.Default == nil && p.DefaultOf == "" {
			text += "," + p.Key + "=" + cmp.Or(u[prefix+p.Key], spec.Format(p.Start))
		}
	}
	return text
}

// title is what a policy is called: its name, or else its kinds and whatever its id has after them.
func title(p strategies.Policy) string {
	number := strings.TrimPrefix(p.ID, p.Kinds())
	switch {
	case p.Name != "":
		return isolated(p.Name)
	case p.ID != "" && !idFollows(p):
		return isolated(p.ID)
	}
	name := kindsTitle(spec.Find(strategies.Schedules, p.Schedule.Kind).Kind, spec.Find(strategies.Jitters, p.Jitter.Kind).Kind)
	if number != "" {
		name += " (" + strings.TrimPrefix(number, "-") + ")"
	}
	return name
}

// isolated keeps a name that is written from right to left from turning the sentence around it.
func isolated(name string) string {
	if bidirectional(name) {
		return "\u2068" + name + "\u2069"
	}
	return name
}

// bidirectional reports whether a text has letters that are written from right to left.
func bidirectional(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return '\u0590' <= r && r <= '\u08ff' || '\ufb1d' <= r && r <= '\ufdff' || '\ufe70' <= r && r <= '\ufefe' ||
			0x10800 <= r && r <= 0x10fff || 0x1e800 <= r && r <= 0x1efff
	})
}

// kindsTitle is what a policy of these kinds is called if it has no name of its own.
func kindsTitle(schedule, jitter spec.Kind) string {
	if jitter.ID == "none" {
		return schedule.Name
	}
	return schedule.Name + ", " + lower(jitter.Name) + " jitter"
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// details are what a policy's title leaves out: its text without kinds, id and name.
func details(text string) string {
	parts := strings.Split(text, ",")[1:]
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		key, _, _ := strings.Cut(part, "=")
		return key == "jitter" || key == "id" || key == "name"
	}), ", ")
}
