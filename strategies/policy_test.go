package strategies_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
	"github.com/stampede-sim/stampede/strategies/strategiestest"
)

// What a fault says that a kind must be one of.
var schedules, jitters = spectest.IDs(spec.Kinds(strategies.Schedules)), spectest.IDs(spec.Kinds(strategies.Jitters))

func TestParsePolicyDefaults(t *testing.T) {
	p := parse(t, `{"schedule": {"kind": "linear", "base": "1s"}}`)
	want := strategies.Policy{
		Schedule:   spec.Choice{Kind: "linear", Args: spec.Args{"base": time.Second, "step": time.Second}},
		Jitter:     spec.Choice{Kind: "none"},
		RetryOn:    strategies.DefaultRetryOn,
		RetryAfter: strategies.FloorHint,
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
	got, err := json.Marshal(p)
	canonical := `{"id":"","name":"","schedule":{"kind":"linear","base":"1s","step":"1s"},"cap":"0s","capAfterJitter":false,"growsPastCap":false,` +
		`"jitter":{"kind":"none"},"maxAttempts":0,"deadline":"0s","attemptTimeout":"0s",` +
		`"retryOn":["unavailable","timeout","overloaded","rateLimited","transient","conflict"],"retryAfter":"floor"}`
	if string(got) != canonical || err != nil {
		t.Errorf("canonical form is %s (%v)\nwant %s", got, err, canonical)
	}
}

func TestParsePolicyAcceptsOtherSpellings(t *testing.T) {
	got := parse(t, ` {"retryOn": ["conflict", "timeout"], "maxAttempts": 1e3, "cap": "1h0.5m",
		"schedule": {"factor": 1.5e0, "base": "1500us", "kind": "exponential"}} `).Text()
	if want := "exponential,base=1.5ms,factor=1.5,cap=1h0m30s,maxAttempts=1000,retryOn=timeout/conflict"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Each line of want is a pointer and a detail.
func TestPolicyFaults(t *testing.T) {
	for _, c := range []struct{ document, want string }{
		{`[]`, `"" the document must be an object, not []`},
		{`{}`, `/schedule schedule is required`},
		{`{"schedule": null}`, `/schedule schedule must be an object, not null`},
		{`{"schedule": {}}`, `/schedule/kind kind is required`},
		{`{"schedule": {"kind": 5}}`, `/schedule/kind kind must be one of ` + schedules + `, not 5`},
		{`{"schedule": {"kind": "cubic", "base": 1}}`, `/schedule/kind kind must be one of ` + schedules + `, not "cubic"`},
		{`{"schedule": {"kind": "constant"}}`, `/schedule/base base is required`},
		{`{"schedule": {"kind": "constant", "base": "-1ns"}}`, `/schedule/base base must be at least 0s, not -1ns`},
		{`{"schedule": {"kind": "constant", "base": "168h1ns"}}`, `/schedule/base base must be at most 168h, not 168h1ns`},
		{`{"schedule": {"kind": "constant", "base": "9223372036854775807d"}}`, `/schedule/base base must be a duration such as "250ms" or "1m30s", at most 168h, not "9223372036854775807d"`},
		{`{"schedule": {"kind": "constant", "base": "9999999999h"}}`, `/schedule/base base must be a duration such as "250ms" or "1m30s", at most 168h, not "9999999999h"`},
		{`{"schedule": {"kind": "constant", "base": 100}}`, `/schedule/base base must be a duration such as "250ms" or "1m30s", at most 168h, not 100`},
		{`{"schedule": {"kind": "constant", "base": "1s", "step": "1s"}}`, `/schedule/step step belongs to kind linear or offsetPolynomial, not constant`},
		{`{"schedule": {"kind": "constant", "base": "1s", "bse": "1s"}}`, `/schedule/bse unknown field "bse"; accepted are kind, base`},
		{`{"schedule": {"kind": "exponential", "base": "1s", "factor": 0.99}}`, `/schedule/factor factor must be at least 1, not 0.99`},
		{`{"schedule": {"kind": "exponential", "base": "1s", "factor": 1e999}}`, `/schedule/factor factor must be at most 10, not 1e999`},
		{`{"schedule": {"kind": "exponential", "base": "1s", "factor": "1,5"}}`, `/schedule/factor factor must be a number, not "1,5"`},
		{`{"schedule": {"kind": "list", "delays": []}}`, `/schedule/delays delays must list 1 to 1000 durations, not 0`},
		{`{"schedule": {"kind": "list", "delays": "1s/2s"}}`, `/schedule/delays delays must be a list of durations such as "250ms" or "1m30s", each at most 168h, not "1s/2s"`},
		{`{"schedule": {"kind": "list", "delays": ["1s", 2]}}`, `/schedule/delays delays must be a list of durations such as "250ms" or "1m30s", each at most 168h, not ["1s", 2]`},
		{`{"schedule": {"kind": "list", "delays": ["1s", "-2s"]}}`, `/schedule/delays delays number 2 must be at least 0s, not -2s`},
		{`{"schedule": {"kind": "list", "delays": ["1s/2s"]}}`, `/schedule/delays delays must be a list of durations such as "250ms" or "1m30s", each at most 168h, not "1s/2s"`},

		{policyWith(`"jitter": {"kind": "percentage", "fraction": 300000}`), `/jitter/fraction fraction must be at most 1, not 300000`},
		{policyWith(`"jitter": {"kind": "percentage", "fraction": -0.1}`), `/jitter/fraction fraction must be at least 0, not -0.1`},
		{policyWith(`"jitter": {"kind": "range", "low": 2, "high": 1}`), `/jitter/high high must be at least low (2), not 1`},
		{policyWith(`"jitter": {"kind": "full", "fraction": 0.1}`), `/jitter/fraction fraction belongs to kind percentage or laterPercentage, not full`},
		{policyWith(`"jitter": "full"`), `/jitter jitter must be an object, not "full"`},
		{policyWith(`"maxAttempts": 2.5`), `/maxAttempts maxAttempts must be a whole number, not 2.5`},
		{policyWith(`"maxAttempts": "3"`), `/maxAttempts maxAttempts must be a whole number, not "3"`},
		{policyWith(`"maxAttempts": -1`), `/maxAttempts maxAttempts must be at least 0, not -1`},
		{policyWith(`"maxAttempts": 99999999999999999999`), `/maxAttempts maxAttempts must be at most 2147483648, not 99999999999999999999`},
		{policyWith(`"capAfterJitter": 1`), `/capAfterJitter capAfterJitter must be true or false, not 1`},
		{policyWith(`"retryOn": []`), `/retryOn retryOn must name at least one of unavailable, timeout, overloaded, rateLimited, transient, permanent, conflict`},
		{policyWith(`"retryOn": ["timeout", "timeout"]`), `/retryOn retryOn must not name timeout twice`},
		{policyWith(`"retryOn": ["503"]`), `/retryOn retryOn must be one of unavailable, timeout, overloaded, rateLimited, transient, permanent, conflict, not "503"`},
		{policyWith(`"retryAfter": "obey"`), `/retryAfter retryAfter must be one of ignore, floor, floorJitter, clamp, giveUp, not "obey"`},
		{policyWith(`"name": "` + strings.Repeat("é", 201) + `"`), `/name name must have at most 200 characters, not 201`},
		{policyWith(`"id": "a\nb"`), `/id id must be without control characters, not "a\nb"`},
		{policyWith(`"cap": "1s", "cap": "2s"`), `/cap "cap" is given twice`},
		{policyWith(`"hedge": {}`), `/hedge unknown field "hedge"; accepted are ` + policyKeys},
		{policyWith(`"a/b~c": 1`), `/a~1b~0c unknown field "a/b~c"; accepted are ` + policyKeys},

		{`{"schedule": {"kind": "exponential", "base": "-1s", "factor": 11}, "cap": 3, "jitter": {"kind": "x"}, "deadline": "soon"}`,
			`/schedule/base base must be at least 0s, not -1s
/schedule/factor factor must be at most 10, not 11
/cap cap must be a duration such as "250ms" or "1m30s", at most 168h, not 3
/jitter/kind kind must be one of ` + jitters + `, not "x"
/deadline deadline must be a duration such as "250ms" or "1m30s", at most 168h, not "soon"`},
	} {
		_, err := strategies.ParsePolicy([]byte(c.document))
		if got := spectest.Lines(err); got != c.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.document, got, c.want)
		}
	}
}

func TestPolicySyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		document     string
		line, column int
		detail       string
	}{
		{"", 1, 1, "unexpected end of JSON input"},
		{"{", 1, 1, "unexpected end of JSON input"},
		{"{\n  \"cap\": tru}", 2, 13, "invalid character '}' in literal true (expecting 'e')"},
		{"{} {}", 1, 4, "invalid character '{' after top-level value"},
		{`{"é": NaN}`, 1, 7, "invalid character 'N' looking for beginning of value"},
		{"{\"a\": \"\xff\"}", 1, 8, "not UTF-8"},
		{"{“schedule”: 1}", 1, 2, "invalid character '“' looking for beginning of object key string"},
		{"\ufeff\ufeff{}", 1, 1, `invalid character '\ufeff' looking for beginning of value`},
		{strings.Repeat("[", 20_000), 1, 10_001, "invalid character '[' exceeded max depth"},
	} {
		_, err := strategies.ParsePolicy([]byte(c.document))
		want := spec.SyntaxError{Line: c.line, Column: c.column, Detail: c.detail}
		if got, ok := err.(*spec.SyntaxError); !ok || *got != want {
			t.Errorf("%.20q: got %v, want %v", c.document, err, &want)
		}
	}
}

// policyKeys are what a fault lists of a policy's fields.
const policyKeys = "id, name, schedule, cap, capAfterJitter, growsPastCap, jitter, maxAttempts, deadline, attemptTimeout, retryOn, retryAfter, breaker, budget, throttle"

