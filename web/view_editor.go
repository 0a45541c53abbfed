package web

import (
	"slices"
	"strconv"

	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the editor of a policy, from the declaration of its fields.

// editorOf is the editor of the policy that the state names, nil if it names none.
func editorOf(st state) *templates.Editor {
	place := st.place(st.editing)
	if place < 0 {
		return nil
	}
	p := st.scenario.Policies[place]
	e := &templates.Editor{
		ID: p.ID, Title: title(p),
		Text: textField(p),
		Actions: []templates.Action{
			{Do: "copy:" + p.ID, Label: "duplicate", Title: "Add one like it"},
			{Do: "edit:", Label: "done", Title: "Close the editor"},
		},
	}
	items := spec.Items(&p)
	e.Guards = guardsOf(items)
	fields, wide := editorFields(slices.DeleteFunc(items, func(item spec.Item) bool { return item.Optional }))
	e.Fields = append(append(fields, placeField(place, len(st.scenario.Policies))), wide...)
	return e
}

// editorFields are a policy's fields, those that take a whole line apart: kinds under the label of what they are kinds
// of, and the id last, since it is for programs.
func editorFields(items []spec.Item) (fields, wide []templates.Field) {
	var id []templates.Field
	for _, item := range items {
		switch {
		case item.Items != nil:
			within, _ := editorFields(item.Items)
			if item.Items[0].Param.Key == "kind" {
				within[0].Label, within[0].Help = item.Param.Label, item.Param.Help
			}
			fields = append(fields, within...)
		case item.Param.Type == spec.Options:
			wide = append(wide, editorField(item))
		case item.Param.Key == "id":
			id = append(id, editorField(item))
		default:
			fields = append(fields, editorField(item))
		}
	}
	return append(fields, id...), wide
}

func editorField(item spec.Item) templates.Field {
	f := fieldOf(item)
	f.Name, f.Form = editorPrefix+f.Name, "controls"
	return f
}

// placeField moves the policy among the others.
func placeField(place, of int) templates.Field {
	f := templates.Field{
		Name: editorPlace, Label: "Place", Input: templates.SelectInput, Value: strconv.Itoa(place + 1), Form: "controls",
		Help: "Its place where policies are level, and in charts and documents.",
	}
	for n := range of {
		f.Options = append(f.Options, templates.Option{Value: strconv.Itoa(n + 1), Label: strconv.Itoa(n+1) + " of " + strconv.Itoa(of)})
	}
	return f
}
