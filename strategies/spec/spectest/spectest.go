// Package spectest helps to test documents: it draws values for declared parameters, so that what is added to a
// catalogue is tested without a word, checks documents against schemas, and writes faults a line each.
package spectest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Durations draws durations over all that documents may state, to the nanosecond.
var Durations = rapid.OneOf(
	rapid.SampledFrom([]time.Duration{0, 1, time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, 168 * time.Hour}),
	rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(spec.MaxDuration)).Draw(t, "ns"))
	}),
)

// Args draws values for all of a kind's parameters, often bounds and defaults; durations from durations alone.
func Args(t *rapid.T, kind spec.Kind, durations *rapid.Generator[time.Duration]) spec.Args {
	args := spec.Args{}
	for _, p := range kind.Params {
		defaults := p.DefaultOf != "" || p.Default != nil && p.Type != spec.Duration
		if n, ok := p.Default.(int64); ok && n < args.Integer(p.AtLeast) {
			defaults = false
		}
		if defaults && rapid.Bool().Draw(t, "default "+p.Key) {
			args[p.Key] = standard(p, args)
			continue
		}
		switch p.Type {
		case spec.Duration:
			args[p.Key] = max(durations.Draw(t, p.Key), args.Duration(p.AtLeast))
		case spec.Durations:
			args[p.Key] = rapid.SliceOfN(durations, 1, 10).Draw(t, p.Key)
		case spec.Number:
			args[p.Key] = Number(max(p.Min, args.Number(p.AtLeast)), p.Max).Draw(t, p.Key)
		case spec.Integer:
			low := max(int64(p.Min), args.Integer(p.AtLeast))
			args[p.Key] = rapid.OneOf(rapid.Int64Range(low, min(low+5, int64(p.Max))), rapid.Int64Range(low, int64(p.Max))).Draw(t, p.Key)
		case spec.Option:
			args[p.Key] = rapid.SampledFrom(p.Options).Draw(t, p.Key)
		default:
			t.Fatalf("%s.%s has type %s, of which there are no values yet", kind.ID, p.Key, p.Type)
		}
	}
	return args
}

// Object draws a kind and values for its parameters as Args does, and returns them as a JSON object, without what is as
// if left out.
func Object(t *rapid.T, label string, kinds []spec.Kind, durations *rapid.Generator[time.Duration]) map[string]any {
	kind := rapid.SampledFrom(kinds).Draw(t, label)
	args := Args(t, kind, durations)
	object := map[string]any{"kind": kind.ID}
	for _, p := range kind.Params {
		if v := args[p.Key]; !reflect.DeepEqual(v, standard(p, args)) {
			object[p.Key] = inJSON(v)
		}
	}
	return object
}

// standard is the value that a parameter has if it is left out, nil if it must be given.
func standard(p spec.Param, args spec.Args) any {
	if p.DefaultOf != "" {
		return args[p.DefaultOf]
	}
	return p.Default
}

func inJSON(v any) any {
	switch v := v.(type) {
	case time.Duration:
		return v.String()
	case []time.Duration:
		texts := make([]string, len(v))
		for i, d := range v {
			texts[i] = d.String()
		}
		return texts
	}
	return v
}

// Number draws from [low, high], often a bound or a whole number.
func Number(low, high float64) *rapid.Generator[float64] {
	within := rapid.Float64Range(low, high)
	return rapid.OneOf(
		rapid.SampledFrom([]float64{low, high}), within,
		rapid.Map(within, func(x float64) float64 { return max(low, math.Floor(x)) }),
	)
}

// Validator returns what checks documents against a schema.
func Validator(t *testing.T, schema map[string]any) func(document []byte) error {
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(document []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err != nil {
			return err
		}
		return compiled.Validate(v)
	}
}

// Lines returns a line for each of an error's faults: its pointer, "" for the document, and its detail.
func Lines(err error) string {
	faults, ok := err.(spec.Faults)
	if !ok {
		return fmt.Sprint(err)
	}
	lines := make([]string, len(faults))
	for i, f := range faults {
		if lines[i] = f.Pointer + " " + f.Detail; f.Pointer == "" {
			lines[i] = `"" ` + f.Detail
		}
	}
	return strings.Join(lines, "\n")
}

// IDs lists what a fault says that a kind must be one of.
func IDs(kinds []spec.Kind) string {
	ids := make([]string, len(kinds))
	for i, k := range kinds {
		ids[i] = k.ID
	}
	return strings.Join(ids, ", ")
}