func TestPolicyText(t *testing.T) {
	for _, c := range []struct{ document, text string }{
		{policyWith(`"jitter": {"kind": "full"}, "cap": "10s", "maxAttempts": 5`), "exponential,base=100ms,cap=10s,jitter=full,maxAttempts=5"},
		{`{"schedule": {"kind": "list", "delays": ["1s", "5s", "25s"]}, "jitter": {"kind": "range", "low": 1, "high": 2}}`,
			"list,delays=1s/5s/25s,jitter=range,low=1,high=2"},
		{`{"schedule": {"kind": "immediate"}}`, "immediate"},
		{`{"schedule": {"kind": "linear", "base": "1m", "step": "60s"}}`, "linear,base=1m"},
		{policyWith(`"jitter": {"kind": "percentage", "fraction": 0.1}, "capAfterJitter": true, "deadline": "1h"`),
			"exponential,base=100ms,capAfterJitter=true,jitter=percentage,deadline=1h"},
		{policyWith(`"retryOn": ["timeout", "permanent"], "retryAfter": "giveUp", "attemptTimeout": "1s"`),
			"exponential,base=100ms,attemptTimeout=1s,retryOn=timeout/permanent,retryAfter=giveUp"},
		{policyWith(`"breaker": {"failures": 5, "openFor": "10s", "openJitter": 0.2, "onOpen": "wait"}, "budget": {"kind": "aws"}, "throttle": {"k": 2}`),
			"exponential,base=100ms,breaker.failures=5,breaker.openJitter=0.2,breaker.onOpen=wait,budget.kind=aws,throttle.k=2"},
		{policyWith(`"breaker": {"kind": "ratio", "window": 20, "ratio": 0.5}, "budget": {"kind": "grpc", "maxTokens": 10, "tokenRatio": 0.1}`),
			"exponential,base=100ms,breaker.kind=ratio,breaker.window=20,breaker.ratio=0.5,budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.1"},
		{policyWith(`"id": "a", "name": " 10 %, x=1 ~ & "`), "exponential,base=100ms,id=a,name=~2010 ~25~2C x~3D1 ~7E ~26~20"},
	} {
		p := parse(t, c.document)
		if got := p.Text(); got != c.text {
			t.Errorf("got  %s\nwant %s", got, c.text)
		}
		again, err := strategies.ParseText(c.text)
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%s: got %+v (%v), want %+v", c.text, again, err, p)
		}
	}
}

func TestPolicyTextFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `/schedule/kind kind is required`},
		{"base=1s", `/schedule/kind kind must be one of ` + schedules + `, not "base=1s"`},
		{"constant", `/schedule/base base is required`},
		{"constant,base=", `/schedule/base base is required`},
		{"constant,base=1s,", `"" "" must be key=value; fractions are written with a point, such as 1.5`},
		{"exponential,base=1s,factor=1,5", `"" "5" must be key=value; fractions are written with a point, such as 1.5`},
		{"constant,base=1s,base=2s", `/schedule/base "base" is given twice`},
		{"constant,base=1s,factor=2", `/schedule/factor factor belongs to kind exponential or geometric, not constant`},
		{"constant,base=1s,low=1", `/jitter/low low belongs to kind range or compounding, not none`},
		{"exponential,base=1s,factor=0x2", `/schedule/factor factor must be a number, not "0x2"`},
		{"exponential,base=1s,factor=NaN", `/schedule/factor factor must be a number, not "NaN"`},
		{"exponential,base=1s,factor=1_0", `/schedule/factor factor must be a number, not "1_0"`},
		{"list,delays=1s//2s", `/schedule/delays delays must be a list of durations such as "250ms" or "1m30s", each at most 168h, not ""`},
		{"immediate,id=~2", `/id id must have two hexadecimal digits after each "~"`},
		{"immediate,id=~zz", `/id id must have two hexadecimal digits after each "~"`},
		{"immediate,name=~ff", `/name name must be without control characters, not "\xff"`},
		{"immediate,name=a\u202eb", `/name name must be without control characters, not "a\u202eb"`},
		{"immediate,schedule=list", `/schedule schedule must be given field by field, not as "list"`},
		{"immediate,hedge.after=5s", `/hedge unknown field "hedge"; accepted are ` + policyKeys},
		{"immediate,breaker.failures=0", "/breaker/failures failures must be at least 1, not 0"},
		{"immediate,breaker=failures", `/breaker breaker must be given field by field, not as "failures"`},
		{"immediate,cap=-1s,deadline=x", "/cap cap must be at least 0s, not -1s\n" + `/deadline deadline must be a duration such as "250ms" or "1m30s", at most 168h, not "x"`},
		{strings.Repeat("x", 1<<17), `"" a policy's text must have at most 65536 bytes, not 131072`},
	} {
		_, err := strategies.ParseText(c.text)
		if got := spectest.Lines(err); got != c.want {
			t.Errorf("%.80s\ngot:\n%s\nwant:\n%s", c.text, got, c.want)
		}
	}
}

// However hostile, a document costs little and gives no more than a hundred faults and the word that there are more.
func TestPolicyFaultsAreBounded(t *testing.T) {
	for name, document := range map[string]string{
		"unknown fields":   policyWith(strings.Repeat(`"x": 0, `, 100_000) + `"y": 0`),
		"different fields": policyWith(manyFields(100_000)),
		"long key":         policyWith(`"` + strings.Repeat("k", 1<<20) + `": 0`),
		"long value":       policyWith(`"cap": "` + strings.Repeat("9", 1<<20) + `"`),
		"deep value":       policyWith(`"cap": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000)),
		"long list":        `{"schedule": {"kind": "list", "delays": [` + strings.Repeat(`"1s",`, 200_000) + `"1s"]}}`,
		"many parts":       strings.Repeat(",a=1", 10_000),
		"text, not UTF-8":  "immediate,cap=" + strings.Repeat("\x80", 100),
	} {
		_, err := strategies.ParsePolicy([]byte(document))
		if !strings.HasPrefix(document, "{") {
			_, err = strategies.ParseText(document)
		}
		faults, ok := err.(spec.Faults)
		if size := len(fmt.Sprint(err)); !ok || len(faults) > 101 || size > 1<<16 {
			t.Errorf("%s: %d faults in %d bytes", name, len(faults), size)
		}
	}
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"f%d": 0, `, i)
	}
	return b.String() + `"f": 0`
}

func TestPolicyRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrips(t, parse(t, string(strategiestest.AnyPolicy(t)))) })
}

// checkRoundTrips tests that a valid policy is the same after going through JSON and through text.
func checkRoundTrips(t interface{ Fatalf(string, ...any) }, p strategies.Policy) {
	if err := p.Validate(); err != nil {
		t.Fatalf("%+v is not valid: %v", p, err)
	}
	p.Warnings() // whatever they say, they must not panic
	text := p.Text()
	fromText, err := strategies.ParseText(text)
	if err != nil || !reflect.DeepEqual(fromText, p) {
		t.Fatalf("%s: got %+v (%v), want %+v", text, fromText, err, p)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	fromJSON, err := strategies.ParsePolicy(data)
	if err != nil || !reflect.DeepEqual(fromJSON, p) {
		t.Fatalf("%s: got %+v (%v), want %+v", data, fromJSON, err, p)
	}
	if again := fromText.Text(); again != text {
		t.Fatalf("%s is printed again as %s", text, again)
	}
}

func FuzzParsePolicy(f *testing.F) {
	for _, document := range []string{
		`{}`, policyWith(`"jitter": {"kind": "range", "low": 1, "high": 2}, "retryOn": ["timeout"]`),
		policyWith(`"name": "\ud800", "id": "~", "cap": "1e3s", "maxAttempts": 1e3`),
		`{"schedule": {"kind": "list", "delays": ["1s", "0.1ns"]}, "schedule": []}`,
	} {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := strategies.ParsePolicy(data); err == nil {
			checkRoundTrips(t, p)
		} else if len(err.Error()) > 1<<16 {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
	})
}

func FuzzParseText(f *testing.F) {
	for _, text := range []string{
		"exponential,base=100ms,cap=10s,jitter=full,maxAttempts=5", "list,delays=1s/5s/25s,jitter=range,low=1,high=2",
		"immediate,name=~2010 ~25~2C,id=a", "linear,base=1µs,step=-0s,retryOn=conflict", ",,=,", "constant,base=1e3s,fraction=-0",
		"immediate,cap=" + strings.Repeat("\x80", 100),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := strategies.ParseText(text); err == nil {
			checkRoundTrips(t, p)
		} else if len(err.Error()) > 1<<16 {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
	})
}

func TestValidatePolicyMadeInGo(t *testing.T) {
	for _, c := range []struct {
		policy strategies.Policy
		want   string
	}{
		{strategies.Policy{}, `/schedule/kind kind must be one of ` + schedules + `, not ""
/jitter/kind kind must be one of ` + jitters + `, not ""
/retryOn retryOn must name at least one of unavailable, timeout, overloaded, rateLimited, transient, permanent, conflict
/retryAfter retryAfter must be one of ignore, floor, floorJitter, clamp, giveUp, not ""`},
		{
			strategies.Policy{
				Schedule: spec.Choice{Kind: "exponential", Args: spec.Args{"base": 100, "factr": 2.0}}, Cap: -time.Second,
				Jitter: spec.Choice{Kind: "none"}, RetryOn: strategies.AllClasses, RetryAfter: strategies.GiveUp,
			},
			`/schedule/base base must be a duration such as "250ms" or "1m30s", at most 168h, not a int
/schedule/factor factor is required
/cap cap must be at least 0s, not -1s`,
		},
		{
			strategies.Policy{
				Schedule: spec.Choice{Kind: "immediate", Args: spec.Args{"base": time.Second}},
				Jitter:   spec.Choice{Kind: "none"}, RetryOn: strategies.AllClasses, RetryAfter: strategies.GiveUp,
			},
			`/schedule/base unknown field "base"`,
		},
	} {
		if got := spectest.Lines(c.policy.Validate()); got != c.want {
			t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
		}
	}
}

func TestPolicyWarnings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"exponential,base=1s,cap=10s,jitter=full,deadline=1s", ""}, // the first wait can be 0
		{"exponential,base=1s,cap=10s,jitter=decorrelated,maxAttempts=2", ""},
		{"constant,base=1s,deadline=1s", ""}, // equality is allowed
		{"constant,base=1s,deadline=999ms", "the deadline of 999ms is shorter than the first wait, at least 1s: nothing is ever retried"},
		{"constant,base=4s,jitter=equal,deadline=1s", "the deadline of 1s is shorter than the first wait, at least 2s: nothing is ever retried"},
		{"immediate,maxAttempts=1", ""},
		{"constant,base=1s,maxAttempts=1", "with 1 attempt nothing is retried, and the waits do not matter"},
		{"constant,base=3s,cap=1s", "the cap of 1s is below the first wait of 3s"},
		{"exponential,base=1s,cap=10s,jitter=percentage,fraction=0.5", "waits can reach 15s: the cap of 10s holds before jitter, not after"},
		{"exponential,base=1s,cap=10s,capAfterJitter=true,jitter=percentage,fraction=0.5", ""},
		{"list,delays=9s/1s,cap=10s,jitter=range,low=0,high=2", "waits can reach 18s: the cap of 10s holds before jitter, not after"},
		{"constant,base=1s,retryAfter=clamp", "retryAfter clamp is the same as floor without a cap"},
	} {
		p, err := strategies.ParseText(c.text)
		if got := strings.Join(p.Warnings(), "\n"); err != nil || got != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.text, got, err, c.want)
		}
	}
}

