package spec

import (
	"cmp"
	"fmt"
	"time"
)

// Check returns all the Faults of a document that was made in Go rather than decoded, as an error.
func Check(d Document) error {
	var c Collector
	c.check(d, "")
	return c.Err()
}

func (c *Collector) check(d Document, at string) {
	before := len(c.faults)
	fields := d.Fields()
	for i := range fields {
		f := &fields[i]
		if f.active(fields) {
			c.checkField(f, at+"/"+f.Key)
		}
		if i == 0 && len(c.faults) > before && divided(fields) {
			return
		}
	}
	if len(c.faults) == before {
		c.together(d, fields, at)
	}
}

func (c *Collector) checkField(f *Field, at string) {
	if f.scalar() {
		v := f.get()
		if v == nil {
			c.Add(at, f.Key+" is required")
		} else if problem := f.check(v, Format(v)); problem != "" {
			c.Add(at, f.Key+" "+problem)
		}
		return
	}
	documents := f.documents()
	if f.Type == Object && len(documents) == 1 {
		c.check(documents[0], at)
		return
	}
	if f.Type == List {
		if problem := f.count(len(documents)); problem != "" {
			c.Add(at, f.Key+" "+problem)
		}
	}
	for i, d := range documents {
		c.check(d, fmt.Sprintf("%s/%d", at, i))
	}
}

// less compares two values of one type, durations or numbers.
func less(a, b any) bool {
	switch a := a.(type) {
	case time.Duration:
		return cmp.Less(a, b.(time.Duration))
	case int64:
		return cmp.Less(a, b.(int64))
	}
	return cmp.Less(a.(float64), b.(float64))
}
