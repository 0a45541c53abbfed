package web

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// This file turns what the form sends into the next state. Controls that are a field of the scenario are named by its
// path; the others, in the reader's words, are in plainControls and policyControls; buttons send "do".

// maxAddress is how long an address may be, in characters. A form sends it twice escaped, and the server takes headers of
// 64 kB.
const maxAddress = 16_000

// edit applies the controls in asked that differ from the state, and the buttons. What is wrong is left out: the error
// is then spec.Faults, at "/name" of a control or below it, and the state has the rest.
func (s state) edit(asked url.Values) (state, error) {
	var faults spec.Collector
	before := s
	own := *s.scenario // changes below leave the caller's as it is
	s.scenario, s.notes = &own, nil
	texts, changed := s.changes(asked)
	for len(texts) > 0 {
		sc, err := s.scenario.With(texts)
		if err == nil {
			s.scenario = sc
			break
		}
		faults.Merge("", err)
		texts = without(texts, err)
	}
	for _, c := range changed {
		next := *s.scenario
		problem := c.set(&next, strings.TrimSpace(asked.Get(c.name)))
		if problem == "" {
			problem = s.become(&next, next.Validate())
		}
		if problem != "" {
			faults.Add("/"+c.name, problem)
		}
	}
	s.rewrite(asked, &faults)
	if asked.Has("client") {
		client, problem := clientOf(asked.Get("client"))
		s.client = client
		if problem != "" {
			faults.Add("/client", problem)
		}
	}
	for _, do := range asked["do"] {
		if problem := s.do(do); problem != "" {
			faults.Add("", problem)
		}
	}
	if document := strings.TrimSpace(strings.TrimPrefix(asked.Get("document"), spec.ByteOrderMark)); document != "" {
		faults.Merge("/document", s.take(document))
	}
	s.forget()
	s.marks = markPolicies(s.marks, s.scenario.Policies)
	after, err := parseState(s.query())
	after.notes = s.notes
	faults.Merge("", err)
	if n := len(after.address); n > maxAddress {
		faults.Addf("", "the address holds all that the page shows, and with this it would have %d characters; at most %d can be", n, maxAddress)
		return before, faults.Err()
	}
	return after, faults.Err()
}

// changes are the fields and the other controls whose values in asked differ from what they show of the state.
func (s state) changes(asked url.Values) (texts spec.Texts, others []control) {
	texts = spec.Texts{}
	differs := func(name, shown string) bool {
		return asked.Has(name) && said(asked, name) != shown
	}
	for item := range spec.Scalars(s.scenario) {
		if differs(item.Path, item.Text) {
			texts[item.Path] = said(asked, item.Path)
		}
	}
	for _, c := range slices.Concat(plainControls, policyControls) {
		if differs(c.name, c.get(s.scenario)) {
			others = append(others, c)
		}
	}
	return texts, others
}

// without leaves out the texts that are to blame for an error: all of them if it is none in particular.
func without(texts spec.Texts, err error) spec.Texts {
	faults, _ := errors.AsType[spec.Faults](err)
	rest := maps.Clone(texts)
	maps.DeleteFunc(rest, func(path, _ string) bool {
		return slices.ContainsFunc(faults, func(f spec.Fault) bool { return isAt(f, path) })
	})
	if len(rest) == len(texts) {
		return nil
	}
	return rest
}

// isAt reports whether a fault is in the field at a path.
func isAt(f spec.Fault, path string) bool {
	return strings.HasPrefix(f.Pointer+"/", "/"+strings.ReplaceAll(path, ".", "/")+"/")
}

