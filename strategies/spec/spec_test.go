package spec_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// zoo has a field of every type and form.
type zoo struct {
	Name   string
	Opens  time.Duration
	Fee    float64
	Keeper int
	Ticket uint64
	Free   bool
	Days   []string
	Food   spec.Choice
	Pond   *pond
	Cages  []cage
}

type pond struct{ Depth float64 }

type cage struct {
	Kind  string
	Bars  int64
	Perch time.Duration
}

func (z *zoo) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{Key: "name", Max: 5, Default: ""}, &z.Name),
		spec.Value(spec.Param{Key: "opens", Min: 1, Max: spec.MaxDuration, Default: 2 * time.Hour}, &z.Opens),
		spec.Value(spec.Param{Key: "fee", Above: true, Max: 1e6, Default: 3}, &z.Fee),
		spec.Value(spec.Param{Key: "keeper", Min: -5, Max: 5, Default: 0}, &z.Keeper),
		spec.Value(spec.Param{Key: "ticket", Default: 7}, &z.Ticket),
		spec.Value(spec.Param{Key: "free", Default: false}, &z.Free),
		spec.Value(spec.Param{
			Key: "days", Type: spec.Options, Options: []string{"mo", "tu", "we"}, Default: []string{"mo", "we"},
		}, days{&z.Days}),
		spec.Pick(spec.Param{Key: "food"}, &z.Food, spec.NewCatalogue([]spec.Kind{
			{ID: "hay"},
			{ID: "fish", Params: []spec.Param{
				{Key: "least", Type: spec.Number, Max: 9, Default: 1.0},
				{Key: "most", Type: spec.Number, Max: 9, DefaultOf: "least", AtLeast: "least"},
			}},
			{ID: "snacks", Params: []spec.Param{{Key: "at", Type: spec.Durations, Max: spec.MaxDuration}}},
		}), "hay"),
		spec.Optional(spec.Param{Key: "pond"}, &z.Pond),
		spec.Several(spec.Param{Key: "cages", Max: 3}, &z.Cages),
	}
}

type days struct{ list *[]string }

func (d days) Get() any  { return *d.list }
func (d days) Set(v any) { *d.list = v.([]string) }

func (p *pond) Fields() []spec.Field {
	return []spec.Field{spec.Value(spec.Param{Key: "depth", Max: 10, Default: 2}, &p.Depth)}
}

func (c *cage) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{Key: "kind", Options: []string{"lion", "bird"}}, &c.Kind),
		spec.Value(spec.Param{Key: "bars", Min: 1, Max: 99}, &c.Bars).For("lion"),
		spec.Value(spec.Param{Key: "perch", Max: spec.MaxDuration, Default: 0}, &c.Perch).For("bird"),
	}
}

const plain = `{"name":"","opens":"2h","fee":3,"keeper":0,"ticket":"7","free":false,"days":["mo","we"],"food":{"kind":"hay"},"cages":[]}`

const full = `{"name":"a b","opens":"1m30s","fee":0.5,"keeper":-5,"ticket":"18446744073709551615","free":true,"days":["tu"],` +
	`"food":{"kind":"fish","least":2,"most":3},"pond":{"depth":0},"cages":[{"kind":"lion","bars":9},{"kind":"bird","perch":"1s"}]}`

func decode(t *testing.T, document string) *zoo {
	t.Helper()
	z := new(zoo)
	if err := spec.DecodeJSON(z, []byte(document)); err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return z
}

