package web

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file holds the controls of "what if" and how they are written in the page's address: sweep=, once for each axis,
// in the axis's own line; measure= and runs= where they are not the usual ones.

// whatIf is what an address says of the sweep.
type whatIf struct {
	axes    []sim.Axis // none: the page chooses
	measure string     // id; "": the first
	runs    int        // 0: as many as are usual for the measure
}

var whatIfKeys = []string{"sweep", "measure", "runs"}

const maxRuns = 100 // of each point, on the page

// readWhatIf reads what it can of a query, and reports the rest.
func readWhatIf(query url.Values, faults *spec.Collector) (w whatIf) {
	for i, line := range query["sweep"] {
		a, err := sim.ParseAxis(line)
		switch {
		case i >= 2:
			faults.Addf("/sweep", "sweep is given %d times; at most two parameters can vary", len(query["sweep"]))
			return w
		case err != nil:
			faults.Merge("/sweep", err)
		default:
			w.axes = append(w.axes, a)
		}
	}
	if id := query.Get("measure"); id != "" {
		if slices.ContainsFunc(sweepMeasures, func(m sweepMeasure) bool { return m.id == id }) {
			w.measure = id
		} else {
			faults.Addf("/measure", "measure must be one of %s, not %.40q", strings.Join(measureIDs(), ", "), id)
		}
	}
	if text := query.Get("runs"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxRuns {
			faults.Addf("/runs", "runs must be a whole number from 1 to %d, not %.40q", maxRuns, text)
		} else if n != usualFor(w.measure) {
			w.runs = n
		}
	}
	return w
}

// usualFor is how often each point is run if nothing else is said.
func usualFor(measure string) int {
	if measure == "recovered" {
		return surelyRuns
	}
	return usualRuns
}

// runsOf is how often each point of the sweep is run.
func (w whatIf) runsOf(sc *sim.Scenario) int { return cmp.Or(w.runs, usualFor(w.measureOf(sc).id)) }

// write is the inverse of readWhatIf.
func (w whatIf) write(query url.Values) {
	for _, a := range w.axes {
		query.Add("sweep", a.Text())
	}
	if w.measure != "" {
		query.Set("measure", w.measure)
	}
	if w.runs != 0 {
		query.Set("runs", strconv.Itoa(w.runs))
	}
}

// axesOf are the axes that are shown.
func (w whatIf) axesOf(sc *sim.Scenario) []sim.Axis {
	if len(w.axes) > 0 {
		return w.axes
	}
	return []sim.Axis{suggest(sc, choicesOf(sc)[0])}
}

// choice is a parameter that the form offers.
type choice struct {
	sim.Parameter
	label string
}

// plainChoices are offered first, in the words of the page's controls.
var plainChoices = []struct{ path, label string }{
	{"clients.workload.rate", "Requests a second"},
	{"clients.count", "Clients"},
	{sim.OutageLength, "How long it is down"},
	{sim.CapacityRate, "It can serve, a second"},
	{sim.NodeCount, "Nodes, as strong together"},
	{"clients.workload.spread", "They lose it within"},
	{"network.latency.mean", "Latency"},
	{"network.latency.median", "Latency"},
	{"policies.schedule.base", "First wait"},
	{"policies.schedule.factor", "Growth"},
	{"policies.cap", "At most"},
	{"policies.maxAttempts", "Attempts"},
}

// choicesOf lists every parameter of a scenario, those in plain words first.
func choicesOf(sc *sim.Scenario) []choice {
	var plain, more []choice
	names := map[string]string{}
	nameItems(names, "", spec.Items(sc))
	for i := range sc.Policies {
		nameItems(names, "All policies: ", spec.Items(&sc.Policies[i]))
	}
	for _, p := range sc.Parameters() {
		i := slices.IndexFunc(plainChoices, func(c struct{ path, label string }) bool { return c.path == p.Path })
		if i >= 0 {
			plain = append(plain, choice{p, plainChoices[i].label})
		} else {
			more = append(more, choice{p, cmp.Or(names[strings.TrimPrefix(p.Path, "policies.")], names[p.Path], p.Param.Label)})
		}
	}
	place := func(c choice) int {
		return slices.IndexFunc(plainChoices, func(p struct{ path, label string }) bool { return p.path == c.Path })
	}
	slices.SortStableFunc(plain, func(a, b choice) int { return place(a) - place(b) })
	return append(plain, more...)
}

// nameItems names fields by the labels on the way to them.
func nameItems(names map[string]string, before string, items []spec.Item) {
	for _, item := range items {
		names[item.Path] = before + item.Param.Label
		if !item.Absent {
			nameItems(names, before+item.Param.Label+": ", item.Items)
		}
	}
}

