package export

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// What a format writes, it reads back as what the target does.
func TestImportIsTheInverseOfExport(t *testing.T) {
	for _, id := range Readable() {
		f, _ := Find(id)
		t.Run(id, rapid.MakeCheck(func(t *rapid.T) {
			p := anyPolicy(t)
			p.ID, p.Name = "", "" // only our own document has them
			file, err := f.Export(p)
			if err != nil {
				return
			}
			for _, as := range []string{id, ""} {
				got, err := Import(as, []byte(file.Text))
				if err != nil || got.Policy.Text() != file.Does.Text() || !reflect.DeepEqual(got.Policy, file.Does) || got.Format != id {
					t.Errorf("%s as %q reads back as\n%s (%v), not\n%s", file.Text, as, got.Policy.Text(), err, file.Does.Text())
				}
			}
		}))
	}
}

// Defaults are those of the targets, and each that is filled in is told.
func TestImportFillsInDefaults(t *testing.T) {
	for _, test := range []struct{ document, want, note string }{
		{`{"retry_on": "connect-failure,refused-stream,reset"}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=unavailable/timeout,retryAfter=ignore", "numRetries is not given: 1"},
		{`{"retryOn": "5xx", "retryBackOff": {"baseInterval": "0.1s"}, "numRetries": 3}`,
			"exponential,base=100ms,cap=1s,jitter=full,maxAttempts=4,retryOn=unavailable/timeout/overloaded/transient,retryAfter=ignore", "maxInterval is not given: 1s"},
		{`{"initialInterval": "2s"}`, "exponential,base=2s,cap=3m20s,retryOn=unavailable/timeout/overloaded/rateLimited/transient/permanent/conflict,retryAfter=ignore", "maximumInterval is not given: 200s"},
		{`{"maximumAttempts": 3, "nonRetryableErrorTypes": ["permanent", "BadInput"]}`, "exponential,base=1s,cap=1m40s,maxAttempts=3,retryAfter=ignore", `"BadInput"`},
		{`{"Retry": [{"ErrorEquals": ["States.ALL"]}], "Type": "Task"}`,
			"exponential,base=1s,maxAttempts=4,retryOn=unavailable/timeout/overloaded/rateLimited/transient/permanent/conflict,retryAfter=ignore", `"Type" was left out`},
		{`[{"ErrorEquals": ["States.Timeout"], "MaxAttempts": 0}, {"ErrorEquals": ["States.ALL"]}]`,
			"exponential,base=1s,maxAttempts=1,retryOn=timeout,retryAfter=ignore", "of 2 entries only the one at /0"},
		{`{"methodConfig": [{"name": [{"service": "a.B"}], "retryPolicy": {"maxAttempts": 9, "initialBackoff": ".5s", "maxBackoff": "1s"}}]}`, "", ""},
		{`{"maxAttempts": 9, "initialBackoff": "0.5s", "maxBackoff": "1s", "backoffMultiplier": 1.5, "retryableStatusCodes": ["UNAVAILABLE"]}`,
			"exponential,base=500ms,factor=1.5,cap=1s,jitter=percentage,fraction=0.2,maxAttempts=5,retryOn=unavailable/overloaded,retryAfter=ignore", "gRPC takes that for 5"},
		{`{"StartAt": "A", "States": {"A": {"Type": "Task", "Retry": [{"ErrorEquals": ["States.Timeout"], "IntervalSeconds": 3}]}}}`,
			"exponential,base=3s,maxAttempts=4,retryOn=timeout,retryAfter=ignore", "of the document only what is at /States/A was read"},
		{`{"routes": [{"route": {"cluster": "a", "retry_policy": {"retry_on": "reset", "num_retries": 2}}}, {"route": {"retry_policy": {"retry_on": "5xx"}}}]}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=3,retryOn=timeout,retryAfter=ignore", "of 2 retry policies only the one at /routes/0/route/retry_policy"},
		{`{"retry_policy": {"retry_on": "reset"}, "circuit_breakers": {"thresholds": [{"max_retries": 5}, {"retry_budget": {}}]}}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=timeout,retryAfter=ignore,budget.kind=ratio,budget.ratio=0.2,budget.burst=3", "budget_percent is not given: 20 by default"},
		{`{"retry_policy": {"retry_on": "reset"}, "circuit_breakers": {"thresholds": [{"max_retries": 5}]}}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=timeout,retryAfter=ignore", "no retry_budget"},
		{`{"retryPolicy": {"retryOn": "reset"}, "circuitBreakers": {"thresholds": [{"retryBudget": {"budgetPercent": {"value": 12.5}, "minRetryConcurrency": 0}}]}}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=timeout,retryAfter=ignore,budget.kind=ratio,budget.ratio=0.125,budget.burst=1", "min_retry_concurrency is 0"},
		{`{"retry_policy": {"retry_on": "reset"}, "circuit_breakers": {}}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=timeout,retryAfter=ignore", "no retry_budget"},
		{`{"retry_policy": {"retry_on": "reset"}, "circuit_breakers": {"thresholds": [{"retry_budget": {"budget_percent": {"value": 12.34}}}]}}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=timeout,retryAfter=ignore,budget.kind=ratio,budget.ratio=0.123,budget.burst=3", "budget_percent is 12.34; read is 12.3,"},
		{`{"clusters": [{"circuit_breakers": {"thresholds": [{"retry_budget": {}}]}}], "listeners": [{"routes": [{"route": {"retry_policy": {"retry_on": "reset"}}}]}]}`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=timeout,retryAfter=ignore", "the circuit breakers at /clusters/0 were left out"},
		{`[{"retry_on": "reset", "num_retries": 2}, {"retry_on": "5xx"}]`,
			"exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=3,retryOn=timeout,retryAfter=ignore", "of 2 retry policies only the one at /0 was read"},
		{"\ufeff" + `{"schedule": {"kind": "immediate"}}`, "immediate", "byte-order mark"},
	} {
		got, err := Import("", []byte(test.document))
		if test.want == "" {
			if err == nil {
				t.Errorf("%s is read as %s", test.document, got.Policy.Text())
			}
			continue
		}
		if err != nil || got.Policy.Text() != test.want || !strings.Contains(strings.Join(got.Notes, "\n"), test.note) {
			t.Errorf("%s\nis read as %s (%v)\nwant       %s\nnotes %q, want %q", test.document, got.Policy.Text(), err, test.want, got.Notes, test.note)
		}
	}
}

// What cannot be read says where and what it looks like.
func TestImportFaults(t *testing.T) {
	for _, test := range []struct{ format, document, want string }{
		{"", "", "not JSON: line 1, column 1: there is nothing"},
		{"", "apiVersion: networking.istio.io/v1\nkind: VirtualService\n", "looks like YAML"},
		{"", "[default]\nretry_mode = standard\n", "[sections]"},
		{"", "// retries\n{}", "no comments"},
		{"", "{\"maximumAttempts\": 3 // three\n}", "no comments"},
		{"", "<beans/>", "looks like XML"},
		{"", "package main\n", "looks like a program"},
		{"", "import { retry } from 'cockatiel'\n", "looks like a program"},
		{"", "exponential,base=1s,cap=10s", "a policy in one line"},
		{"", "immediate", "a policy in one line"},
		{"", `{"spec": {"http": [{"retries": {"attempts": 2, "retryOn": "5xx"}}]}}`, "this looks like Istio VirtualService, which can be written but not read"},
		{"", `{"attempts": 2, "retryOn": "5xx"}`, "this looks like Istio VirtualService"},
		{"", `{"a": {"initialInterval": "1m"}}`, "/a/initialInterval: initialInterval must be decimal seconds"},
		{"", `{"circuit_breakers": {}}`, "retry_policy is required beside circuit_breakers"},
		{"", `{"retry_policy": {}, "circuit_breakers": null}`, "/circuit_breakers: circuit_breakers must be an object, not null"},
		{"", `{"retry_policy": {"retry_on": "reset"}, "circuit_breakers": {"thresholds": [{"retry_budget": {"budget_percent": {"value": 120}}}]}}`,
			"/circuit_breakers/thresholds/0/retry_budget/budget_percent/value: value must be a number from 0 to 100, not 120"},
		{"", `{"maximumAttempts": 3,}`, "not JSON: line 1, column 23"},
		{"", `{}`, "looks like none of the formats that can be read: stampede, grpc, envoy, step-functions, temporal"},
		{"", `{"Resilience": {}}`, "this looks like .NET Http.Resilience, which can be written but not read"},
		{"", `{"attempts": 3, "backoff": {}}`, "this looks like BullMQ job options, which can be written but not read"},
		{"grpc", `{"initialInterval": "1s"}`, "this looks like Temporal RetryPolicy, not gRPC service config"},
		{"nosuch", `{"initialInterval": "1s"}`, "none of the formats"},
		{"", `{"maximumAttempts": 3, "maximum_attempts": 4}`, `"maximum_attempts" is given twice`},
		{"", `{"maximumAttempts": 3, "maximumAttempts": 3}`, `"maximumAttempts" is given twice`},
		{"", `{"maximumAttempts": "3"}`, `/maximumAttempts: maximumAttempts must be a number from 0 to 2147483647, not "3"`},
		{"", `{"maximumAttempts": 2.5}`, "must be a whole number, not 2.5"},
		{"", `{"maximumAttempts": -1}`, "must be a number from 0"},
		{"", `{"initialInterval": "1m"}`, `/initialInterval: initialInterval must be decimal seconds such as "0.1s"`},
		{"", `{"initialInterval": 1}`, "must be decimal seconds"},
		{"", `{"initialInterval": "1s", "backoffCoefficient": "NaN"}`, "backoffCoefficient must be a number from 1 to 10"},
		{"", `{"initialInterval": "1s", "backoffCoefficient": 1e999}`, "backoffCoefficient must be a number from 1 to 10"},
		{"", `{"initialInterval": "10s", "maximumInterval": "1s"}`, "maximumInterval must be at least initialInterval (10s), not 1s"},
		{"", `{"initialInterval": "1s", "jitter": 0.2}`, `/jitter: unknown field "jitter"`},
		{"", `{"Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 0.5}]}`, "IntervalSeconds must be a number from 1"},
		{"", `{"Retry": [{"ErrorEquals": ["States.ALL"], "JitterStrategy": "EQUAL"}]}`, "must be FULL or NONE"},
		{"", `{"Retry": []}`, "Retry has no entry"},
		{"", `{"methodConfig": []}`, "no entry with a retryPolicy"},
		{"", `{"methodConfig": {}}`, "methodConfig must be a list, not an object"},
		{"", `{"retry_on": "5xx", "retry_back_off": {"base_interval": "1s", "max_interval": "0.5s"}}`, "max_interval must be at least"},
		{"", `{"retry_on": "sometimes"}`, "nothing is retried on"},
		{"", `{"schedule": {"kind": "constant"}}`, "base is required"},
		{"", `{"maximumAttempts": ` + strings.Repeat("9", 1<<20) + `}`, "must be a number from 0"},
		{"", `{"maximumAttempts": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested more than"},
		{"", "[" + strings.Repeat("1,", 2000) + "1]", "more than 1000 entries"},
	} {
		got, err := Import(test.format, []byte(test.document))
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 2000 {
			t.Errorf("%.100s as %q: %s, %.1000v; want %s", test.document, test.format, got.Policy.Text(), err, test.want)
		}
	}
}

// Whatever the bytes, there is a valid policy or a fault of the document.
func FuzzImport(f *testing.F) {
	for _, id := range Readable() {
		format, _ := Find(id)
		for _, text := range goldens {
			if file, err := format.Export(policy(f, text)); err == nil {
				f.Add(id, []byte(file.Text))
				f.Add("", []byte(file.Text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, id string, data []byte) {
		got, err := Import(id, data)
		if err == nil {
			if err := got.Policy.Validate(); err != nil {
				t.Errorf("%q is read as %s: %v", data, got.Policy.Text(), err)
			}
			return
		}
		_, faults := errors.AsType[spec.Faults](err)
		_, syntax := errors.AsType[*spec.SyntaxError](err)
		if !faults && !syntax {
			t.Errorf("%q: %v", data, err)
		}
	})
}
