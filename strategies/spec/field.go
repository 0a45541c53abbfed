package spec

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Document is something made of fields. Fields binds their declarations to the variables of one value.
// Where fields belong to a kind, the first field says which kind it is.
type Document interface {
	Fields() []Field
}

// Completer is a Document that fills in what its fields' declarations cannot: defaults that depend on other fields.
// Complete is called when all fields are right on their own.
type Completer interface {
	Complete()
}

// Ruled is a Document with rules about several of its fields together. Rules is called when all fields are right on
// their own. It reports faults at a JSON pointer within the document, such as "/outages/1/start".
type Ruled interface {
	Rules(report func(at, detail string))
}

// Texter is a Document that has a form in one line of text. UnmarshalText returns Faults.
type Texter interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

// Variable is where a scalar field's value is kept if that is not a plain variable of the type's Go type.
type Variable interface {
	Get() any
	Set(any)
}

// Field is one field of a document: a declaration bound to a variable.
type Field struct {
	Param
	kinds    []string // of the document's first field; nil: all
	optional bool     // an object that may be absent

	get func() any // scalars
	set func(any)  // scalars, and choices that start with one

	documents func() []Document      // objects: the one, none if absent; lists: all
	resize    func(n int) []Document // objects and lists: n fresh ones
	sample    func() Document        // objects and lists: a fresh one
}

// For restricts the field to some kinds: values of the document's first field.
func (f Field) For(kinds ...string) Field {
	f.kinds = kinds
	return f
}

// active reports whether the field belongs to the kind that the first of its document's fields says.
func (f *Field) active(fields []Field) bool {
	return f.kinds == nil || slices.Contains(f.kinds, fields[0].get().(string))
}

// scalar reports whether the field holds a value, not documents.
func (f *Field) scalar() bool { return f.get != nil }

// required reports whether the field must be given.
func (f *Field) required() bool {
	switch f.Type {
	case Object:
		return !f.optional && requiresAny(f.sample())
	case List:
		return f.Min > 0
	}
	return f.Default == nil && f.DefaultOf == ""
}

// requiresAny reports whether a document cannot be left to its defaults.
func requiresAny(d Document) bool {
	fields := d.Fields()
	for _, f := range fields {
		if f.scalar() && !f.required() && f.Default != nil {
			f.set(f.Default)
		}
		if f.active(fields) && f.required() {
			return true
		}
	}
	return false
}

// standard returns the value that the field has if it is not given.
func (f *Field) standard(fields []Field) any {
	if f.DefaultOf == "" {
		return f.Default
	}
	return sibling(fields, f.DefaultOf).get()
}

// sibling returns the active field of that key.
func sibling(fields []Field, key string) *Field {
	for i := range fields {
		if f := &fields[i]; f.Key == key && f.active(fields) {
			return f
		}
	}
	panic("spec: no field " + key)
}

// Value is a scalar field kept in variable: a pointer to the Go type of p.Type, or a Variable. p.Type may be left to
// follow from the variable, and p.Default and p.Start may be any number.
func Value(p Param, variable any) Field {
	f := Field{Param: p}
	switch v := variable.(type) {
	case *time.Duration:
		f.bind(Duration, func() any { return *v }, func(x any) { *v = x.(time.Duration) })
	case *float64:
		f.bind(Number, func() any { return *v }, func(x any) { *v = x.(float64) })
	case *int:
		f.bind(Integer, func() any { return int64(*v) }, func(x any) { *v = int(x.(int64)) })
	case *int64:
		f.bind(Integer, func() any { return *v }, func(x any) { *v = x.(int64) })
	case *uint64:
		f.bind(Seed, func() any { return *v }, func(x any) { *v = x.(uint64) })
	case *string:
		f.bind(Text, func() any { return *v }, func(x any) { *v = x.(string) })
	case *Amount:
		f.bind(Quantity, func() any { return *v }, func(x any) { *v = x.(Amount) })
	case *[]Amount:
		f.bind(Quantities, func() any { return *v }, func(x any) { *v = x.([]Amount) })
	case *bool:
		f.bind(Flag, func() any { return *v }, func(x any) { *v = x.(bool) })
	case Variable:
		f.bind(p.Type, v.Get, v.Set)
	default:
		panic(fmt.Sprintf("spec: %s cannot be kept in a %T", p.Key, variable))
	}
	return f
}

func (f *Field) bind(t Type, get func() any, set func(any)) {
	f.get, f.set = get, set
	if f.Type == "" {
		f.Type = t
	}
	if f.Options != nil && f.Type == Text {
		f.Type = Option
	}
	f.Default, f.Start = f.typed(f.Default), f.typed(f.Start)
}

// typed gives a number the type of the field's values.
func (f *Field) typed(v any) any {
	n, ok := v.(int)
	if !ok {
		return v
	}
	switch f.Type {
	case Duration:
		return time.Duration(n)
	case Number:
		return float64(n)
	case Seed:
		return uint64(n)
	}
	return int64(n)
}

// document is a pointer to T that is a Document.
type document[T any] interface {
	*T
	Document
}

