package spec

// Documents as texts by path, as in a query.

import (
	"strconv"
	"strings"
)

// Texts are values in text form by dotted path, lists by index: "server.outages.0.end": "10s". An empty text stands for
// a field left out.
type Texts map[string]string

// TextsOf returns the texts of all scalars in d, and of documents that have a one-line form. Decoding them gives d.
func TextsOf(d Document) Texts {
	texts := Texts{}
	for item := range Scalars(d) {
		texts[item.Path] = item.Text
	}
	return texts
}

// Difference returns the texts that, with fallback, decode to d: what differs, and an empty text for each optional
// object that d does not have. A list with fewer entries than in fallback is emptied and given in full.
func Difference(d Document, fallback Texts) Texts {
	difference := Texts{}
	difference.clear(d, "", fallback)
	for path, text := range TextsOf(d) {
		if fallback[path] != text || leftOut(difference, path) {
			difference[path] = text
		}
	}
	return difference
}

// clear empties what fallback has and d, at prefix, has not.
func (t Texts) clear(d Document, prefix string, fallback Texts) {
	fields := d.Fields()
	for i := range fields {
		f := &fields[i]
		if f.scalar() || !f.active(fields) {
			continue
		}
		path, documents := prefix+f.Key, f.documents()
		gone := path
		if f.Type == List {
			gone += "." + strconv.Itoa(len(documents))
		}
		if (f.Type == List || documents == nil) && fallback.holds(gone) {
			t[path] = ""
		}
		for at, d := range documents {
			if _, ok := d.(Texter); !ok {
				t.clear(d, f.below(path, at)+".", fallback)
			}
		}
	}
}

// holds reports whether there is a text at the path or below.
func (t Texts) holds(path string) bool {
	for p := range t {
		if p == path || strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}

// tree arranges texts by path. What fallback gives is used where texts say nothing of a field, nor that it is left
// out, and only as far as it belongs to the kinds that texts say.
func tree(texts, fallback Texts) *node {
	root := &node{}
	for path, text := range fallback {
		if !leftOut(texts, path) {
			root.at(path, true).text = text
		}
	}
	for path, text := range texts {
		root.at(path, false).text = text
	}
	return root
}

// leftOut reports whether texts give the path, or an object or list around it, an empty text.
func leftOut(texts Texts, path string) bool {
	for i, c := range path + "." {
		if c != '.' {
			continue
		}
		if text, ok := texts[path[:i]]; ok && text == "" {
			return true
		}
	}
	return false
}

// maxDepth is deeper than any field is nested.
const maxDepth = 8

// at returns the node at a path, made where missing.
func (n *node) at(path string, fallback bool) *node {
	for _, key := range strings.SplitN(path, ".", maxDepth) {
		child := n.children[key]
		if child == nil {
			child = &node{fallback: true}
			if n.children == nil {
				n.children = map[string]*node{}
			}
			n.children[key] = child
		}
		child.fallback = child.fallback && fallback
		n = child
	}
	return n
}