func TestCanonicalForm(t *testing.T) {
	for document, want := range map[string]string{
		`{}`:  plain,
		plain: plain,
		full:  full,
		`{"pond": {}, "fee": 1e2, "keeper": 2.0, "days": ["we", "mo"], "food": {"kind": "fish", "least": 4}, "opens": "0.5h"}`: `{"name":"","opens":"30m","fee":100,"keeper":2,` +
			`"ticket":"7","free":false,"days":["mo","we"],"food":{"kind":"fish","least":4,"most":4},"pond":{"depth":2},"cages":[]}`,
		`{"food": {"kind": "snacks", "at": ["1s", "90s"]}}`: strings.Replace(plain, `{"kind":"hay"}`, `{"kind":"snacks","at":["1s","1m30s"]}`, 1),
	} {
		got, err := spec.EncodeJSON(decode(t, document))
		if string(got) != want || err != nil {
			t.Errorf("%s: got %s (%v), want %s", document, got, err, want)
		}
	}
}

func TestEncodeRefusesWhatJSONCannotSay(t *testing.T) {
	if data, err := spec.EncodeJSON(&zoo{Fee: math.NaN()}); err == nil {
		t.Errorf("got %s", data)
	}
}

func TestTexts(t *testing.T) {
	z := decode(t, full)
	texts := spec.TextsOf(z)
	want := spec.Texts{
		"name": "a b", "opens": "1m30s", "fee": "0.5", "keeper": "-5", "ticket": "18446744073709551615", "free": "true", "days": "tu",
		"food.kind": "fish", "food.least": "2", "food.most": "3", "pond.depth": "0",
		"cages.0.kind": "lion", "cages.0.bars": "9", "cages.1.kind": "bird", "cages.1.perch": "1s",
	}
	if !reflect.DeepEqual(texts, want) {
		t.Errorf("got %v, want %v", texts, want)
	}
	again := new(zoo)
	if err := spec.DecodeTexts(again, texts, nil); err != nil || !reflect.DeepEqual(again, z) {
		t.Errorf("got %+v (%v), want %+v", again, err, z)
	}
}

