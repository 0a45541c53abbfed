package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// This file puts faults where they belong in the form: beside the controls that they name, with what was sent there, so
// that nothing that was typed is lost.

// blame returns the faults that no control shows.
func blame(f *templates.Form, asked url.Values, faults spec.Faults) []templates.Problem {
	fields := allFields(f)
	var rest []templates.Problem
	for _, fault := range faults {
		i := slices.IndexFunc(fields, func(field *templates.Field) bool { return isAt(fault, field.Name) })
		switch {
		case i >= 0:
			refuse(fields[i], asked, fault.Detail)
		case isAt(fault, "document"):
			f.Adding.Open, f.Adding.Paste.Value = true, asked.Get("document")
			f.Adding.Problems = append(f.Adding.Problems, problemBelow("/document", fault))
		case isAt(fault, "edit") && f.Editor != nil:
			f.Editor.Problems = append(f.Editor.Problems, problemBelow("/edit", fault))
		default:
			rest = append(rest, problemBelow("", fault))
		}
	}
	for i := range f.More {
		f.More[i].Open = holdsError(f.More[i])
	}
	if f.Editor != nil {
		f.Editor.TextOpen = f.Editor.Text.Error != ""
	}
	return rest
}

// allFields are all controls of a form but the one for documents.
func allFields(f *templates.Form) []*templates.Field {
	var fields []*templates.Field
	each := func(list []templates.Field) {
		for i := range list {
			fields = append(fields, &list[i])
		}
	}
	each(f.Plain)
	each(f.Policies)
	if f.Editor != nil {
		each(f.Editor.Fields)
		for i := range f.Editor.Guards {
			each(f.Editor.Guards[i].Fields)
		}
		fields = append(fields, &f.Editor.Text)
	}
	for i := range f.More {
		eachField(&f.More[i], each)
	}
	return fields
}

// refuse says what is wrong with a control, all of it, and leaves in it what was sent.
func refuse(field *templates.Field, asked url.Values, detail string) {
	if field.Error != "" {
		field.Error += " "
	}
	field.Error += sentence(relabel(detail, field.Name, field.Label))
	if asked.Has(field.Name) && !field.Refused {
		field.Was, field.Value, field.Refused = field.Value, said(asked, field.Name), true
	}
}

// problemBelow is a fault with the place that it names below a pointer.
func problemBelow(pointer string, f spec.Fault) templates.Problem {
	where := strings.TrimLeft(strings.TrimPrefix(f.Pointer, pointer), "/?")
	return templates.Problem{Where: strings.ReplaceAll(where, "/", "."), Detail: sentence(f.Detail)}
}

func problemsOf(faults spec.Faults) []templates.Problem {
	problems := make([]templates.Problem, len(faults))
	for i, f := range faults {
		problems[i] = problemBelow("", f)
	}
	return problems
}

// relabel makes an error speak of a control by its label: the error starts with the field's key, or with "must".
func relabel(detail, name, label string) string {
	key := name[strings.LastIndexByte(name, '.')+1:]
	if rest, ok := strings.CutPrefix(detail, key+" "); ok {
		return label + " " + rest
	}
	if strings.HasPrefix(detail, "must ") {
		return label + " " + detail
	}
	return detail
}

func eachField(g *templates.Group, f func([]templates.Field)) {
	f(g.Fields)
	for i := range g.Groups {
		eachField(&g.Groups[i], f)
	}
}

func holdsError(g templates.Group) bool {
	bad := false
	eachField(&g, func(fields []templates.Field) {
		bad = bad || slices.ContainsFunc(fields, func(f templates.Field) bool { return f.Error != "" })
	})
	return bad
}
