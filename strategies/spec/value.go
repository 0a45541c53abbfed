package spec

// The values of parameters: from text, to text, to JSON, and within their bounds.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxListed is how many durations a list of them may hold.
const maxListed = 1000

// parse turns texts, one unless p is a list, into a value of p's type within p's bounds. The problem completes a
// sentence that starts with the parameter's name; it is empty if there is none.
func (p *Param) parse(texts []string) (v any, problem string) {
	switch p.Type {
	case Options:
		v = texts
	case Durations:
		list := make([]time.Duration, len(texts))
		for i, text := range texts {
			d, err := time.ParseDuration(text)
			if err != nil {
				return nil, "must be " + p.expects() + ", not " + quote(text) + WithPoint(text)
			}
			list[i] = d
		}
		v = list
	case Quantities:
		if v, problem = p.amounts(texts); problem != "" {
			return nil, problem
		}
	default:
		if v = p.scan(texts[0]); v == nil {
			return nil, "must be " + p.expects() + ", not " + shown(texts[0]) + WithPoint(texts[0])
		}
	}
	return p.accept(v, strings.Join(texts, "/"))
}

// scan reads a single value, nil if there is none in the text.
func (p *Param) scan(text string) any {
	switch p.Type {
	case Duration:
		if d, err := time.ParseDuration(text); err == nil {
			return d
		}
	case Number:
		if x, ok := parseNumber(text); ok {
			return x
		}
	case Integer:
		if x, ok := parseNumber(text); ok && x == math.Trunc(x) {
			return int64(max(-1<<53, min(x, 1<<53)))
		}
	case Seed:
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return n
		}
	case Flag:
		if text == "true" || text == "false" {
			return text == "true"
		}
	case Quantity:
		if a := Amount(text); a.valid() {
			return a
		}
	case Text, Option:
		return text
	}
	return nil
}

// WithPoint is what a fault adds about a text with a comma, which stands for thousands here and for a fraction there, so
// that it is never taken for either.
func WithPoint(text string) string {
	if !strings.ContainsRune(text, ',') || !strings.ContainsAny(text, "0123456789") {
		return ""
	}
	return "; fractions are written with a point, such as 2.5, and thousands without a mark"
}

// expects says what p takes.
func (p *Param) expects() string {
	switch p.Type {
	case Duration:
		return `a duration such as "250ms" or "1m30s", at most ` + p.limit(p.Max)
	case Durations:
		return `a list of durations such as "250ms" or "1m30s", each at most ` + p.limit(p.Max)
	case Number:
		return "a number"
	case Integer:
		return "a whole number"
	case Seed:
		return "a string of decimal digits, below 2^64"
	case Quantity:
		return "a number, or a duration such as " + `"250ms"`
	case Quantities:
		return "a list of numbers, or of durations such as " + `"250ms"`
	case Flag:
		return "true or false"
	case Option:
		return "one of " + strings.Join(p.Options, ", ")
	case Options:
		return "a list of some of " + strings.Join(p.Options, ", ")
	}
	return "a text"
}

// accept returns v in its canonical form, or what is wrong with it; text is how it was given.
func (p *Param) accept(v any, text string) (any, string) {
	if problem := p.check(v, text); problem != "" {
		return nil, problem
	}
	switch v := v.(type) {
	case float64:
		return v + 0, "" // no negative zero
	case []string:
		return slices.DeleteFunc(slices.Clone(p.Options), func(o string) bool { return !slices.Contains(v, o) }), ""
	}
	return v, ""
}

