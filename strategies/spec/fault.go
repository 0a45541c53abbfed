package spec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Fault is something wrong with one place of a document.
type Fault struct {
	Pointer string `json:"pointer"` // JSON pointer (RFC 6901) to the place
	Detail  string `json:"detail"`  // the field, what is accepted, and the value given
}

// Faults are all that is wrong with a document.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Detail
		if fault.Pointer != "" {
			lines[i] = fault.Pointer + ": " + fault.Detail
		}
	}
	return strings.Join(lines, "\n")
}

// maxFaults bounds what is reported of a document that may be nothing but faults.
const maxFaults = 100

// Collector gathers faults, the first hundred of them.
type Collector struct {
	faults   Faults
	starting bool // what must be given and is not starts with what its declaration says
}

// Add reports a fault at a JSON pointer.
func (c *Collector) Add(at, detail string) {
	if c.full() {
		return
	}
	c.faults = append(c.faults, Fault{at, detail})
	if len(c.faults) == maxFaults {
		c.faults = append(c.faults, Fault{"", fmt.Sprintf("there are more faults than these %d", maxFaults)})
	}
}

// Addf is Add with a format.
func (c *Collector) Addf(at, format string, args ...any) { c.Add(at, fmt.Sprintf(format, args...)) }

// Merge reports what is wrong with a part of the document, the one at the pointer. Its error may be Faults.
func (c *Collector) Merge(at string, err error) {
	faults, ok := errors.AsType[Faults](err)
	if err != nil && !ok {
		c.Add(at, err.Error())
	}
	for _, f := range faults {
		c.Add(at+f.Pointer, f.Detail)
	}
}

// Err returns the Faults as an error, nil if there are none.
func (c *Collector) Err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}

func (c *Collector) full() bool { return len(c.faults) > maxFaults }

// SyntaxError says where a document is not JSON.
type SyntaxError struct {
	Line, Column int // from 1; the column counts characters
	Detail       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON: line %d, column %d: %s", e.Line, e.Column, e.Detail)
}

// syntaxError is about the byte at an offset.
func syntaxError(data []byte, offset int, detail string) *SyntaxError {
	before := string(data[:max(0, min(offset, len(data)))])
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &SyntaxError{
		Line:   1 + strings.Count(before, "\n"),
		Column: 1 + utf8.RuneCountInString(line),
		Detail: detail,
	}
}

// pointerTo extends a JSON pointer by a key.
func pointerTo(at, key string) string {
	return at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(shorten(key))
}

// maxQuoted bounds how much of a wrong value is repeated in a fault, in bytes.
const maxQuoted = 60

func shorten(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	end := maxQuoted
	for end > maxQuoted-utf8.UTFMax && !utf8.RuneStart(s[end]) { // s may be anything but UTF-8
		end--
	}
	return s[:end] + "…"
}

func quote(s string) string { return strconv.Quote(shorten(s)) }