func TestPolicySchema(t *testing.T) {
	valid := spectest.Validator(t, strategies.PolicySchema())
	rapid.Check(t, func(t *rapid.T) {
		document := strategiestest.AnyPolicy(t)
		if err := valid(document); err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		canonical, _ := json.Marshal(parse(t, string(document)))
		if err := valid(canonical); err != nil {
			t.Fatalf("%s: %v", canonical, err)
		}
	})
}

// What the schema's vocabulary can say, schema and parser refuse alike.
func TestPolicySchemaRefuses(t *testing.T) {
	valid := spectest.Validator(t, strategies.PolicySchema())
	for _, document := range []string{
		`[]`, `{}`, `{"schedule": null}`, `{"schedule": {"kind": "cubic"}}`, `{"schedule": {"kind": "constant"}}`,
		`{"schedule": {"kind": "constant", "base": 100}}`, `{"schedule": {"kind": "constant", "base": "-1s"}}`,
		`{"schedule": {"kind": "constant", "base": "1d"}}`, `{"schedule": {"kind": "constant", "base": "1s", "step": "1s"}}`,
		`{"schedule": {"kind": "exponential", "base": "1s", "factor": 0.99}}`, `{"schedule": {"kind": "list", "delays": []}}`,
		policyWith(`"jitter": {"kind": "percentage", "fraction": 1.01}`), policyWith(`"jitter": "full"`),
		policyWith(`"maxAttempts": 2.5`), policyWith(`"maxAttempts": -1`), policyWith(`"retryOn": []`),
		policyWith(`"retryOn": ["timeout", "timeout"]`), policyWith(`"retryAfter": "obey"`), policyWith(`"cap": null`),
		policyWith(`"capAfterJitter": "true"`), policyWith(`"breaker": {}`), policyWith(`"name": 5`),
		policyWith(`"name": "` + strings.Repeat("é", 201) + `"`),
	} {
		if valid([]byte(document)) == nil {
			t.Errorf("the schema accepts %s", document)
		}
		if _, err := strategies.ParsePolicy([]byte(document)); err == nil {
			t.Errorf("ParsePolicy accepts %s", document)
		}
	}
}

// policyWith returns a policy that is valid but for what the further fields may do to it.
func policyWith(fields string) string {
	return `{"schedule": {"kind": "exponential", "base": "100ms"}, ` + fields + `}`
}

func parse(t interface{ Fatalf(string, ...any) }, document string) strategies.Policy {
	p, err := strategies.ParsePolicy([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return p
}
