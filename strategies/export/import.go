package export

// Reading a policy back from what a target is configured with. What is left out gets the target's default, and a note.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
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
	looks := looksLike(root)
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
	p := f.read(root)
	if err := c.Err(); err != nil {
		return Imported{}, err
	}
	if err := p.Validate(); err != nil {
		return Imported{}, err
	}
	return Imported{Format: f.ID, Policy: p, Notes: append([]string{}, r.notes...)}, nil
}

// marks are the fields by which a format is known.
var marks = []struct {
	id   string
	keys []string
}{
	{"stampede", []string{"schedule"}},
	{"grpc", []string{"methodConfig", "retryThrottling", "initialBackoff"}},
	{"step-functions", []string{"Retry", "ErrorEquals", "BackoffRate", "IntervalSeconds"}},
	{"envoy", []string{"retryOn", "retryBackOff", "numRetries", "retriableStatusCodes"}},
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
	for _, m := range marks {
		if slices.ContainsFunc(m.keys, func(key string) bool { return o.find(key) >= 0 }) {
			return m.id
		}
	}
	return ""
}

// Recognises reports whether a document looks like a real system's configuration of retries, readable or not.
func Recognises(document []byte) bool {
	root, err := parse(document, &reader{faults: &spec.Collector{}})
	if err != nil {
		return false
	}
	looks := looksLike(root)
	return looks != "" && looks != stampede.ID
}

var (
	yaml    = regexp.MustCompile(`^(\s*#.*\n)*[ \t]*[A-Za-z0-9_.-]+:(\s|$)`)
	ini     = regexp.MustCompile(`^\s*\[[a-z]+[^\]",]*\]\s*(\n|$)`)
	comment = regexp.MustCompile(`(?m)^\s*(//|/\*|#)|//.*$`)
)

// explain says more of what is not JSON where it can be told what it is instead.
func explain(data []byte, err error) error {
	syntax, ok := err.(*spec.SyntaxError)
	if !ok {
		return err
	}
	head := data[:min(len(data), 4096)]
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		syntax.Detail = "there is nothing"
	case ini.Match(head):
		syntax.Detail += "; this looks like a configuration file with [sections], which cannot be read"
	case yaml.Match(head):
		syntax.Detail += "; this looks like YAML, which cannot be read: turn it into JSON"
	case comment.Match(head):
		syntax.Detail += "; JSON has no comments"
	}
	return syntax
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