// choose returns the choice of a path.
func choose(sc *sim.Scenario, path string) (choice, bool) {
	all := choicesOf(sc)
	i := slices.IndexFunc(all, func(c choice) bool { return c.Path == path })
	if i >= 0 {
		return all[i], true
	}
	p, ok := sc.Parameter(path)
	return choice{p, p.Param.Label}, ok
}

// suggest is a range worth looking at: around what the scenario has, so that where it stands is on it.
func suggest(sc *sim.Scenario, c choice) sim.Axis {
	p := c.Param
	x, problem := spec.Amount(c.Value).Value(p)
	if problem != "" { // the policies differ
		x, _ = spec.Amount(usualOf(sc.Policies)[strings.TrimPrefix(c.Path, "policies.")]).Value(p)
	}
	a := sim.Axis{Scale: sim.Log, Parameter: c.Path, Steps: 5}
	from, to := x/4, x*4
	switch {
	case c.Path == "clients.count" && x >= 2:
		a.Scale, a.Steps, from = sim.Linear, 8, x/2
	case c.Path == "policies.schedule.factor":
		a.Scale, a.Steps, from, to = sim.Linear, 7, 1, 4
	case p.Type == spec.Integer && x <= 8:
		a.Scale, a.Steps, from, to = sim.Linear, 8, max(1, p.Min), 8
	case x == 0 && p.Type == spec.Duration:
		a.Scale, a.Steps, from, to = sim.Linear, 6, 0, 10e9
	case x == 0:
		a.Scale, a.Steps, from, to = sim.Linear, 6, p.Min, min(p.Max, 0.5)
	}
	if p.Type == spec.Integer {
		from, to = math.Round(from), math.Round(to)
	}
	if p.Type == spec.Duration && p.Above {
		from = max(from, p.Min+1)
	}
	a.From, a.To = spec.AmountOf(p, max(from, p.Min)), spec.AmountOf(p, min(to, p.Max))
	return sc.Possible(a)
}

// axisNames are those of the axes' controls.
var axisNames = []string{"x", "y"}

// edit applies the controls in asked. An error says what cannot be; the rest is applied.
func (w whatIf) edit(sc *sim.Scenario, asked url.Values) (whatIf, error) {
	var faults spec.Collector
	changed := whatIf{}
	for _, name := range axisNames {
		if asked.Get(name) != "" {
			changed.axes = append(changed.axes, axisAsked(sc, asked, name, &faults))
		}
	}
	if !asked.Has(axisNames[0]) {
		changed.axes = w.axes
	}
	said := url.Values{}
	w.write(said)
	for _, key := range []string{"measure", "runs"} {
		if asked.Has(key) {
			said.Set(key, strings.TrimSpace(asked.Get(key)))
		}
	}
	if w.runs == 0 && said.Get("runs") == strconv.Itoa(w.runsOf(sc)) {
		said.Del("runs") // what the measure shown before suggested
	}
	said.Del("sweep")
	rest := readWhatIf(said, &faults)
	changed.measure, changed.runs = rest.measure, rest.runs
	return changed, faults.Err()
}

// axisAsked is the axis that the controls of one name ask for. If they were made for another parameter, the range is a
// suggestion.
func axisAsked(sc *sim.Scenario, asked url.Values, name string, faults *spec.Collector) sim.Axis {
	path := asked.Get(name)
	c, ok := choose(sc, path)
	if !ok {
		faults.Addf("/"+name, "must be one of the choices, not %.40q", path)
		return suggest(sc, choicesOf(sc)[0])
	}
	a := suggest(sc, c)
	if asked.Get(name+".was") != path {
		return a
	}
	texts := spec.Texts{"parameter": path, "scale": asked.Get(name + ".scale")}
	take := func(key, otherwise string) string {
		if !asked.Has(name + "." + key) { // the control belongs to another scale
			return otherwise
		}
		return strings.TrimSpace(asked.Get(name + "." + key))
	}
	if texts["scale"] == sim.Listed {
		list := strings.FieldsFunc(take("values", take("from", "")+" "+take("to", "")), func(r rune) bool { return strings.ContainsRune(" /;", r) })
		for i, text := range list {
			list[i] = withUnit(c.Param, text)
		}
		texts["values"] = strings.Join(list, "/")
	} else {
		texts["from"], texts["to"] = withUnit(c.Param, take("from", string(a.From))), withUnit(c.Param, take("to", string(a.To)))
		texts["steps"] = take("steps", strconv.Itoa(a.Steps))
	}
	var read sim.Axis
	err := spec.DecodeTexts(&read, texts, nil)
	if err == nil {
		return read
	}
	wrong, _ := errors.AsType[spec.Faults](err)
	for _, f := range wrong {
		faults.Add("/"+name+"."+strings.Trim(f.Pointer, "/"), f.Detail)
	}
	return a
}