func TestDifference(t *testing.T) {
	documents := []string{
		plain, full,
		`{"food": {"kind": "fish", "least": 5}, "cages": [{"kind": "bird"}]}`,
		`{"food": {"kind": "snacks", "at": ["1s"]}, "pond": {}, "cages": [{"kind": "bird"}, {"kind": "bird"}, {"kind": "bird"}]}`,
	}
	for _, from := range documents {
		for _, to := range documents {
			fallback, z, again := spec.TextsOf(decode(t, from)), decode(t, to), new(zoo)
			difference := spec.Difference(z, fallback)
			if err := spec.DecodeTexts(again, difference, fallback); err != nil || !reflect.DeepEqual(again, z) {
				t.Errorf("from %s\nto %s\nby %v: got %+v (%v)", from, to, difference, again, err)
			}
			if (from == to) != (len(difference) == 0) {
				t.Errorf("from %s\nto %s: by %v", from, to, difference)
			}
		}
	}
	got := spec.Difference(decode(t, plain), spec.TextsOf(decode(t, full)))
	want := spec.Texts{
		"name": "", "opens": "2h", "fee": "3", "keeper": "0", "ticket": "7", "free": "false", "days": "mo/we",
		"food.kind": "hay", "pond": "", "cages": "",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestItems(t *testing.T) {
	items := spec.Items(decode(t, `{"food": {"kind": "fish"}, "cages": [{"kind": "lion", "bars": 1}]}`))
	byPath := map[string]spec.Item{}
	var index func(items []spec.Item)
	index = func(items []spec.Item) {
		for _, i := range items {
			byPath[i.Path] = i
			index(i.Items)
		}
	}
	index(items)
	if i := byPath["opens"]; i.Text != "2h" || !i.Default || i.Param.Type != spec.Duration {
		t.Errorf("opens: %+v", i)
	}
	if i := byPath["food.most"]; i.Text != "1" || !i.Default {
		t.Errorf("food.most: %+v", i)
	}
	if i := byPath["food.kind"]; i.Text != "fish" || i.Default {
		t.Errorf("food.kind: %+v", i)
	}
	if i := byPath["pond"]; !i.Absent || !i.Optional || len(i.Items) != 1 || i.Items[0].Text != "2" {
		t.Errorf("pond: %+v", i)
	}
	if i := byPath["cages"]; len(i.Items) != 1 || len(i.Entry) != 1 || i.Entry[0].Path != "kind" {
		t.Errorf("cages: %+v", i)
	}
	if i := byPath["cages.0.bars"]; i.Text != "1" || i.Default {
		t.Errorf("cages.0.bars: %+v", i)
	}
	if _, ok := byPath["cages.0.perch"]; ok {
		t.Error("a lion has a perch")
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{time.Duration(0), "0s"}, {time.Duration(1), "1ns"}, {1500 * time.Microsecond, "1.5ms"}, {time.Minute, "1m"},
		{90 * time.Second, "1m30s"}, {time.Hour, "1h"}, {time.Hour + time.Second, "1h0m1s"}, {70 * time.Minute, "1h10m"},
		{100 * time.Minute, "1h40m"}, {168 * time.Hour, "168h"}, {-time.Minute, "-1m"}, {10 * time.Second, "10s"},
		{2.0, "2"}, {0.1, "0.1"}, {1e6, "1000000"}, {1e-7, "1e-7"}, {1e21, "1e+21"}, {math.Inf(1), "+Inf"},
		{int64(5), "5"}, {true, "true"}, {uint64(math.MaxUint64), "18446744073709551615"}, {nil, ""},
		{[]time.Duration{time.Second, time.Hour}, "1s/1h"}, {[]string{"a", "b"}, "a/b"},
	} {
		got := spec.Format(c.value)
		if got != c.want {
			t.Errorf("Format(%v) = %s, want %s", c.value, got, c.want)
		}
		if d, ok := c.value.(time.Duration); ok {
			if again, err := time.ParseDuration(got); again != d || err != nil {
				t.Errorf("%s is read as %v (%v)", got, again, err)
			}
		}
	}
}

// The catalogue's JSON states bounds and defaults as documents do.
func TestParamJSON(t *testing.T) {
	for _, c := range []struct {
		param spec.Param
		want  string
	}{
		{spec.Param{Key: "cap", Type: spec.Duration, Label: "At most", Max: spec.MaxDuration, Default: time.Duration(0)},
			`{"key":"cap","type":"duration","label":"At most","min":"0s","max":"168h","default":"0s"}`},
		{spec.Param{Key: "factor", Type: spec.Number, Label: "Times", Min: 1, Max: 10, Default: 2.0, Help: "Growth."},
			`{"key":"factor","type":"number","label":"Times","help":"Growth.","min":1,"max":10,"default":2}`},
		{spec.Param{Key: "on", Type: spec.Option, Label: "On", Options: []string{"a", "b"}},
			`{"key":"on","type":"option","label":"On","options":["a","b"],"default":null}`},
	} {
		got, err := json.Marshal(c.param)
		if string(got) != c.want || err != nil {
			t.Errorf("got %s (%v), want %s", got, err, c.want)
		}
	}
}

func TestCollectorStopsAtAHundred(t *testing.T) {
	var c spec.Collector
	if c.Err() != nil {
		t.Error("nothing is a fault")
	}
	for range 1000 {
		c.Addf("/x", "bad")
	}
	faults := c.Err().(spec.Faults)
	if last := faults[len(faults)-1]; len(faults) != 101 || last.Detail != "there are more faults than these 100" {
		t.Errorf("%d faults, the last is %v", len(faults), last)
	}
}

func TestFaultsAsError(t *testing.T) {
	err := spec.DecodeJSON(new(zoo), []byte(`{"fee": 0, "ticket": [], "x": 1}`))
	want := `/fee: fee must be more than 0, not 0
/ticket: ticket must be a string of decimal digits, below 2^64, not []
/x: unknown field "x"; accepted are name, opens, fee, keeper, ticket, free, days, food, pond, cages`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
