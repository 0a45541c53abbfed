package spec

// Amounts: values of which the document alone does not say whether they are numbers or durations, because another of its
// fields names the parameter that takes them.

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Amount is a number or a duration as a document in text form has it: "500", "2.5", "250ms". In JSON a number is one.
type Amount string

// MarshalJSON writes a number as one, a duration as a string.
func (a Amount) MarshalJSON() ([]byte, error) {
	if _, ok := parseNumber(string(a)); ok {
		return []byte(a), nil
	}
	return json.Marshal(string(a))
}

func (a Amount) valid() bool {
	_, number := parseNumber(string(a))
	_, err := time.ParseDuration(string(a))
	return number || err == nil
}

// Value reads a as a value of the parameter, one that takes a number, a whole number or a duration; a duration counts in
// nanoseconds. The problem completes a sentence that starts with the field's name; it is empty if there is none.
func (a Amount) Value(p Param) (x float64, problem string) {
	v, problem := p.parse([]string{string(a)})
	switch v := v.(type) {
	case time.Duration:
		return float64(v), ""
	case int64:
		return float64(v), ""
	case float64:
		return v, ""
	}
	return 0, problem
}

// AmountOf is the amount that x, in Value's terms, is for the parameter.
func AmountOf(p Param, x float64) Amount {
	if p.Type == Duration {
		return Amount(formatDuration(time.Duration(x)))
	}
	return Amount(formatNumber(x))
}

// amountSchema describes an Amount as JSON Schema: to each field its own, for each is given a title.
func amountSchema() map[string]any {
	return map[string]any{"oneOf": []any{
		map[string]any{"type": "number"}, map[string]any{"type": "string", "pattern": durationPattern},
	}}
}

// amounts reads several.
func (p *Param) amounts(texts []string) (list []Amount, problem string) {
	for _, text := range texts {
		a := Amount(text)
		if !a.valid() {
			return nil, "must be " + p.expects() + ", not " + quote(text)
		}
		list = append(list, a)
	}
	return list, p.several(list)
}

func (p *Param) several(list []Amount) string {
	if n := len(list); n < int(p.Min) || n > int(p.Max) {
		return fmt.Sprintf("must list %v to %v values, not %d", p.Min, p.Max, n)
	}
	return ""
}

func joinAmounts(list []Amount) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = string(a)
	}
	return strings.Join(texts, "/")
}
