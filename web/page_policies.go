package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// This file changes the policies of a state: whole ones by buttons and documents, the one in the editor field by field.

// remove takes a policy away, unless it is the last one.
func (s *state) remove(id string) string {
	if place := s.place(id); place >= 0 && len(s.scenario.Policies) > 1 {
		s.scenario.Policies = slices.Delete(slices.Clone(s.scenario.Policies), place, place+1)
	}
	return ""
}

// add puts a policy on the page that is given as text.
func (s *state) add(text string) string {
	p, err := strategies.ParseText(text)
	if err != nil {
		return detailOf(err)
	}
	return s.insert(len(s.scenario.Policies), p)
}

// insert puts a policy at a place, under an id and a name that no other has.
func (s *state) insert(place int, p strategies.Policy) string {
	if len(s.scenario.Policies) >= maxRows {
		return fmt.Sprintf("there are %d policies already; the page has room for %d", len(s.scenario.Policies), maxRows)
	}
	taken := func(same func(strategies.Policy) bool) bool { return slices.ContainsFunc(s.scenario.Policies, same) }
	if taken(func(q strategies.Policy) bool { return q.ID == p.ID }) {
		p.ID = "" // to be named by its kinds
	}
	name := p.Name
	for n := 2; name != "" && taken(func(q strategies.Policy) bool { return q.Name == p.Name }); n++ {
		p.Name = fmt.Sprintf("%s (%d)", name, n)
	}
	s.scenario.Policies = slices.Insert(slices.Clone(s.scenario.Policies), place, p)
	s.scenario.Complete()
	return ""
}

// duplicate puts a policy's like behind it, and that in the editor.
func (s *state) duplicate(id string) string {
	place := s.place(id)
	if place < 0 {
		return noPolicy(id)
	}
	p := s.scenario.Policies[place]
	if !idFollows(p) {
		p.Name = copied.ReplaceAllString(cmp.Or(p.Name, p.ID), "")
	}
	problem := s.insert(place+1, p)
	if problem == "" {
		s.editing = s.scenario.Policies[place+1].ID
	}
	return problem
}

// copied is what insert puts behind a name that is taken.
var copied = regexp.MustCompile(` \(\d+\)$`)

// move puts a policy so many places further down.
func (s *state) move(id string, by int) string {
	from := s.place(id)
	if from < 0 {
		return noPolicy(id)
	}
	to := max(0, min(from+by, len(s.scenario.Policies)-1))
	p := s.scenario.Policies[from]
	rest := slices.Delete(slices.Clone(s.scenario.Policies), from, from+1)
	s.scenario.Policies = slices.Insert(rest, to, p)
	return ""
}

// name chooses a policy for one of the purposes of named; "" chooses none.
func (s *state) name(purpose *string, id string) string {
	if id != "" && s.place(id) < 0 {
		return noPolicy(id)
	}
	*purpose = id
	return ""
}

func noPolicy(id string) string { return fmt.Sprintf("there is no policy %.40q on the page", id) }

// idFollows reports whether a policy's id is one that it would have been given: its kinds, and a number if need be.
func idFollows(p strategies.Policy) bool {
	number, ok := strings.CutPrefix(p.ID, p.Kinds())
	return ok && followingNumber.MatchString(number)
}

var followingNumber = regexp.MustCompile(`^(-\d+)?$`)

// take reads a document: the JSON of a policy, which is added, or of a scenario, which replaces the whole; or policies
// as text, one a line.
func (s *state) take(document string) error {
	if export.Recognises([]byte(document)) {
		return s.takeConfiguration([]byte(document))
	}
	if !strings.HasPrefix(document, "{") {
		err := s.takeLines(document)
		if guess := export.Guess([]byte(document)); err != nil && guess != "" {
			return fault(guess)
		}
		return err
	}
	if !json.Valid([]byte(document)) {
		return s.takeConfiguration([]byte(document)) // which says what it looks like
	}
	var parts map[string]json.RawMessage
	json.Unmarshal([]byte(document), &parts)
	if parts["schedule"] != nil && parts["policies"] == nil {
		p, err := strategies.ParsePolicy([]byte(document))
		if err != nil {
			return err
		}
		return fault(s.insert(len(s.scenario.Policies), p))
	}
	sc, err := sim.ParseScenario([]byte(document))
	if err != nil {
		return err
	}
	if n := len(sc.Policies); n > maxRows {
		return spec.Faults{{Pointer: "/policies", Detail: fmt.Sprintf("policies must have at most %d entries on this page, not %d", maxRows, n)}}
	}
	*s = state{scenario: sc, tab: s.tab}
	return nil
}

// takeConfiguration adds the policy of a real system's configuration.
func (s *state) takeConfiguration(document []byte) error {
	read, err := export.Import("", document)
	if err != nil {
		return err
	}
	format, _ := export.Find(read.Format)
	read.Policy.Name = format.Name
	s.notes = read.Notes
	return fault(s.insert(len(s.scenario.Policies), read.Policy))
}

