package spec

import "strings"

// Schema describes the documents that are decoded like d, a fresh one, as JSON Schema 2020-12. What rules say about
// several fields together it leaves open.
func Schema(d Document, title string) map[string]any {
	schema := schemaOf(d)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = title
	return schema
}

// schemaOf returns the schema of an object: one, or one for each kind.
func schemaOf(d Document) map[string]any {
	fields := d.Fields()
	if !divided(fields) {
		return objectSchema(fields, "")
	}
	var kinds []any
	for i, kind := range fields[0].Options {
		s := objectSchema(fields, kind)
		if fields[0].Names != nil {
			s["title"] = fields[0].Names[i]
		}
		kinds = append(kinds, s)
	}
	return map[string]any{"type": "object", "oneOf": kinds}
}

// divided reports whether some fields belong to kinds only.
func divided(fields []Field) bool {
	for _, f := range fields {
		if f.kinds != nil {
			return true
		}
	}
	return false
}

// objectSchema returns the schema of an object of the kind that the first field says, of any if kind is empty.
func objectSchema(fields []Field, kind string) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for i := range fields {
		f := &fields[i]
		if i == 0 && kind != "" {
			properties[f.Key] = map[string]any{"const": kind}
			if kind != f.Default {
				required = append(required, f.Key)
			}
			f.set(kind)
			continue
		}
		if !f.active(fields) {
			continue
		}
		properties[f.Key] = f.schema()
		if f.required() {
			required = append(required, f.Key)
		}
	}
	return map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}
}

func (f *Field) schema() map[string]any {
	s := f.Param.schema()
	switch f.Type {
	case Object:
		s = schemaOf(f.sample())
	case List:
		s = map[string]any{"type": "array", "items": schemaOf(f.sample()), "minItems": f.Min, "maxItems": f.Max}
	}
	annotate(s, "title", f.Label)
	annotate(s, "description", f.description())
	if f.scalar() && f.Default != nil {
		s["default"] = jsonValue(f.Default)
	}
	return s
}

func annotate(schema map[string]any, key, text string) {
	if text != "" {
		schema[key] = text
	}
}

// description is the help, and what the schema's vocabulary cannot say.
func (p *Param) description() string {
	sentences := []string{}
	if p.Help != "" {
		sentences = append(sentences, p.Help)
	}
	switch p.Type {
	case Duration, Durations:
		sentences = append(sentences, p.limit(p.Min)+" to "+p.limit(p.Max)+".")
	}
	if p.Unit != "" {
		sentences = append(sentences, "Unit: "+p.Unit+".")
	}
	if p.DefaultOf != "" {
		sentences = append(sentences, "Default: as "+p.DefaultOf+".")
	}
	if p.AtLeast != "" {
		sentences = append(sentences, "At least "+p.AtLeast+".")
	}
	return strings.Join(sentences, " ")
}

// durationPattern is what time.ParseDuration accepts of durations that are not negative.
const durationPattern = `^\+?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// schema returns the schema of a scalar.
func (p *Param) schema() map[string]any {
	duration := map[string]any{"type": "string", "pattern": durationPattern}
	switch p.Type {
	case Duration:
		return duration
	case Durations:
		return map[string]any{"type": "array", "items": duration, "minItems": 1, "maxItems": maxListed}
	case Number:
		return p.bounded("number")
	case Integer:
		return p.bounded("integer")
	case Quantity:
		return amountSchema()
	case Quantities:
		return map[string]any{"type": "array", "items": amountSchema(), "minItems": p.Min, "maxItems": p.Max}
	case Flag:
		return map[string]any{"type": "boolean"}
	case Option:
		return map[string]any{"enum": p.Options}
	case Options:
		one := map[string]any{"enum": p.Options}
		return map[string]any{"type": "array", "items": one, "minItems": 1, "uniqueItems": true}
	case Seed:
		digits := map[string]any{"type": "string", "pattern": "^[0-9]+$"}
		number := map[string]any{"type": "integer", "minimum": 0, "maximum": 1<<53 - 1}
		return map[string]any{"oneOf": []any{digits, number}}
	}
	return map[string]any{"type": "string", "maxLength": p.Max}
}

func (p *Param) bounded(t string) map[string]any {
	minimum := "minimum"
	if p.Above {
		minimum = "exclusiveMinimum"
	}
	return map[string]any{"type": t, minimum: p.Min, "maximum": p.Max}
}