// Nested is a field that is an object.
func Nested[T any, D document[T]](p Param, v *T) Field {
	return nested(p, D(v), func() Document { return D(new(T)) })
}

func nested(p Param, d Document, sample func() Document) Field {
	p.Type = Object
	one := []Document{d}
	return Field{
		Param:     p,
		documents: func() []Document { return one },
		resize:    func(int) []Document { return one },
		sample:    sample,
	}
}

// Optional is a field that is an object or, by default, absent.
func Optional[T any, D document[T]](p Param, v **T) Field {
	p.Type = Object
	f := Field{Param: p, optional: true, sample: func() Document { return D(new(T)) }}
	f.documents = func() []Document {
		if *v == nil {
			return nil
		}
		return []Document{D(*v)}
	}
	f.resize = func(n int) []Document {
		*v = nil
		if n > 0 {
			*v = new(T)
		}
		return f.documents()
	}
	return f
}

// Several is a field that is a list of p.Min to p.Max objects.
func Several[T any, D document[T]](p Param, v *[]T) Field {
	p.Type = List
	f := Field{Param: p, sample: func() Document { return D(new(T)) }}
	f.documents = func() []Document {
		list := make([]Document, len(*v))
		for i := range *v {
			list[i] = D(&(*v)[i])
		}
		return list
	}
	f.resize = func(n int) []Document {
		*v = nil
		if n > 0 {
			*v = make([]T, n)
		}
		return f.documents()
	}
	return f
}

// Kinds returns what the entries of a catalogue say of themselves.
func Kinds[E entry](entries []E) []Kind {
	kinds := make([]Kind, len(entries))
	for i, e := range entries {
		if kinds[i] = e.kind(); kinds[i].Params == nil {
			kinds[i].Params = []Param{} // in JSON, an empty list
		}
	}
	return kinds
}

// Find returns the entry of a catalogue that has an id. It panics if there is none: a valid Choice has one.
func Find[E entry](entries []E, id string) E {
	for _, e := range entries {
		if e.kind().ID == id {
			return e
		}
	}
	panic("spec: there is no kind " + quote(id))
}

// Catalogue are the kinds that a Choice is made from.
type Catalogue struct {
	kinds      []Kind
	ids, names []string
	fields     int // of a Choice: its kind, and the parameters of all
}

// NewCatalogue makes the entries of a catalogue ready to choose from.
func NewCatalogue[E entry](entries []E) Catalogue {
	c := Catalogue{kinds: Kinds(entries), fields: 1}
	for _, k := range c.kinds {
		c.fields += len(k.Params)
		c.ids, c.names = append(c.ids, k.ID), append(c.names, k.Name)
	}
	return c
}

// Pick is a field that is a Choice from a catalogue. standard is the kind if none is given; empty: it is required, and
// p.Start may be a Choice.
func Pick(p Param, c *Choice, from Catalogue, standard string) Field {
	f := nested(p, &choice{c, from, standard}, func() Document { return &choice{new(Choice), from, standard} })
	f.set = func(start any) { *c = start.(Choice) }
	return f
}

// OptionalPick is a field that is a Choice or, by default, absent: then its Kind is empty.
func OptionalPick(p Param, c *Choice, from Catalogue, standard string) Field {
	f := Pick(p, c, from, standard)
	f.optional = true
	present := f.documents
	f.documents = func() []Document {
		if c.Kind == "" {
			return nil
		}
		return present()
	}
	f.resize = func(n int) []Document {
		*c = Choice{}
		return present()[:n]
	}
	return f
}

// choice is a Choice together with what it is made from.
type choice struct {
	*Choice
	from     Catalogue
	standard string
}

func (c *choice) Fields() []Field {
	kind := Param{Key: "kind", Type: Option, Label: "Kind", Options: c.from.ids, Names: c.from.names}
	if c.standard != "" {
		kind.Default = c.standard
	}
	fields := append(make([]Field, 0, c.from.fields), Field{
		Param: kind,
		get:   func() any { return c.Kind },
		set:   func(v any) { *c.Choice = Choice{Kind: v.(string)} },
	})
	for i := range c.from.kinds {
		for _, p := range c.from.kinds[i].Params {
			fields = append(fields, Value(p, argument{c.Choice, p.Key}).For(c.from.ids[i:i+1]...))
		}
	}
	return fields
}

// Rules refuses arguments that the kind does not have, which only a choice made in Go can hold.
func (c *choice) Rules(report func(at, detail string)) {
	params := c.from.kinds[slices.Index(c.from.ids, c.Kind)].Params
	for _, key := range slices.Sorted(maps.Keys(c.Args)) {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Key == key }) {
			report("/"+key, "unknown field "+quote(key))
		}
	}
}

// argument is the place of one parameter of a Choice.
type argument struct {
	choice *Choice
	key    string
}

func (a argument) Get() any { return a.choice.Args[a.key] }

func (a argument) Set(v any) {
	if a.choice.Args == nil {
		a.choice.Args = Args{}
	}
	a.choice.Args[a.key] = v
}
