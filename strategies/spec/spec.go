// Package spec declares documents. A parameter is declared once — key, type, bounds, default, label and help —
// and its JSON field, text key, form field, validation message, JSON Schema and documentation all come from that
// declaration.
package spec

import "time"

// Type is what a parameter's values are.
type Type string

// The types of parameter and the Go type of their values.
const (
	Duration   Type = "duration"   // time.Duration; in JSON and text a Go duration string
	Number     Type = "number"     // float64
	Integer    Type = "integer"    // int64
	Text       Type = "text"       // string
	Flag       Type = "flag"       // bool
	Option     Type = "option"     // string, one of Options
	Options    Type = "options"    // []string, a subset of Options, in their order
	Durations  Type = "durations"  // []time.Duration, not empty
	Seed       Type = "seed"       // uint64; in JSON a string of decimal digits
	Quantity   Type = "quantity"   // Amount: a number or a duration
	Quantities Type = "quantities" // []Amount, Min to Max of them
	Object     Type = "object"     // a Document
	List       Type = "list"       // of Documents; Min and Max bound their number
)

// MaxDuration is the longest duration a document may state: one week, in nanoseconds.
const MaxDuration = float64(168 * time.Hour)

// Param declares one parameter.
type Param struct {
	Key     string  `json:"key"`
	Type    Type    `json:"type"`
	Label   string  `json:"label"`           // in the reader's words, for forms
	Help    string  `json:"help,omitempty"`  // one sentence
	Unit    string  `json:"unit,omitempty"`  // "per second", "clients"; empty for durations
	Min     float64 `json:"min"`             // inclusive; nanoseconds for durations
	Above   bool    `json:"above,omitempty"` // Min itself is excluded
	Max     float64 `json:"max"`             // inclusive; characters for texts
	Default any     `json:"default"`         // of the type's Go type; nil: the parameter is required
	Start   any     `json:"start,omitempty"` // of the type's Go type: what a form starts with where it must be given
	// DefaultOf names another parameter of the same kind whose value is the default instead.
	DefaultOf string `json:"defaultOf,omitempty"`
	// AtLeast names another parameter of the same kind that this one must not be below.
	AtLeast string   `json:"atLeast,omitempty"`
	Options []string `json:"options,omitempty"`
	Names   []string `json:"names,omitempty"` // of the options, in the reader's words
}

// Args holds the values of a kind's parameters by key, each of its type's Go type, defaults filled in.
type Args map[string]any

// Duration returns the duration at key, 0 if there is none.
func (a Args) Duration(key string) time.Duration { v, _ := a[key].(time.Duration); return v }

// Number returns the number at key, 0 if there is none.
func (a Args) Number(key string) float64 { v, _ := a[key].(float64); return v }

// Integer returns the whole number at key, 0 if there is none.
func (a Args) Integer(key string) int64 { v, _ := a[key].(int64); return v }

// Text returns the text or option at key, "" if there is none.
func (a Args) Text(key string) string { v, _ := a[key].(string); return v }

// Durations returns the list of durations at key, nil if there is none.
func (a Args) Durations(key string) []time.Duration { v, _ := a[key].([]time.Duration); return v }

// Kind is what a catalogue says of one of its entries.
type Kind struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Formula string  `json:"formula"`
	Advice  string  `json:"advice"` // one sentence: when to use it, or what it does wrong
	Params  []Param `json:"params"`
}

func (k Kind) kind() Kind { return k }

// entry is one of a catalogue: a type that embeds Kind.
type entry interface{ kind() Kind }

// Choice is one kind picked from a catalogue, with its parameters' values.
// In JSON it is one object: {"kind": "exponential", "base": "100ms", "factor": 2}.
type Choice struct {
	Kind string
	Args Args
}
