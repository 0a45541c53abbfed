package spec

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// DecodeJSON fills d, a fresh document, from JSON. It returns a *SyntaxError if data is not JSON, else all the
// document's Faults. Fields not given have their defaults.
func DecodeJSON(d Document, data []byte) error {
	root, err := parseJSON(data)
	if err != nil {
		return err
	}
	var c Collector
	c.document(d, root, "")
	return c.Err()
}

// DecodeTexts fills d, a fresh document, from texts, and from fallback what they say nothing of. An empty text leaves
// its field out: a list is empty, an optional object absent, a scalar has its default. From fallback comes only what
// belongs to the kinds that texts choose.
func DecodeTexts(d Document, texts, fallback Texts) error {
	var c Collector
	c.document(d, tree(texts, fallback), "")
	return c.Err()
}

// EditTexts is DecodeTexts for forms: what must be given, because of another kind or a new object, and is not even
// empty, has its declaration's Start.
func EditTexts(d Document, texts, fallback Texts) error {
	c := Collector{starting: true}
	c.document(d, tree(texts, fallback), "")
	return c.Err()
}

// document fills d from n; nil leaves everything to the defaults.
func (c *Collector) document(d Document, n *node, at string) {
	if t, ok := d.(Texter); ok && n != nil && n.line() {
		c.Merge(at, t.UnmarshalText([]byte(n.text)))
		return
	}
	before := len(c.faults)
	given, ok := c.members(n, at)
	if !ok {
		return
	}
	fields := d.Fields()
	for i := range fields {
		f := &fields[i]
		if !f.active(fields) {
			continue
		}
		sofar := len(c.faults)
		c.field(f, fields, given[f.Key], at+"/"+f.Key)
		delete(given, f.Key)
		if i == 0 && len(c.faults) > sofar && divided(fields) {
			return // of an unknown kind nothing can be said
		}
	}
	for _, m := range given.sorted() {
		c.misplaced(m, fields, at)
	}
	if len(c.faults) > before {
		return
	}
	if d, ok := d.(Completer); ok {
		d.Complete()
	}
	c.together(d, fields, at)
}

// members are the named values of an object that no field has taken yet.
type members map[string]*node

func (m members) sorted() []member {
	var list []member
	for key, n := range m {
		list = append(list, member{key, n})
	}
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	return list
}

func (c *Collector) members(n *node, at string) (given members, ok bool) {
	list, problem := n.object()
	if problem != "" {
		c.Add(at, name(at)+" "+problem)
		return nil, false
	}
	given = members{}
	for _, m := range list {
		if given[m.key] != nil {
			c.Addf(pointerTo(at, m.key), "%s is given twice", quote(m.key))
		}
		given[m.key] = m.node
	}
	return given, true
}

// name is what a fault calls the place at a pointer: its key, an entry of a list after the list's.
func name(at string) string {
	if at == "" {
		return "the document"
	}
	list, key := path.Split(at)
	if _, err := strconv.Atoi(key); err == nil {
		return path.Base(list) + "." + key
	}
	return key
}

// misplaced reports a member that no active field takes.
func (c *Collector) misplaced(m member, fields []Field, at string) {
	var keys, kinds []string
	for i := range fields {
		f := &fields[i]
		if f.Key == m.key {
			kinds = append(kinds, f.kinds...)
		} else if f.active(fields) {
			keys = append(keys, f.Key)
		}
	}
	switch {
	case m.fallback:
	case kinds != nil:
		c.Addf(pointerTo(at, m.key), "%s belongs to %s %s, not %s",
			m.key, fields[0].Key, strings.Join(kinds, " or "), fields[0].get())
	default:
		c.Addf(pointerTo(at, m.key), "unknown field %s; accepted are %s", quote(m.key), strings.Join(keys, ", "))
	}
}

func (c *Collector) field(f *Field, fields []Field, n *node, at string) {
	absent := n.absent()
	switch {
	case n == nil && f.required() && c.starting && f.Start != nil:
		f.set(f.Start)
	case absent && f.required():
		c.Add(at, f.Key+" is required")
	case f.scalar() && absent:
		if v := f.standard(fields); v != nil { // else the field that the default is taken from is at fault
			f.set(v)
		}
	case f.scalar():
		c.scalar(f, n, at)
	case absent && (f.optional || f.Type == List):
		f.resize(0)
	case f.Type == Object:
		c.document(f.resize(1)[0], n, at)
	default:
		c.list(f, n, at)
	}
}

func (c *Collector) scalar(f *Field, n *node, at string) {
	texts, ok := n.texts(f.Type)
	if !ok {
		c.Addf(at, "%s must be %s, not %s", f.Key, f.expects(), n)
		return
	}
	v, problem := f.parse(texts)
	if problem != "" {
		c.Add(at, f.Key+" "+problem)
		return
	}
	f.set(v)
}

func (c *Collector) list(f *Field, n *node, at string) {
	items, problem := n.list(int(f.Max))
	if problem == "" {
		problem = f.count(len(items))
	}
	if problem != "" {
		c.Add(at, f.Key+" "+problem)
		return
	}
	for i, d := range f.resize(len(items)) {
		c.document(d, items[i], fmt.Sprintf("%s/%d", at, i))
	}
}

// count says what is wrong with a list of n objects.
func (f *Field) count(n int) string {
	switch {
	case n < int(f.Min):
		return fmt.Sprintf("must have %v to %v entries, not %d", f.Min, f.Max, n)
	case n > int(f.Max):
		return fmt.Sprintf("must have %v to %v entries, not more", f.Min, f.Max)
	}
	return ""
}

// together checks what no field can check alone, once all of them are right.
func (c *Collector) together(d Document, fields []Field, at string) {
	before := len(c.faults)
	for i := range fields {
		f := &fields[i]
		if f.AtLeast == "" || !f.active(fields) {
			continue
		}
		if least := sibling(fields, f.AtLeast); less(f.get(), least.get()) {
			c.Addf(at+"/"+f.Key, "%s must be at least %s (%s), not %s", f.Key, least.Key, Format(least.get()), Format(f.get()))
		}
	}
	if d, ok := d.(Ruled); ok && len(c.faults) == before {
		d.Rules(func(below, detail string) { c.Add(at+below, detail) })
	}
}