// withUnit takes a bare number of a duration for seconds. What is none stays as it is, for the error to quote.
func withUnit(p spec.Param, text string) string {
	_, noNumber := strconv.ParseFloat(text, 64)
	_, noDuration := time.ParseDuration(text + "s") // of NaN, or too long
	if p.Type == spec.Duration && noNumber == nil && noDuration == nil && text != "0" {
		return text + "s"
	}
	return text
}

// whatIfForm makes the section's controls.
func whatIfForm(st state) templates.WhatIf {
	sc, w := st.scenario, st.whatIf
	axes := w.axesOf(sc)
	section := templates.WhatIf{State: st.address, Alone: whatIfAddress(st)}
	section.Axes = append(section.Axes, axisForm(sc, axisNames[0], "What if", axes[0], false))
	second := sim.Axis{}
	if len(axes) > 1 {
		second = axes[1]
	}
	section.Axes = append(section.Axes, axisForm(sc, axisNames[1], "and", second, true))
	about := templates.Field{Name: "measure", Label: "Show", Input: templates.SelectInput, Value: w.measureOf(sc).id}
	for _, m := range sweepMeasures {
		if m.fits(sc) {
			about.Options = append(about.Options, templates.Option{Value: m.id, Label: m.label})
		}
	}
	section.Measure = about
	section.Runs = templates.Field{Name: "runs", Label: "Runs of each point", Input: templates.NumberInput, Value: strconv.Itoa(w.runsOf(sc))}
	return section
}

// axisForm are the controls of one axis; an optional one may be none.
func axisForm(sc *sim.Scenario, name, label string, a sim.Axis, optional bool) templates.WhatIfAxis {
	what := templates.Field{Name: name, Label: label, Input: templates.SelectInput, Value: a.Parameter}
	if optional {
		what.Options = append(what.Options, templates.Option{Value: "", Label: "nothing else"})
	}
	known := a.Parameter == ""
	for _, c := range choicesOf(sc) {
		what.Options = append(what.Options, templates.Option{Value: c.Path, Label: c.label})
		known = known || c.Path == a.Parameter
	}
	if !known {
		what.Options = append(what.Options, templates.Option{Value: a.Parameter, Label: a.Parameter})
	}
	form := templates.WhatIfAxis{Name: name, What: what, Was: a.Parameter}
	if a.Parameter == "" {
		return form
	}
	field := func(key, label, value string) templates.Field {
		return templates.Field{Name: name + "." + key, Label: label, Input: templates.TextInput, Value: value}
	}
	scale := field("scale", "in", a.Scale)
	scale.Input = templates.SelectInput
	scale.Options = []templates.Option{{Value: sim.Linear, Label: "equal steps"}, {Value: sim.Log, Label: "equal ratios"}, {Value: sim.Listed, Label: "listed values"}}
	form.Fields = []templates.Field{scale}
	if a.Scale == sim.Listed {
		form.Fields = append(form.Fields, field("values", "namely", strings.ReplaceAll(spec.Format(a.Values), "/", " ")))
		return form
	}
	form.Fields = append([]templates.Field{field("from", "from", string(a.From)), field("to", "to", string(a.To))},
		field("steps", "values", strconv.Itoa(a.Steps)), scale)
	return form
}

// amountText writes an axis's value for readers.
func amountText(a spec.Amount) string {
	if d, err := time.ParseDuration(string(a)); err == nil {
		return seconds(d.Seconds())
	}
	x, err := strconv.ParseFloat(string(a), 64)
	if err != nil {
		return string(a)
	}
	return count(x)
}

// blameWhatIf puts faults beside the controls that they name, and what was sent back into these. It returns the other
// faults, as sentences.
func blameWhatIf(section *templates.WhatIf, asked url.Values, faults spec.Faults) []string {
	fields := []*templates.Field{&section.Measure, &section.Runs}
	for i := range section.Axes {
		axis := &section.Axes[i]
		fields = append(fields, &axis.What)
		for k := range axis.Fields {
			fields = append(fields, &axis.Fields[k])
		}
	}
	for _, field := range fields {
		name, _, _ := strings.Cut(field.Name, ".")
		if asked.Has("from") && asked.Has(field.Name) && (name == field.Name || asked.Get(name) == asked.Get(name+".was")) {
			field.Value = asked.Get(field.Name)
		}
	}
	var rest []string
	for _, fault := range faults {
		at := strings.TrimPrefix(fault.Pointer, "/")
		for i, name := range axisNames {
			at = strings.Replace(at, fmt.Sprintf("axes/%d/", i), name+".", 1)
		}
		i := slices.IndexFunc(fields, func(f *templates.Field) bool {
			return at == f.Name || strings.HasPrefix(at, f.Name+"/") || at == f.Name+".parameter"
		})
		if i < 0 || fields[i].Error != "" {
			rest = append(rest, sentence(fault.Detail))
			continue
		}
		fields[i].Error = sentence(relabel(fault.Detail, fields[i].Name, fields[i].Label))
	}
	return rest
}
