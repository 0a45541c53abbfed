package strategies

// A policy in one line, for URLs, the command line and tables:
//
//	exponential,base=100ms,cap=10s,jitter=full,maxAttempts=5
//
// The schedule's kind, then key=value pairs: the JSON keys, those of schedule and jitter bare, jitter itself naming the
// kind, those of guards dotted (breaker.failures=5). Lists are joined by "/". In id and name, "~" and two hexadecimal digits stand for a byte that would be
// misunderstood, in the line or in a URL; "~" because it needs no escape in a URL itself.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Text returns the policy's one-line form: what is not a default, in the order of its fields, id and name last.
// ParseText gives the policy again.
func (p Policy) Text() string {
	parts := []string{p.Schedule.Kind}
	var titles []string
	for item := range spec.Scalars(&p) {
		key := bareKey(item.Path)
		part := key + "=" + escape(item.Text)
		switch {
		case item.Default || key == "schedule":
		case key == "id" || key == "name":
			titles = append(titles, part)
		default:
			parts = append(parts, part)
		}
	}
	return strings.Join(append(parts, titles...), ",")
}

// bareKey turns a path such as schedule.base into the key that stands for it in text.
func bareKey(path string) string {
	choice, key, _ := strings.Cut(path, ".")
	if choice != "schedule" && choice != "jitter" {
		return path
	}
	if key == "kind" {
		return choice
	}
	return key
}

// maxText is longer than any policy's text, in bytes.
const maxText = 1 << 16

// ParseText reads a policy's one-line form. It returns all spec.Faults; their pointers are those of the JSON form.
func ParseText(text string) (Policy, error) {
	var faults spec.Collector
	if len(text) > maxText {
		faults.Addf("", "a policy's text must have at most %d bytes, not %d", maxText, len(text))
		return Policy{}, faults.Err()
	}
	kind, rest, more := strings.Cut(text, ",")
	texts := spec.Texts{"schedule.kind": strings.Trim(kind, " ")}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ",")
		addPart(texts, part, &faults)
	}
	var p Policy
	faults.Merge("", spec.DecodeTexts(&p, texts, nil))
	if err := faults.Err(); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// addPart adds a key=value pair to texts.
func addPart(texts spec.Texts, part string, faults *spec.Collector) {
	key, value, ok := strings.Cut(part, "=")
	path := fullPath(strings.Trim(key, " "))
	pointer := "/" + strings.ReplaceAll(path, ".", "/")
	value, err := unescape(strings.Trim(value, " "))
	_, again := texts[path]
	switch {
	case !ok:
		faults.Addf("", "%.60q must be key=value; fractions are written with a point, such as 1.5", part)
	case again:
		faults.Addf(pointer, "%.60q is given twice", key)
	case err != nil:
		faults.Addf(pointer, "%s %v", key, err)
	default:
		texts[path] = value
	}
}

// fullPath is the inverse of bareKey.
func fullPath(key string) string {
	declares := func(k spec.Kind) bool {
		return slices.ContainsFunc(k.Params, func(p spec.Param) bool { return p.Key == key })
	}
	switch {
	case key == "jitter":
		return "jitter.kind"
	case slices.ContainsFunc(Schedules, func(k ScheduleKind) bool { return declares(k.Kind) }):
		return "schedule." + key
	case slices.ContainsFunc(Jitters, func(k JitterKind) bool { return declares(k.Kind) }):
		return "jitter." + key
	}
	return key
}

// special are the bytes that separate the line's parts, stand for others, or mean something in a URL's query.
const special = "~,=%&#+;"

func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		outerSpace := text[i] == ' ' && (i == 0 || i == len(text)-1)
		if outerSpace || strings.IndexByte(special, text[i]) >= 0 {
			fmt.Fprintf(&b, "~%02X", text[i])
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func unescape(text string) (string, error) {
	head, rest, more := strings.Cut(text, "~")
	out := []byte(head)
	for more {
		if len(rest) < 2 {
			return "", errEscape
		}
		b, err := hex.DecodeString(rest[:2])
		if err != nil {
			return "", errEscape
		}
		head, rest, more = strings.Cut(rest[2:], "~")
		out = append(append(out, b...), head...)
	}
	return string(out), nil
}

var errEscape = errors.New(`must have two hexadecimal digits after each "~"`)

// MarshalText is Text.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.Text()), nil }

// UnmarshalText is ParseText.
func (p *Policy) UnmarshalText(text []byte) (err error) {
	*p, err = ParseText(string(text))
	return err
}