// parseNumber reads a JSON number; one that is too large is infinite.
func parseNumber(text string) (float64, bool) {
	if !json.Valid([]byte(text)) || !strings.ContainsAny(text[:1], "-0123456789") {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil || errors.Is(err, strconv.ErrRange)
}

// check says what is wrong with v, given as text; nothing if it is of p's type and within p's bounds.
func (p *Param) check(v any, text string) string {
	switch v := v.(type) {
	case time.Duration:
		if p.Type == Duration {
			return p.within(float64(v), text)
		}
	case float64:
		if p.Type == Number {
			return p.within(v, text)
		}
	case int64:
		if p.Type == Integer {
			return p.within(float64(v), text)
		}
	case uint64:
		if p.Type == Seed {
			return ""
		}
	case bool:
		if p.Type == Flag {
			return ""
		}
	case string:
		if p.Type == Option {
			return p.oneOf(v)
		}
		if p.Type == Text {
			return p.readable(v)
		}
	case Amount:
		if p.Type == Quantity && v.valid() {
			return ""
		}
	case []Amount:
		if p.Type == Quantities {
			return p.several(v)
		}
	case []string:
		if p.Type == Options {
			return p.someOf(v)
		}
	case []time.Duration:
		if p.Type == Durations {
			return p.listed(v)
		}
	}
	return fmt.Sprintf("must be %s, not a %T", p.expects(), v)
}

func (p *Param) within(x float64, text string) string {
	switch {
	case p.Above && !(x > p.Min):
		return fmt.Sprintf("must be more than %s, not %s", p.limit(p.Min), shown(text))
	case !(x >= p.Min):
		return fmt.Sprintf("must be at least %s, not %s", p.limit(p.Min), shown(text))
	case !(x <= p.Max):
		return fmt.Sprintf("must be at most %s, not %s", p.limit(p.Max), shown(text))
	}
	return ""
}

func (p *Param) oneOf(s string) string {
	if slices.Contains(p.Options, s) {
		return ""
	}
	return "must be one of " + strings.Join(p.Options, ", ") + ", not " + quote(s)
}

func (p *Param) someOf(list []string) string {
	if len(list) == 0 {
		return "must name at least one of " + strings.Join(p.Options, ", ")
	}
	for i, s := range list {
		if problem := p.oneOf(s); problem != "" {
			return problem
		}
		if slices.Contains(list[:i], s) {
			return "must not name " + s + " twice"
		}
	}
	return ""
}

func (p *Param) listed(list []time.Duration) string {
	if n := len(list); n == 0 || n > maxListed {
		return fmt.Sprintf("must list 1 to %d durations, not %d", maxListed, n)
	}
	for i, d := range list {
		if problem := p.within(float64(d), Format(d)); problem != "" {
			return fmt.Sprintf("number %d %s", i+1, problem)
		}
	}
	return ""
}

func (p *Param) readable(s string) string {
	if n := utf8.RuneCountInString(s); n > int(p.Max) {
		return fmt.Sprintf("must have at most %v characters, not %d", p.Max, n)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, isControl) {
		return "must be without control characters, not " + quote(s)
	}
	return ""
}

// isControl reports whether r is a control character, or turns the direction of the text that follows, for which a name
// inside a sentence would turn the sentence (the embeddings, overrides and isolates of Unicode's annex 9).
func isControl(r rune) bool {
	return unicode.IsControl(r) || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// limit prints one of p's bounds.
func (p *Param) limit(x float64) string {
	if p.Type == Duration || p.Type == Durations {
		return Format(time.Duration(x))
	}
	return formatNumber(x)
}

// shown is how a fault repeats a value: as it was given, quoted unless it is a number or a duration.
func shown(text string) string {
	_, number := parseNumber(text)
	if _, err := time.ParseDuration(text); err == nil || number {
		return shorten(text)
	}
	return quote(text)
}

// Format prints a parameter's value as documents in text form do. A duration is printed as Go does, exactly, but
// without units that are zero: 5m rather than 5m0s.
func Format(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case time.Duration:
		return formatDuration(v)
	case float64:
		return formatNumber(v)
	case []string:
		return strings.Join(v, "/")
	case []time.Duration:
		return strings.Join(durationTexts(v), "/")
	case []Amount:
		return joinAmounts(v)
	}
	return fmt.Sprint(v)
}

// jsonValue is what represents v in JSON.
func jsonValue(v any) any {
	switch v := v.(type) {
	case time.Duration, uint64:
		return Format(v)
	case []time.Duration:
		return durationTexts(v)
	}
	return v
}

func durationTexts(list []time.Duration) []string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = Format(d)
	}
	return texts
}

func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// formatNumber prints x as JSON does, in the fewest digits that give x again.
func formatNumber(x float64) string {
	text, err := json.Marshal(x)
	if err != nil { // not finite
		return fmt.Sprint(x)
	}
	return string(text)
}

// MarshalJSON writes the default, the start and the bounds as documents do.
func (p Param) MarshalJSON() ([]byte, error) {
	type plain Param
	out := struct {
		plain
		Min     any `json:"min,omitempty"`
		Max     any `json:"max,omitempty"`
		Default any `json:"default"`
		Start   any `json:"start,omitempty"`
	}{plain: plain(p), Default: jsonValue(p.Default), Start: jsonValue(p.Start)}
	switch p.Type {
	case Duration, Durations:
		out.Min, out.Max = p.limit(p.Min), p.limit(p.Max)
	case Number, Integer, Text, List:
		out.Min, out.Max = p.Min, p.Max
	}
	return json.Marshal(out)
}