// takeLines adds all of the policies or none.
func (s *state) takeLines(document string) error {
	var faults spec.Collector
	next := *s
	own := *s.scenario
	next.scenario = &own
	for line := range strings.Lines(document) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		p, err := strategies.ParseText(line)
		if err == nil {
			err = fault(next.insert(len(next.scenario.Policies), p))
		}
		faults.Merge("", err)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	*s = next
	return nil
}

func fault(problem string) error {
	if problem == "" {
		return nil
	}
	return spec.Faults{{Detail: problem}}
}

// editorPrefix is what the names of the editor's controls start with. What follows is the path of a policy's field, or
// one of the two below.
const editorPrefix = "edit."

const (
	editorText  = editorPrefix + "text"
	editorPlace = editorPrefix + "place" // from 1
)

// rewrite applies the editor's controls to the policy in it.
func (s *state) rewrite(asked url.Values, faults *spec.Collector) {
	place := s.place(s.editing)
	if place < 0 {
		return
	}
	before := s.scenario.Policies[place]
	after, err := editedPolicy(before, asked)
	faults.Merge("/edit", err)
	if after.Text() != before.Text() {
		faults.Merge("/edit", s.replace(place, disown(after, before)))
	}
	if to, err := strconv.Atoi(said(asked, editorPlace)); err == nil {
		s.move(s.editing, to-1-place)
	}
}

// replace puts another policy at a place. It keeps its mark, and stays in the editor and in the charts.
func (s *state) replace(place int, p strategies.Policy) error {
	next := *s.scenario
	next.Policies = slices.Clone(next.Policies)
	next.Policies[place] = p
	next.Complete()
	if err := next.Validate(); err != nil {
		bad, _ := errors.AsType[spec.Faults](err)
		var faults spec.Collector
		for _, f := range bad {
			at := f.Pointer
			if _, below, ok := inPolicy(at); ok { // of two that are too alike, this one is to blame
				at = "/" + below
			}
			faults.Add(at, f.Detail)
		}
		return faults.Err()
	}
	was, is := s.scenario.Policies[place].ID, next.Policies[place].ID
	s.scenario = &next
	s.marks = maps.Clone(s.marks)
	s.marks[is] = s.marks[was]
	for _, named := range s.named() {
		if *named.id == was {
			*named.id = is
		}
	}
	if i := slices.Index(s.shown, was); i >= 0 {
		s.shown = slices.Clone(s.shown)
		s.shown[i] = is
	}
	return nil
}

// editedPolicy applies the editor's controls that differ from a policy. What is wrong is left out, and told.
func editedPolicy(p strategies.Policy, asked url.Values) (strategies.Policy, error) {
	var faults spec.Collector
	texts := spec.Texts{}
	for item := range spec.Scalars(&p) {
		name := editorPrefix + item.Path
		text := said(asked, name)
		switch {
		case !asked.Has(name) || text == item.Text:
		case text == "" && item.Param.Type == spec.Options:
			faults.Add("/"+item.Path, "must name at least one")
		default:
			texts[item.Path] = text
		}
	}
	if text := said(asked, editorText); asked.Has(editorText) && text != textIn(p) {
		parsed, err := strategies.ParseText(text)
		faults.Merge("/text", err)
		if err == nil {
			if parsed.ID == "" && idFollows(p) && parsed.Kinds() == p.Kinds() {
				parsed.ID = p.ID
			}
			p = parsed
		}
	}
	for len(texts) > 0 {
		var changed strategies.Policy
		err := spec.EditTexts(&changed, texts, spec.TextsOf(&p))
		if err == nil {
			p = changed
			break
		}
		faults.Merge("", err)
		texts = without(texts, err)
	}
	return p, faults.Err()
}

// textIn is a policy's text as the editor shows it: without an id that goes without saying.
func textIn(p strategies.Policy) string {
	if idFollows(p) {
		p.ID = ""
	}
	return p.Text()
}

// disown takes from a changed policy the name and the id that belong to what it was: what is no longer "Every second"
// should not be called so. Names and ids that the reader gave stay.
func disown(after, before strategies.Policy) strategies.Policy {
	if bare(after).Text() == bare(before).Text() {
		return after
	}
	lost := before.Name != "" && after.Name == before.Name && wellKnown()[copied.ReplaceAllString(before.Name, "")]
	if lost {
		after.Name = ""
	}
	if after.ID == before.ID && (lost || idFollows(before) && !idFollows(after)) {
		after.ID = ""
	}
	return after
}

// bare is a policy without id and name.
func bare(p strategies.Policy) strategies.Policy {
	p.ID, p.Name = "", ""
	return p
}

// wellKnown are the names that policies have before anyone changes them.
var wellKnown = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, p := range strategies.Presets() {
		names[p.Policy.Name] = true
	}
	for _, preset := range sim.Presets() {
		for _, p := range preset.Scenario.Policies {
			names[p.Name] = true
		}
	}
	return names
})

// said is what a form says of a field: the boxes that are ticked joined, as a list is.
func said(asked url.Values, name string) string {
	var texts []string
	for _, text := range asked[name] {
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "/")
}
