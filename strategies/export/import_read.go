package export

// JSON that is read strictly: every field once, of its type, within its bounds, and none that is not known.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// reader gathers what is wrong with a document, and what is worth knowing.
type reader struct {
	faults *spec.Collector
	notes  []string
}

// node is a value of a document and where it is.
type node struct {
	*reader
	at    string // JSON pointer
	value any    // object, []any, string, json.Number, bool or nil
}

// object holds an object's members in order.
type object []member

type member struct {
	key   string
	value any
}

// find returns where the member of a name is, in camel case or in snake case as protobuf has both; −1 if there is none.
func (o object) find(key string) int {
	for i, m := range o {
		if m.key == key || strings.Contains(m.key, "_") && camel(m.key) == key {
			return i
		}
	}
	return -1
}

func camel(snake string) string {
	parts := strings.Split(snake, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

// maxDepth is deeper than any format goes.
const maxDepth = 32

// maxMembers is more than any object or list has that can be read.
const maxMembers = 1000

// parse reads a whole document.
func parse(data []byte, r *reader) (node, error) {
	if _, err := spec.CheckJSON(data); err != nil {
		return node{}, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := r.parse(d, "", 0)
	if err != nil && err != io.EOF {
		return node{}, spec.Faults{{Detail: err.Error()}}
	}
	return node{r, "", v}, nil
}

// parse reads the next value. Its syntax has been checked.
func (r *reader) parse(d *json.Decoder, at string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the document is nested more than %d deep", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, _ := token.(json.Delim)
	var o object
	var list []any
	for d.More() && delim != 0 {
		if len(o)+len(list) == maxMembers {
			return nil, fmt.Errorf("the document has more than %d entries in one place", maxMembers)
		}
		key := strconv.Itoa(len(list))
		if delim == '{' {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			key = name.(string)
			if o.find(key) >= 0 || o.find(camel(key)) >= 0 {
				r.faults.Addf(at+"/"+pointerKey(key), "%.60q is given twice", key)
			}
		}
		v, err := r.parse(d, at+"/"+pointerKey(key), depth+1)
		if err != nil {
			return nil, err
		}
		if delim == '{' {
			o = append(o, member{key, v})
		} else {
			list = append(list, v)
		}
	}
	switch delim {
	case '{':
		_, err = d.Token()
		return append(object{}, o...), err
	case '[':
		_, err = d.Token()
		return append([]any{}, list...), err
	}
	return token, nil
}

// pointerKey is a key within a JSON pointer, shortened.
func pointerKey(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprintf("%.60s", key))
}

// fields are the members of an object that nothing has taken yet.
type fields struct {
	node
	rest object
}

// object returns a value's members.
func (n node) object() *fields {
	o, ok := n.value.(object)
	if !ok {
		n.wrong("an object")
	}
	return &fields{n, append(object{}, o...)}
}

// wrong reports that a value is of another type.
func (n node) wrong(expected string) {
	name := n.at[strings.LastIndexByte(n.at, '/')+1:]
	if name == "" {
		name = "the document"
	}
	n.faults.Addf(n.at, "%s must be %s, not %s", name, expected, n)
}

func (n node) String() string {
	switch v := n.value.(type) {
	case object:
		return "an object"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("%.60q", v)
	case nil:
		return "null"
	}
	return fmt.Sprintf("%.60v", n.value)
}

// take returns a member, and false if there is none.
func (f *fields) take(key string) (node, bool) {
	i := f.rest.find(key)
	if i < 0 {
		return node{}, false
	}
	m := f.rest[i]
	f.rest = append(f.rest[:i:i], f.rest[i+1:]...)
	return node{f.reader, f.at + "/" + pointerKey(m.key), m.value}, true
}

// none reports what is left: fields that are not known.
func (f *fields) none(known string) {
	for _, m := range f.rest {
		f.faults.Addf(f.at+"/"+pointerKey(m.key), "unknown field %.60q; accepted are %s", m.key, known)
	}
}

// ignore notes what is left: it may be there, and says nothing of retries.
func (f *fields) ignore() {
	for _, m := range f.rest {
		f.note("%.60q was left out", m.key)
	}
}

// number takes a number from least to most; absent, if it is not there.
func (f *fields) number(key string, least, most, absent float64) float64 {
	n, ok := f.take(key)
	if !ok {
		f.note("%s is not given: %s by default", key, strconv.FormatFloat(absent, 'f', -1, 64))
		return absent
	}
	number, ok := n.value.(json.Number)
	x, err := strconv.ParseFloat(string(number), 64)
	if !ok || err != nil || math.IsNaN(x) || x < least || x > most {
		n.wrong(fmt.Sprintf("a number from %s to %s", spec.Format(least), spec.Format(most)))
		return absent
	}
	return x
}

// whole takes a whole number from least to most.
func (f *fields) whole(key string, least, most, absent int64) int64 {
	x := f.number(key, float64(least), float64(most), float64(absent))
	if x != math.Trunc(x) {
		f.faults.Addf(f.at+"/"+key, "%s must be a whole number, not %v", key, x)
	}
	return int64(x)
}

var protoDuration = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,9})?s$`)

// duration takes a duration as protobuf's JSON has it; absent, if it is not there.
func (f *fields) duration(key string, absent time.Duration) time.Duration {
	n, ok := f.take(key)
	if !ok {
		if absent > 0 {
			f.note("%s is not given: %s by default", key, protoSeconds(absent))
		}
		return absent
	}
	text, _ := n.value.(string)
	d, err := time.ParseDuration(text)
	if !protoDuration.MatchString(text) || err != nil || d > maxDuration {
		n.wrong(`decimal seconds such as "0.1s", at most ` + protoSeconds(maxDuration))
		return absent
	}
	return d
}

// required is duration for what has no default, and may not be 0.
func (f *fields) required(key string) time.Duration {
	if f.rest.find(key) < 0 {
		f.faults.Addf(f.at+"/"+key, "%s is required", key)
		return time.Second
	}
	d := f.duration(key, time.Second)
	if d == 0 {
		f.faults.Addf(f.at+"/"+key, "%s must be more than 0s", key)
	}
	return d
}

// texts takes a list of texts.
func (f *fields) texts(key string) []string {
	n, ok := f.take(key)
	if !ok {
		return nil
	}
	var texts []string
	for _, item := range n.list() {
		text, ok := item.value.(string)
		if !ok {
			item.wrong("a text")
		}
		texts = append(texts, text)
	}
	return texts
}

// list returns the items of a list.
func (n node) list() []node {
	list, ok := n.value.([]any)
	if !ok {
		n.wrong("a list")
	}
	items := make([]node, len(list))
	for i, v := range list {
		items[i] = node{n.reader, n.at + "/" + strconv.Itoa(i), v}
	}
	return items
}
