package spec

// What a document is decoded from: JSON, or text by dotted path.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is a value not decoded yet: JSON, split one level at a time so that what no field asks for costs nothing; or
// a tree of texts.
type node struct {
	json     []byte
	text     string
	children map[string]*node
	fallback bool // ignored where it does not fit the kind
}

// member is a named value of an object.
type member struct {
	key string
	*node
}

// maxMembers is more fields than any object has.
const maxMembers = 256

// ByteOrderMark may stand before a document that was written on Windows. It means nothing.
const ByteOrderMark = "\ufeff"

// parseJSON checks the syntax of a whole document.
func parseJSON(data []byte) (*node, error) {
	data = bytes.TrimPrefix(data, []byte(ByteOrderMark))
	raw, err := CheckJSON(data)
	return &node{json: bytes.TrimSpace(raw)}, err
}

// CheckJSON checks the syntax of a whole document, which it returns. Its error is a *SyntaxError.
func CheckJSON(data []byte) (raw json.RawMessage, err error) {
	if i := invalidUTF8(data); i >= 0 {
		return nil, syntaxError(data, i, "not UTF-8")
	}
	err = json.Unmarshal(data, &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at := int(syntax.Offset) - 1
		return nil, syntaxError(data, at, wholeCharacter(data[max(0, at):], syntax.Error()))
	}
	return raw, err
}

// wholeCharacter makes encoding/json, which names the first byte of a character that it does not expect, name all of it.
func wholeCharacter(from []byte, detail string) string {
	if r, size := utf8.DecodeRune(from); size > 1 {
		return strings.Replace(detail, "'"+string(rune(from[0]))+"'", strconv.QuoteRune(r), 1)
	}
	return detail
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, −1 if there is none.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// absent reports whether the field is left out.
func (n *node) absent() bool {
	return n == nil || n.json == nil && n.text == "" && n.children == nil
}

// line reports whether n is one text.
func (n *node) line() bool { return n.json == nil && n.children == nil }

// object splits n into its members.
func (n *node) object() (members []member, problem string) {
	if n == nil {
		return nil, ""
	}
	if n.json == nil {
		if n.text != "" {
			return nil, "must be given field by field, not as " + quote(n.text)
		}
		for _, key := range slices.Sorted(maps.Keys(n.children)) {
			members = append(members, member{key, n.children[key]})
		}
		return members, ""
	}
	if n.json[0] != '{' {
		return nil, "must be an object, not " + n.String()
	}
	n.split(func(key string, value *node) bool {
		members = append(members, member{key, value})
		return len(members) < maxMembers
	})
	return members, ""
}

// list splits n into its items; no more than most+1 of them.
func (n *node) list(most int) (items []*node, problem string) {
	if n.json == nil {
		if n.text != "" {
			return nil, "must be given item by item, not as " + quote(n.text)
		}
		for i := range len(n.children) {
			item := n.children[strconv.Itoa(i)]
			if item == nil {
				return nil, fmt.Sprintf("must be numbered from 0 without gaps; %d is missing", i)
			}
			items = append(items, item)
		}
		return items, ""
	}
	if n.json[0] != '[' {
		return nil, "must be a list, not " + n.String()
	}
	n.split(func(_ string, value *node) bool {
		items = append(items, value)
		return len(items) <= most
	})
	return items, ""
}

// split calls use with each value in a JSON object or list, until it returns false.
func (n *node) split(use func(key string, value *node) bool) {
	d := json.NewDecoder(bytes.NewReader(n.json))
	open, _ := d.Token() // the syntax has been checked
	for d.More() {
		key := ""
		if open == json.Delim('{') {
			token, _ := d.Token()
			key, _ = token.(string)
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil || !use(key, &node{json: raw}) {
			return
		}
	}
}

// texts returns the text of a scalar value, or those of the items of a list of scalars, for a parameter of type t.
func (n *node) texts(t Type) (texts []string, ok bool) {
	list := t == Options || t == Durations || t == Quantities
	switch {
	case n.children != nil:
		return nil, false
	case n.json == nil && list:
		return strings.Split(n.text, "/"), true
	case n.json == nil:
		return []string{n.text}, true
	case t == Quantities:
		return n.scalars(Quantity)
	case list:
		return n.scalars(Text)
	}
	switch n.json[0] {
	case '"':
		var text string
		err := json.Unmarshal(n.json, &text)
		if _, unitless := parseNumber(text); t == Quantity && unitless && text != "0" {
			return nil, false // as the schema has it: a number is one
		}
		return []string{text}, err == nil && (t == Duration || t == Text || t == Option || t == Seed || t == Quantity)
	case 't', 'f':
		return []string{string(n.json)}, t == Flag
	case '{', '[', 'n':
		return nil, false
	}
	if t == Seed {
		return seed(string(n.json))
	}
	return []string{string(n.json)}, t == Number || t == Integer || t == Quantity
}

// seed takes a JSON number for one if it is whole and so small that every JSON implementation holds it exactly.
func seed(number string) (texts []string, ok bool) {
	x, ok := parseNumber(number)
	if !ok || x != math.Trunc(x) || x < 0 || x >= 1<<53 {
		return nil, false
	}
	return []string{strconv.FormatInt(int64(x), 10)}, true
}

// scalars returns the texts of the items of a JSON list, each of type t.
func (n *node) scalars(t Type) (items []string, ok bool) {
	ok = n.json[0] == '['
	if !ok {
		return nil, false
	}
	n.split(func(_ string, value *node) bool {
		text, isOne := value.texts(t)
		ok = ok && isOne
		items = append(items, text...)
		return ok && len(items) <= maxListed
	})
	return items, ok
}

// String is how a fault shows n.
func (n *node) String() string {
	switch {
	case n.json != nil:
		return shorten(string(n.json))
	case n.children != nil:
		return "fields of its own"
	}
	return quote(n.text)
}