// do carries out one button, "verb:object". It says what is wrong if it cannot be.
func (s *state) do(command string) string {
	verb, object, _ := strings.Cut(command, ":")
	switch verb {
	case "show":
		s.shown = nil
		for id := range strings.SplitSeq(object, "&") {
			if id, err := url.QueryUnescape(id); err == nil {
				s.shown = append(s.shown, id)
			}
		}
		return ""
	case "tab":
		s.tab = object
		return ""
	case "remove":
		return s.remove(object)
	case "add":
		return s.add(object)
	case "copy":
		return s.duplicate(object)
	case "up":
		return s.move(object, -1)
	case "down":
		return s.move(object, +1)
	case "guard":
		return s.guard(object)
	case "unguard":
		return s.unguard(object)
	case "edit":
		return s.name(&s.editing, object)
	case "workload":
		return s.setKind(object)
	case "baseline":
		return s.name(&s.baseline, object)
	case "open":
		return s.name(&s.opened, object)
	case "put":
		var sc *sim.Scenario
		var err error
		for texts := range put(s.scenario, object) {
			if sc, err = s.scenario.With(texts); err == nil {
				break
			}
		}
		return s.become(sc, err)
	case "drop":
		return s.become(s.scenario.With(drop(s.scenario, object)))
	}
	return fmt.Sprintf("there is no button %.40q", command)
}

func (s *state) become(sc *sim.Scenario, err error) string {
	if err != nil {
		return detailOf(err)
	}
	if sc != nil {
		s.scenario = sc
	}
	return ""
}

// put adds an optional object, or an entry at the end of a list: in each of its kinds, the first that is right will do.
func put(sc *sim.Scenario, path string) iter.Seq[spec.Texts] {
	item, _ := find(spec.Items(sc), path)
	fields := item.Items
	if item.Param.Type == spec.List {
		path += "." + strconv.Itoa(len(item.Items))
		fields = item.Entry
	}
	texts, kind, kinds := spec.Texts{}, "", []string{""}
	for _, f := range fields {
		switch {
		case f.Param.Default != nil:
		case f.Param.Type == spec.Option:
			kind, kinds = path+"."+f.Param.Key, f.Param.Options
		case f.Param.Type == spec.Object:
			if c, ok := f.Param.Start.(spec.Choice); ok {
				texts[path+"."+f.Param.Key+".kind"] = c.Kind
			}
		case f.Param.Type != spec.List:
			texts[path+"."+f.Param.Key] = spec.Format(f.Param.Start)
		}
	}
	if n := len(item.Items); item.Param.Type == spec.List && n > 0 {
		follow(texts, item.Items[n-1], path)
	}
	return func(yield func(spec.Texts) bool) {
		for _, k := range kinds {
			one := maps.Clone(texts)
			if kind != "" {
				one[kind] = k
			}
			if !yield(one) {
				return
			}
		}
	}
}

// follow makes a new entry differ from the last one: it starts later, or has another name.
func follow(texts spec.Texts, last spec.Item, path string) {
	for _, f := range last.Items {
		switch f.Param.Key {
		case "end":
			end, _ := time.ParseDuration(f.Text) // it was valid
			texts[path+".start"] = spec.Format(end + 10*time.Second)
			texts[path+".end"] = spec.Format(end + 20*time.Second)
		case "name":
			texts[path+".name"] = f.Text + " too"
		}
	}
}

// drop takes away an optional object, or an entry of a list: that is left out and given anew without the entry.
func drop(sc *sim.Scenario, path string) spec.Texts {
	dot := strings.LastIndexByte(path, '.')
	list, ok := find(spec.Items(sc), path[:max(dot, 0)])
	index, err := strconv.Atoi(path[dot+1:])
	if !ok || err != nil || index < 0 || index >= len(list.Items) {
		return spec.Texts{path: ""}
	}
	texts := spec.Texts{list.Path: ""}
	for path, text := range spec.TextsOf(sc) {
		below, ok := strings.CutPrefix(path, list.Path+".")
		at, _, _ := strings.Cut(below, ".")
		n, _ := strconv.Atoi(at)
		if !ok || n == index {
			continue
		}
		if n > index {
			n--
		}
		texts[list.Path+"."+strconv.Itoa(n)+strings.TrimPrefix(below, at)] = text
	}
	return texts
}

// find returns the item at a path.
func find(items []spec.Item, path string) (spec.Item, bool) {
	for _, item := range items {
		if item.Path == path {
			return item, true
		}
		if strings.HasPrefix(path, item.Path+".") {
			return find(item.Items, path)
		}
	}
	return spec.Item{}, false
}

// detailOf is an error's first fault.
func detailOf(err error) string {
	if faults, ok := errors.AsType[spec.Faults](err); ok && len(faults) > 0 {
		return faults[0].Detail
	}
	return err.Error()
}
