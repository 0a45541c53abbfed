package export

// Reading a policy back from what a target is configured with. What is left out gets the target's default, and a note.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// Imported is a policy as read.
type Imported struct {
	Format string            `json:"format"`
	Policy strategies.Policy `json:"policy"`
	Notes  []string          `json:"notes"` // defaults that were filled in, and what was left out
}

// Readable lists the ids of the formats that Import reads.
func Readable() []string {
	var ids []string
	for _, f := range Formats {
		if f.read != nil {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// Import reads a policy in a format, or in the one that it looks like if the id is empty. It returns a
// *spec.SyntaxError if data is not JSON, else all spec.Faults.
func Import(id string, data []byte) (Imported, error) {
	var c spec.Collector
	r := &reader{faults: &c}
	if rest, marked := bytes.CutPrefix(data, []byte(spec.ByteOrderMark)); marked {
		data = rest
		r.note("a byte-order mark was skipped")
	}
	root, err := parse(data, r)
	if err != nil {
		return Imported{}, explain(data, err)
	}
	part := root.locate()
	looks := looksLike(part)
	if id == "" {
		id = looks
	}
	f, _ := Find(id)
	switch {
	case f.read == nil && f.ID != "":
		c.Addf("", "this looks like %s, which can be written but not read", f.Name)
	case f.read == nil:
		c.Addf("", "this looks like none of the formats that can be read: %s", strings.Join(Readable(), ", "))
	case looks != id && looks != "":
		other, _ := Find(looks)
		c.Addf("", "this looks like %s, not %s", other.Name, f.Name)
	}
	if err := c.Err(); err != nil {
		return Imported{}, err
	}
	if f.ID == stampede.ID {
		p, err := strategies.ParsePolicy(data)
		return Imported{Format: f.ID, Policy: p, Notes: append([]string{}, r.notes...)}, err
	}
	p := f.read(part)
	if err := c.Err(); err != nil {
		return Imported{}, err
	}
	if err := p.Validate(); err != nil {
		return Imported{}, err
	}
	return Imported{Format: f.ID, Policy: p, Notes: append([]string{}, r.notes...)}, nil
}

// marks are the fields by which a format is known; two names are of fields that have to be there together.
var marks = []struct {
	id   string
	keys []string
}{
	{"stampede", []string{"schedule"}},
	{"grpc", []string{"methodConfig", "retryThrottling", "initialBackoff"}},
	{"step-functions", []string{"Retry", "ErrorEquals", "BackoffRate", "IntervalSeconds"}},
	{"istio", []string{"retries", "attempts retryOn", "attempts perTryTimeout"}},
	{"envoy", []string{"retryOn", "retryBackOff", "numRetries", "retriableStatusCodes", "circuitBreakers"}},
	{"temporal", []string{"initialInterval", "backoffCoefficient", "maximumInterval", "maximumAttempts"}},
	{"dotnet", []string{"Resilience", "TotalRequestTimeout"}},
	{"bullmq", []string{"backoff"}},
}

// looksLike is the id of the format that a document is in, to all appearance; "" if it looks like none.
func looksLike(n node) string {
	if list, ok := n.value.([]any); ok && len(list) > 0 {
		n.value = list[0]
	}
	o, _ := n.value.(object)
	absent := func(key string) bool { return o.find(key) < 0 }
	for _, m := range marks {
		if slices.ContainsFunc(m.keys, func(keys string) bool { return !slices.ContainsFunc(strings.Fields(keys), absent) }) {
			return m.id
		}
	}
	return ""
}

// within returns the parts of a document that look like a system's configuration of retries and lie in no other such part:
// a route within a route table, a state within a state machine.
func (n node) within() (parts []node) {
	looks := looksLike(n)
	_, list := n.value.([]any)
	switch {
	case looks == stepFunctions.ID, looks == stampede.ID && n.at == "", looks != "" && looks != stampede.ID && !list: // only Step Functions has lists of retriers
		return []node{n}
	}
	switch v := n.value.(type) {
	case object:
		for _, m := range v {
			parts = append(parts, node{n.reader, n.at + "/" + pointerKey(m.key), m.value}.within()...)
		}
	case []any:
		for i, item := range v {
			parts = append(parts, node{n.reader, n.at + "/" + strconv.Itoa(i), item}.within()...)
		}
	}
	return parts
}

// locate returns the part of a document that says how to retry, the whole if there is none, and notes what is passed over.
func (n node) locate() node {
	parts := n.within()
	if policies := slices.DeleteFunc(slices.Clone(parts), isEnvoyCluster); 0 < len(policies) && len(policies) < len(parts) {
		n.note("the circuit breakers at %s were left out: those that are read stand beside a retry_policy", parts[slices.IndexFunc(parts, isEnvoyCluster)].at)
		parts = policies
	}
	switch {
	case len(parts) == 0:
		return n
	case len(parts) > 1:
		n.note("of %d retry policies only the one at %s was read", len(parts), parts[0].at)
	case parts[0].at != "":
		n.note("of the document only what is at %s was read", parts[0].at)
	}
	return parts[0]
}

// Recognises reports whether a document looks like a real system's configuration of retries, readable or not.
func Recognises(document []byte) bool {
	root, err := parse(document, &reader{faults: &spec.Collector{}})
	if err != nil {
		return false
	}
	looks := looksLike(root.locate())
	return looks != "" && looks != stampede.ID
}

var (
	yaml    = regexp.MustCompile(`^(\s*#.*\n)*[ \t]*[A-Za-z0-9_.-]+:(\s|$)`)
	ini     = regexp.MustCompile(`^\s*\[[a-z]+[^\]",]*\]\s*(\n|$)`)
	markup  = regexp.MustCompile(`^\s*<`)
	code    = regexp.MustCompile(`^\s*(package|import|from|const|let|var) `)
	line    = regexp.MustCompile(`^\s*[a-z]+(,[a-zA-Z.]+=|\s*$)`)
	comment = regexp.MustCompile(`(?m)^\s*(//|/\*|#)|//.*$`)
)

// explain says more of what is not JSON where it can be told what it is instead.
func explain(data []byte, err error) error {
	syntax, ok := err.(*spec.SyntaxError)
	if !ok {
		return err
	}
	switch guess := Guess(data); {
	case len(bytes.TrimSpace(data)) == 0:
		syntax.Detail = "there is nothing"
	case guess != "":
		syntax.Detail += "; " + guess
	case line.Match(data):
		syntax.Detail += "; this looks like a policy in one line, which is no document: it goes where policies are typed"
	}
	return syntax
}

// Guess says what a text looks like that is not JSON; "" if that cannot be told, or if it is a policy in one line.
func Guess(text []byte) string {
	head := text[:min(len(text), 4096)]
	switch {
	case line.Match(head):
	case ini.Match(head):
		return "this looks like a configuration file with [sections], which cannot be read"
	case yaml.Match(head):
		return "this looks like YAML, which cannot be read: turn it into JSON"
	case markup.Match(head):
		return "this looks like XML or HTML, which cannot be read"
	case code.Match(head):
		return "this looks like a program, which cannot be read"
	case comment.Match(head):
		return "JSON has no comments"
	}
	return ""
}

// multiplying is a policy that multiplies its waits, with what it retries on to be filled in.
func multiplying(base, cap time.Duration, factor float64, jitter spec.Choice) strategies.Policy {
	return strategies.Policy{
		Schedule: choiceOf("exponential", "base", base, "factor", factor), Cap: cap, Jitter: jitter,
		RetryOn: strategies.AllClasses, RetryAfter: strategies.IgnoreHint,
	}
}

func (r *reader) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(r.notes) < 20 && !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}
