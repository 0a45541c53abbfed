package spec

// What a form, or a document's text, needs to know of the fields and what they hold.

import (
	"iter"
	"reflect"
	"strconv"
)

// Item describes a field of a document and what it holds: what a form needs to show it, and to name it in a query.
type Item struct {
	Path     string // dotted, lists by index
	Param    Param
	Text     string // of a scalar, or of a document that has a one-line form
	Default  bool   // a scalar that has the value it has if left out
	Optional bool   // an object that may be absent
	Absent   bool   // an optional object that is not there; its items are a fresh one's
	Items    []Item // of an object its fields, of a list its entries
	Entry    []Item // of a list: the fields of a fresh entry; their paths start at the entry
}

// Items describes all fields of d that belong to its kinds.
func Items(d Document) []Item { return items(d, "") }

func items(d Document, prefix string) []Item {
	var list []Item
	fields := d.Fields()
	for i := range fields {
		if f := &fields[i]; f.active(fields) {
			list = append(list, f.item(fields, prefix+f.Key))
		}
	}
	return list
}

func (f *Field) item(fields []Field, path string) Item {
	item := Item{Path: path, Param: f.Param, Optional: f.optional}
	if f.scalar() {
		v := f.get()
		item.Text = Format(v)
		item.Default = reflect.DeepEqual(v, f.standard(fields))
		return item
	}
	documents := f.documents()
	if f.Type == List {
		for i, d := range documents {
			entry := Item{Path: f.below(path, i), Param: Param{Key: strconv.Itoa(i), Type: Object, Label: f.Label}}
			entry.fill(d)
			item.Items = append(item.Items, entry)
		}
		item.Entry = Items(fresh(f.sample()))
		return item
	}
	if documents == nil {
		item.Absent = true
		documents = []Document{fresh(f.sample())}
	}
	item.fill(documents[0])
	return item
}

// below returns the path of one of the field's documents.
func (f *Field) below(path string, i int) string {
	if f.Type == List {
		return path + "." + strconv.Itoa(i)
	}
	return path
}

// Scalars describes what in d is one text: scalars, and documents that have a one-line form, at whatever depth. What is
// absent has none.
func Scalars(d Document) iter.Seq[Item] {
	return func(yield func(Item) bool) { scalars(d, "", yield) }
}

func scalars(d Document, prefix string, yield func(Item) bool) bool {
	fields := d.Fields()
	for i := range fields {
		f := &fields[i]
		path := prefix + f.Key
		switch {
		case !f.active(fields):
		case f.scalar():
			if !yield(f.item(fields, path)) {
				return false
			}
		default:
			for at, d := range f.documents() {
				below := f.below(path, at)
				if _, ok := d.(Texter); ok {
					item := Item{Path: below, Param: f.Param}
					if item.fill(d); !yield(item) {
						return false
					}
				} else if !scalars(d, below+".", yield) {
					return false
				}
			}
		}
	}
	return true
}

// fill describes what d holds.
func (i *Item) fill(d Document) {
	if t, ok := d.(Texter); ok && !i.Absent {
		text, _ := t.MarshalText()
		i.Text = string(text)
		return
	}
	i.Items = items(d, i.Path+".")
}

// fresh sets what has a default to it.
func fresh(d Document) Document {
	var c Collector
	c.document(d, nil, "")
	return d
}
