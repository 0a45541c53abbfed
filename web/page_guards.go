package web

import (
	"fmt"
	"slices"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// The guards of the policy in the editor: each can be added, with values to start from, and removed. What they are comes
// from the declaration of a policy's fields: they are those that may be absent.

// guardsOf are the editor's groups for guards.
func guardsOf(items []spec.Item) []templates.Group {
	var groups []templates.Group
	for _, item := range items {
		if !item.Optional {
			continue
		}
		g := templates.Group{ID: editorPrefix + item.Path, Title: item.Param.Label, Help: item.Param.Help}
		if item.Absent {
			g.Actions = []templates.Action{{Do: "guard:" + item.Path, Label: "add", Title: "Add: " + item.Param.Label}}
		} else {
			g.Fields = guardFields(item)
			g.Actions = []templates.Action{{Do: "unguard:" + item.Path, Label: "remove", Title: "Remove: " + item.Param.Label}}
		}
		groups = append(groups, g)
	}
	return groups
}

// guardFields are a guard's controls; its kind is one where there is a choice.
func guardFields(item spec.Item) []templates.Field {
	fields, _ := editorFields(item.Items)
	if len(item.Items[0].Param.Options) < 2 {
		fields = fields[1:]
	}
	return fields
}

// guard adds a guard to the policy in the editor: of its first kind, with what that starts with.
func (s *state) guard(field string) string { return s.changeGuard(field, addGuard) }

// unguard takes a guard away from the policy in the editor.
func (s *state) unguard(field string) string { return s.changeGuard(field, dropGuard) }

func addGuard(item spec.Item) spec.Texts {
	return spec.Texts{item.Items[0].Path: item.Items[0].Param.Options[0]}
}

func dropGuard(item spec.Item) spec.Texts { return spec.Texts{item.Path: ""} }

func (s *state) changeGuard(field string, texts func(spec.Item) spec.Texts) string {
	place := s.place(s.editing)
	if place < 0 {
		return noPolicy(s.editing)
	}
	before := s.scenario.Policies[place]
	after, err := withGuard(before, field, texts)
	if err == nil {
		err = s.replace(place, disown(after, before))
	}
	if err != nil {
		return detailOf(err)
	}
	return ""
}

// withGuard is a policy of which texts change a guard.
func withGuard(p strategies.Policy, field string, texts func(spec.Item) spec.Texts) (after strategies.Policy, err error) {
	items := spec.Items(&p)
	i := slices.IndexFunc(items, func(item spec.Item) bool { return item.Optional && item.Path == field })
	if i < 0 {
		return p, fault(fmt.Sprintf("there is no guard %.40q", field))
	}
	err = spec.EditTexts(&after, texts(items[i]), spec.TextsOf(&p))
	return after, err
}
